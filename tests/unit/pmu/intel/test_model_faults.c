// SPDX-License-Identifier: BSD-2-Clause
// The intel model's defects.

#include "steps.h"

#include "../faults.h"

// Returns the count of counter 0 in ten cycles with this select.
#define COUNTED(select, ...)	PUT(PERFEVTSEL0, select), EVENTS(10, __VA_ARGS__), GET(PMC0)
#define RETIRES			{RETIRED, 0, 1, 0, 0}
#define CYCLE			{CYCLES, 0, 1, 0, 0}

// Fixed counter 1 counts cycles.
#define FIXED_CYCLES		PUT(FIXED_CTR_CTRL, FIXED_CONTROL(1, FIXED_OS | FIXED_USR))

// Counter 0 overflows with the fifth of 14 instructions.
#define OVERFLOW_0(flags)								\
	PUT(PMC0, 0xFFFFFFFB), PUT(PERFEVTSEL0, EVENT(RETIRED, 0) | ON | (flags)), \
		EVENTS(14, RETIRES)

// Software sets the status of all counters.
#define OVERFLOW_ALL	PUT(STATUS_SET, ALL_BITS)

// Counters 0 and 1 overflow in one cycle.
#define OVERFLOW_BOTH									\
	PUT(PMC0, 0xFFFFFFFF), PUT(PMC0 + 1, 0xFFFFFFFF),				\
	PUT(PERFEVTSEL0, EVENT(RETIRED, 0) | ON), PUT(PERFEVTSEL0 + 1, EVENT(RETIRED, 0) | ON), \
	EVENTS(14, RETIRES)

#define FROZEN(flags)	PUT(DEBUGCTL, flags), OVERFLOW_0(INT)

// A taken branch retires.
#define BRANCHED(debugctl)								\
	PUT(DEBUGCTL, debugctl), EVENTS(1, {.code = 0xC4, .n = 1, .ip = 0x1000, .target = 0x2000, \
		.branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN})

static const struct fault_row rows[] = {
	{"reset-value", {GET(GLOBAL_CTRL)}, 0xFF},
	{"select-stuck", {PUT(PERFEVTSEL0 + 1, EVENT(0, 0xFF)), GET(PERFEVTSEL0 + 1)},
	 EVENT(0, 0xFF)},
	{"counter-stuck", {GET(PMC0 + 2)}, 0},
	{"reads-ones", {GET(PMC0)}, 0},
	{"writes-lost", {PUT(PMC0, 5), GET(PMC0)}, 5},
	{"counter-narrow", {PUT(A_PMC0, 1ULL << 47), GET(PMC0)}, 1ULL << 47},
	{"wrap-skips", {FIXED_CYCLES, PUT(FIXED_CTR0 + 1, COUNTER_MAX),
			PUT(GLOBAL_CTRL, 1ULL << 33), EVENTS(10, CYCLE), GET(FIXED_CTR0 + 1)}, 9},
	{"sign-missing", {PUT(PMC0, 0x80000000), GET(PMC0)}, 0xFFFF80000000},
	{"upper-taken", {PUT(PMC0, 0x500000001), GET(PMC0)}, 1},
	{"full-width-short", {PUT(A_PMC0, 0x500000001), GET(A_PMC0)}, 0x500000001},
	{"access-unchecked", {TAKES(PERFEVTSEL0, 1ULL << 40)}, false},
	{"count-lost", {PUT(PERFEVTSEL0, EVENT(RETIRED, 0) | ON), EVENTS(2000, RETIRES),
			GET(PMC0)}, 2000},
	{"rdpmc-short", {PUT(FIXED_CTR0, 1ULL << 40), READ_COUNTER(0x40000000)}, 1ULL << 40},
	{"rdpmc-unchecked", {READ_COUNTER(8)}, UINT64_MAX},
	{"en-ignored", {COUNTED(EVENT(RETIRED, 0) | OS | USR, RETIRES)}, 0},
	{"global-ignored", {FIXED_CYCLES, PUT(GLOBAL_CTRL, 0), EVENTS(10, CYCLE),
			    GET(FIXED_CTR0 + 1)}, 0},
	{"usr-ignored", {COUNTED(EVENT(RETIRED, 0) | EN | OS, {RETIRED, 0, 1, 0, 3})}, 0},
	{"os-ignored", {COUNTED(EVENT(RETIRED, 0) | EN | USR, RETIRES)}, 0},
	{"any-always", {COUNTED(EVENT(RETIRED, 0) | ON, {RETIRED, 0, 1, 1, 0})}, 0},
	{"cmask-wrong", {COUNTED(EVENT(RETIRED, 0) | ON | CMASK(2), {RETIRED, 0, 2, 0, 0})}, 10},
	{"inv-ignored", {COUNTED(EVENT(RETIRED, 0) | ON | INV | CMASK(2),
				 {RETIRED, 0, 2, 0, 0})}, 0},
	{"inv-alone", {COUNTED(EVENT(RETIRED, 0) | ON | INV, RETIRES)}, 10},
	{"edge-ignored", {COUNTED(EVENT(RETIRED, 0) | ON | E | CMASK(1), RETIRES)}, 1},
	{"branches-dead", {COUNTED(EVENT(0xC4, 0) | ON, {0xC4, 0, 1, 0, 0})}, 10},
	{"reference-dead", {COUNTED(EVENT(CYCLES, 1) | ON, {CYCLES, 1, 1, 0, 0})}, 10},
	{"slots-dead", {COUNTED(EVENT(SLOTS, 1) | ON, {SLOTS, 1, 1, 0, 0})}, 10},
	{"fixed-dead", {PUT(FIXED_CTR_CTRL, FIXED_CONTROL(2, FIXED_OS)),
			PUT(GLOBAL_CTRL, 1ULL << 34), EVENTS(10, {REFERENCE, 0, 1, 0, 0}),
			GET(FIXED_CTR0 + 2)}, 10},
	{"status-lost", {OVERFLOW_0(0), GET(GLOBAL_STATUS)}, 1},
	{"int-missing", {OVERFLOW_0(INT), REQUESTS}, 1},
	{"int-always", {OVERFLOW_0(0), REQUESTS}, 0},
	{"freeze-missing", {FROZEN(FREEZE_PERFMON_ON_PMI), GET(PMC0)}, 0},
	{"freeze-always", {OVERFLOW_0(INT), GET(PMC0)}, 9},
	{"freeze-clears", {FROZEN(FREEZE_PERFMON_ON_PMI), GET(GLOBAL_CTRL)}, 0xFF},
	{"freeze-hollow", {FROZEN(FREEZE_PERFMON_ON_PMI), GET(PMC0)}, 0},
	{"lbr-freeze-missing", {FROZEN(FREEZE_LBRS_ON_PMI), GET(GLOBAL_STATUS)}, LBR_FRZ | 1},
	{"acknowledge-all", {OVERFLOW_ALL, PUT(STATUS_RESET, 1), GET(GLOBAL_STATUS)},
	 ALL_BITS & ~1ULL},
	{"acknowledge-lost", {OVERFLOW_ALL, PUT(STATUS_RESET, ALL_BITS), GET(GLOBAL_STATUS)}, 0},
	{"thaw-lost", {PUT(STATUS_SET, CTR_FRZ), PUT(STATUS_RESET, CTR_FRZ),
		       GET(GLOBAL_STATUS)}, 0},
	{"set-lost", {OVERFLOW_ALL, GET(GLOBAL_STATUS)}, ALL_BITS},
	{"set-reads", {GET(STATUS_SET)}, 0},
	{"inuse-stuck", {PUT(PERFEVTSEL0, EVENT(RETIRED, 0)), GET(INUSE)}, 1},
	{"inuse-pmi-lost", {PUT(PERFEVTSEL0, INT), GET(INUSE)}, PMI_INUSE},
	{"lbr-filter-ignored", {PUT(LBR_SELECT, 1), BRANCHED(LBR), GET(LBR_TOS)}, 0},
	{"lbr-always", {BRANCHED(0), GET(LBR_TOS)}, 0},
	{"lbr-tos-stuck", {BRANCHED(LBR), GET(LBR_TOS)}, 1},
	{"lbr-swapped", {BRANCHED(LBR), GET(LBR_FROM + 1)}, 0x1000},
	{"lbr-cycles-total", {HALTED(100), BRANCHED(LBR), GET(LBR_TOS), CYCLES_MORE(1),
			      GET(LBR_INFO + 2)}, 1},
	{"lbr-freeze-hollow", {PUT(STATUS_SET, LBR_FRZ), BRANCHED(LBR), GET(LBR_TOS)}, 0},
	{"residue-lost", {OVERFLOW_0(0), GET(PMC0)}, 9},
	{"simultaneous-lost", {OVERFLOW_BOTH, GET(GLOBAL_STATUS)}, 3},
	{"reload-ignored", {OVERFLOW_0(0), PUT(PMC0, 1000), GET(PMC0)}, 1000},
	{"line-stuck", {PUT(GLOBAL_CTRL, ALL_BITS), REQUESTS}, 0},
	{"halt-counted", {FIXED_CYCLES, PUT(GLOBAL_CTRL, 0), HALTED(10), GET(FIXED_CTR0 + 1)}, 0},
};

static const struct fault_table table = FAULT_TABLE(rows);

int main(void)
{
	const struct CMUnitTest tests[] = {FAULT_TESTS};

	return cmocka_run_group_tests_name("intel model: faults", tests, find_model,
					   release_model);
}
