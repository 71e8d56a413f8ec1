// SPDX-License-Identifier: BSD-2-Clause
// The Knights Corner model's defects.

#include "steps.h"

#include "../faults.h"

static uint64_t set_filter(const struct step *s)
{
	model->user->spflt(pmu, 0, s->value, 0);
	return 0;
}

#define SPFLT_INSTRUCTION(count) {set_filter, .value = (count)}

// Returns the count of counter 0 in five cycles with this select.
#define COUNTED(select, ...)	PUT(SEL0, select), PUT(GLOBAL, 3), EVENTS(5, __VA_ARGS__), \
	GET(CNTR0)
#define INSTRUCTION		(EVENT(INSTRUCTIONS, 0) | ON)
#define BUSY			{INSTRUCTIONS, 0, 1}

// Makes both counters of thread 0 overflow, with these bits in their selects.
#define OVERFLOW_BOTH(flags)							\
	PUT(CNTR0, COUNTER_MAX), PUT(CNTR1, COUNTER_MAX), PUT(SEL0, INSTRUCTION | (flags)), \
	PUT(SEL1, INSTRUCTION | (flags)), PUT(GLOBAL, 3), EVENTS(1, BUSY)
#define OVERFLOW_AGAIN		PUT(CNTR0, COUNTER_MAX), PUT(CNTR1, COUNTER_MAX), CYCLES_MORE(1)

static const struct fault_row rows[] = {
	{"reset-value", {GET(GLOBAL)}, 0},
	{"select-stuck", {PUT(SEL1, EVENT(0xFF, 0xFF)), GET(SEL1)}, 0xFFFF},
	{"counter-stuck", {GET(CNTR1)}, 0},
	{"reads-ones", {GET(CNTR0)}, 0},
	{"writes-lost", {PUT(CNTR0, 5), GET(CNTR0)}, 5},
	{"counter-narrow", {PUT(CNTR0, 0x8000000000), GET(CNTR0)}, 0x8000000000},
	{"sign-extended", {PUT(CNTR0, 0x80000000), GET(CNTR0)}, 0x80000000},
	{"access-unchecked", {TAKES(SEL0, 1U << 19)}, false},
	{"rdpmc-short", {PUT(CNTR0, COUNTER_MAX), READ_COUNTER(0)}, COUNTER_MAX},
	{"rdpmc-unchecked", {READ_COUNTER(2)}, UINT64_MAX},
	{"en-ignored", {COUNTED(INSTRUCTION & ~EN, BUSY)}, 0},
	{"global-ignored", {PUT(SEL1, INSTRUCTION), EVENTS(5, BUSY), GET(CNTR1)}, 0},
	{"usr-ignored", {COUNTED(INSTRUCTION & ~USR, {INSTRUCTIONS, 0, 1, 0, 3})}, 0},
	{"os-ignored", {COUNTED(INSTRUCTION & ~OS, BUSY)}, 0},
	{"levels-swapped", {COUNTED(INSTRUCTION & ~USR, {INSTRUCTIONS, 0, 1, 0, 3})}, 0},
	{"levels-swapped", {COUNTED(INSTRUCTION & ~OS, BUSY)}, 0},
	{"any-ignored", {COUNTED(INSTRUCTION | ANY, BUSY, {INSTRUCTIONS, 0, 1, 3})}, 10},
	{"any-always", {COUNTED(INSTRUCTION, BUSY, {INSTRUCTIONS, 0, 1, 3})}, 5},
	{"no-thread-filtered", {COUNTED(EVENT(0xE6, 0x10) | ON, {0xE6, 0x10, 1, 2})}, 5},
	{"threads-share", {PUT_OF(2, GLOBAL, 3), BITS_OF(1, GLOBAL, ~0ULL)}, 0},
	{"spflt-ignored", {PUT(SPFLT, 1), COUNTED(INSTRUCTION, BUSY)}, 0},
	{"spflt-inverted", {PUT(SPFLT, 1), COUNTED(INSTRUCTION, BUSY)}, 0},
	{"spflt-inverted", {PUT(SPFLT, 1 | USER_PREF), COUNTED(INSTRUCTION, BUSY)}, 5},
	{"spflt-always", {PUT(SPFLT, 2), COUNTED(INSTRUCTION, BUSY)}, 5},
	{"spflt-lost", {SPFLT_INSTRUCTION(true), GET(SPFLT)}, USER_PREF},
	{"cmask-wrong", {COUNTED(INSTRUCTION | CMASK(2), {INSTRUCTIONS, 0, 2})}, 5},
	{"inv-ignored", {COUNTED(INSTRUCTION | CMASK(2) | INV, BUSY)}, 5},
	{"inv-alone", {COUNTED(INSTRUCTION | INV, BUSY)}, 5},
	{"edge-ignored", {COUNTED(INSTRUCTION | E, BUSY)}, 1},
	{"illegal-counted", {COUNTED(EVENT(0x05, 0) | ON, {CYCLES, 0, 1})}, 0},
	{"event-0-unused", {COUNTED(EVENT(DATA_READ, 0) | ON, {DATA_READ, 0, 1})}, 5},
	{"umask-ignored", {COUNTED(EVENT(INSTRUCTIONS, 0x20) | ON, BUSY)}, 0},
	{"umask-digit-ignored", {COUNTED(EVENT(INSTRUCTIONS, 1) | ON, BUSY)}, 0},
	{"branches-dead", {COUNTED(EVENT(BRANCHES, 0) | ON, {BRANCHES, 0, 1})}, 5},
	{"counters-alike", {PUT(SEL1, EVENT(0xCB, 0x10) | ON), PUT(GLOBAL, 3),
			    EVENTS(5, {0xCB, 0x10, 1}), GET(CNTR1)},
	 0},
	{"halt-counted", {EVENTS(0, BUSY), HALTED(0), PUT(SEL0, INSTRUCTION), PUT(GLOBAL, 1),
			  CYCLES_MORE(5), GET(CNTR0)}, 0},
	{"status-lost", {OVERFLOW_BOTH(0), GET(STATUS)}, 3},
	{"status-fades", {OVERFLOW_BOTH(0), GET(STATUS), GET(STATUS)}, 3},
	{"simultaneous-lost", {OVERFLOW_BOTH(0), GET(STATUS)}, 3},
	{"clear-all", {OVERFLOW_BOTH(0), PUT(OVF_CTRL, 2), GET(STATUS)}, 1},
	{"clear-lost", {OVERFLOW_BOTH(0), PUT(OVF_CTRL, 2), GET(STATUS)}, 1},
	{"int-missing", {OVERFLOW_BOTH(INT), REQUESTS}, 1},
	{"int-always", {OVERFLOW_BOTH(0), REQUESTS}, 0},
	{"line-stuck", {OVERFLOW_BOTH(INT), PUT(OVF_CTRL, 3), REQUESTS, OVERFLOW_AGAIN, REQUESTS},
	 1},
	{"line-repeats", {OVERFLOW_BOTH(INT), REQUESTS, OVERFLOW_AGAIN, REQUESTS}, 0},
	{"line-of-thread-0", {PUT_OF(2, CNTR0, COUNTER_MAX), PUT_OF(2, SEL0, INSTRUCTION | INT),
			      PUT_OF(2, GLOBAL, 1),
			      EVENTS(1, {INSTRUCTIONS, 0, 1, 2}), REQUESTS}, 1 << 2},
	{"clock-stops", {EVENTS(5, BUSY), GET(TSC)}, 5},
	{"clock-halts", {PUT(GLOBAL, 3), HALTED(5), GET(TSC)}, 5},
	{"clock-split", {PUT_OF(1, TSC, 100), GET(TSC)}, 100},
};

static const struct fault_table table = FAULT_TABLE(rows);

int main(void)
{
	const struct CMUnitTest tests[] = {FAULT_TESTS};

	return cmocka_run_group_tests_name("knc model: faults", tests, find_model, release_model);
}
