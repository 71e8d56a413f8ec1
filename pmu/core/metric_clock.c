// SPDX-License-Identifier: BSD-2-Clause
// Metrics under the unit clock, where one cycle passes per instruction. Not part of the resident
// runtime.

#include "metric.h"
#include "pmu_driver.h"

static bool counts_cycles(const struct event_request *r)
{
	return r->event->clock && r->cmask == r->event->cmask;
}

// Returns whether the request counts all retired instructions: it is the event that PAL states for
// them, or its unqualified form.
static bool counts_instructions(const struct pmu_driver *driver, const struct event_request *r)
{
	const struct pmu_monitor_information *i = driver->information;

	return i && event_code(r) == PMU_SUMMARY_RETIRED(i->summary) &&
	       (r->umask == i->retired_umask || !r->umask) &&
	       !r->cmask;
}

static bool counts_alike(const struct event_request *a, const struct event_request *b)
{
	return a->levels == b->levels && (a->modifiers & EVENT_ANY) == (b->modifiers & EVENT_ANY);
}

// Evaluates a metric with the same count for all events.
static enum pmu_metric_error evaluate(const struct pmu_driver *driver,
				      const struct pmu_metric *metric,
				      const char *modifiers, const struct pmu_metric_plan *needed,
				      uint64_t number, struct pmu_value *value)
{
	uint64_t counts[PMU_METRIC_EVENTS];
	struct pmu_metric_refusal refusal;

	for (unsigned i = 0; i < needed->count; i++)
		counts[i] = number;
	return pmu_metric_evaluate(driver, metric, modifiers, needed, counts, value, &refusal);
}

static bool is_constant(const struct pmu_driver *driver, const struct pmu_metric *metric,
			const char *modifiers,
			const struct pmu_metric_plan *needed, struct pmu_value *value)
{
	struct pmu_value other;

	return !evaluate(driver, metric, modifiers, needed, 1, value) &&
	       !evaluate(driver, metric, modifiers, needed, 2, &other) &&
	       value->kind == VALUE_NUMBER &&
	       other.kind == VALUE_NUMBER && value->numerator == other.numerator &&
	       value->denominator == other.denominator;
}

enum pmu_metric_clock pmu_metric_by_unit_clock(const struct pmu_driver *driver,
					       const struct pmu_metric *metric,
					       const char *modifiers,
					       const struct pmu_metric_plan *needed,
					       struct pmu_value *value)
{
	bool cycles = false, others = false;

	for (unsigned i = 0; i < needed->count; i++) {
		const struct event_request *r = &needed->event[i].request;
		const bool counted = counts_cycles(r);

		cycles |= counted;
		others |= (!counted && !counts_instructions(driver, r)) ||
			!counts_alike(r, &needed->event[0].request);
	}
	if (!cycles)
		return METRIC_WITHOUT_CYCLES;
	return !others && is_constant(driver, metric, modifiers, needed, value) ? METRIC_CONSTANT :
									METRIC_OF_INSTRUCTIONS;
}
