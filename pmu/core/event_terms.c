// SPDX-License-Identifier: BSD-2-Clause
// Events as Linux's perf writes them, PMU/TERM,TERM.../LETTERS (event.h). The terms become bits of
// a control register, and these a raw event.

#include "event_read.h"

#include <ctype.h>
#include <string.h>

#include "pmu_driver.h"

enum term { CODE, UMASK, THRESHOLD, INVERT, EDGE, ANY, LATENCY, RESPONSE, TERMS };

static const struct term_values {
	const char *word;
	uint64_t least, most;
	bool flag;		/* alone it means 1 */
} terms[TERMS] = {
	[CODE] = {"event", 0, UINT16_MAX, false}, [UMASK] = {"umask", 0, UINT8_MAX, false},
	[THRESHOLD] = {"cmask", 0, UINT8_MAX, false}, [INVERT] = {"inv", 0, 1, true},
	[EDGE] = {"edge", 0, 1, true}, [ANY] = {"any", 0, 1, true},
	[LATENCY] = {"ldlat", 1, UINT16_MAX, false},
	[RESPONSE] = {"offcore_rsp", 0, UINT64_MAX, false},
};

const char *event_term(unsigned n, uint64_t *least, uint64_t *most)
{
	if (n >= TERMS)
		return NULL;
	*least = terms[n].least;
	*most = terms[n].most;
	return terms[n].word;
}

// Terms with their values. at: the text of each term; NULL: not given.
struct given {
	uint64_t value[TERMS];
	const char *at[TERMS];
};

bool event_has_terms(const char *s)
{
	return s[strcspn(s, "/:=,+{}")] == '/';
}

static bool is_term_end(char c)
{
	return c == ',' || c == '/';
}

// Parses one term at *text, and advances *text to its end.
static enum event_error parse_term(const char **text, struct given *given)
{
	const size_t length = strcspn(*text, "=,/:{}");
	const char *s = *text + length;
	unsigned n = 0;

	while (n < TERMS && !event_is_word(*text, length, terms[n].word))
		n++;
	if (n == TERMS)
		return EVENT_BAD_TERM;
	if (given->at[n])
		return EVENT_TWICE;
	given->value[n] = 1;
	if (*s == '=') {
		s++;
		if (!event_parse_number(&s, terms[n].least, terms[n].most, &given->value[n]))
			return EVENT_TERM_VALUE;
	} else if (!terms[n].flag) {
		return EVENT_TERM_VALUE;
	}
	if (!*s || *s == '}')
		return EVENT_NO_SLASH;
	if (!is_term_end(*s))
		return EVENT_TERM_VALUE;
	given->at[n] = *text;
	*text = s;
	return EVENT_OK;
}

// Parses all terms at *text, which advances past the second slash.
static enum event_error parse_terms(const char **text, struct given *given)
{
	const char *const first = *text;

	for (;;) {
		enum event_error error = parse_term(text, given);

		if (error == EVENT_NO_SLASH)
			*text = first;
		if (error)
			return error;
		if (*(*text)++ == '/')
			return EVENT_OK;
	}
}

static uint16_t flags_of(const struct given *given)
{
	return (uint16_t)((given->value[INVERT] ? EVENT_INV : 0) |
			  (given->value[EDGE] ? EVENT_EDGE : 0) |
			  (given->value[ANY] ? EVENT_ANY : 0));
}

// Returns a term that the control register cannot hold, or TERMS.
static unsigned find_lost(const struct event_request *kept, const struct given *given)
{
	const struct {
		enum term term;
		bool lost;
	} rules[] = {
		{CODE, kept->raw_code != given->value[CODE]},
		{UMASK, kept->umask != given->value[UMASK]},
		{THRESHOLD, kept->cmask != given->value[THRESHOLD]},
		{INVERT, !(kept->modifiers & EVENT_INV) != !given->value[INVERT]},
		{EDGE, !(kept->modifiers & EVENT_EDGE) != !given->value[EDGE]},
		{ANY, !(kept->modifiers & EVENT_ANY) != !given->value[ANY]},
	};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i].lost)
			return rules[i].term;
	return TERMS;
}

// Stores the terms that no control register holds, as modifiers do.
static enum event_error store_others(const struct given *given, struct event_reading *reading)
{
	struct event_request *const r = &reading->request;

	if (given->at[LATENCY]) {
		r->latency = (uint16_t)given->value[LATENCY];
		reading->numbers |= 1ULL << offsetof(struct event_request, latency);
	}
	if (given->at[RESPONSE]) {
		r->extra = given->value[RESPONSE];
		reading->numbers |= 1ULL << offsetof(struct event_request, extra);
	}
	return given->at[RESPONSE] && !r->event->setting_address ? EVENT_TERM_VALUE : EVENT_OK;
}

// Makes the request of the terms. On an error *text is the wrong term, or unchanged.
static enum event_error make_request(const char **text, const struct given *given,
				     struct event_reading *reading)
{
	const struct event_request asked = {
		.event = &event_raw, .raw_code = (uint16_t)given->value[CODE],
		.umask = (uint8_t)given->value[UMASK], .cmask = (uint8_t)given->value[THRESHOLD],
		.modifiers = flags_of(given),
	};
	const struct pmu_driver *const driver = reading->driver;
	const unsigned counter = pmu_raw_counter(driver);
	struct event_request *const r = &reading->request;
	const uint64_t select = driver->encode(&asked, counter);
	struct event_request kept;
	enum event_error error;
	unsigned lost;

	pmu_read_select(driver, counter, select, &kept);
	lost = find_lost(&kept, given);
	if (lost < TERMS) {
		*text = given->at[lost] ? given->at[lost] : *text;
		return EVENT_TERM_VALUE;
	}
	if (!pmu_read_raw(driver, counter, select, r))
		return EVENT_NO_EVENT;
	r->levels = 0;
	r->modifiers &= (uint16_t)~EVENT_DEFAULT_LEVELS;
	r->modifiers |= r->event->modifiers & EVENT_DEFAULT_LEVELS;
	error = store_others(given, reading);
	*text = error ? given->at[RESPONSE] : *text;
	return error;
}

// perf calls the cores' PMU "cpu".
static bool is_pmu(const struct pmu_driver *driver, const char *word, size_t length)
{
	return driver && (pmu_driver_is(driver, word, length) ||
			  (!driver->cores && event_is_word(word, length, "cpu")));
}

enum event_error event_parse_terms(const char **text, struct event_reading *reading)
{
	const size_t length = strcspn(*text, "/");
	const char *s = *text + length + 1;
	struct given given = {0};
	enum event_error error;

	if (!is_pmu(reading->driver, *text, length))
		return EVENT_BAD_PREFIX;
	error = parse_terms(&s, &given);
	if (!error) {
		const char *wrong = *text;

		error = make_request(&wrong, &given, reading);
		s = error ? wrong : s;
	}
	if (!error && event_word_length(s))
		error = event_parse_letters(&s, event_word_length(s), reading);
	*text = s;
	return error;
}
