// SPDX-License-Identifier: BSD-2-Clause
// The sparct4 driver and the core while counters run on: before each register that is written some instructions execute
// in hyperprivileged mode, as on the hardware. What the counters have counted is kept by hand, from the PCRs as they
// are written: however sessions of traps and of polling come and go, contexts switch, interrupts wait, it is the count.

#include "pmu/sparct4/driver.h"

#include "../by_hand.h"
#include "../core/random.h"

#define WIDTH		32	/* of a counter */
#define SESSIONS	3
#define LEAST		4	/* programming note on sl 28: no PIC at -3 to -1 */

static uint64_t seed;

// Two contexts, of which one is there.
static struct context {
	struct pmu_context context;
	struct ours ours[SESSIONS];
} contexts[2], *here;

static uint64_t control[4];		// PCRs as last written
static uint64_t *counted_by[4];		// whose count a counter is
static bool armed_too_near;
static bool waiting;			// interrupts are off

static uint64_t between(uint64_t least, uint64_t most)
{
	return random_between(&seed, least, most);
}

static void count_by_hand(unsigned level, uint64_t cycles)
{
	static const uint64_t modes[] = {[HYPERPRIVILEGED] = PCR_HT, [PRIVILEGED] = PCR_ST, [USER] = PCR_UT};

	for (unsigned i = 0; i < 4; i++) {
		if (!(control[i] & modes[level]) || !(control[i] & PCR_SL(0x1F)))
			continue;
		assert_non_null(counted_by[i]);
		*counted_by[i] += cycles;
	}
}

static void write_happens(uint32_t address, uint64_t value)
{
	static const struct occurrence signals[] = {{.code = 3, .sub = 0x20, .n = 1}, {.code = 26, .n = 1}};
	const struct vpmu *v = shim_vpmu();
	const uint64_t cycles = between(0, 6);

	v->model->connect(v->state, signals, 2);
	vpmu_run(shim_vpmu(), cycles);
	count_by_hand(HYPERPRIVILEGED, cycles);
	if (address - PCR(0) < 4)
		control[address - PCR(0)] = value;
	armed_too_near |= address - PIC(0) < 4 && value > 0x100000000 - LEAST;
}

static void execute_some(void)
{
	static const unsigned levels[] = {HYPERPRIVILEGED, PRIVILEGED, USER};
	const unsigned level = levels[between(0, 2)];
	const uint64_t cycles = waiting || between(0, 20) ? between(1, 150) : between(1, 200000);

	count_by_hand(level, cycles);
	instructions(level, 0x1000, between(0, 1) ? EXECUTED : NOT_EXECUTED, cycles);
}

static void own_all(bool there)
{
	for (unsigned s = 0; s < SESSIONS; s++)
		own(counted_by, &here->ours[s], there);
}

// One that does not fit beside the others is refused. Where an interrupt handler's own instructions are counted, a
// short period would be over before its end.
static void open_one(struct ours *o)
{
	static const unsigned masks[] = {1, 2, 8, 9, 10, 11};
	const unsigned count = (unsigned)between(1, EVENTS);
	char text[128] = "";

	for (unsigned e = 0; e < count; e++) {
		const unsigned mask = masks[between(0, 5)], least = mask & 1 ? 300 : LEAST;
		const size_t length = strlen(text);

		snprintf(text + length, sizeof text - length, "%s%s:plm=%u", e ? "," : "",
			 between(0, 1) ? "Instr_all" : "Cycles", mask);
		if (between(0, 2))
			snprintf(text + strlen(text), sizeof text - strlen(text), ":period=%u",
				 (unsigned)between(least, between(0, 1) ? least + 30 : 3000));
	}
	open_by_hand(counted_by, o, text);
}

static void switch_contexts(void)
{
	assert_int_equal(pmu_context_save(&here->context, 0x2000, USER), PMU_OK);
	assert_portable(&here->context);
	own_all(false);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(get(PCR(i)), PCR_CLOSED);
		assert_int_equal(get(PIC(i)), 0);
	}
	for (unsigned s = 0; s < SESSIONS; s++)
		check_by_hand(&here->ours[s], WIDTH);
	here = &contexts[here == contexts];
	own_all(true);
	if (here->context.driver)
		assert_int_equal(pmu_context_restore(&here->context), PMU_OK);
}

static void do_something(void)
{
	struct ours *o = &here->ours[between(0, SESSIONS - 1)];

	switch (between(0, 9)) {
	case 0:
		if (o->open && between(0, 1))
			close_by_hand(counted_by, o);
		else if (!o->open)
			open_one(o);
		break;
	case 1:
	case 2:
		start_or_stop(o);
		break;
	case 3:
		switch_contexts();
		break;
	case 4:
		pmu_poll();
		break;
	case 5:
		waiting = !waiting;
		let_interrupts_wait(waiting);
		break;
	default:
		execute_some();
	}
}

static void take_turns(uint32_t interrupts, uint64_t clocks)
{
	assert_int_equal(driver_start(NULL), 0);
	pmu_limit_interrupts(interrupts, clocks);
	memset(contexts, 0, sizeof contexts);
	memset(counted_by, 0, sizeof counted_by);
	memset(control, 0, sizeof control);
	here = contexts;
	armed_too_near = waiting = false;
	shim_watch_writes(write_happens);
	for (unsigned turn = 0; turn < 3000; turn++) {
		do_something();
		for (unsigned s = 0; s < SESSIONS; s++)
			check_by_hand(&here->ours[s], WIDTH);
	}
	assert_false(armed_too_near);
	assert_int_equal(statistics().faults, 0);
	assert_int_equal(shim_traps().wrong, 0);
	shim_end();
}

static void counts_are_exact_while_counters_run_on(void **state)
{
	(void)state;
	for (uint64_t run = 1; run <= 40; run++) {
		seed = run * 0x9E3779B97F4A7C15;
		take_turns(UINT32_MAX - 1, 0);
	}
}

// With few interrupts allowed counters lose samples, and no counts.
static void throttled_counts_are_exact(void **state)
{
	(void)state;
	for (uint64_t run = 1; run <= 10; run++) {
		seed = run * 0xD1B54A32D192ED03;
		take_turns(3, 2000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_exact_while_counters_run_on),
		cmocka_unit_test(throttled_counts_are_exact),
	};

	return cmocka_run_group_tests_name("sparct4: driver, at random", tests, NULL, NULL);
}
