// SPDX-License-Identifier: BSD-2-Clause
// The nehalem model's defects.

#include "steps.h"

#include "machine.h"

#include "../faults.h"

static uint64_t attach_machine(const struct step *s)
{
	attach();
	set_area((unsigned)s->address, (unsigned)s->value, 5);
	set_precise(1, 0, 5);
	return 0;
}

static uint64_t read_memory(const struct step *s)
{
	return memory_word(s->address);
}

static uint64_t overflow_all_at_once(const struct step *s)
{
	(void)s;
	overflow_all();
	return 0;
}

static uint64_t package_signal(const struct step *s)
{
	(void)s;
	model->machine->signal(pmu, 0);
	return 0;
}

// Makes counter 0 precise, with periods of 5, and a buffer for this many records, of which the
// `threshold`th interrupts.
#define PRECISE(size, threshold) {attach_machine, .address = (size), .value = (threshold)}
#define AREA_WORD(number)	{read_memory, .address = AREA + 8 * (number)}
#define RECORD_WORD(number)	{read_memory, .address = BUFFER + 8 * (number)}
#define OVERFLOW_ALL		{overflow_all_at_once}
#define SIGNAL			{package_signal}

// Returns the count of counter 0 in ten cycles with this select.
#define COUNTED(select, ...)	PUT(PERFEVTSEL0, select), EVENTS(10, __VA_ARGS__), GET(PMC0)
#define UOP			{UOPS, 1, 1, 0, 0}
#define RETIRES			{RETIRED, 0, 1, 0, 0}
#define CYCLE			{CYCLES, 0, 1, 0, 0}

// Fixed counter 1 counts cycles.
#define FIXED_CYCLES		PUT(FIXED_CTR_CTRL, FIXED_CONTROL(1, FIXED_OS | FIXED_USR))

// Counter 0 overflows with the fifth of 14 instructions. If it is precise, the last of them is
// recorded.
#define OVERFLOW_0(flags)								\
	PUT(PMC0, 0xFFFFFFFB), PUT(PERFEVTSEL0, EVENT(RETIRED, 0) | ON | (flags)), \
		EVENTS(14, RETIRES)

#define SLOW_LOADS(threshold)								\
	PUT(LD_LAT, threshold), PUT(PEBS_ENABLE, 0x100000001),				\
	COUNTED(EVENT(0x0B, 0x10) | ON, {.code = 0x0B, .sub = 0x10, .n = 1, .latency = 30})

#define LBR		1U
#define FREEZE_LBRS	(1U << 11)
#define BRANCHES_FOR(cycles)								\
	EVENTS(cycles, {.code = 0xC4, .sub = 4, .n = 1, .ip = 0x1000, .target = 0x2000,	\
			.branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN | OCCURRENCE_KIND_RETURN})

static const struct fault_row rows[] = {
	{"reset-value", {GET(GLOBAL_CTRL)}, 0xF},
	{"select-stuck", {PUT(PERFEVTSEL0 + 1, EVENT(0, 0xFF)), GET(PERFEVTSEL0 + 1)},
	 EVENT(0, 0xFF)},
	{"counter-stuck", {GET(PMC0 + 2)}, 0},
	{"reads-ones", {GET(PMC0)}, 0},
	{"writes-lost", {PUT(PMC0, 5), GET(PMC0)}, 5},
	{"counter-narrow", {PUT(FIXED_CTR0, 1ULL << 47), GET(FIXED_CTR0)}, 1ULL << 47},
	{"wrap-skips", {FIXED_CYCLES, PUT(FIXED_CTR0 + 1, COUNTER_MAX),
			PUT(GLOBAL_CTRL, 1ULL << 33), EVENTS(10, CYCLE), GET(FIXED_CTR0 + 1)}, 9},
	{"sign-missing", {PUT(PMC0, 0x80000000), GET(PMC0)}, 0xFFFF80000000},
	{"access-unchecked", {TAKES(PERFEVTSEL0, 1U << 19)}, false},
	{"count-lost", {PUT(PERFEVTSEL0, EVENT(UOPS, 1) | ON), EVENTS(2000, UOP), GET(PMC0)}, 2000},
	{"rdpmc-short", {PUT(FIXED_CTR0, 1ULL << 40), READ_COUNTER(0x40000000)}, 1ULL << 40},
	{"en-ignored", {COUNTED(EVENT(UOPS, 1) | OS | USR, UOP)}, 0},
	{"global-ignored", {FIXED_CYCLES, PUT(GLOBAL_CTRL, 0), EVENTS(10, CYCLE),
			    GET(FIXED_CTR0 + 1)}, 0},
	{"usr-ignored", {COUNTED(EVENT(UOPS, 1) | EN | OS, {UOPS, 1, 1, 0, 3})}, 0},
	{"os-ignored", {COUNTED(EVENT(UOPS, 1) | EN | USR, UOP)}, 0},
	{"cmask-wrong", {COUNTED(EVENT(UOPS, 1) | ON | CMASK(2), {UOPS, 1, 2, 0, 0})}, 10},
	{"inv-ignored", {COUNTED(EVENT(UOPS, 1) | ON | INV | CMASK(2), {UOPS, 1, 2, 0, 0})}, 0},
	{"inv-alone", {COUNTED(EVENT(UOPS, 1) | ON | INV, UOP)}, 10},
	{"edge-ignored", {COUNTED(EDGE, UOP)}, 1},
	{"umask-ignored", {COUNTED(EVENT(UOPS, 2) | ON, UOP)}, 0},
	{"branches-dead", {COUNTED(EVENT(0xC4, 4) | ON, {0xC4, 4, 1, 0, 0})}, 10},
	{"loads-dead", {COUNTED(EVENT(0x0B, 1) | ON, {0x0B, 1, 1, 0, 0})}, 10},
	{"counters-alike",
	 {PUT(PERFEVTSEL0 + 2, EVENT(0x51, 1) | ON), EVENTS(10, {0x51, 1, 1, 0, 0}), GET(PMC0 + 2)},
	 0},
	{"status-lost", {OVERFLOW_0(0), GET(GLOBAL_STATUS)}, 1},
	{"int-missing", {OVERFLOW_0(INT), REQUESTS}, 1},
	{"int-always", {OVERFLOW_0(0), REQUESTS}, 0},
	{"freeze-missing", {PUT(DEBUGCTL, FREEZE_PERFMON_ON_PMI), OVERFLOW_0(INT),
			    GET(GLOBAL_CTRL)}, 0},
	{"acknowledge-all", {OVERFLOW_ALL, PUT(GLOBAL_OVF_CTRL, 1), GET(GLOBAL_STATUS)},
	 ALL_BITS & ~1ULL},
	{"acknowledge-lost", {OVERFLOW_ALL, PUT(GLOBAL_OVF_CTRL, ALL_BITS), GET(GLOBAL_STATUS)}, 0},
	{"residue-lost", {OVERFLOW_0(0), GET(PMC0)}, 9},
	{"simultaneous-lost", {OVERFLOW_ALL, GET(GLOBAL_STATUS)}, ALL_BITS},
	{"reload-ignored", {OVERFLOW_0(0), PUT(PMC0, 1000), GET(PMC0)}, 1000},
	{"line-stuck", {PUT(GLOBAL_CTRL, ALL_BITS), REQUESTS}, 0},
	{"halt-counted", {FIXED_CYCLES, PUT(GLOBAL_CTRL, 0), HALTED(10), GET(FIXED_CTR0 + 1)}, 0},
	{"clock-summed", {COUNTED(EVENT(CYCLES, 0) | ON | ANY, CYCLE, {CYCLES, 0, 1, 1, 0})}, 10},
	{"port234-by-thread", {COUNTED(EVENT(UOPS, 4) | ON, {UOPS, 4, 1, 1, 0})}, 10},
	{"ldlat-ignored", {SLOW_LOADS(31)}, 0},
	{"ldlat-equal", {SLOW_LOADS(30)}, 0},
	{"offcore-ignored", {PUT(OFFCORE_RSP_0, 0x0201),
			     COUNTED(EVENT(0xB7, 1) | ON,
				     {.code = 0xB7, .sub = 1, .n = 1, .opcode = 0x0101})}, 0},
	{"pebs-index-overrun", {PRECISE(1, 9), EVENTS(28, RETIRES), AREA_WORD(PEBS_INDEX)},
	 BUFFER + RECORD},
	{"pebs-reset-ignored", {PRECISE(4, 4), EVENTS(14, RETIRES), GET(PMC0)},
	 COUNTER_MAX + 1 - 5},
	{"pebs-threshold-ignored", {PRECISE(4, 1), EVENTS(14, RETIRES), REQUESTS}, 1},
	{"pebs-status-lost", {PRECISE(4, 4), EVENTS(14, RETIRES), RECORD_WORD(STATUS_WORD)}, 1},
	{"pebs-always", {PRECISE(4, 4), PUT(PEBS_ENABLE, 0), EVENTS(14, RETIRES),
			 AREA_WORD(PEBS_INDEX)}, BUFFER},
	{"ds-uncanonical", {TAKES(DS_AREA, 1ULL << 47)}, false},
	{"lbr-not-frozen", {PUT(PERFEVTSEL0, EVENT(0xC4, 4) | ON | INT), PUT(PMC0, 0xFFFFFFFB),
			    PUT(DEBUGCTL, FREEZE_LBRS | LBR), BRANCHES_FOR(14), GET(LBR_TOS)}, 5},
	{"lbr-filter-ignored", {PUT(LBR_SELECT, 1U << 5), PUT(DEBUGCTL, LBR), BRANCHES_FOR(3),
				GET(LBR_TOS)}, 0},
	{"lbr-always", {BRANCHES_FOR(3), GET(LBR_TOS)}, 0},
	{"lbr-tos-stuck", {PUT(DEBUGCTL, LBR), BRANCHES_FOR(3), GET(LBR_TOS)}, 3},
	{"lbr-swapped", {PUT(DEBUGCTL, LBR), BRANCHES_FOR(1), GET(LBR_FROM + 1)}, 0x1000},
	{"uncore-signal-lost", {PUT(DEBUGCTL, 1U << 13), SIGNAL, GET(GLOBAL_STATUS)}, 1ULL << 61},
};

static const struct fault_table table = FAULT_TABLE(rows);

int main(void)
{
	const struct CMUnitTest tests[] = {FAULT_TESTS};

	return cmocka_run_group_tests_name("nehalem model: faults", tests, find_model,
					   release_model);
}
