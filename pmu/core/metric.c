// SPDX-License-Identifier: BSD-2-Clause
// Metrics: reads formulas, lists the events they need, distributes these over runs, computes values. Not part of the
// resident runtime.

#include "metric.h"
#include "pmu_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."
#define DIGITS "0123456789"
#define NUMBER_DIGITS_MAX 18	// any such number fits 64 bits

static int compare_name(const void *key, const void *element)
{
	return strcasecmp(key, ((const struct pmu_metric *)element)->name);
}

const struct pmu_metric *pmu_metric_find(const struct pmu_metric_table *table, const char *name)
{
	return table->count ? bsearch(name, table->metric, table->count, sizeof *table->metric, compare_name) : NULL;
}

//
// Rational numbers: exact, without floating point, which the runtime does not use
//

typedef unsigned __int128 magnitude;

static magnitude absolute(__int128 n)
{
	return n < 0 ? -(magnitude)n : (magnitude)n;
}

static __int128 common_divisor(magnitude a, magnitude b)
{
	while (b) {
		magnitude rest = a % b;

		a = b;
		b = rest;
	}
	return (__int128)a;
}

static struct pmu_value integer(uint64_t n)
{
	return (struct pmu_value){VALUE_NUMBER, n, 1};
}

static struct pmu_value no_number(enum pmu_value_kind kind)
{
	return (struct pmu_value){.kind = kind};
}

// Of two values, one that is no number: the result.
static bool is_no_number(const struct pmu_value *a, const struct pmu_value *b, struct pmu_value *result)
{
	if (a->kind == VALUE_NUMBER && b->kind == VALUE_NUMBER)
		return false;
	*result = a->kind == VALUE_NUMBER ? *b : *a;
	return true;
}

static struct pmu_value multiply(struct pmu_value a, struct pmu_value b)
{
	struct pmu_value result = {.kind = VALUE_NUMBER};
	__int128 first, second;

	if (is_no_number(&a, &b, &result))
		return result;
	first = common_divisor(absolute(a.numerator), (magnitude)b.denominator);
	second = common_divisor(absolute(b.numerator), (magnitude)a.denominator);
	if (__builtin_mul_overflow(a.numerator / first, b.numerator / second, &result.numerator) ||
	    __builtin_mul_overflow(a.denominator / second, b.denominator / first, &result.denominator))
		return no_number(VALUE_TOO_LARGE);
	return result;
}

static struct pmu_value divide(struct pmu_value a, struct pmu_value b)
{
	if (b.kind == VALUE_NUMBER) {
		struct pmu_value inverse = {VALUE_NUMBER, b.denominator, b.numerator};

		if (!b.numerator)
			return no_number(VALUE_NOT_DEFINED);
		if (b.numerator < 0 && (__builtin_sub_overflow(0, b.numerator, &inverse.denominator) ||
					__builtin_sub_overflow(0, b.denominator, &inverse.numerator)))
			return no_number(VALUE_TOO_LARGE);
		b = inverse;
	}
	return multiply(a, b);
}

static struct pmu_value add(struct pmu_value a, struct pmu_value b)
{
	struct pmu_value result = {.kind = VALUE_NUMBER};
	__int128 common, left, right;

	if (is_no_number(&a, &b, &result))
		return result;
	common = common_divisor((magnitude)a.denominator, (magnitude)b.denominator);
	if (__builtin_mul_overflow(a.numerator, b.denominator / common, &left) ||
	    __builtin_mul_overflow(b.numerator, a.denominator / common, &right) ||
	    __builtin_add_overflow(left, right, &result.numerator) ||
	    __builtin_mul_overflow(a.denominator / common, b.denominator, &result.denominator))
		return no_number(VALUE_TOO_LARGE);
	common = common_divisor(absolute(result.numerator), (magnitude)result.denominator);
	result.numerator /= common;
	result.denominator /= common;
	return result;
}

static struct pmu_value subtract(struct pmu_value a, struct pmu_value b)
{
	const struct pmu_value minus_one = {VALUE_NUMBER, -1, 1};

	return add(a, multiply(b, minus_one));
}

//
// Formulas. A walk over one either puts the events it meets into a plan, or computes with their counts.
//

struct walk {
	const struct pmu_driver *driver;
	const char *modifiers;			// of all events
	const struct pmu_metric_plan *plan;
	struct pmu_metric_plan *growing;	// the plan; NULL: compute
	const uint64_t *counts;			// of the plan's events
	struct pmu_metric_refusal *refusal;

	const struct pmu_metric *metric;	// whose formula is read
	const char *at;				// in it
	unsigned depth;
	const struct pmu_metric *outer[PMU_METRIC_DEPTH + 1];	// metrics that are being read
	unsigned outers;
};

static bool read_sum(struct walk *w, struct pmu_value *value);

static bool refuse(struct walk *w, enum pmu_metric_error error, const char *where, size_t length)
{
	*w->refusal = (struct pmu_metric_refusal){error, w->metric, where, length};
	return false;
}

static char peek(struct walk *w)
{
	w->at += strspn(w->at, " \t");
	return *w->at;
}

static bool take(struct walk *w, char c)
{
	if (peek(w) != c)
		return false;
	w->at++;
	return true;
}

static int find_planned(const struct pmu_metric_plan *plan, const char *text)
{
	for (unsigned i = 0; i < plan->count; i++)
		if (!strcasecmp(plan->event[i].text, text))
			return (int)i;
	return -1;
}

// An event of the formula, with the modifiers that all of them get. False: it is too long, or several.
static bool complete(const struct walk *w, const char *text, size_t length, char event[PMU_METRIC_TEXT])
{
	size_t more = strlen(w->modifiers);

	if (length + 1 + more >= PMU_METRIC_TEXT || memchr(text, ',', length) || strchr(w->modifiers, ','))
		return false;
	memcpy(event, text, length);
	event[length] = more ? ':' : '\0';
	memcpy(event + length + 1, w->modifiers, more + 1);
	return true;
}

static bool plan_event(struct walk *w, const char *text, size_t length, const char event[PMU_METRIC_TEXT])
{
	struct pmu_metric_event *e = &w->growing->event[w->growing->count];
	const char *rest = e->text;
	enum event_error error;

	if (w->growing->count == PMU_METRIC_EVENTS)
		return refuse(w, METRIC_TOO_MANY, text, length);
	strcpy(e->text, event);
	error = event_parse(w->driver->events, &rest, &e->request);
	if (error) {
		size_t before = (size_t)(rest - e->text);

		if (before > length) {
			const char *wrong = w->modifiers + (before - length - 1);

			*w->refusal = (struct pmu_metric_refusal){
				METRIC_BAD_MODIFIER, NULL, wrong, strcspn(wrong, ":"),
			};
			return false;
		}
		return refuse(w, error == EVENT_UNKNOWN ? METRIC_UNKNOWN : METRIC_BAD_EVENT, text + before,
			      length - before);
	}
	w->growing->count++;
	return true;
}

static bool read_event(struct walk *w, const char *text, size_t length, struct pmu_value *value)
{
	char event[PMU_METRIC_TEXT];
	int planned;

	if (!complete(w, text, length, event))
		return refuse(w, METRIC_BAD_EVENT, text, length);
	planned = find_planned(w->plan, event);
	if (w->growing) {
		*value = integer(1);
		return planned >= 0 || plan_event(w, text, length, event);
	}
	if (planned < 0)
		return refuse(w, METRIC_NOT_PLANNED, text, length);
	*value = integer(w->counts[planned]);
	return true;
}

static bool read_number(struct walk *w, const char *text, size_t length, struct pmu_value *value)
{
	if (length > NUMBER_DIGITS_MAX)
		return refuse(w, METRIC_BAD_FORMULA, text, length);
	*value = integer(strtoull(text, NULL, 10));
	return true;
}

// A metric's formula from its start, in place of its name.
static bool read_metric(struct walk *w, const struct pmu_metric *metric, const char *name, size_t length,
			struct pmu_value *value)
{
	const struct pmu_metric *before = w->metric;
	const char *after = w->at;

	for (unsigned i = 0; i < w->outers; i++)
		if (w->outer[i] == metric)
			return refuse(w, METRIC_CIRCLE, name, length);
	if (w->depth == PMU_METRIC_DEPTH)
		return refuse(w, METRIC_TOO_DEEP, name, length);
	w->depth++;
	w->outer[w->outers++] = metric;
	w->metric = metric;
	w->at = metric->formula;
	if (!read_sum(w, value))
		return false;
	if (peek(w))
		return refuse(w, METRIC_BAD_FORMULA, w->at, 1);
	w->metric = before;
	w->at = after;
	w->outers--;
	w->depth--;
	return true;
}

static const struct pmu_metric *find_metric(const struct walk *w, const char *name, size_t length)
{
	char text[EVENT_NAME_MAX + 1];

	if (!w->driver->metrics || length > EVENT_NAME_MAX)
		return NULL;
	memcpy(text, name, length);
	text[length] = '\0';
	return pmu_metric_find(w->driver->metrics, text);
}

// A word: a number, a metric, or else an event.
static bool read_word(struct walk *w, struct pmu_value *value)
{
	const char *word = w->at;
	size_t length = strspn(word, NAME_CHARACTERS);
	const struct pmu_metric *metric;

	if (!length)
		return refuse(w, METRIC_BAD_FORMULA, word, *word != '\0');
	w->at += length;
	if (strspn(word, DIGITS) == length)
		return read_number(w, word, length, value);
	metric = find_metric(w, word, length);
	return metric ? read_metric(w, metric, word, length, value) : read_event(w, word, length, value);
}

static const struct pmu_metric_given *find_given(const struct pmu_metric_plan *plan, const char *name, size_t length)
{
	for (unsigned i = 0; i < plan->givens; i++)
		if (plan->given[i].length == length && !strncasecmp(plan->given[i].name, name, length))
			return &plan->given[i];
	return NULL;
}

static bool read_given(struct walk *w, struct pmu_value *value)
{
	const char *name = w->at;
	const size_t length = strspn(name, NAME_CHARACTERS);

	const struct pmu_metric_given *g = find_given(w->plan, name, length);

	if (!g)
		return refuse(w, METRIC_NOT_GIVEN, name, length);
	if (w->growing)
		w->growing->given[g - w->plan->given].used = true;
	*value = w->growing ? integer(1) : g->value;
	w->at += length;
	return true;
}

static bool read_braces(struct walk *w, struct pmu_value *value)
{
	const char *text = w->at;
	size_t length = strcspn(text, "}");

	if (!text[length])
		return refuse(w, METRIC_BAD_FORMULA, text + length, 0);
	w->at += length + 1;
	return read_event(w, text, length, value);
}

static bool read_parentheses(struct walk *w, struct pmu_value *value)
{
	if (w->depth == PMU_METRIC_DEPTH)
		return refuse(w, METRIC_TOO_DEEP, w->at, 1);
	w->depth++;
	if (!read_sum(w, value))
		return false;
	if (!take(w, ')'))
		return refuse(w, METRIC_BAD_FORMULA, w->at, *w->at != '\0');
	w->depth--;
	return true;
}

static bool read_factor(struct walk *w, struct pmu_value *value)
{
	if (take(w, '{'))
		return read_braces(w, value);
	if (take(w, '('))
		return read_parentheses(w, value);
	if (take(w, '$'))
		return read_given(w, value);
	return read_word(w, value);
}

static bool read_product(struct walk *w, struct pmu_value *value)
{
	struct pmu_value factor;

	if (!read_factor(w, value))
		return false;
	for (char operator; (operator = peek(w)) == '*' || operator == '/';) {
		w->at++;
		if (!read_factor(w, &factor))
			return false;
		*value = operator == '*' ? multiply(*value, factor) : divide(*value, factor);
	}
	return true;
}

static bool read_sum(struct walk *w, struct pmu_value *value)
{
	struct pmu_value term;

	if (!read_product(w, value))
		return false;
	for (char operator; (operator = peek(w)) == '+' || operator == '-';) {
		w->at++;
		if (!read_product(w, &term))
			return false;
		*value = operator == '+' ? add(*value, term) : subtract(*value, term);
	}
	return true;
}

static enum pmu_metric_error walk(struct walk *w, const struct pmu_metric *metric, struct pmu_value *value)
{
	*w->refusal = (struct pmu_metric_refusal){.error = METRIC_OK};
	read_metric(w, metric, metric->name, strlen(metric->name), value);
	return w->refusal->error;
}

bool pmu_metric_give(struct pmu_metric_plan *plan, const char *name, size_t length, const struct pmu_value *value)
{
	const struct pmu_metric_given *g = find_given(plan, name, length);

	if (!g && plan->givens == PMU_METRIC_GIVEN)
		return false;
	plan->given[g ? g - plan->given : plan->givens++] = (struct pmu_metric_given){name, length, *value, false};
	return true;
}

static const struct pmu_metric_given *frequency_of(const struct pmu_metric_plan *plan)
{
	return find_given(plan, METRIC_FREQUENCY, strlen(METRIC_FREQUENCY));
}

static bool is_rate(const struct pmu_metric *metric)
{
	return !strcmp(metric->unit, "bytes/cycle");
}

const struct pmu_value *pmu_metric_frequency(const struct pmu_metric_plan *plan)
{
	const struct pmu_metric_given *frequency = frequency_of(plan);

	return frequency ? &frequency->value : NULL;
}

const char *pmu_metric_in_seconds(const struct pmu_metric *metric, const struct pmu_value *frequency,
				  struct pmu_value *value)
{
	if (!frequency || !is_rate(metric))
		return metric->unit;
	*value = multiply(*value, *frequency);
	return "bytes/s";
}

bool pmu_value_read(const char *text, size_t length, struct pmu_value *value)
{
	__int128 denominator = 0;	// 0: no point yet
	uint64_t number = 0;

	if (!length || length > NUMBER_DIGITS_MAX || *text == '.' || text[length - 1] == '.')
		return false;
	for (; length; length--, text++)
		if (*text == '.' && !denominator)
			denominator = 1;
		else if (*text < '0' || *text > '9')
			return false;
		else {
			number = 10 * number + (uint64_t)(*text - '0');
			denominator *= 10;
		}
	*value = divide(integer(number), integer(denominator ? (uint64_t)denominator : 1));
	return true;
}

enum pmu_metric_error pmu_metric_plan(const struct pmu_driver *driver, const struct pmu_metric *metric,
				      const char *modifiers, struct pmu_metric_plan *plan,
				      struct pmu_metric_refusal *refusal)
{
	struct walk w = {.driver = driver, .modifiers = modifiers, .plan = plan, .growing = plan, .refusal = refusal};
	unsigned before = plan->count;
	struct pmu_value value;
	enum pmu_metric_error error = walk(&w, metric, &value);

	if (error)
		plan->count = before;
	else if (is_rate(metric) && frequency_of(plan))
		plan->given[frequency_of(plan) - plan->given].used = true;
	return error;
}

enum pmu_metric_error pmu_metric_plan_event(const struct pmu_driver *driver, const char *event,
					    struct pmu_metric_plan *plan, struct pmu_metric_refusal *refusal)
{
	struct walk w = {.driver = driver, .modifiers = "", .plan = plan, .growing = plan, .refusal = refusal};
	struct pmu_value value;

	*refusal = (struct pmu_metric_refusal){.error = METRIC_OK};
	read_event(&w, event, strlen(event), &value);
	return refusal->error;
}

enum pmu_metric_error pmu_metric_evaluate(const struct pmu_driver *driver, const struct pmu_metric *metric,
					  const char *modifiers, const struct pmu_metric_plan *plan,
					  const uint64_t *counts,
					  struct pmu_value *value, struct pmu_metric_refusal *refusal)
{
	struct walk w = {.driver = driver, .modifiers = modifiers, .plan = plan, .counts = counts, .refusal = refusal};
	struct pmu_value result;
	enum pmu_metric_error error = walk(&w, metric, &result);

	if (!error)
		*value = result;
	return error;
}

//
// Runs
//

#define NO_RUN		UINT8_MAX
#define SEARCH_STEPS	20000	// events placed or not, at most, before a number of runs is given up

_Static_assert(PMU_METRIC_EVENTS <= 64, "conflicts are bits");

static bool agree(const struct pmu_setting *a, unsigned a_count, const struct pmu_setting *b, unsigned b_count)
{
	for (unsigned i = 0; i < a_count; i++)
		for (unsigned j = 0; j < b_count; j++)
			if (a[i].address == b[j].address && ((a[i].value ^ b[j].value) & a[i].mask & b[j].mask))
				return false;
	return true;
}

static bool settings_agree(const struct pmu_driver *driver, struct pmu_metric_plan *plan)
{
	struct pmu_setting *a = plan->trial.setting[0], *b = plan->trial.setting[1];

	if (!driver->settings)
		return true;
	for (unsigned i = 1; i < plan->trial.count; i++) {
		unsigned a_count = driver->settings->needed(&plan->trial.request[i], plan->trial.counter[i], a);

		for (unsigned j = 0; j < i; j++) {
			const struct event_request *other = &plan->trial.request[j];

			if (!agree(a, a_count, b, driver->settings->needed(other, plan->trial.counter[j], b)))
				return false;
		}
	}
	return true;
}

// Whether an event is in none of the groups, or the first of its.
static bool is_first(const struct pmu_metric_plan *plan, unsigned event)
{
	unsigned i = 0;

	while (i < event && (!plan->event[i].group || plan->event[i].group != plan->event[event].group))
		i++;
	return i == event;
}

// Whether an event is this one, or in the group that it is the first of.
static bool goes_with(const struct pmu_metric_plan *plan, unsigned event, unsigned first)
{
	return event == first || (plan->event[first].group && plan->event[event].group == plan->event[first].group);
}

static bool add_to_trial(struct pmu_metric_plan *plan, unsigned event)
{
	unsigned i = plan->trial.count;

	if (i == PMU_SESSION_EVENTS)
		return false;
	plan->trial.event[i] = (uint8_t)event;
	plan->trial.request[i] = plan->event[event].request;
	plan->trial.count++;
	return true;
}

static bool add_group_to_trial(struct pmu_metric_plan *plan, unsigned first)
{
	for (unsigned i = first; i < plan->count; i++)
		if (goes_with(plan, i, first) && !add_to_trial(plan, i))
			return false;
	return true;
}

static void set_run(struct pmu_metric_plan *plan, unsigned first, uint8_t run)
{
	for (unsigned i = first; i < plan->count; i++)
		if (goes_with(plan, i, first))
			plan->event[i].run = run;
}

// Gives each event of the trial a counter, if they can be measured together.
static bool can_run(const struct pmu_driver *driver, struct pmu_metric_plan *plan)
{
	struct pmu_refusal refusal;

	return !pmu_allocate(driver, plan->trial.request, plan->trial.count, driver->counters, plan->trial.counter,
			     &refusal) &&
	       settings_agree(driver, plan);
}

// Puts an event, and its group, into a run with those that are in it already.
static bool place(const struct pmu_driver *driver, struct pmu_metric_plan *plan, unsigned event, unsigned run)
{
	plan->trial.count = 0;
	for (unsigned i = 0; i < plan->count; i++)
		if (plan->event[i].run == run && !add_to_trial(plan, i))
			return false;
	if (!add_group_to_trial(plan, event) || !can_run(driver, plan))
		return false;
	set_run(plan, event, (uint8_t)run);
	for (unsigned i = 0; i < plan->trial.count; i++)
		plan->event[plan->trial.event[i]].counter = plan->trial.counter[i];
	return true;
}

static bool can_share_run(const struct pmu_driver *driver, struct pmu_metric_plan *plan, unsigned a, unsigned b)
{
	plan->trial.count = 0;
	return add_group_to_trial(plan, a) && add_group_to_trial(plan, b) && can_run(driver, plan);
}

static uint64_t choices_of(const struct pmu_driver *driver, const struct pmu_metric_plan *plan, unsigned event)
{
	return driver->choices(&plan->event[event].request) & driver->counters;
}

static void find_conflicts(const struct pmu_driver *driver, struct pmu_metric_plan *plan)
{
	memset(plan->search.conflicts, 0, sizeof plan->search.conflicts);
	for (unsigned i = 1; i < plan->count; i++)
		for (unsigned j = 0; j < i; j++)
			if (is_first(plan, i) && is_first(plan, j) && !can_share_run(driver, plan, i, j)) {
				plan->search.conflicts[i] |= 1ULL << j;
				plan->search.conflicts[j] |= 1ULL << i;
			}
}

// Events with conflicts first, and of those with equally many the ones that few counters can count: the others fit
// around them.
static bool is_before(const struct pmu_driver *driver, const struct pmu_metric_plan *plan, unsigned a, unsigned b)
{
	int a_conflicts = __builtin_popcountll(plan->search.conflicts[a]);
	int b_conflicts = __builtin_popcountll(plan->search.conflicts[b]);

	return a_conflicts != b_conflicts ? a_conflicts > b_conflicts :
	       __builtin_popcountll(choices_of(driver, plan, a)) < __builtin_popcountll(choices_of(driver, plan, b));
}

static void put_in_order(const struct pmu_driver *driver, struct pmu_metric_plan *plan)
{
	uint8_t *order = plan->search.order;

	plan->search.count = 0;
	for (unsigned i = 0; i < plan->count; i++) {
		unsigned at = plan->search.count;

		if (!is_first(plan, i))
			continue;
		plan->search.count++;
		for (; at && is_before(driver, plan, i, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = (uint8_t)i;
	}
}

// However the events are distributed: those that no other counters than these can count need so many runs.
static unsigned runs_for_counters(const struct pmu_driver *driver, const struct pmu_metric_plan *plan,
				  uint64_t counters)
{
	unsigned events = 0, room = (unsigned)__builtin_popcountll(counters);

	for (unsigned i = 0; i < plan->count; i++)
		events += !(choices_of(driver, plan, i) & ~counters);
	return (events + room - 1) / room;
}

// Events of which no two can share a run need one each. Which such set is found depends on the first one.
static unsigned runs_for_conflicts(const struct pmu_metric_plan *plan, unsigned first)
{
	uint64_t left = plan->search.conflicts[first];
	unsigned runs = 1;

	for (unsigned i = 0; i < plan->search.count && left; i++) {
		unsigned event = plan->search.order[i];

		if (left >> event & 1) {
			left &= plan->search.conflicts[event];
			runs++;
		}
	}
	return runs;
}

static unsigned greater(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned least_runs(const struct pmu_driver *driver, const struct pmu_metric_plan *plan)
{
	unsigned least = 0;

	for (unsigned i = 0; i < plan->count; i++) {
		least = greater(least, runs_for_conflicts(plan, i));
		for (unsigned j = 0; j <= i; j++)
			least = greater(least, runs_for_counters(driver, plan, choices_of(driver, plan, i) |
								 choices_of(driver, plan, j)));
	}
	return least;
}

static void clear_runs(struct pmu_metric_plan *plan)
{
	plan->runs = 0;
	for (unsigned i = 0; i < plan->count; i++)
		plan->event[i].run = NO_RUN;
}

// In the first run that has room, or in one of its own.
static bool place_first(const struct pmu_driver *driver, struct pmu_metric_plan *plan, unsigned event)
{
	for (unsigned run = 0; run < plan->runs; run++)
		if (place(driver, plan, event, run))
			return true;
	return place(driver, plan, event, plan->runs) && ++plan->runs;
}

// Each event in the first run that has room. Returns which one no counter can count; plan->count: there is none.
static unsigned place_all(const struct pmu_driver *driver, struct pmu_metric_plan *plan)
{
	clear_runs(plan);
	for (unsigned i = 0; i < plan->search.count; i++)
		if (!place_first(driver, plan, plan->search.order[i]))
			return plan->search.order[i];
	return plan->count;
}

enum search_result {
	SEARCH_FOUND,
	SEARCH_IMPOSSIBLE,
	SEARCH_GIVEN_UP,
};

// Tries the runs that are left for the event at `depth`, of which one that is still empty is like another. Counts the
// steps. False: there is none.
static bool place_next(const struct pmu_driver *driver, struct pmu_metric_plan *plan, unsigned depth, unsigned runs)
{
	unsigned end = plan->search.before[depth] < runs ? plan->search.before[depth] + 1U : runs;

	for (; plan->search.next[depth] < end; plan->search.next[depth]++) {
		plan->search.steps++;
		if (place(driver, plan, plan->search.order[depth], plan->search.next[depth]))
			return true;
	}
	return false;
}

// Looks for a distribution over so many runs: depth first, in the order of the events.
static enum search_result search(const struct pmu_driver *driver, struct pmu_metric_plan *plan, unsigned runs)
{
	unsigned depth = 0;

	clear_runs(plan);
	plan->search.steps = 0;
	plan->search.before[0] = plan->search.next[0] = 0;
	while (plan->search.steps < SEARCH_STEPS) {
		set_run(plan, plan->search.order[depth], NO_RUN);
		if (!place_next(driver, plan, depth, runs)) {
			if (!depth)
				return SEARCH_IMPOSSIBLE;
			plan->search.next[--depth]++;
			continue;
		}
		if (depth + 1 == plan->search.count)
			return SEARCH_FOUND;
		plan->search.before[depth + 1] =
			(uint8_t)greater(plan->search.before[depth], plan->search.next[depth] + 1U);
		plan->search.next[++depth] = 0;
	}
	return SEARCH_GIVEN_UP;
}

// Fewer runs than place_all has found: from the least there can be on.
static void search_fewer(const struct pmu_driver *driver, struct pmu_metric_plan *plan)
{
	const unsigned found = plan->runs;

	for (unsigned runs = plan->least; runs < found; runs++) {
		enum search_result result = search(driver, plan, runs);

		if (result == SEARCH_FOUND) {
			plan->runs = runs;
			return;
		}
		if (result == SEARCH_IMPOSSIBLE && plan->least == runs)
			plan->least++;
	}
	place_all(driver, plan);
}

enum pmu_metric_error pmu_metric_schedule(const struct pmu_driver *driver, struct pmu_metric_plan *plan,
					  struct pmu_metric_refusal *refusal)
{
	unsigned unfit;

	*refusal = (struct pmu_metric_refusal){.error = METRIC_OK};
	find_conflicts(driver, plan);
	put_in_order(driver, plan);
	unfit = place_all(driver, plan);
	if (unfit < plan->count) {
		const char *text = plan->event[unfit].text;

		*refusal = (struct pmu_metric_refusal){METRIC_UNFIT, NULL, text, strlen(text)};
		return METRIC_UNFIT;
	}
	plan->least = least_runs(driver, plan);
	if (plan->least < plan->runs)
		search_fewer(driver, plan);
	return METRIC_OK;
}

//
// For people
//

#define FRACTION_DIGITS_MAX	18
#define INTEGER_DIGITS_MAX	39	// of 2^127

// The digits of rest / denominator behind the point, one after the other: 10 * rest could have too many bits.
static unsigned next_digit(magnitude *rest, magnitude denominator)
{
	magnitude sum = 0;
	unsigned digit = 0;

	for (unsigned i = 0; i < 10; i++) {
		sum += *rest;
		if (sum >= denominator) {
			sum -= denominator;
			digit++;
		}
	}
	*rest = sum;
	return digit;
}

// Adds one to the decimal number in `digits`; true: it was all nines and is now all zeroes.
static bool count_up(char *digits, unsigned count)
{
	while (count--) {
		if (digits[count] != '9') {
			digits[count]++;
			return false;
		}
		digits[count] = '0';
	}
	return true;
}

void pmu_value_print(const struct pmu_value *value, unsigned digits, char *text, size_t size)
{
	static const char *const no_numbers[] = {
		[VALUE_NOT_DEFINED] = "not defined", [VALUE_TOO_LARGE] = "too large",
	};
	char fraction[FRACTION_DIGITS_MAX + 1] = "", whole[INTEGER_DIGITS_MAX + 1], *first = &whole[INTEGER_DIGITS_MAX];
	magnitude denominator = (magnitude)value->denominator, integer_part, rest;

	if (value->kind != VALUE_NUMBER) {
		snprintf(text, size, "%s", no_numbers[value->kind]);
		return;
	}
	integer_part = absolute(value->numerator) / denominator;
	rest = absolute(value->numerator) % denominator;
	digits = denominator == 1 ? 0 : digits > FRACTION_DIGITS_MAX ? FRACTION_DIGITS_MAX : digits;
	for (unsigned i = 0; i < digits; i++)
		fraction[i] = (char)('0' + next_digit(&rest, denominator));
	if (rest && rest >= denominator - rest && count_up(fraction, digits))
		integer_part++;
	*first = '\0';
	do {
		*--first = (char)('0' + (unsigned)(integer_part % 10));
		integer_part /= 10;
	} while (integer_part);
	snprintf(text, size, "%s%s%s%s", value->numerator < 0 && strspn(first, "0") + strspn(fraction, "0") <
		 strlen(first) + digits ? "-" : "", first, digits ? "." : "", fraction);
}

void pmu_metric_explain(const struct pmu_metric_refusal *refusal, char *text, size_t size)
{
	static const char *const sentences[] = {
		[METRIC_OK] = "no error",
		[METRIC_BAD_FORMULA] = "the formula is malformed",
		[METRIC_UNKNOWN] = "there is no such metric or event",
		[METRIC_BAD_EVENT] = "the event is refused",
		[METRIC_BAD_MODIFIER] = "the metric's events have no such modifier, or not with this value",
		[METRIC_CIRCLE] = "the metric needs itself",
		[METRIC_TOO_DEEP] = "parentheses and metrics in metrics are too many",
		[METRIC_TOO_MANY] = "the metrics need too many events",
		[METRIC_NOT_PLANNED] = "the event was not measured",
		[METRIC_UNFIT] = "no counter can count the event",
		[METRIC_NOT_GIVEN] = "it needs a value, NAME=VALUE before it",
	};
	const char *sentence = sentences[refusal->error];
	int length = (int)refusal->length;

	if (refusal->error == METRIC_OK)
		snprintf(text, size, "%s", sentence);
	else if (!refusal->metric)
		snprintf(text, size, "%s: '%.*s'", sentence, length, refusal->where);
	else if (!length)
		snprintf(text, size, "%s: %s, at its end", refusal->metric->name, sentence);
	else
		snprintf(text, size, "%s: %s: '%.*s', at column %zu", refusal->metric->name, sentence, length,
			 refusal->where, (size_t)(refusal->where - refusal->metric->formula) + 1);
}
