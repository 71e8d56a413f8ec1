// SPDX-License-Identifier: BSD-2-Clause
// Metrics: parses formulas, lists the events they need, computes values. Not part of the resident
// runtime.

#include "metric.h"
#include "pmu_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."
#define DIGITS "0123456789"
#define NUMBER_DIGITS_MAX 18	// every such number fits into 64 bits

static int compare_name(const void *key, const void *element)
{
	return strcasecmp(key, ((const struct pmu_metric *)element)->name);
}

const struct pmu_metric *pmu_metric_find(const struct pmu_metric_table *table, const char *name)
{
	return table->count ? bsearch(name, table->metric, table->count, sizeof *table->metric,
				      compare_name) : NULL;
}

//
// Rational numbers. Exact, and without floating point, which the runtime does not use.
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

// If one of two values is not a number, the result is that value.
static bool is_no_number(const struct pmu_value *a, const struct pmu_value *b,
			 struct pmu_value *result)
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
	    __builtin_mul_overflow(a.denominator / second, b.denominator / first,
				   &result.denominator))
		return no_number(VALUE_TOO_LARGE);
	return result;
}

static struct pmu_value divide(struct pmu_value a, struct pmu_value b)
{
	if (b.kind == VALUE_NUMBER) {
		struct pmu_value inverse = {VALUE_NUMBER, b.denominator, b.numerator};

		if (!b.numerator)
			return no_number(VALUE_NOT_DEFINED);
		if (b.numerator < 0 &&
		    (__builtin_sub_overflow(0, b.numerator, &inverse.denominator) ||
					__builtin_sub_overflow(0, b.denominator,
							       &inverse.numerator)))
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
// Formulas. The parser either adds a formula's events to a plan, or computes with their counts.
//

struct walk {
	const struct pmu_driver *driver;
	const char *modifiers;			// for all events
	const struct pmu_metric_plan *plan;
	struct pmu_metric_plan *growing;	// the plan, to which events are added; NULL:
						// compute
	const uint64_t *counts;			// counts of the plan's events
	struct pmu_metric_refusal *refusal;

	const struct pmu_metric *metric;	// the metric whose formula is parsed
	const char *at;				// position in this formula
	unsigned depth;
	const struct pmu_metric *outer[PMU_METRIC_DEPTH + 1];	// the metrics being parsed,
								// outermost first
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

// Writes an event of the formula with the modifiers for all events. False: the text is too long, or
// has several events.
static bool complete(const struct walk *w, const char *text, size_t length,
		     char event[PMU_METRIC_TEXT])
{
	size_t more = strlen(w->modifiers);

	if (length + 1 + more >= PMU_METRIC_TEXT || memchr(text, ',', length) ||
	    strchr(w->modifiers, ','))
		return false;
	memcpy(event, text, length);
	event[length] = more ? ':' : '\0';
	memcpy(event + length + 1, w->modifiers, more + 1);
	return true;
}

static bool plan_event(struct walk *w, const char *text, size_t length,
		       const char event[PMU_METRIC_TEXT])
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
		return refuse(w, error == EVENT_UNKNOWN ? METRIC_UNKNOWN : METRIC_BAD_EVENT,
			      text + before, length - before);
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

// Parses a metric's formula in place of its name.
static bool read_metric(struct walk *w, const struct pmu_metric *metric, const char *name,
			size_t length, struct pmu_value *value)
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

// Parses a word: a number, a metric, or else an event.
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
	return metric ? read_metric(w, metric, word, length, value) :
	       read_event(w, word, length, value);
}

static const struct pmu_metric_given *find_given(const struct pmu_metric_plan *plan,
						 const char *name, size_t length)
{
	for (unsigned i = 0; i < plan->givens; i++)
		if (plan->given[i].length == length &&
		    !strncasecmp(plan->given[i].name, name, length))
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

static enum pmu_metric_error walk(struct walk *w, const struct pmu_metric *metric,
				  struct pmu_value *value)
{
	*w->refusal = (struct pmu_metric_refusal){.error = METRIC_OK};
	read_metric(w, metric, metric->name, strlen(metric->name), value);
	return w->refusal->error;
}

bool pmu_metric_give(struct pmu_metric_plan *plan, const char *name, size_t length,
		     const struct pmu_value *value)
{
	const struct pmu_metric_given *g = find_given(plan, name, length);

	if (!g && plan->givens == PMU_METRIC_GIVEN)
		return false;
	plan->given[g ? g - plan->given : plan->givens++] =
		(struct pmu_metric_given){name, length, *value, false};
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

const char *pmu_metric_in_seconds(const struct pmu_metric *metric,
				  const struct pmu_value *frequency, struct pmu_value *value)
{
	if (!frequency || !is_rate(metric))
		return metric->unit;
	*value = multiply(*value, *frequency);
	return "bytes/s";
}

bool pmu_value_read(const char *text, size_t length, struct pmu_value *value)
{
	__int128 denominator = 0;	// 0: no point so far
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

enum pmu_metric_error pmu_metric_plan(const struct pmu_driver *driver,
				      const struct pmu_metric *metric,
				      const char *modifiers, struct pmu_metric_plan *plan,
				      struct pmu_metric_refusal *refusal)
{
	struct walk w = {.driver = driver, .modifiers = modifiers, .plan = plan, .growing = plan,
			 .refusal = refusal};
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
					    struct pmu_metric_plan *plan,
					    struct pmu_metric_refusal *refusal)
{
	struct walk w = {.driver = driver, .modifiers = "", .plan = plan, .growing = plan,
			 .refusal = refusal};
	struct pmu_value value;

	*refusal = (struct pmu_metric_refusal){.error = METRIC_OK};
	read_event(&w, event, strlen(event), &value);
	return refusal->error;
}

enum pmu_metric_error pmu_metric_evaluate(const struct pmu_driver *driver,
					  const struct pmu_metric *metric,
					  const char *modifiers, const struct pmu_metric_plan *plan,
					  const uint64_t *counts,
					  struct pmu_value *value,
					  struct pmu_metric_refusal *refusal)
{
	struct walk w = {.driver = driver, .modifiers = modifiers, .plan = plan, .counts = counts,
			 .refusal = refusal};
	struct pmu_value result;
	enum pmu_metric_error error = walk(&w, metric, &result);

	if (!error)
		*value = result;
	return error;
}

//
// Texts for people
//

#define FRACTION_DIGITS_MAX	18
#define INTEGER_DIGITS_MAX	39	// digits of 2^127

// Returns the next digit of rest / denominator after the point. Adds up ten times, because 10 *
// rest could overflow.
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

// Adds one to the decimal number in `digits`. Returns true if all digits were 9 and are now 0.
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
	char fraction[FRACTION_DIGITS_MAX + 1] = "", whole[INTEGER_DIGITS_MAX + 1],
		*first = &whole[INTEGER_DIGITS_MAX];
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
	snprintf(text, size, "%s%s%s%s", value->numerator < 0 &&
		 strspn(first, "0") + strspn(fraction, "0") <
		 strlen(first) + digits ? "-" : "", first, digits ? "." : "", fraction);
}

void pmu_metric_explain(const struct pmu_metric_refusal *refusal, char *text, size_t size)
{
	static const char *const sentences[] = {
		[METRIC_OK] = "no error",
		[METRIC_BAD_FORMULA] = "the formula is malformed",
		[METRIC_UNKNOWN] = "there is no such metric or event",
		[METRIC_BAD_EVENT] = "the event is refused",
		[METRIC_BAD_MODIFIER] =
			"the metric's events have no such modifier, or not with this value",
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
		snprintf(text, size, "%s: %s: '%.*s', at column %zu", refusal->metric->name,
			 sentence, length,
			 refusal->where, (size_t)(refusal->where - refusal->metric->formula) + 1);
}
