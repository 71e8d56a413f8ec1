// SPDX-License-Identifier: BSD-2-Clause
// The example PMU's driver. regs.h defines registers and fields.

#include "plain_driver.h"
#include "regs.h"

#define COUNTER_MASK	FIELD_MASK(0, EXAMPLE_COUNTERS)
#define USER_LEVELS	0xE	/* USR selects all of these */

static const char *example_objection(const struct event_request *r)
{
	const unsigned user = r->levels & USER_LEVELS;

	if (r->modifiers & ~(EVENT_USER | EVENT_OS) || r->branches || r->latency || r->tlb || r->sets || r->extra ||
	    r->cmask || r->code_range.given || r->data_range.given || r->opcode.given)
		return "this PMU has the modifiers u and k only";
	if (user && user != USER_LEVELS && user != 8)
		return "levels 1 to 3 are counted together (USR)";
	return NULL;
}

static uint64_t example_encode(const struct event_request *r, unsigned counter)
{
	(void)counter;
	return FIELD_PUT(SELECT, EVENT, event_code(r)) | FIELD_PUT(SELECT, USR, !!(r->modifiers & EVENT_USER)) |
	       FIELD_PUT(SELECT, OS, !!(r->modifiers & EVENT_OS)) | FIELD(SELECT, INT);
}

PLAIN_OPERATIONS(example, EXAMPLE_COUNTERS, ADDRESS_COUNTER, ADDRESS_SELECT, ADDRESS_ENABLE, ADDRESS_STATUS,
		 ADDRESS_CLEAR)

// PAL_PERF_MON_INFO: control registers 0 to n - 1 are SELECT, data registers 0 to n - 1 are
// COUNTER.
static const struct pmu_monitor_information information = {
	.summary = PMU_SUMMARY(EXAMPLE_COUNTERS, EXAMPLE_WIDTH, EXAMPLE_EVENT_CYCLES, EXAMPLE_EVENT_RETIRED),
	.control_mask = COUNTER_MASK, .data_mask = COUNTER_MASK,
	.cycles_mask = COUNTER_MASK, .retired_mask = COUNTER_MASK,
};

extern const struct pmu_event_table pmu_events_example;

const struct pmu_driver pmu_driver_example = {
	.name = "example",
	.title = "example, made by tools/new-pmu",
	.events = &pmu_events_example,
	.information = &information,
	.session = "RETIRED:period=1000,CYCLES",
	.retired = "RETIRED",
	.cycles = "CYCLES",
	.counters = COUNTER_MASK,
	.width = EXAMPLE_WIDTH,
	.arm_least = PMU_ARM_LEAST,
	.arm_most = 1ULL << (EXAMPLE_WIDTH - 1),
	.features = PMU_FEATURE_GLOBAL,
	PLAIN_MEMBERS(example),
};
