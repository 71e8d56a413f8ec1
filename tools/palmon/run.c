// SPDX-License-Identifier: BSD-2-Clause
// Reads an image's measurements from its log lines: run.h.

#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "palmon.h"

// Reads a number and the blank or the end that follows it. False: no such number.
static bool take_number(const char **at, int base, uint64_t most, uint64_t *number)
{
	char *end;

	if (!strchr("0123456789abcdef", **at) || !**at)
		return false;
	errno = 0;
	*number = strtoull(*at, &end, base);
	if (end == *at || errno || *number > most || (*end && *end != ' '))
		return false;
	*at = end + (*end == ' ');
	return true;
}

static bool take_unsigned(const char **at, uint64_t most, unsigned *number)
{
	uint64_t value;

	if (!take_number(at, 10, most, &value))
		return false;
	*number = (unsigned)value;
	return true;
}

// Reads a count, which must fit a signed number for JSON.
static bool take_count(const char **at, uint64_t *number)
{
	return take_number(at, 10, INT64_MAX, number);
}

// Reads a word up to a blank; further text must follow.
static bool take_word(const char **at, char *word, size_t size)
{
	const size_t length = strcspn(*at, " ");

	if (!length || length >= size || !(*at)[length])
		return false;
	memcpy(word, *at, length);
	word[length] = '\0';
	*at += length + 1;
	return true;
}

static const struct pmu_driver *take_driver(const char **at)
{
	char name[64];

	return take_word(at, name, sizeof name) ? pmu_driver_find(name) : NULL;
}

//
// Lines
//

static bool read_event(struct run *r, const char *at)
{
	unsigned index, happens;
	struct run_event *e;

	if (!take_unsigned(&at, SAMPLES_EVENTS - 1, &index) || r->event[index].text)
		return false;
	e = &r->event[index];
	e->driver = take_driver(&at);
	if (!e->driver || !take_unsigned(&at, SAMPLES_EVENTS - 1, &e->run) || !take_unsigned(&at, 1, &happens) ||
	    !take_count(&at, &e->period) || !*at || e->run >= r->runs)
		return false;
	e->happens = happens;
	e->text = strdup(at);
	r->events = index >= r->events ? index + 1 : r->events;
	return e->text;
}

static bool read_count(struct run *r, const char *at)
{
	unsigned event, thread, throttled;
	struct run_count *c;

	if (!take_unsigned(&at, SAMPLES_EVENTS - 1, &event) || !take_unsigned(&at, r->threads - 1, &thread))
		return false;
	c = &r->event[event].of[thread];
	if (!take_unsigned(&at, PMU_COUNTER_NUMBERS - 1, &c->counter) || !take_count(&at, &c->count) ||
	    !take_count(&at, &c->samples) || !take_count(&at, &c->rest) || !take_unsigned(&at, 1, &throttled) ||
	    !take_count(&at, &c->taken))
		return false;
	r->events = event >= r->events ? event + 1 : r->events;
	c->throttled = throttled;
	c->known = true;
	return true;
}

static bool read_clocks(struct run *r, const char *at)
{
	unsigned run, thread;

	return take_unsigned(&at, r->runs - 1, &run) && take_unsigned(&at, r->threads - 1, &thread) &&
	       take_count(&at, &r->clocks[run][thread]);
}

static bool read_interrupts(struct run *r, const char *at)
{
	uint64_t number[5];
	unsigned thread;

	if (!take_unsigned(&at, r->threads - 1, &thread) || !take_driver(&at))
		return false;
	for (unsigned i = 0; i < sizeof number / sizeof *number; i++)
		if (!take_count(&at, &number[i]))
			return false;
	r->dropped += number[4];
	return true;
}

static bool read_metric(struct run *r, const char *at)
{
	struct run_metric *m = &r->metric[r->metrics];
	char name[128], value[128];
	char *end;

	if (r->metrics == sizeof r->metric / sizeof *r->metric || !take_unsigned(&at, r->threads - 1, &m->thread) ||
	    !take_word(&at, name, sizeof name) || !take_word(&at, value, sizeof value))
		return false;
	m->counted = strcmp(value, "-");
	m->value = strtod(value, &end);
	if (m->counted && (*end || value[strspn(value, "-0123456789.")]))
		return false;
	m->name = strdup(name);
	m->unit = strdup(at);
	r->metrics++;
	return m->name && m->unit;
}

static bool read_symbol(struct run *r, const char *at)
{
	struct run_symbol s, *more;

	if (!take_number(&at, 16, UINT64_MAX, &s.address) || !take_number(&at, 16, UINT64_MAX, &s.end) || !*at)
		return false;
	more = grow(r->symbol, r->symbols, &r->symbol_room, sizeof *more);
	if (!more)
		return false;
	r->symbol = more;
	s.name = at;
	r->symbol[r->symbols++] = s;
	return true;
}

static bool ignore(struct run *r, const char *at)
{
	(void)r, (void)at;
	return true;
}

static bool count_sample(struct run *r, const char *at);

static const struct {
	const char *word;
	bool (*read)(struct run *run, const char *at);
} kinds[] = {
	{"event ", read_event}, {"count ", read_count}, {"clocks ", read_clocks}, {"interrupts ", read_interrupts},
	{"metric ", read_metric}, {"symbol ", read_symbol}, {"thread ", ignore}, {"end", ignore},
	{"sample ", count_sample}, {"others ", count_sample},
};

static bool read_line(struct run *r, const char *line)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const size_t length = strlen(kinds[i].word);

		if (!strncmp(line, kinds[i].word, length))
			return kinds[i].read(r, kinds[i].read == count_sample ? line : line + length);
	}
	return false;
}

//
// Samples
//

static bool read_others(const struct run *r, const char *at, struct run_sample *s)
{
	return take_unsigned(&at, SAMPLES_EVENTS - 1, &s->event) && take_unsigned(&at, r->threads - 1, &s->thread) &&
	       take_number(&at, 16, UINT64_MAX, &s->ip) && take_number(&at, 10, SAMPLES_MOST, &s->times) && s->times;
}

// Reads addresses up to the end or another word. False: more than `most`.
static bool take_addresses(const char **at, uint64_t *address, unsigned most, unsigned *count)
{
	for (*count = 0; take_number(at, 16, UINT64_MAX, &address[*count]);)
		if (++*count == most)
			return !**at || **at == '|';
	return true;
}

bool run_read_sample(const struct run *r, const char *at, struct run_sample *s)
{
	static const char sample[] = "sample ", others[] = "others ", callers[] = "| ";

	*s = (struct run_sample){.times = 1};
	if (!strncmp(at, others, strlen(others)))
		return read_others(r, at + strlen(others), s);
	if (strncmp(at, sample, strlen(sample)))
		return false;
	at += strlen(sample);
	if (!take_unsigned(&at, SAMPLES_EVENTS - 1, &s->event) || !take_unsigned(&at, r->threads - 1, &s->thread) ||
	    !take_unsigned(&at, 15, &s->level) || !take_number(&at, 16, UINT64_MAX, &s->ip) ||
	    !take_count(&at, &s->clock) || !take_count(&at, &s->count))
		return false;
	return take_addresses(&at, s->word, PMU_PAYLOAD_WORDS, &s->words) &&
	       (!*at || (!strncmp(at, callers, strlen(callers)) && *(at += strlen(callers)) &&
			 take_addresses(&at, s->caller, PMU_CALLERS, &s->callers) && !*at));
}

static bool count_sample(struct run *r, const char *at)
{
	struct run_sample s;

	if (!run_read_sample(r, at, &s))
		return false;
	r->event[s.event].present += s.times;
	r->events = s.event >= r->events ? s.event + 1 : r->events;
	return true;
}

//
// All lines
//

// Parses "run VERSION TARGET THREADS RUNS BUILD-ID BACKEND".
static bool read_first(struct run *r, const char *at)
{
	static const char word[] = "run ";
	char target[64];
	unsigned version;

	if (strncmp(at, word, strlen(word)) || (at += strlen(word), !take_unsigned(&at, UINT32_MAX, &version))) {
		complain("the first line of the run does not begin with 'run VERSION'");
		return false;
	}
	if (version != RUN_VERSION) {
		complain("the image's lines are of version %u, and this palmon reads version %d", version, RUN_VERSION);
		return false;
	}
	if (!take_word(&at, target, sizeof target) || !take_unsigned(&at, RUN_THREADS, &r->threads) || !r->threads ||
	    !take_unsigned(&at, SAMPLES_EVENTS, &r->runs) || !r->runs ||
	    !take_word(&at, r->build_id, sizeof r->build_id)) {
		complain("the first line of the run is not understood");
		return false;
	}
	r->driver = pmu_driver_find(target);
	if (!r->driver)
		complain("the log is of an unknown target: '%s'", target);
	if (!strcmp(r->build_id, "-"))
		*r->build_id = '\0';
	r->backend = at;
	return r->driver;
}

bool run_read(struct run *r, const struct log_run *lines)
{
	memset(r, 0, sizeof *r);
	r->lines = lines;
	if (!lines->count || !read_first(r, lines->line[0]))
		return false;
	for (size_t i = 1; i < lines->count; i++)
		r->strange += !read_line(r, lines->line[i]);
	for (unsigned i = 0, index = 0; i < r->events; i++)
		r->event[i].index = r->event[i].text ? (int)index++ : -1;
	return true;
}

struct run_count run_sum(const struct run *run, const struct run_event *e)
{
	struct run_count sum = {.known = true};

	for (unsigned t = 0; t < run->threads; t++) {
		sum.known &= e->of[t].known;
		sum.count += e->of[t].count;
		sum.samples += e->of[t].samples;
		sum.rest += e->of[t].rest;
		sum.taken += e->of[t].taken;
		sum.throttled |= e->of[t].throttled;
	}
	return sum;
}

uint64_t run_lost(const struct run *run, const struct run_event *e)
{
	const uint64_t taken = run_sum(run, e).taken;

	return taken > e->present ? taken - e->present : 0;
}

void run_free(struct run *r)
{
	for (unsigned i = 0; i < r->events; i++)
		free(r->event[i].text);
	for (unsigned i = 0; i < r->metrics; i++) {
		free(r->metric[i].name);
		free(r->metric[i].unit);
	}
	free(r->symbol);
}
