// SPDX-License-Identifier: BSD-2-Clause
// The amd model's defects.

#include "steps.h"

#include "../faults.h"

// Returns the count of counter 0 in ten cycles with this select.
#define COUNTED(select, ...)	PUT(CTL(0), select), EVENTS(10, __VA_ARGS__), GET(CTR(0))
#define RETIRES			{RETIRED, 0, 1, 0, 0}

// Counter 0 overflows with the fifth of 14 instructions.
#define OVERFLOW_0(flags)								\
	PUT(CTR(0), COUNTER_MAX - 4), PUT(CTL(0), EVENT(RETIRED) | ON | (flags)),	\
		EVENTS(14, RETIRES)

// Software sets the status of all counters.
#define OVERFLOW_ALL	PUT(STATUS_SET, ALL_BITS)

// Counters 0 and 1 overflow in one cycle.
#define OVERFLOW_BOTH									\
	PUT(CTR(0), COUNTER_MAX), PUT(CTR(1), COUNTER_MAX),				\
	PUT(CTL(0), EVENT(RETIRED) | ON), PUT(CTL(1), EVENT(RETIRED) | ON), EVENTS(14, RETIRES)

#define FROZEN(flags)	PUT(DEBUGCTL, flags), OVERFLOW_0(INT)

static const struct fault_row rows[] = {
	{"reset-value", {GET(GLOBAL_CTL)}, 0x3F},
	{"select-stuck", {PUT(CTL(1), 0xFF00), GET(CTL(1))}, 0xFF00},
	{"counter-stuck", {GET(CTR(2))}, 0},
	{"reads-ones", {GET(CTR(0))}, 0},
	{"writes-lost", {PUT(CTR(0), 5), GET(CTR(0))}, 5},
	{"counter-narrow", {PUT(CTR(0), 1ULL << 47), GET(CTR(0))}, 1ULL << 47},
	{"wrap-skips", {PUT(CTR(1), COUNTER_MAX), PUT(CTL(1), EVENT(RETIRED) | ON),
			EVENTS(10, RETIRES), GET(CTR(1))}, 9},
	{"upper-taken", {PUT(CTR(0), 1ULL << 48), GET(CTR(0))}, 0},
	{"legacy-select-dead", {PUT(LEGACY_CTL(3), EVENT(RETIRED)), GET(CTL(3))}, RETIRED},
	{"legacy-counter-dead", {PUT(LEGACY_CTR(3), 5), GET(CTR(3))}, 5},
	{"high-ignored", {COUNTED(EVENT(0x1C0) | ON, RETIRES)}, 0},
	{"guest-ignored", {COUNTED(EVENT(RETIRED) | ON | GUEST_ONLY, RETIRES)}, 0},
	{"access-unchecked", {TAKES(DEBUGCTL, 1ULL << 40)}, false},
	{"count-lost", {PUT(CTL(0), EVENT(RETIRED) | ON), EVENTS(2000, RETIRES), GET(CTR(0))},
	 2000},
	{"rdpmc-short", {PUT(CTR(5), 1ULL << 40), READ_COUNTER(5)}, 1ULL << 40},
	{"rdpmc-unchecked", {READ_COUNTER(6)}, UINT64_MAX},
	{"en-ignored", {COUNTED(EVENT(RETIRED) | OS | USR, RETIRES)}, 0},
	{"global-ignored", {PUT(CTL(1), EVENT(RETIRED) | ON), PUT(GLOBAL_CTL, 0),
			    EVENTS(10, RETIRES), GET(CTR(1))}, 0},
	{"usr-ignored", {COUNTED(EVENT(RETIRED) | EN | OS, {RETIRED, 0, 1, 0, 3})}, 0},
	{"os-ignored", {COUNTED(EVENT(RETIRED) | EN | USR, RETIRES)}, 0},
	{"any-always", {COUNTED(EVENT(RETIRED) | ON, {RETIRED, 0, 1, 1, 0})}, 0},
	{"cnt-mask-wrong", {COUNTED(EVENT(RETIRED) | ON | CNT_MASK(2), {RETIRED, 0, 2, 0, 0})},
	 10},
	{"inv-ignored", {COUNTED(EVENT(RETIRED) | ON | INV | CNT_MASK(2),
				 {RETIRED, 0, 2, 0, 0})}, 0},
	{"inv-alone", {COUNTED(EVENT(RETIRED) | ON | INV, RETIRES)}, 10},
	{"edge-ignored", {COUNTED(EVENT(RETIRED) | ON | EDGE, RETIRES)}, 1},
	{"branches-dead", {COUNTED(EVENT(0xC2) | ON, {0xC2, 0, 1, 0, 0})}, 10},
	{"taken-dead", {COUNTED(EVENT(0xC4) | ON, {0xC4, 0, 1, 0, 0})}, 10},
	{"status-lost", {OVERFLOW_0(0), GET(GLOBAL_STATUS)}, 1},
	{"int-missing", {OVERFLOW_0(INT), REQUESTS}, 1},
	{"int-always", {OVERFLOW_0(0), REQUESTS}, 0},
	{"freeze-missing", {FROZEN(FREEZE_PERFMON_ON_PMI), GET(CTR(0))}, 0},
	{"freeze-always", {OVERFLOW_0(INT), GET(CTR(0))}, 9},
	{"freeze-clears", {FROZEN(FREEZE_PERFMON_ON_PMI), GET(GLOBAL_CTL)}, 0x3F},
	{"freeze-hollow", {FROZEN(FREEZE_PERFMON_ON_PMI), GET(CTR(0))}, 0},
	{"lbr-freeze-missing", {FROZEN(FREEZE_LBRS_ON_PMI), GET(GLOBAL_STATUS)}, LBR_FREEZE | 1},
	{"acknowledge-all", {OVERFLOW_ALL, PUT(STATUS_CLR, 1), GET(GLOBAL_STATUS)},
	 ALL_BITS & ~1ULL},
	{"acknowledge-lost", {OVERFLOW_ALL, PUT(STATUS_CLR, ALL_BITS), GET(GLOBAL_STATUS)}, 0},
	{"thaw-lost", {PUT(STATUS_SET, PMC_FREEZE), PUT(STATUS_CLR, PMC_FREEZE),
		       GET(GLOBAL_STATUS)}, 0},
	{"set-lost", {OVERFLOW_ALL, GET(GLOBAL_STATUS)}, ALL_BITS},
	{"set-reads", {GET(STATUS_SET)}, 0},
	{"residue-lost", {OVERFLOW_0(0), GET(CTR(0))}, 9},
	{"simultaneous-lost", {OVERFLOW_BOTH, GET(GLOBAL_STATUS)}, 3},
	{"reload-ignored", {OVERFLOW_0(0), PUT(CTR(0), 1000), GET(CTR(0))}, 1000},
	{"line-stuck", {PUT(GLOBAL_CTL, ALL_BITS), REQUESTS}, 0},
	{"halt-counted", {PUT(CTL(1), EVENT(CYCLES) | ON), PUT(GLOBAL_CTL, 0), HALTED(10),
			  GET(CTR(1))}, 0},
};

static const struct fault_table table = FAULT_TABLE(rows);

int main(void)
{
	const struct CMUnitTest tests[] = {FAULT_TESTS};

	return cmocka_run_group_tests_name("amd model: faults", tests, find_model, release_model);
}
