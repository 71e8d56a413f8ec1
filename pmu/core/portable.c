// SPDX-License-Identifier: BSD-2-Clause
// Reads contexts from bytes: portable.h. palmon-state(5) describes the layout. All numbers are
// little-endian.

#include <string.h>

#include "bytes.h"
#include "counter.h"
#include "pmu_unit.h"
#include "portable.h"
#include "portable_layout.h"

static void get_words(const uint8_t *at, void *to, const uint8_t *words, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		*(uint64_t *)((char *)to + words[i]) = bytes_get(at + i * WORD_BYTES, WORD_BYTES);
}

static bool is_zero(const uint8_t *bytes, size_t count)
{
	while (count--)
		if (bytes[count])
			return false;
	return true;
}

//
// Reading: the parts
//

// The places of the parts. While a session is read, `counter` and `setting` point to its first
// ones.
struct reader {
	const struct pmu_driver *driver;
	const uint8_t *bytes, *counter, *setting, *settings, *recorded;
};

static bool is_of_target(const uint8_t *bytes, const char *name)
{
	const size_t length = strlen(name);

	return length < PMU_PORTABLE_NAME && !memcmp(bytes + AT_TARGET, name, length) &&
	       is_zero(bytes + AT_TARGET + length, PMU_PORTABLE_NAME - length);
}

const char *pmu_portable_target(const uint8_t *bytes, size_t size)
{
	if (size < HEADER_BYTES || memcmp(bytes, magic, sizeof magic) ||
	    bytes[AT_TARGET + PMU_PORTABLE_NAME - 1])
		return NULL;
	return (const char *)bytes + AT_TARGET;
}

static enum pmu_portable_error check_frame(const uint8_t *bytes, size_t size)
{
	if (size < AT_VERSION || memcmp(bytes, magic, sizeof magic))
		return PMU_PORTABLE_MAGIC;
	if (size < HEADER_BYTES + CHECKSUM_BYTES)
		return PMU_PORTABLE_LENGTH;
	if (bytes_get(bytes + AT_VERSION, 4) != PMU_PORTABLE_VERSION)
		return PMU_PORTABLE_VERSION_UNKNOWN;
	if (bytes_get(bytes + AT_LENGTH, 4) != size)
		return PMU_PORTABLE_LENGTH;
	if (bytes_get(bytes + size - CHECKSUM_BYTES, CHECKSUM_BYTES) !=
	    bytes_checksum(0, bytes, size - CHECKSUM_BYTES))
		return PMU_PORTABLE_CHECKSUM;
	return PMU_PORTABLE_OK;
}

static unsigned most_recorded(const struct pmu_driver *driver)
{
	return !driver->records ? 0 : driver->records->restore ? PMU_RECORDED :
	       driver->records->count;
}

static enum pmu_portable_error check_header(const struct pmu_driver *driver, const uint8_t *bytes)
{
	if (!is_of_target(bytes, driver->name))
		return PMU_PORTABLE_TARGET;
	if (bytes_get(bytes + AT_COUNTERS, WORD_BYTES) != driver->shape->counters ||
	    bytes[AT_WIDTH] != driver->shape->width)
		return PMU_PORTABLE_WIDTH;
	if (!is_zero(bytes + AT_UNUSED, AT_IP - AT_UNUSED))
		return PMU_PORTABLE_UNUSED;
	if (bytes[AT_LEVEL] >= EVENT_LEVELS)
		return PMU_PORTABLE_LEVEL;
	if (bytes[AT_RECORDED] > most_recorded(driver))
		return PMU_PORTABLE_RECORDED;
	return PMU_PORTABLE_OK;
}

static const uint8_t *session_at(const uint8_t *bytes, unsigned i)
{
	return bytes + HEADER_BYTES + i * SESSION_BYTES;
}

// Finds the parts. Their lengths must add up to the length of the whole.
static enum pmu_portable_error open_reader(struct reader *r, size_t size, unsigned room)
{
	const unsigned sessions = r->bytes[AT_SESSIONS], recorded = r->bytes[AT_RECORDED];
	size_t counters = 0, settings = 0;

	if (sessions > room || sessions > PMU_PORTABLE_SESSIONS)
		return PMU_PORTABLE_ROOM;
	if (session_at(r->bytes, sessions) > r->bytes + size)
		return PMU_PORTABLE_LENGTH;
	for (unsigned i = 0; i < sessions; i++) {
		counters += session_at(r->bytes, i)[AT_EVENTS];
		settings += session_at(r->bytes, i)[AT_SETTINGS];
	}
	r->counter = session_at(r->bytes, sessions);
	r->setting = r->settings = r->counter + counters * COUNTER_BYTES;
	r->recorded = r->settings + settings * SETTING_BYTES;
	if (r->recorded + recorded * WORD_BYTES + CHECKSUM_BYTES != r->bytes + size)
		return PMU_PORTABLE_LENGTH;
	return recorded && !bytes_get(r->recorded + (recorded - 1) * WORD_BYTES, WORD_BYTES) ?
	       PMU_PORTABLE_RECORDED :
										PMU_PORTABLE_OK;
}

//
// Reading: a counter
//

// Reads the members that do not follow from others.
static void read_counter(const uint8_t *at, struct pmu_counter *c)
{
	get_words(at, c, counter_words, sizeof counter_words);
	c->number = at[AT_NUMBER];
	c->precise = at[AT_FLAGS] & FLAG_PRECISE;
	c->polled = at[AT_FLAGS] & FLAG_POLLED;
	c->payload = at[AT_FLAGS] & FLAG_PAYLOAD;
	c->throttled = at[AT_FLAGS] & FLAG_THROTTLED;
	c->jitter = at[AT_JITTER];
	c->seed = (uint32_t)bytes_get(at + AT_SEED, sizeof c->seed);
}

static bool has_payloads(const struct pmu_driver *driver)
{
	return driver->records && driver->records->payload;
}

static bool flags_are_good(const struct pmu_driver *driver, const struct pmu_counter *c)
{
	if (c->payload && !has_payloads(driver))
		return false;
	if (driver->records && driver->records->recorded &&
	    c->payload != driver->records->recorded(c))
		return false;
	return (!c->precise || (driver->precise && c->period)) && (!c->polled || driver->poll) &&
	       (!c->throttled || (c->period && !c->precise));
}

// Only a counter that was running and takes samples can have a pending overflow.
static bool start_is_good(const struct pmu_driver *driver, const struct pmu_counter *c,
			  bool running)
{
	return pmu_pending(driver, c) <= (running && c->period && !c->precise) &&
	       pmu_can_start_from(driver, c, c->start & pmu_greatest(driver, c));
}

// Makes a request for an event with the counter's flags and period. Returns whether the counter can
// count it.
static bool ask_for(const struct pmu_driver *driver, const struct pmu_event *event,
		    const struct pmu_counter *c, bool precise, struct event_request *request)
{
	const char *name = event->name;

	if (event_parse(driver->events, &name, request) != EVENT_OK)
		return false;
	request->period = c->period;
	if (precise)
		request->modifiers |= EVENT_PRECISE;
	if (c->payload)
		request->modifiers |= driver->records->modifiers;
	return driver->choices(request) >> c->number & 1;
}

static uint64_t encode_code(const struct pmu_driver *driver, unsigned counter, uint16_t code)
{
	const struct pmu_event event = {.code = code};
	const struct event_request request = {.event = &event};

	return driver->encode(&request, counter);
}

// Returns whether a counter's control value has this event's code.
static bool has_code(const struct pmu_driver *driver, const struct pmu_event *event,
		     const struct pmu_counter *c)
{
	const uint64_t code = encode_code(driver, c->number,
					  0) ^ encode_code(driver, c->number, UINT16_MAX);

	return !((c->select ^ encode_code(driver, c->number, event->code)) & code);
}

// Modifiers that set bits of the control value.
#define SHOWN (EVENT_VISIBLE | EVENT_DATA_EAR | EVENT_INST_EAR | EVENT_BRANCHES)

// Returns whether the control value has only bits that the request can lead to, with any unit mask,
// threshold, level and modifiers. Each level is tried alone, because the interrupt enable depends
// on the levels.
static bool is_possible(const struct pmu_driver *driver, const struct event_request *request,
			const struct pmu_counter *c)
{
	struct event_request wide = *request;
	uint64_t possible = 0;

	wide.umask = wide.cmask = UINT8_MAX;
	wide.sets = 3;
	wide.modifiers |= EVENT_EDGE | EVENT_INV | EVENT_ANY | EVENT_USER | EVENT_OS | SHOWN;
	for (unsigned level = 0; level < EVENT_LEVELS; level++) {
		wide.levels = (uint8_t)(1u << level);
		wide.modifiers |= EVENT_PRECISE;
		possible |= driver->encode(&wide, c->number);
		wide.modifiers &= (uint16_t)~EVENT_PRECISE;
		possible |= driver->encode(&wide, c->number);
	}
	return !(c->select & ~possible);
}

// Returns whether a request leads to this counter: its overflows are polled or not, like the
// counter's; and the control value is between the least and the most that unit mask, threshold,
// instruction sets and modifiers in SHOWN can make of the request.
static bool leads_to(const struct pmu_driver *driver, const struct event_request *request,
		     const struct pmu_counter *c)
{
	struct event_request least = *request, most = *request;

	least.umask = 0;
	most.umask = most.cmask = UINT8_MAX;
	most.sets = 3;
	most.modifiers |= SHOWN;
	return driver->poll->polled(&least) == c->polled &&
	       !(driver->encode(&least, c->number) & ~c->select) &&
	       !(c->select & ~driver->encode(&most, c->number));
}

// If levels or a modifier decide whether overflows interrupt: returns whether any combination of
// them leads to the counter.
static bool polling_is_good(const struct pmu_driver *driver, const struct event_request *request,
			    const struct pmu_counter *c)
{
	static const uint16_t deciding[] = {0, EVENT_SILENT, EVENT_OPEN};
	struct event_request r = *request;

	if (!driver->poll)
		return true;
	for (unsigned levels = 1; levels < 1u << EVENT_LEVELS; levels++) {
		r.levels = (uint8_t)levels;
		for (unsigned n = 0; n < sizeof deciding / sizeof *deciding; n++) {
			r.modifiers = request->modifiers | deciding[n];
			if ((deciding[n] != EVENT_OPEN || !c->period) && leads_to(driver, &r, c))
				return true;
		}
	}
	return false;
}

// Returns whether the counter may be counting this event; *request is then the request.
static bool may_be(const struct pmu_driver *driver, const struct pmu_event *event,
		   const struct pmu_counter *c, bool precise, struct event_request *request)
{
	return event->counters >> c->number & 1 && has_code(driver, event, c) &&
	       ask_for(driver, event, c, precise, request) && is_possible(driver, request, c) &&
	       polling_is_good(driver, request, c);
}

// Returns whether a counter's control value is exactly that of a raw event.
static bool is_raw(const struct pmu_driver *driver, const struct pmu_counter *c)
{
	struct event_request request;

	if (c->precise || driver->shape->fixed >> c->number & 1 ||
	    !pmu_read_raw(driver, c->number, c->select, &request) || request.event != &event_raw ||
	    !request.levels)
		return false;
	request.period = c->period;
	if (c->payload)
		request.modifiers |= driver->records->modifiers;
	return driver->choices(&request) >> c->number & 1 &&
	       driver->encode(&request, c->number) == c->select &&
	       (!driver->poll || driver->poll->polled(&request) == c->polled);
}

// A counter whose samples have been stopped may have been precise before.
static bool select_is_good(const struct pmu_driver *driver, const struct pmu_counter *c)
{
	struct event_request request;

	for (size_t i = 0; i < driver->events->count; i++)
		if (may_be(driver, &driver->events->event[i], c, c->precise, &request) ||
		    (c->throttled && may_be(driver, &driver->events->event[i], c, true, &request)))
			return true;
	return is_raw(driver, c);
}

static bool periods_are_good(const struct pmu_driver *driver, const struct pmu_counter *c)
{
	return pmu_period_is_good(driver, c->period) && c->jitter <= 100 &&
	       (c->period || !c->jitter) &&
	       (c->jitter || !c->seed);
}

static enum pmu_portable_error check_counter(const struct pmu_driver *driver, const uint8_t *at,
					     bool running, uint64_t *taken)
{
	struct pmu_counter c;

	read_counter(at, &c);
	if (at[AT_FLAGS] & ~FLAGS || at[AT_COUNTER_UNUSED])
		return PMU_PORTABLE_UNUSED;
	if (c.number >= PMU_COUNTER_NUMBERS || !(driver->shape->counters >> c.number & 1))
		return PMU_PORTABLE_NUMBER;
	if (*taken >> c.number & 1)
		return PMU_PORTABLE_TWICE;
	*taken |= 1ULL << c.number;
	if (!periods_are_good(driver, &c))
		return PMU_PORTABLE_PERIOD;
	if (!flags_are_good(driver, &c))
		return PMU_PORTABLE_FLAGS;
	if (!start_is_good(driver, &c, running))
		return PMU_PORTABLE_START;
	return select_is_good(driver, &c) ? PMU_PORTABLE_OK : PMU_PORTABLE_SELECT;
}

//
// Reading: a setting
//

static void read_setting(const uint8_t *at, struct pmu_setting *s)
{
	s->address = (uint32_t)bytes_get(at, sizeof s->address);
	get_words(at + AT_SETTING_WORDS, s, setting_words, sizeof setting_words);
}

static bool is_same(const struct pmu_setting *a, const struct pmu_setting *b)
{
	return a->address == b->address && a->mask == b->mask && a->idle == b->idle;
}

// Returns whether the driver sets these bits of the register for a request.
static bool request_needs(const struct pmu_driver *driver, const struct event_request *request,
			  unsigned counter, const struct pmu_setting *s)
{
	struct pmu_setting settings[PMU_EVENT_SETTINGS];

	if (!(driver->choices(request) >> counter & 1))
		return false;
	for (unsigned i = driver->settings->needed(request, counter, settings); i--;)
		if (is_same(&settings[i], s))
			return true;
	return false;
}

// Returns whether a request with this modifier added needs these bits, and the counter's control
// value agrees with the modifier.
static bool needs_with(const struct pmu_driver *driver, struct event_request *request,
		       const struct pmu_counter *c, uint16_t modifier, const struct pmu_setting *s)
{
	const uint64_t without = driver->encode(request, c->number);
	uint64_t with;
	bool needs;

	request->modifiers ^= modifier;
	with = driver->encode(request, c->number);
	needs = !((with ^ c->select) & (with ^ without)) &&
		request_needs(driver, request, c->number, s);
	request->modifiers ^= modifier;
	return needs;
}

// Returns whether a request needs these bits, with any address range, user filter or sample
// payload. The address values do not affect which registers are needed.
static bool event_needs(const struct pmu_driver *driver, struct event_request *request,
			const struct pmu_counter *c, const struct pmu_setting *s)
{
	static const struct event_range none, lowest = {.first = 0, .last = 15, .given = true};
	const uint16_t modifiers[] = {
		EVENT_PREFERRED, EVENT_DATA_EAR, EVENT_INST_EAR,
		driver->records && driver->records->modifiers ? 0 : EVENT_BRANCHES,
	};

	if (request_needs(driver, request, c->number, s))
		return true;
	for (unsigned i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
		if (needs_with(driver, request, c, modifiers[i], s))
			return true;
	request->code_range = lowest;
	if (request_needs(driver, request, c->number, s))
		return true;
	request->code_range = none;
	request->data_range = lowest;
	return request_needs(driver, request, c->number, s);
}

static bool counter_needs(const struct pmu_driver *driver, const struct pmu_counter *c,
			  const struct pmu_setting *s)
{
	struct event_request request;

	for (size_t i = 0; i < driver->events->count; i++) {
		const struct pmu_event *event = &driver->events->event[i];

		if ((may_be(driver, event, c, c->precise, &request) &&
		     event_needs(driver, &request, c, s)) ||
		    (c->throttled && may_be(driver, event, c, true, &request) &&
		     event_needs(driver, &request, c, s)))
			return true;
	}
	return false;
}

// Returns whether any event of the session needs these bits. The session's counters have been
// checked before.
static bool session_needs(const struct reader *r, unsigned events, const struct pmu_setting *s)
{
	struct pmu_counter c;

	for (unsigned i = 0; i < events; i++) {
		read_counter(r->counter + i * COUNTER_BYTES, &c);
		if (counter_needs(r->driver, &c, s))
			return true;
	}
	return false;
}

// Sessions may need the same bits only with the same values. `before`: the settings up to this one.
static enum pmu_portable_error compare_settings(const struct reader *r, const struct pmu_setting *s,
						const uint8_t *before, const uint8_t *at)
{
	struct pmu_setting other;

	for (; before < at; before += SETTING_BYTES) {
		read_setting(before, &other);
		if (other.address != s->address || !(other.mask & s->mask))
			continue;
		if (!is_same(&other, s) || other.value != s->value)
			return PMU_PORTABLE_OVERLAP;
		if (before >= r->setting)
			return PMU_PORTABLE_TWICE;
	}
	return PMU_PORTABLE_OK;
}

static enum pmu_portable_error check_setting(const struct reader *r, unsigned events,
					     const uint8_t *at)
{
	enum pmu_portable_error error;
	struct pmu_setting s;

	read_setting(at, &s);
	if (!is_zero(at + AT_SETTING_UNUSED, AT_SETTING_WORDS - AT_SETTING_UNUSED))
		return PMU_PORTABLE_UNUSED;
	error = compare_settings(r, &s, r->settings, at);
	if (error)
		return error;
	if (!r->driver->settings || s.value & ~s.mask || !session_needs(r, events, &s))
		return PMU_PORTABLE_SETTING;
	return PMU_PORTABLE_OK;
}

//
// Reading: sessions
//

static enum pmu_portable_error check_session(const struct reader *r, unsigned number,
					     uint64_t *taken)
{
	const uint8_t *at = session_at(r->bytes, number);
	enum pmu_portable_error error = PMU_PORTABLE_OK;

	if (at[AT_EVENTS] > PMU_SESSION_EVENTS || at[AT_SETTINGS] > PMU_SESSION_SETTINGS)
		return PMU_PORTABLE_ROOM;
	if (at[AT_RUNNING] > (at[AT_EVENTS] != 0) || at[AT_SESSION_UNUSED])
		return PMU_PORTABLE_UNUSED;
	for (unsigned i = 0; i < number; i++)
		if (!memcmp(session_at(r->bytes, i), at, AT_EVENTS))
			return PMU_PORTABLE_TWICE;
	for (unsigned i = 0; i < at[AT_EVENTS] && !error; i++)
		error = check_counter(r->driver, r->counter + i * COUNTER_BYTES, at[AT_RUNNING],
				      taken);
	for (unsigned i = 0; i < at[AT_SETTINGS] && !error; i++)
		error = check_setting(r, at[AT_EVENTS], r->setting + i * SETTING_BYTES);
	return error;
}

static void pass_session(struct reader *r, const uint8_t *at)
{
	r->counter += at[AT_EVENTS] * COUNTER_BYTES;
	r->setting += at[AT_SETTINGS] * SETTING_BYTES;
}

static enum pmu_portable_error check_sessions(struct reader r)
{
	uint64_t taken = 0;

	for (unsigned i = 0; i < r.bytes[AT_SESSIONS]; i++) {
		enum pmu_portable_error error = check_session(&r, i, &taken);

		if (error)
			return error;
		pass_session(&r, session_at(r.bytes, i));
	}
	return PMU_PORTABLE_OK;
}

static void make_session(const struct reader *r, const uint8_t *at, struct pmu_session *s)
{
	memset(s, 0, sizeof *s);
	s->driver = r->driver;
	s->number = (uint32_t)bytes_get(at, sizeof s->number);
	s->count = at[AT_EVENTS];
	s->setting_count = at[AT_SETTINGS];
	for (unsigned i = 0; i < s->count; i++) {
		struct pmu_counter *c = &s->counter[i];

		read_counter(r->counter + i * COUNTER_BYTES, c);
		pmu_prepare_periods(r->driver, c);
		c->address = r->driver->address(c->number);
		c->source = (struct pmu_sample_source){.session = s->number, .event = (uint8_t)i,
						       .counter = c->number};
		s->counters |= 1ULL << c->number;
	}
	for (unsigned i = 0; i < s->setting_count; i++)
		read_setting(r->setting + i * SETTING_BYTES, &s->setting[i]);
}

static void make_context(struct reader *r, struct pmu_session *sessions,
			 struct pmu_context *context)
{
	struct pmu_session **link = &context->open;

	*context = (struct pmu_context){
		.driver = r->driver, .ip = bytes_get(r->bytes + AT_IP, WORD_BYTES),
		.level = r->bytes[AT_LEVEL],
	};
	for (unsigned i = 0; i < r->bytes[AT_SESSIONS]; i++) {
		const uint8_t *at = session_at(r->bytes, i);

		make_session(r, at, &sessions[i]);
		pass_session(r, at);
		context->enabled |= at[AT_RUNNING] ? sessions[i].counters : 0;
		*link = &sessions[i];
		link = &sessions[i].next;
	}
	for (unsigned i = 0; i < r->bytes[AT_RECORDED]; i++)
		context->recorded[i] = bytes_get(r->recorded + i * WORD_BYTES, WORD_BYTES);
}

enum pmu_portable_error pmu_portable_read(const struct pmu_driver *driver, const uint8_t *bytes,
					  size_t size,
					  struct pmu_session *sessions, unsigned room,
					  struct pmu_context *context)
{
	struct reader r = {.driver = driver, .bytes = bytes};
	enum pmu_portable_error error = check_frame(bytes, size);

	if (!error)
		error = check_header(driver, bytes);
	if (!error)
		error = open_reader(&r, size, room);
	if (!error)
		error = check_sessions(r);
	if (!error)
		make_context(&r, sessions, context);
	return error;
}

void pmu_portable_forget(struct pmu_context *context)
{
	for (struct pmu_session *s = context->open; s; s = s->next)
		s->driver = NULL;
	context->open = NULL;
}

const char *pmu_portable_explain(enum pmu_portable_error error)
{
	static const char *const texts[PMU_PORTABLE_ERRORS] = {
		[PMU_PORTABLE_OK] = "nothing is wrong",
		[PMU_PORTABLE_MAGIC] = "this is no saved context",
		[PMU_PORTABLE_VERSION_UNKNOWN] = "its layout has another version",
		[PMU_PORTABLE_LENGTH] = "it is cut off, or longer than its parts",
		[PMU_PORTABLE_CHECKSUM] = "its checksum is wrong",
		[PMU_PORTABLE_TARGET] = "it is another target's",
		[PMU_PORTABLE_WIDTH] = "its target has other counters than the one here",
		[PMU_PORTABLE_UNUSED] = "something is set that must be 0",
		[PMU_PORTABLE_ROOM] =
			"it has too many sessions, or one with too many events or settings",
		[PMU_PORTABLE_LEVEL] = "there is no such privilege level",
		[PMU_PORTABLE_RECORDED] = "it has recorded words that the target does not record",
		[PMU_PORTABLE_NUMBER] = "the target has no counter of this number",
		[PMU_PORTABLE_TWICE] = "a counter, a session's number or a setting is there twice",
		[PMU_PORTABLE_FLAGS] = "a counter has flags that it cannot have",
		[PMU_PORTABLE_PERIOD] = "no session can have such a period",
		[PMU_PORTABLE_START] = "a counter's register cannot start from such a value",
		[PMU_PORTABLE_SELECT] =
			"a counter selects no event of the target, or not with its flags",
		[PMU_PORTABLE_SETTING] = "a register is set that no event of its session needs set",
		[PMU_PORTABLE_OVERLAP] = "bits of a register are set in two ways",
	};

	return error < PMU_PORTABLE_ERRORS ? texts[error] : "";
}
