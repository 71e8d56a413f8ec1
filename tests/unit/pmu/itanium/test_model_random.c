// SPDX-License-Identifier: BSD-2-Clause
// Random programs on the itanium model.

#include "steps.h"

#include "../random_programs.h"

#define TRACE_BITS	0xFF80ULL	// of PMC12: capture conditions

// If captured loads are counted, headroom may end early: which load is captured is drawn at the
// capture.
static const struct random_programs programs = {
	.codes = {CYCLES, CYCLES, RETIRED, LOADS_RETIRED, L1I_DEMAND_READS, BRANCH_PREDICTOR,
		  BRANCH_TAKEN_SLOT,
		  BUS_ALL, L3_READS, RSE_REFERENCES_RETIRED, ALAT_INST_CHKA_LDC, BRANCH_EVENT,
		  INSTRUCTION_EAR_EVENTS,
		  DATA_EAR_EVENTS, L2_INST_DEMAND_READS, ITLB_MISSES_FETCH, DTC_MISSES,
		  L1D_READ_MISSES_RETIRED, DTLB_MISSES, L2_DATA_REFERENCES},
	.code_count = 20,
	.subs = {1, 2, 3, 4, 8, 12, 15}, .sub_count = 7,
	.often = {{PMC + 0, 0}, {PMC + 0, 0}, {PMC + 13, TA}, {PMV, 0}, {PSR, PSR_UP | PSR_PP},
		  {PMC + 8, OPCODES_ALL}, {PMC + 12, ALL_LEVELS | TRACE_BITS},
		  {PMC + 4, ALL_LEVELS | OI | ES(CYCLES)},
		  {PMC + 6, ALL_LEVELS | OI | ES(BRANCH_EVENT)},
		  {PMC + 5, ALL_LEVELS | OI | ES(DATA_EAR_EVENTS)}},
	.often_count = 10, .write_cycles = 100, .early = true,
};

int main(void)
{
	const struct CMUnitTest tests[] = {RANDOM_PROGRAMS};

	return cmocka_run_group_tests_name("itanium model: random programs", tests, NULL, NULL);
}
