/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by tests of targets' metrics: names, and values compared with tables in tests/vectors.
 * Each program has its own `start`, which calls start_driver. */
#ifndef METRICS_H
#define METRICS_H

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "pmu_driver.h"
#include "shim.h"

#define LENGTH(array)	(sizeof array / sizeof *array)

static struct pmu_driver driver;
static struct pmu_metric_refusal refusal;

/* Calls pmu_begin with a target's driver, because the events that it can count depend on the
 * processor. */
static inline int start_driver(const char *name)
{
	const struct pmu_driver *found = pmu_driver_find(name);

	if (!found || !shim_start(name, "") || pmu_begin(found, false) != PMU_OK)
		return 1;
	driver = *found;
	return 0;
}

static inline int end(void **state)
{
	(void)state;
	shim_end();
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

static inline const struct pmu_metric *must_find(const char *name)
{
	const struct pmu_metric *m = pmu_metric_find(driver.metrics, name);

	if (!m)
		fail_msg("there is no metric %s", name);
	return m;
}

/* Plans a metric; each $NAME that it needs is 1, as a default. */
static inline void must_plan(const struct pmu_metric *metric, struct pmu_metric_plan *plan)
{
	const struct pmu_value one = {VALUE_NUMBER, 1, 1};
	enum pmu_metric_error error;
	char text[256];

	while ((error = pmu_metric_plan(&driver, metric, "", plan, &refusal)) == METRIC_NOT_GIVEN)
		assert_true(pmu_metric_give(plan, refusal.where, refusal.length, &one));
	if (error) {
		pmu_metric_explain(&refusal, text, sizeof text);
		fail_msg("%s", text);
	}
}

/* A metric needs exactly its known least number of runs. */
static inline void needs_runs(const char *name, unsigned runs)
{
	struct pmu_metric_plan plan = {0};

	must_plan(must_find(name), &plan);
	assert_int_equal(pmu_metric_schedule(&driver, &plan, &refusal), METRIC_OK);
	if (plan.runs != runs || plan.least != runs)
		fail_msg("%s needs %u runs, not %u", name, plan.runs, runs);
}

static inline void each_metric_needs_one_run(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver.metrics->count; i++)
		needs_runs(driver.metrics->metric[i].name, 1);
}

/* An item of `text`: "EVENT=count", "START*=count" or "$NAME=value". */
struct given {
	const char *event;
	size_t length;
	bool start;		// START*: the beginning of names
	uint64_t count;
	bool used;
};

#define GIVEN_MAX 16

static inline unsigned read_given(char *text, struct given *given)
{
	unsigned count = 0;

	for (char *save, *word = strtok_r(text, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		char *equals = strrchr(word, '=');
		struct given *g = &given[count++];

		assert_true(count <= GIVEN_MAX);
		assert_non_null(equals);
		*g = (struct given){.event = word, .length = (size_t)(equals - word)};
		g->count = strtoull(equals + 1, NULL, 10);
		g->start = equals[-1] == '*';
		g->length -= g->start;
	}
	return count;
}

static inline uint64_t count_of(const char *event, struct given *given, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!strncmp(event, given[i].event, given[i].length) &&
		    (given[i].start || !event[given[i].length])) {
			given[i].used = true;
			return given[i].count;
		}
	fail_msg("%s has no count", event);
	return 0;
}

static inline void check_value(const struct pmu_metric *metric, char *counts_text,
			       const char *expected)
{
	struct pmu_metric_plan plan = {0};
	struct given given[GIVEN_MAX];
	unsigned given_count = read_given(counts_text, given);
	uint64_t counts[PMU_METRIC_EVENTS];
	struct pmu_value v;
	char found[64];

	must_plan(metric, &plan);
	for (unsigned i = 0; i < given_count; i++)
		if (*given[i].event == '$') {
			const char *text = given[i].event + given[i].length + 1;
			struct pmu_value value;

			assert_true(pmu_value_read(text, strlen(text), &value));
			assert_true(pmu_metric_give(&plan, given[i].event + 1, given[i].length - 1,
						    &value));
			given[i].used = true;
		}
	for (unsigned i = 0; i < plan.count; i++)
		counts[i] = count_of(plan.event[i].text, given, given_count);
	for (unsigned i = 0; i < given_count; i++)
		if (!given[i].used)
			fail_msg("%s does not need %s", metric->name, given[i].event);
	assert_int_equal(pmu_metric_evaluate(&driver, metric, "", &plan, counts, &v, &refusal),
			 METRIC_OK);
	assert_int_equal(v.kind, VALUE_NUMBER);
	snprintf(found, sizeof found, v.denominator == 1 ? "%lld" : "%lld/%lld",
		 (long long)v.numerator, (long long)v.denominator);
	if (strcmp(found, expected))
		fail_msg("%s is %s, not %s", metric->name, found, expected);
}

/* The metrics are exactly those of tests/vectors/TARGET-metrics.tab. Each needs exactly the events
 * of its formula, and has the table's value. */
static inline void each_metric_has_the_value_that_its_formula_gives(void **state)
{
	char path[64], line[1024];
	bool seen[512] = {false};
	size_t metrics = 0;
	FILE *file;

	(void)state;
	snprintf(path, sizeof path, "tests/vectors/%s-metrics.tab", driver.name);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		char *save, *name = strtok_r(line, "\t", &save);
		const struct pmu_metric *m;
		char *counts, *expected;

		if (*line == '#' || *line == '\n')
			continue;
		counts = strtok_r(NULL, "\t", &save);
		expected = strtok_r(NULL, "\n", &save);
		assert_non_null(expected);
		m = must_find(name);
		check_value(m, counts, expected);
		assert_false(seen[m - driver.metrics->metric]);
		seen[m - driver.metrics->metric] = true;
		metrics++;
	}
	fclose(file);
	for (size_t i = 0; i < driver.metrics->count; i++)
		if (!seen[i])
			fail_msg("%s is not in %s", driver.metrics->metric[i].name, path);
	assert_int_equal(metrics, driver.metrics->count);
}

static inline void no_metric_has_the_name_of_an_event(void **state)
{
	(void)state;
	for (size_t i = 0; i < driver.metrics->count; i++) {
		const char *name = driver.metrics->metric[i].name;

		assert_null(event_find(driver.events, name, strlen(name)));
	}
}

#endif
