// SPDX-License-Identifier: BSD-2-Clause
// The SPARC T4 model's defects.

#include "steps.h"

#include "../faults.h"

static uint64_t write_pic(const struct step *s)
{
	return model->user->write_counter(pmu, 0, s->address, 0, 0);
}

static uint64_t execute_store(const struct step *s)
{
	store(s->address, s->value);
	return 0;
}

static uint64_t precise_traps(const struct step *s)
{
	const uint64_t precise = outputs()->precise;

	(void)s;
	outputs()->precise = 0;
	return precise;
}

static uint64_t held_lines(const struct step *s)
{
	(void)s;
	return outputs()->held;
}

#define WRITES_PIC(n)		{write_pic, .address = (n)}
#define STORE(at, what)		{execute_store, .address = (at), .value = (what)}
#define PRECISE			{precise_traps}
#define HELD			{held_lines}

#define COUNTED(pcr, ...)	PUT(PCR0, pcr), EVENTS(10, __VA_ARGS__), GET(PIC0)

// Counter 0 wraps with an instruction in user mode.
#define INSTRUCTION(kind)	{INSTRUCTIONS, UNKNOWN, 1, 0, USER, .type = (kind)}, \
	{CYCLES, 0, 1, 0, USER}
#define WRAP(pcr)		PUT(PIC0, 0xFFFFFFFF), PUT(PCR0, pcr), EVENTS(1, INSTRUCTION(0))
// By an event of the first bit of a group's mask.
#define WRAP_OF(sl)		\
	PUT(PIC0, 0xFFFFFFFF), PUT(PCR0, EVENT(sl, 1) | UT | TOE), EVENTS(1, {sl, 1, 1, 0, USER})

static const struct fault_row rows[] = {
	{"reset-value", {GET(PCR0 + 1)}, 0},
	{"select-stuck", {PUT(PCR0 + 1, EVENT(31, 0)), GET(PCR0 + 1)}, EVENT(31, 0)},
	{"counter-stuck", {GET(PIC0 + 2)}, 0},
	{"reads-ones", {GET(PIC0)}, 0},
	{"writes-lost", {PUT(PIC0, 5), GET(PIC0)}, 5},
	{"counter-narrow", {PUT(PIC0, 0x80000000), GET(PIC0)}, 0x80000000},
	{"reserved-sticks", {PUT(PCR0, ~0ULL << 19), GET(PCR0)}, 0},
	{"access-unchecked", {WRITES_PIC(4)}, false},
	{"picnht-ignored", {PUT(PCR0, PICNHT), EVENTS(0, {31, 0, 1, 0, PRIVILEGED}), WRITES_PIC(0)},
	 false},
	{"picnpt-ignored", {PUT(PCR0, PICNPT), EVENTS(0, {31, 0, 1, 0, USER}), WRITES_PIC(0)},
	 false},
	{"picnht-open", {PUT(PCR0, PICNHT), EVENTS(0, {31, 0, 1, 0, PRIVILEGED}), READ_COUNTER(0)},
	 UINT64_MAX},
	{"picnpt-closes", {PUT(PCR0, PICNPT), EVENTS(0, {31, 0, 1, 0, PRIVILEGED}),
			   READ_COUNTER(0)}, 0},
	{"pic-writable", {PUT(PCR0, PICNHT), EVENTS(0, {31, 0, 1, 0, PRIVILEGED}), WRITES_PIC(0)},
	 false},
	{"pic-writable", {PUT(PCR0, PICNPT), EVENTS(0, {31, 0, 1, 0, USER}), WRITES_PIC(0)}, false},
	{"mask-ignored",
	 {COUNTED(EVENT(INSTRUCTIONS, 1) | ALL, {INSTRUCTIONS, 1, 1}, {INSTRUCTIONS, 4, 2})}, 10},
	{"kinds-dead", {COUNTED(EVENT(INSTRUCTIONS, 1) | ALL, {INSTRUCTIONS, 1, 1})}, 10},
	{"sorts-dead", {COUNTED(EVENT(4, 1) | ALL, {4, 1, 1})}, 10},
	{"misses-dead", {COUNTED(EVENT(5, 1) | ALL, {5, 1, 1})}, 10},
	{"misses-dead", {COUNTED(EVENT(16, 1) | ALL, {16, 1, 1})}, 10},
	{"misses-dead", {COUNTED(EVENT(25, 1) | ALL, {25, 1, 1})}, 10},
	{"ut-ignored", {COUNTED(INSTR_ALL | ST | HT, {INSTRUCTIONS, 1, 1, 0, USER})}, 0},
	{"st-ignored", {COUNTED(INSTR_ALL | UT | HT, {INSTRUCTIONS, 1, 1, 0, PRIVILEGED})}, 0},
	{"ht-ignored", {COUNTED(INSTR_ALL | UT | ST, {INSTRUCTIONS, 1, 1, 0, HYPER})}, 0},
	{"ov-lost", {WRAP(INSTR_ALL | UT), BITS(PCR0, OV)}, OV},
	{"ov-writable", {PUT(PCR0, OV), GET(PCR0)}, 0},
	{"ov-uncleared", {WRAP(INSTR_ALL | UT), PUT(PCR0, 0), GET(PCR0)}, 0},
	{"ntc-uncleared", {PUT(PIC0, 0xFFFFFFFF), PUT(PCR0, INSTR_ALL | UT),
			   EVENTS(1, INSTRUCTION(OCCURRENCE_TYPE_COMMIT)), PUT(PCR0, 0), GET(PCR0)},
			   0},
	{"clear-all", {WRAP(INSTR_ALL | UT), PUT(PCR0 + 1, 0), BITS(PCR0, OV)}, OV},
	{"rewrite-missing", {PUT(PIC0, 0xFFFFFFFF), PUT(PCR0, INSTR_ALL | HT),
			     EVENTS(0, {INSTRUCTIONS, UNKNOWN, 1, 0, HYPER}), STORE(PCR0, 0),
			     BITS(PCR0, OV)}, OV},
	{"ntc-missing", {PUT(PIC0, 0xFFFFFFFF), PUT(PCR0, INSTR_ALL | UT),
			 EVENTS(1, INSTRUCTION(OCCURRENCE_TYPE_COMMIT)), BITS(PCR0, NTC)}, NTC},
	{"ntc-of-stores", {PUT(PIC0, 0xFFFFFFFF), PUT(PCR0, INSTR_ALL | UT),
			   EVENTS(1, INSTRUCTION(OCCURRENCE_TYPE_COMMIT)), BITS(PCR0, NTC)}, NTC},
	{"simultaneous-lost", {PUT(PIC0 + 3, 0xFFFFFFFF), PUT(PCR0 + 3, INSTR_ALL | UT),
			       WRAP(INSTR_ALL | UT), BITS(PCR0 + 3, OV)}, OV},
	{"toe-ignored", {WRAP(INSTR_ALL | UT), PRECISE}, 0},
	{"precise-lost", {WRAP(INSTR_ALL | UT | TOE), PRECISE}, 1},
	{"precise-late", {WRAP(INSTR_ALL | UT | TOE), PRECISE}, 1},
	{"precise-late", {WRAP(INSTR_ALL | UT | TOE), PRECISE, CYCLES_MORE(1), PRECISE}, 0},
	{"tpc-next", {WRAP_OF(4), PRECISE}, 1},
	{"tpc-next", {WRAP_OF(4), PRECISE, CYCLES_MORE(1), PRECISE}, 0},
	{"sorts-imprecise", {WRAP_OF(4), PRECISE}, 1},
	{"sorts-imprecise", {WRAP_OF(4), REQUESTS}, 0},
	{"fetches-imprecise", {WRAP_OF(5), PRECISE}, 1},
	{"loads-imprecise", {WRAP_OF(16), PRECISE}, 1},
	{"branches-imprecise", {WRAP_OF(25), PRECISE}, 1},
	{"precise-in-hyperprivileged", {WRAP(INSTR_ALL | ALL | TOE), PRECISE}, 0},
	{"disrupting-missing", {WRAP(EVENT(CYCLES, 0) | UT | TOE), REQUESTS}, 1},
	{"disrupting-missing", {WRAP(EVENT(CYCLES, 0) | UT | TOE), HELD}, 1},
};

static const struct fault_table table = FAULT_TABLE(rows);

int main(void)
{
	const struct CMUnitTest tests[] = {FAULT_TESTS};

	return cmocka_run_group_tests_name("sparct4 model: faults", tests, find_model,
					   release_model);
}
