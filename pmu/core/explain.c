// SPDX-License-Identifier: BSD-2-Clause
// Errors in words. Not part of the resident runtime.

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nearest.h"
#include "pmu_driver.h"

// Text that grows in a buffer; it is cut at the buffer's end.
struct text {
	char *at;
	size_t room;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(t->at, t->room, format, arguments);
	va_end(arguments);
	if (length > 0) {
		size_t used = (size_t)length < t->room ? (size_t)length : t->room ? t->room - 1 : 0;

		t->at += used;
		t->room -= used;
	}
}

static void add_event(struct text *t, const struct pmu_driver *driver,
		      const struct event_request *request)
{
	if (request->event == &event_raw)
		add(t, "raw=0x%llx", (unsigned long long)pmu_raw_select(driver, request));
	else
		add(t, "%s", request->event->name);
}

// "A", "A and B", "A, B and C"
static void add_events(struct text *t, const struct pmu_driver *driver,
		       const struct event_request *requests, uint64_t events)
{
	for (uint64_t left = events; left; left &= left - 1) {
		add(t, "%s", left == events ? "" : left & (left - 1) ? ", " : " and ");
		add_event(t, driver, &requests[__builtin_ctzll(left)]);
	}
}

static void add_counters(struct text *t, const struct pmu_driver *driver, uint64_t counters)
{
	for (uint64_t left = counters; left; left &= left - 1) {
		const char *separator = left == counters ? "" : left & (left - 1) ? ", " : " and ";
		uint64_t bit = left & -left;
		uint64_t below = bit - 1;

		if (bit & driver->shape->fixed)
			add(t, "%sfixed %d", separator,
			    __builtin_popcountll(driver->shape->fixed & below));
		else
			add(t, "%s%d", separator, __builtin_ctzll(bit));
	}
}

static void add_conflict(struct text *t, const struct pmu_driver *driver,
			 const struct pmu_refusal *refusal, const struct event_request *requests)
{
	int events = __builtin_popcountll(refusal->events),
		counters = __builtin_popcountll(refusal->counters);

	add_events(t, driver, requests, refusal->events);
	add(t, " %s counter%s ", events == 1 ? "needs" : "compete for", counters == 1 ? "" : "s");
	add_counters(t, driver, refusal->counters);
	if (refusal->taken) {
		add(t, ", of which ");
		add_counters(t, driver, refusal->taken);
		add(t, " %s taken", refusal->taken & (refusal->taken - 1) ? "are" : "is");
	}
}

// Finds the n-th setting that a request needs in the register at `address`. Not inlined, because
// the array is large.
__attribute__((noinline)) static bool setting_at(const struct pmu_driver *driver,
						 const struct event_request *request,
						 uint32_t address, unsigned n,
						 struct pmu_setting *setting)
{
	struct pmu_setting settings[PMU_EVENT_SETTINGS];
	const unsigned counter = (unsigned)__builtin_ctzll(driver->choices(request));
	const unsigned count = driver->settings->needed(request, counter, settings);

	for (unsigned i = 0; i < count; i++)
		if (settings[i].address == address && n-- == 0) {
			*setting = settings[i];
			return true;
		}
	return false;
}

// Returns whether two requests need different values in the same bits of a register.
static bool disagree(const struct pmu_driver *driver, const struct event_request *a,
		     const struct event_request *b, uint32_t address)
{
	struct pmu_setting of_a, of_b;

	for (unsigned i = 0; setting_at(driver, a, address, i, &of_a); i++)
		for (unsigned j = 0; setting_at(driver, b, address, j, &of_b); j++)
			if (of_a.mask & of_b.mask & (of_a.value ^ of_b.value))
				return true;
	return false;
}

static void add_cpus(struct text *t, const struct pmu_settings *settings,
		     const struct pmu_refusal *refusal)
{
	unsigned i = 0;

	add(t, refusal->cpus & (refusal->cpus - 1) ? "CPUs " : "CPU ");
	for (uint32_t left = refusal->cpus; left; left &= left - 1)
		add(t, left == refusal->cpus ? "%d" : left & (left - 1) ? ", %d" : " and %d",
		    __builtin_ctz(left));
	while (settings->core[i].address != refusal->address)
		i++;
	add(t, ", which share%s %s as a thread of the same core",
	    refusal->cpus & (refusal->cpus - 1) ? "" : "s", settings->core[i].name);
}

// The refused event is the first one that disagrees; the events before it agree with each other.
static void add_settings(struct text *t, const struct pmu_driver *driver,
			 const struct pmu_refusal *refusal, const struct event_request *requests)
{
	unsigned refused = refusal->events ? (unsigned)__builtin_ctzll(refusal->events) : 0;
	uint64_t others = 0;

	for (unsigned i = 0; i < refused; i++)
		if (disagree(driver, &requests[i], &requests[refused], refusal->address))
			others |= 1ULL << i;
	if (refusal->events)
		add_events(t, driver, requests, refusal->events);
	else
		add(t, "the context");
	add(t, " needs register 0x%x set otherwise than ", refusal->address);
	if (refusal->cpus)
		add_cpus(t, driver->settings, refusal);
	else if (others)
		add_events(t, driver, requests, others);
	else
		add(t, "another session");
}

//
// Requests that no counter can count
//

static const char *const parts[] = {
	"ctr", "c", "i", "e", "t", "plm", "ism", "iar", "dar", "opc", "lat", "tlb", "btb", "p",
	"lbr", "spflt", "ev",
	"oi", "dear", "iear", "open",
};

#define PARTS (sizeof parts / sizeof *parts)

static void take_from_event(struct event_request *r, uint16_t modifier)
{
	r->modifiers &= (uint16_t)~modifier;
	r->modifiers |= r->event->modifiers & modifier;
}

// Resets a part of a request to its default.
static void leave_out(struct event_request *r, size_t part)
{
	switch (part) {
	case 0:
		r->counter = EVENT_ANY_COUNTER;
		break;
	case 1:
		r->cmask = r->event->cmask;
		break;
	case 2:
		take_from_event(r, EVENT_INV);
		break;
	case 3:
		take_from_event(r, EVENT_EDGE);
		break;
	case 4:
		take_from_event(r, EVENT_ANY);
		break;
	case 5:
		r->levels = (1u << EVENT_LEVELS) - 1;
		r->modifiers |= EVENT_USER | EVENT_OS;
		break;
	case 6:
		r->sets = 0;
		break;
	case 7:
		r->code_range.given = false;
		break;
	case 8:
		r->data_range.given = false;
		break;
	case 9:
		r->opcode.given = false;
		break;
	case 10:
		r->latency = 0;
		break;
	case 11:
		r->tlb = 0;
		break;
	case 12:
		r->branches = 0;
		break;
	case 13:
		take_from_event(r, EVENT_PRECISE);
		break;
	case 14:
		take_from_event(r, EVENT_BRANCHES);
		break;
	case 15:
		take_from_event(r, EVENT_PREFERRED);
		break;
	case 16:
		take_from_event(r, EVENT_VISIBLE);
		break;
	case 17:
		take_from_event(r, EVENT_SILENT);
		break;
	case 18:
		take_from_event(r, EVENT_DATA_EAR);
		break;
	case 19:
		take_from_event(r, EVENT_INST_EAR);
		break;
	default:
		take_from_event(r, EVENT_OPEN);
	}
}

// Returns whether no counter can count this part of the request, even alone.
static bool is_wrong(const struct pmu_driver *driver, const struct event_request *request,
		     size_t part)
{
	struct event_request r = *request;

	for (size_t other = 0; other < PARTS; other++)
		if (other != part)
			leave_out(&r, other);
	return !driver->choices(&r);
}

static void add_unfit(struct text *t, const struct pmu_driver *driver,
		      const struct event_request *request)
{
	const struct pmu_event *e = request->event;
	const struct pmu_driver *owner = pmu_driver_of(e);
	const char *separator = " with this ",
		*why = driver->objection ? driver->objection(request) : NULL;

	if (owner && owner->events != driver->events) {
		add(t, "%s: only the counters of %s count it", e->name, owner->name);
		return;
	}
	if (why) {
		add_event(t, driver, request);
		add(t, ": %s", why);
		return;
	}
	add(t, "no counter can count ");
	add_event(t, driver, request);
	for (size_t part = 0; part < PARTS; part++)
		if (is_wrong(driver, request, part)) {
			add(t, "%s%s", separator, parts[part]);
			separator = ", ";
		}
	add(t, "%s: it counts on ", *separator == ' ' ? " as asked" : "");
	add_counters(t, driver, event_counters(request) & driver->shape->counters);
	if (driver->shape->features & PMU_FEATURE_THRESHOLD &&
	    request->modifiers & (EVENT_INV | EVENT_EDGE) &&
	    !request->cmask)
		add(t, "; inversion and edge detection need a threshold");
	if (request->code_range.given && !e->code_range)
		add(t, "; instruction addresses do not qualify it");
	if (request->data_range.given && !e->data_range)
		add(t, "; data addresses do not qualify it");
	if (request->opcode.given && !e->opcode)
		add(t, "; opcodes do not qualify it");
}

void pmu_explain(const struct pmu_driver *driver, enum pmu_error error,
		 const struct pmu_refusal *refusal,
		 const struct event_request *requests, char *text, size_t size)
{
	static const char *const sentences[] = {
		[PMU_OK] = "no error",
		[PMU_FAULT] = "a register access faulted",
		[PMU_TOO_MANY] = "more events than a session has room for",
		[PMU_STARTED] = "the session counts already",
		[PMU_STOPPED] = "the session does not count",
		[PMU_CLOSED] = "the session is not open",
		[PMU_NO_BUFFER] = "this CPU has no buffer for the records of precise events",
		[PMU_TIMER] = "an event counts by the timer that ends slices and takes samples by "
			      "time",
	};
	struct text t = {text, size};

	switch (error) {
	case PMU_UNFIT:
		add_unfit(&t, driver, &requests[__builtin_ctzll(refusal->events)]);
		break;
	case PMU_CONFLICT:
		add_conflict(&t, driver, refusal, requests);
		break;
	case PMU_SETTINGS:
		add_settings(&t, driver, refusal, requests);
		break;
	case PMU_BAD_PERIOD:
		add(&t, "the period of ");
		add_events(&t, driver, requests, refusal->events);
		add(&t, " must be from %u to 2^63 - 1", driver->shape->arm_least);
		break;
	default:
		add(&t, "%s", sentences[error]);
	}
}

//
// Similar names
//

#define LISTED	8

// Adds the events that a name without its unit mask can mean. False: there are none.
static bool add_unit_masks(struct text *t, const struct pmu_event_table *table, const char *name,
			   size_t length)
{
	unsigned found = 0;

	for (size_t i = 0; i < table->count; i++) {
		const char *candidate = table->event[i].name;

		if (strncasecmp(candidate, name, length) || candidate[length] != '.' ||
		    found++ >= LISTED)
			continue;
		add(t, "%s%s", found == 1 ? "; there are " : ", ", candidate);
	}
	if (found > LISTED)
		add(t, " and %u more", found - LISTED);
	return found;
}

// Returns whether a table has an event of this name, alone or with unit masks.
static bool has_name(const struct pmu_event_table *table, const char *name, size_t length)
{
	for (size_t i = 0; i < table->count; i++) {
		const char *candidate = table->event[i].name;

		if (!strncasecmp(candidate, name, length) &&
		    (!candidate[length] || candidate[length] == '.'))
			return true;
	}
	return false;
}

// The same for a word that names a common event.
static bool has_common(const struct pmu_event_table *table, const char *word, size_t length)
{
	char name[EVENT_NAME_MAX + 1];
	const char *text = name;
	struct event_request request;

	snprintf(name, sizeof name, "%.*s", (int)length, word);
	return event_parse(table, &text, &request) == EVENT_OK;
}

// Adds the nearest name in the tables of all targets; in case of a tie, this table's own name.
static void add_nearest(struct text *t, const struct pmu_event_table *table, const char *name,
			size_t length)
{
	unsigned nearer = pmu_unlike(length);
	const char *best = pmu_nearest_within(table->event, table->count, sizeof *table->event,
					      name, length, &nearer);
	const char *target = NULL;

	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++) {
		const struct pmu_event_table *other = (*d)->events;
		const char *found = pmu_nearest_within(other->event, other->count,
						       sizeof *other->event, name, length,
						   &nearer);

		// This table has no name nearer than `best`, so the name belongs to another target.
		if (found) {
			best = found;
			target = (*d)->name;
		}
	}
	if (target)
		add(t, "; the nearest name is %s, of target %s", best, target);
	else if (best)
		add(t, "; the nearest name is %s", best);
}

// Returns another target that has a name; preferably the target whose image includes this PMU.
// NULL: none.
static const struct pmu_driver *other_with(const struct pmu_event_table *table, const char *name,
					   size_t length)
{
	const struct pmu_driver *first = NULL, *own = NULL;

	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		if ((*d)->events == table)
			own = *d;
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		if ((*d)->events != table &&
		    (has_name((*d)->events, name, length) ||
		     has_common((*d)->events, name, length))) {
			if (own && !strncmp(own->name, (*d)->name, strlen((*d)->name)))
				return *d;
			first = first ? first : *d;
		}
	return first;
}

// Adds possible meanings of an unknown name: an event with unit masks, another target's event, a
// similar name.
static void add_meant(struct text *t, const struct pmu_event_table *table, const char *name,
		      size_t length)
{
	const struct pmu_driver *other;

	if (!length || add_unit_masks(t, table, name, length))
		return;
	if (isdigit((unsigned char)*name) || (length == 3 && !strncasecmp(name, "raw", length))) {
		add(t, "; a raw event is written raw=N or rHEX");
		return;
	}
	other = other_with(table, name, length);
	if (other)
		add(t, "; target %s has it", other->name);
	else
		add_nearest(t, table, name, length);
}

// Returns whether the text is the name of an event or alias, or the common part of several names.
static bool is_known(const struct pmu_event_table *table, const char *name, size_t length)
{
	for (size_t i = 0; i < table->alias_count; i++)
		if (!strncasecmp(table->alias[i].name, name, length) &&
		    !table->alias[i].name[length])
			return true;
	return event_find(table, name, length);
}

// Adds the driver whose name stands before '::'.
static void add_prefixes(struct text *t, const struct pmu_event_table *table, const char *prefix,
			 size_t length)
{
	const struct pmu_driver *driver = pmu_driver_with(table);

	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		if (pmu_driver_is(*d, prefix, length))
			add(t, "; it is target %s's", (*d)->name);
	if (driver)
		add(t, "; %s%s%s%s may stand before '%s' here",
		    prefix[length] == '/' && !driver->cores ? "cpu, " : "", driver->name,
		    driver->libpfm ? " or " : "", driver->libpfm ? driver->libpfm : "",
		    prefix[length] == '/' ? "/" : "::");
}

// Adds the bits of a raw event that the driver would not write.
static void add_raw_bits(struct text *t, const struct pmu_event_table *table, const char *where,
			 size_t length)
{
	const struct pmu_driver *driver = pmu_driver_with(table);
	const char *number = where + strcspn(where, "=");
	const bool named = number < where + length;
	struct event_request request;
	unsigned long long select, wrong;
	char *end;

	number = named ? number + 1 : where + 1;
	errno = 0;
	select = strtoull(number, &end, !named || (number[0] == '0' && (number[1] | 0x20) == 'x') ?
			  16 : 10);
	if (!driver || errno || !isxdigit((unsigned char)*number) || end != where + length) {
		add(t, " (raw=N, decimal or 0x, or r and hexadecimal digits; of 64 bits)");
		return;
	}
	pmu_read_raw(driver, pmu_raw_counter(driver), select, &request);
	wrong = select & ~driver->encode(&request, pmu_raw_counter(driver));
	if (wrong)
		add(t, ": the driver of %s does not write bits 0x%llx of the control register",
		    driver->name, wrong);
	else
		add(t, ": it selects nothing");
}

static void add_terms(struct text *t)
{
	uint64_t least, most;
	const char *word;

	add(t, "; terms are:");
	for (unsigned n = 0; (word = event_term(n, &least, &most)); n++)
		add(t, " %s", word);
}

// Adds the values of a term: the control register may hold fewer.
static void add_term_value(struct text *t, const char *where)
{
	const size_t length = strcspn(where, "=,/");
	uint64_t least, most;
	const char *word;

	for (unsigned n = 0; (word = event_term(n, &least, &most)); n++)
		if (strlen(word) == length && !strncasecmp(word, where, length))
			add(t, " (%s: %llu to %llu, and what this PMU can select)", word,
			    (unsigned long long)least, (unsigned long long)most);
}

// Adds the valid values of a modifier.
static void add_value(struct text *t, const char *where)
{
	const size_t length = strcspn(where, ":=,{}");
	const bool three = length == 3;
	uint64_t least, most;

	if (!strncasecmp(where, "msr=", 4))
		add(t, " (msr= is for events that need a further register)");
	else if (event_modifier_range(where, length, &least, &most))
		add(t, " (from %llu to %llu)", (unsigned long long)least, (unsigned long long)most);
	else if (three && (!strncasecmp(where, "iar", length) ||
			   !strncasecmp(where, "dar", length)))
		add(t, " (FIRST-LAST, and FIRST is at most LAST)");
	else if (three && !strncasecmp(where, "opc", length))
		add(t, " (MATCH/MASK[/TYPES], of 41 bits, TYPES some of m, i, f, b)");
	else
		add(t, " (0 or 1)");
}

static const char modifiers[] =
	" (u, k, plm, i, e, t, c, ism, iar, dar, opc, lat, tlb, btb, p, pp, lbr, spflt, ev, oi, "
	"dear, "
	"iear, msr, ctr, period, jitter, seed)";

static void add_bad_modifier(struct text *t, const char *where, size_t length)
{
	if (where[length] == '+')
		add(t,
		    "modifiers are not joined with '+' but follow each other, each after ':': "
		    "'%.*s'", (int)strcspn(where, ":=,{}"), where);
	else if (!length)
		add(t, "a modifier is missing after ':'%s", modifiers);
	else
		add(t, "there is no modifier '%.*s'%s", (int)length, where, modifiers);
}

void event_explain(const struct pmu_event_table *table, enum event_error error, const char *where,
		   char *text, size_t size)
{
	static const struct {
		const char *sentence, *ends;	// text before the wrong word; characters that end
						// the word
	} words[] = {
		[EVENT_OK] = {"no error in", ":=,+{}"},
		[EVENT_UNKNOWN] = {"there is no event", ":=,+{}"},
		[EVENT_BAD_MODIFIER] = {"", ":=,+{}"},
		[EVENT_BAD_VALUE] = {"value missing, not a number, or out of range:", ":,}"},
		[EVENT_TOO_LONG] = {"no event has a name as long as", ":=,+{}"},
		[EVENT_NO_JOIN] = {"cannot be joined with the unit mask before it:", ":=,+{}"},
		[EVENT_NO_MASK] = {"neither a unit mask of the event before '+' nor an event:",
				   ":=,+{}"},
		[EVENT_NO_LEVEL] = {"no privilege level is left to count at:", ",{}"},
		[EVENT_BAD_RAW] = {"no raw event:", ":,}"},
		[EVENT_BAD_PREFIX] = {"not a name of this PMU:", ":/"},
		[EVENT_TWICE] = {"given twice, perhaps under another name:", ":,{}"},
		[EVENT_BAD_GROUP] =
			{"a group is {EVENT,EVENT...}, with modifiers after each event:", ""},
		[EVENT_BAD_TERM] = {"there is no term", "=,/:{}"},
		[EVENT_TERM_VALUE] =
			{"value missing, not a number, or out of range:", ",/:{}"},
		[EVENT_NO_SLASH] = {"a '/' is missing after the terms", ""},
		[EVENT_NO_EVENT] = {"these terms select nothing:", ":{}"},
	};
	struct text t = {text, size};
	size_t length = *words[error].ends ? strcspn(where, words[error].ends) : strlen(where),
		shown;

	length = length > 2 * EVENT_NAME_MAX ? 2 * EVENT_NAME_MAX : length;
	shown = length;
	// If the name is known, the following unit mask is wrong: show both.
	if (error == EVENT_UNKNOWN && where[length] == ':' && is_known(table, where, length))
		shown += 1 + strcspn(where + length + 1, words[error].ends);
	if (error == EVENT_BAD_MODIFIER)
		add_bad_modifier(&t, where, length);
	else if (error == EVENT_UNKNOWN && !length)
		add(&t, "an event is missing%s%.*s%s", *where ? " before '" : " at the end",
		    *where ? 1 : 0, where, *where ? "'" : "");
	else
		add(&t, "%s '%.*s'", words[error].sentence, (int)shown, where);
	if (error == EVENT_UNKNOWN)
		add_meant(&t, table, where, length);
	else if (error == EVENT_BAD_PREFIX)
		add_prefixes(&t, table, where, length);
	else if (error == EVENT_BAD_RAW)
		add_raw_bits(&t, table, where, length);
	else if (error == EVENT_BAD_VALUE)
		add_value(&t, where);
	else if (error == EVENT_BAD_TERM)
		add_terms(&t);
	else if (error == EVENT_TERM_VALUE)
		add_term_value(&t, where);
}
