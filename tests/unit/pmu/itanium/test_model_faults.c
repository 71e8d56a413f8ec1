// SPDX-License-Identifier: BSD-2-Clause
// The itanium model's defects.

#include "steps.h"

#include "../faults.h"

static uint64_t define(const struct step *s)
{
	(void)s;
	define_registers();
	return 0;
}

static uint64_t read_at(const struct step *s)
{
	return get_at(s->thread, s->address);
}

static uint64_t start_timer(const struct step *s)
{
	put(ITM, get(ITC) + s->value);
	return 0;
}

#define DEFINED			{define}
#define READ_AT(at, n)		{read_at, .thread = (at), .address = (n)}
#define TIMER(cycles)		{start_timer, .value = (cycles)}

#define TRACE_ALL		0xFF8FULL	/* PMC12: all branches, at all levels */

// The count of counter 4 after ten cycles with one occurrence each.
#define TEN(control, ...)	PUT(PMC + 4, ALL_LEVELS | (control)), EVENTS(10, {__VA_ARGS__}), \
	GET(PMD + 4)

// Counters 4 and 5 wrap in the third and in the fifth of ten cycles.
#define LIVE			{.code = BUS_LIVE, .n = 2}
#define TWO_OVERFLOWS(control)							\
	DEFINED, PUT(PMC + 4, ALL_LEVELS | ES(BUS_LIVE) | (control)),	\
	PUT(PMC + 5, ALL_LEVELS | ES(BUS_LIVE)),	\
	PUT(PMD + 4, -6), PUT(PMD + 5, -9), EVENTS(4, LIVE), GET(PMC + 0), CYCLES_MORE(6)

#define CAPTURED_FETCH								\
	DEFINED, PUT(PMC + 10, ALL_LEVELS),						\
	EVENTS(1, {.code = L2_INST_DEMAND_READS, .n = 1, .ip = 0x120, .latency = 4}),	\
	PUT(PMC + 0, FR),	\
	BITS(PMD + 0, ~2ULL)
#define EIGHT_BRANCHES								\
	DEFINED, PUT(PMC + 12, TRACE_ALL), \
	EVENTS(8, {.code = BRANCH_PREDICTOR, .n = 1, .branch = OCCURRENCE_BRANCH}), PUT(PMC + 0, FR)

static const struct fault_row rows[] = {
	{"reset-value", {GET(PMC + 13)}, 1},
	{"pmc-stuck", {DEFINED, PUT(PMC + 5, ALL_LEVELS | UMASK(15)), GET(PMC + 5)},
	 ALL_LEVELS | UMASK(15)},
	{"counter-stuck", {PUT(PMD + 6, 0), GET(PMD + 6)}, 0},
	{"counter-narrow", {PUT(PMD + 4, 1U << 31), GET(PMD + 4)}, 0xFFFFFFFF80000000},
	{"sign-missing", {PUT(PMD + 4, -5), GET(PMD + 4)}, (uint64_t)-5},
	{"access-unchecked", {TAKES(PMV, 1 << 8)}, false},
	{"count-lost", {DEFINED, PUT(PMC + 4, ALL_LEVELS | ES(CYCLES)),
			EVENTS(2000, {.code = CYCLES, .n = 1}), GET(PMD + 4)}, 2000},
	{"freeze-ignored", {DEFINED, PUT(PMC + 0, FR), TEN(ES(CYCLES), .code = CYCLES, .n = 1)}, 0},
	{"plm-ignored", {DEFINED, PUT(PMC + 4, PLM(7) | ES(CYCLES)),
			 EVENTS(10, {.code = CYCLES, .n = 1, .level = 3}), GET(PMD + 4)}, 0},
	{"pm-ignored", {DEFINED, TEN(PM | ES(CYCLES), .code = CYCLES, .n = 1)}, 0},
	{"ism-ignored", {DEFINED, TEN(ISM(2) | ES(CYCLES), .code = CYCLES, .n = 1, .isa = 1)}, 0},
	{"umask-ignored",
	 {DEFINED, TEN(ES(L2_FLUSH_DETAILS) | UMASK(1), .code = L2_FLUSH_DETAILS, .sub = 2,
		       .n = 1)},
	 0},
	{"threshold-wrong", {DEFINED, TEN(ES(BUS_LIVE) | THRESHOLD(2), .code = BUS_LIVE, .n = 2)},
	 0},
	{"overflow-lost", {TWO_OVERFLOWS(0), GET(PMC + 0)}, OVERFLOW(4) | OVERFLOW(5)},
	{"sticky-lost", {TWO_OVERFLOWS(0), GET(PMC + 0)}, OVERFLOW(4) | OVERFLOW(5)},
	{"simultaneous-lost", {DEFINED, PUT(PMC + 4, ALL_LEVELS | ES(CYCLES)),
			       PUT(PMC + 7, ALL_LEVELS | ES(CYCLES)),
			       PUT(PMD + 4, -3), PUT(PMD + 7, -3),
			       EVENTS(3, {.code = CYCLES, .n = 1}),
			       GET(PMC + 0)}, OVERFLOW(4) | OVERFLOW(7)},
	{"residue-lost", {DEFINED, PUT(PMC + 4, ALL_LEVELS | ES(BUS_LIVE) | OI), PUT(PMD + 4, -1),
			  EVENTS(10, LIVE), GET(PMD + 4)}, 1},
	{"oi-ignored", {TWO_OVERFLOWS(OI), REQUESTS}, 1},
	{"oi-always", {TWO_OVERFLOWS(0), REQUESTS}, 0},
	{"freeze-missing", {TWO_OVERFLOWS(OI), GET(PMC + 0)}, OVERFLOW(4) | FR},
	{"interrupt-missing", {TWO_OVERFLOWS(OI), REQUESTS}, 1},
	{"interrupt-twice", {TWO_OVERFLOWS(OI), REQUESTS, PUT(PMC + 0, 0), REQUESTS}, 0},
	{"mask-ignored", {DEFINED, PUT(PMV, PMV_M), PUT(PMC + 4, ALL_LEVELS | ES(BUS_LIVE) | OI),
			  PUT(PMD + 4, -2), EVENTS(10, LIVE), REQUESTS}, 0},
	{"timer-missing", {DEFINED, TIMER(10), PUT(ITV, 0), HALTED(20), REQUESTS}, 1},
	{"timer-mask-ignored", {DEFINED, TIMER(10), PUT(ITV, PMV_M), HALTED(20), REQUESTS}, 0},
	{"user-read-open", {DEFINED, PUT(PMD + 4, 1234), PUT(PSR, PSR_SP), READ_AT(3, 4)}, 0},
	{"read-closed", {DEFINED, PUT(PMD + 4, 1234), PUT(PSR, PSR_SP), READ_AT(0, 4)}, 1234},
	{"ibr-ignored",
	 {DEFINED, PUT(PMC + 13, 0), TEN(ES(L1I_DEMAND_READS), .code = L1I_DEMAND_READS, .n = 1)},
	 0},
	{"opcode-ignored", {DEFINED, PUT(PMC + 8, 8ULL << 60 | 0x3FFFFFF8),
			    TEN(ES(NOPS_RETIRED), .code = NOPS_RETIRED, .n = 1,
				.type = OCCURRENCE_TYPE_B)}, 0},
	{"dbr-ignored",
	 {DEFINED, PUT(PMC + 11, 0), TEN(ES(LOADS_RETIRED), .code = LOADS_RETIRED, .n = 1)}, 0},
	{"ear-valid-missing", {CAPTURED_FETCH}, 0x121},
	{"ear-threshold-wrong", {CAPTURED_FETCH}, 0x121},
	{"btb-wrap", {EIGHT_BRANCHES, GET(PMD + 16)}, 8},
	{"btb-slot", {EIGHT_BRANCHES, GET(PMD + 8)}, 0xD},
	{"branches-dead", {DEFINED, TEN(ES(BRANCH_EVENT), .code = BRANCH_EVENT, .n = 1)}, 10},
	{"loads-dead", {DEFINED, PUT(PMC + 11, PT),
			TEN(ES(LOADS_RETIRED), .code = LOADS_RETIRED, .n = 1)}, 10},
	// a load of 8 cycles, with the threshold 16
	{"ear-threshold-ignored",
	 {DEFINED, PUT(PMC + 11, ALL_LEVELS | PT | UMASK(2)),
	  EVENTS(1, {.code = L1D_READ_MISSES_RETIRED, .n = 1, .data = 1, .ip = 0x120,
		     .latency = 8}),
	  HALTED(10), PUT(PMC + 0, FR), GET(PMD + 17)}, 0},
	{"halt-counted", {DEFINED, PUT(PMC + 4, ALL_LEVELS | ES(CYCLES)),
			  EVENTS(1, {.code = CYCLES, .n = 1}), HALTED(10), GET(PMD + 4)}, 1},
	{"reads-ones", {PUT(PMD + 4, 0), GET(PMD + 4)}, 0},
	{"writes-lost", {DEFINED, PUT(PMC + 5, ALL_LEVELS), GET(PMC + 5)}, ALL_LEVELS},
};

static const struct fault_table table = {.row = rows, .count = sizeof rows / sizeof *rows,
					 .seed = 1};

int main(void)
{
	const struct CMUnitTest tests[] = {FAULT_TESTS};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
