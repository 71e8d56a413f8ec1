/* SPDX-License-Identifier: BSD-2-Clause */
/* A driver for tests of metrics. */
#ifndef METRIC_DRIVER_H
#define METRIC_DRIVER_H

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "pmu_driver.h"
#include "random.h"

#define LENGTH(array) (sizeof array / sizeof *array)

static const struct pmu_event some_events[] = {
	{.name = "A", .counters = 0xF}, {.name = "B", .counters = 0xF},
	{.name = "C", .counters = 0xF},
	{.name = "D", .counters = 0xF}, {.name = "E.X", .counters = 0xF},
	{.name = "E.Y", .counters = 0xF},
	{.name = "LOW", .counters = 0x3}, {.name = "LOWER", .counters = 0x3},
	{.name = "NONE", .counters = 0x100},
};
static const struct pmu_event_table events = {some_events, LENGTH(some_events)};

static inline uint64_t choices(const struct event_request *r)
{
	uint64_t counters = r->event->counters;

	return r->counter == EVENT_ANY_COUNTER ? counters : counters & 1ULL << r->counter;
}

/* An opcode needs one register, a data address another; for a latency the register depends on the
 * counter. */
static inline unsigned settings(const struct event_request *r, unsigned counter,
				struct pmu_setting *setting)
{
	unsigned count = 0;

	if (r->opcode.given)
		setting[count++] = (struct pmu_setting){.address = 0x108, .mask = ~0ULL,
							.value = r->opcode.match};
	if (r->data_range.given)
		setting[count++] = (struct pmu_setting){.address = 0x109, .mask = ~0ULL,
							.value = r->data_range.first};
	if (r->latency)
		setting[count++] = (struct pmu_setting){.address = 0x10A, .mask = 0xFF,
							.value = counter};
	return count;
}

#define METRICS_MAX 64

static struct pmu_metric metric[METRICS_MAX];
static struct pmu_metric_table metrics = {metric, 0};
static const struct pmu_driver driver = {
	.events = &events, .metrics = &metrics, .shape = &(const struct pmu_shape){.counters = 0xF},
	.choices = choices,
	.settings = &(const struct pmu_settings){.needed = settings},
};
static struct pmu_metric_plan plan;
static struct pmu_metric_refusal refusal;

static inline int start(void **state)
{
	(void)state;
	metrics.count = 0;
	memset(&plan, 0, sizeof plan);
	return 0;
}

/* Defines a metric. Metrics must be defined in the order of their names. */
static inline const struct pmu_metric *define(const char *name, const char *formula)
{
	struct pmu_metric *m = &metric[metrics.count++];

	assert_true(metrics.count <= METRICS_MAX);
	*m = (struct pmu_metric){name, "count", "test", formula, "test"};
	return m;
}

static inline void plans(const struct pmu_metric *m)
{
	enum pmu_metric_error error = pmu_metric_plan(&driver, m, "", &plan, &refusal);

	if (error)
		fail_msg("'%s' is refused: %d", m->formula, error);
}

#define TEST(name) cmocka_unit_test_setup(name, start)

#endif
