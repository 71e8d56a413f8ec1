// SPDX-License-Identifier: BSD-2-Clause
// The events that CPU events of an emulated core raise, by Table 10-2 of the SPARC T4 Supplement:
// for each property of an instruction each event that counts it, and the masks of several events.

#include "steps.h"

#include "vpmu.h"

#include "pmu_driver.h"

extern const struct pmu_event_table pmu_events_sparct4;

#define SET(name) (1ULL << CPU_EVENT_##name)

// Bits of the masks of sl 3 and sl 4.
static const struct {
	uint64_t happen;	// CPU events of one instruction
	unsigned kind, sorts;
} instructions[] = {
	{SET(BRANCH_CONDITIONAL), 0x01, 0x03}, {SET(BRANCH_NOT_TAKEN), 0x01, 0x01},
	{SET(BRANCH_JUMP), 0x01, 0x03},
	{SET(BRANCH_CALL), 0x01, 0x03}, {SET(BRANCH_CALL_INDIRECT), 0x01, 0x03},
	{SET(BRANCH_RETURN), 0x01, 0x03},
	{SET(BRANCH_JUMP_INDIRECT), 0x01, 0x03},
	{SET(FLOATING), 0x02, 0}, {SET(LOADS), 0x04, 0}, {SET(STATE_READ), 0x04, 0},
	{SET(STORES), 0x08, 0},
	{SET(BARRIER), 0x08, 0}, {SET(REGISTER), 0x10, 0}, {SET(PLAIN), 0x20, 0},
	{SET(PLAIN) | SET(SOFTWARE_COUNT), 0x20, 0x04}, {SET(PLAIN) | SET(ATOMIC), 0x20, 0x08},
	{SET(PLAIN) | SET(PREFETCH), 0x20, 0x10}, {SET(LOADS) | SET(BLOCK), 0x04, 0x20},
	{SET(STORES) | SET(BLOCK), 0x08, 0x20},
};

#define INSTRUCTIONS_MOST 64

// Returns the signals of an instruction with these CPU events.
static size_t signals_of(uint64_t happen, struct occurrence signals[INSTRUCTIONS_MOST])
{
	size_t count;
	const struct occurrence *clock = model_clock(model, 0, USER, &count);

	memcpy(signals, clock, count * sizeof *signals);
	for (const struct model_raised *r = model->machine->raised;
	     r->cpu_event < CPU_EVENT_INSTRUCTIONS; r++)
		for (unsigned what = 0; what < CPU_EVENT_INSTRUCTIONS; what++)
			if (happen >> what & 1 && model_is_raised_by(r, what))
				signals[count++] = (struct occurrence){
					.code = r->code, .sub = r->sub, .n = 1, .level = USER,
				};
	return count;
}

static void an_instruction_counts_once_whatever_the_mask(void **state)
{
	struct occurrence signals[INSTRUCTIONS_MOST];

	(void)state;
	for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
		for (unsigned mask = 0; mask < 64; mask++) {
			const size_t count = signals_of(instructions[i].happen, signals);

			assert_int_equal(counted(EVENT(3, mask) | UT, 7, signals, count),
					 mask & instructions[i].kind || mask == 0x3F ? 7 : 0);
			assert_int_equal(counted(EVENT(4, mask) | UT, 7, signals, count),
					 mask & instructions[i].sorts ? 7 : 0);
		}
}

// For each sl either all events are exact, or one is.
static void events_of_instructions_are_exact(void **state)
{
	(void)state;
	for (size_t i = 0; i < pmu_events_sparct4.count; i++) {
		const struct pmu_event *e = &pmu_events_sparct4.event[i];
		bool exact, happens = vpmu_happens(model, e->code, e->umask, 0, 1, MODEL_UNIT_CLOCK,
						   &exact);

		if (e->code == 3 || e->code == 4 || e->code == 26)
			assert_true(happens && exact);
	}
}

// Rows of instructions come first, in the order of enum cpu_event (model.h).
static void rows_are_in_order(void **state)
{
	(void)state;
	for (const struct model_raised *r = model->machine->raised;
	     r[1].cpu_event != CPU_EVENT_COUNT; r++)
		assert_true(r->cpu_event <= r[1].cpu_event ||
			    r->cpu_event >= CPU_EVENT_INSTRUCTIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_instruction_counts_once_whatever_the_mask),
		TEST(events_of_instructions_are_exact), TEST(rows_are_in_order),
	};

	return cmocka_run_group_tests(tests, find_model, release_model);
}
