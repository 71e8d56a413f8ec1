// SPDX-License-Identifier: BSD-2-Clause
// The overflow interrupt under random operations: on a device with registers so narrow that they
// wrap often, and on the shim.

#include "overflow_device.h"

//
// Random operations on a device with registers so narrow that they wrap often
//

#define NARROW		20
#define NARROW_ARM	(1ULL << 11)
#define SESSIONS	3
#define SCENARIOS	300
#define STEPS		400
#define LATE_MOST	20	/* steps that an interrupt may be pending, at most */

static uint64_t random_period(uint64_t *seed)
{
	static const struct {
		uint64_t least, most;
	} ranges[] = {
		{0, 0}, {2, 50}, {50, 5000}, {NARROW_ARM - 1, NARROW_ARM + 2}, {5000, 1 << NARROW},
		{(1 << NARROW) - 1, (1 << NARROW) + 1}, {1 << NARROW, 5 << NARROW},
	};
	unsigned r = (unsigned)random_between(seed, 0, LENGTH(ranges) - 1);

	return random_between(seed, ranges[r].least, ranges[r].most);
}

// Counters 0 and 1, counter 2, and counter 3 belong to a session each.
static const struct {
	unsigned first, count;
} shares[SESSIONS] = {{0, 2}, {2, 1}, {3, 1}};

static void assert_counts_of_device(struct pmu_session sessions[SESSIONS])
{
	for (unsigned s = 0; s < SESSIONS; s++)
		for (unsigned i = 0; i < sessions[s].count; i++)
			assert_int_equal(count_of(&sessions[s], i),
					 device.counted[shares[s].first + i]);
}

static void start_or_stop(struct pmu_session *session)
{
	assert_int_equal(session->running ? pmu_stop(session) : pmu_start(session), PMU_OK);
}

// One step. After an overflow that is not served yet, a counter may count at most its modulus.
static void step(struct pmu_session sessions[SESSIONS], uint64_t *seed, unsigned *late)
{
	uint64_t most = device.status || random_chance(seed, 80) ? 3 * NARROW_ARM :
		1ULL << (NARROW - 1);

	if (random_chance(seed, 15))
		start_or_stop(&sessions[random_between(seed, 0, SESSIONS - 1)]);
	happen((unsigned)random_between(seed, 0, COUNTERS - 1), random_between(seed, 1, most));
	*late = device.line ? *late + 1 : 0;
	if (device.line && (random_chance(seed, 50) || *late == LATE_MOST))
		interrupt();
	assert_counts_of_device(sessions);
}

static void finish(struct pmu_session *session)
{
	if (session->running)
		assert_int_equal(pmu_stop(session), PMU_OK);
	for (unsigned i = 0; i < session->count; i++) {
		const struct pmu_counter *c = &session->counter[i];

		if (c->period)
			assert_progress(c, count_of(session, i));
		else
			assert_int_equal(c->samples, 0);
	}
}

static void run_scenario(uint32_t features, uint64_t *seed)
{
	struct pmu_session sessions[SESSIONS];
	unsigned late = 0;

	begin(features, NARROW, NARROW_ARM);
	allow_all_interrupts();
	for (unsigned s = 0; s < SESSIONS; s++) {
		const uint64_t periods[] = {random_period(seed), random_period(seed)};

		open_on(&sessions[s], shares[s].first, periods, shares[s].count);
	}
	for (unsigned i = 0; i < STEPS; i++)
		step(sessions, seed, &late);
	for (unsigned s = 0; s < SESSIONS; s++)
		finish(&sessions[s]);
	assert_counts_of_device(sessions);
	assert_int_equal(statistics().faults | statistics().throttles | statistics().unclaimed, 0);
}

static void counts_and_samples_are_exact_whatever_overflows_when(void **state)
{
	uint64_t seed = 0x6F766572666C6F77;

	(void)state;
	for (unsigned i = 0; i < SCENARIOS; i++)
		run_scenario(i % 2 ? PMU_FEATURE_FREEZE : 0, &seed);
}

//
// Random operations on the shim
//

struct shim_run {
	struct pmu_session session[2];
	uint64_t executed[2];		// while each session ran and was not frozen
	bool interrupts, frozen, freezes;
};

static void set_interrupts(struct shim_run *run, bool on)
{
	run->interrupts = on;
	hal_interrupts_restore(on);
	if (on)
		run->frozen = false;
}

// With interrupts disabled the hardware's freeze lasts from the overflow until software ends it.
static void execute_in(struct shim_run *run, uint64_t n)
{
	uint64_t headroom = vpmu_headroom(shim_vpmu()), counted;

	if (run->frozen)
		headroom = 0;
	counted = execute(n);
	if (run->freezes && !run->interrupts && counted >= headroom) {
		counted = headroom;
		run->frozen = true;
	}
	for (unsigned s = 0; s < 2; s++)
		if (run->session[s].running)
			run->executed[s] += counted;
}

static void assert_counts_of_run(struct shim_run *run)
{
	for (unsigned s = 0; s < 2; s++)
		for (unsigned i = 0; i < run->session[s].count; i++)
			assert_int_equal(count_of(&run->session[s], i), run->executed[s]);
}

static void step_on_shim(struct shim_run *run, uint64_t *seed)
{
	switch (random_between(seed, 0, 5)) {
	case 0:
		set_interrupts(run, random_chance(seed, 70));
		break;
	case 1:
		start_or_stop(&run->session[random_between(seed, 0, 1)]);
		run->frozen = false;
		break;
	default:
		execute_in(run, random_between(seed, 2, random_chance(seed, 50) ? 100 : 10000));
	}
	assert_counts_of_run(run);
}

static void run_on_shim(const char *fault, bool non_maskable, uint64_t *seed)
{
	static const char *const events[] = {
		"INST_RETIRED.ANY_P:ctr=0,CPU_CLK_UNHALTED.THREAD,CPU_CLK_UNHALTED.REF",
		"INST_RETIRED.ANY_P:ctr=3,INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD_P:ctr=2",
	};
	struct shim_run run = {.interrupts = true, .freezes = !*fault && !non_maskable};

	assert_true(shim_start("nehalem", fault));
	assert_int_equal(pmu_begin(nehalem(), non_maskable), PMU_OK);
	allow_all_interrupts();
	for (unsigned s = 0; s < 2; s++) {
		struct event_request requests[REQUESTS_MAX];
		unsigned count = read_requests(events[s], requests);
		struct pmu_refusal refusal;

		requests[0].period = random_between(seed, 2, 300);
		requests[1].period = random_between(seed, 300, 20000);
		assert_int_equal(pmu_open(&run.session[s], requests, count, &refusal), PMU_OK);
	}
	for (unsigned i = 0; i < STEPS; i++)
		step_on_shim(&run, seed);
	set_interrupts(&run, true);
	for (unsigned s = 0; s < 2; s++)
		finish(&run.session[s]);
	assert_counts_of_run(&run);
}

#define RUNS_ON_SHIM 40

static void what_ran_while_not_frozen_is_counted_exactly(void **state)
{
	uint64_t seed = 0x73686D;

	(void)state;
	for (unsigned i = 0; i < RUNS_ON_SHIM; i++)
		run_on_shim("", false, &seed);
}

// Without the freeze no count is missing, and interrupts that were disabled for long are late.
static void what_ran_is_counted_exactly_without_a_freeze(void **state)
{
	uint64_t seed = 0x6C617465;

	(void)state;
	for (unsigned i = 0; i < RUNS_ON_SHIM; i++)
		run_on_shim("freeze-missing", false, &seed);
}

static void what_ran_is_counted_exactly_with_nmis(void **state)
{
	uint64_t seed = 0x6E6D69;

	(void)state;
	for (unsigned i = 0; i < RUNS_ON_SHIM; i++)
		run_on_shim("", true, &seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_DEVICE(counts_and_samples_are_exact_whatever_overflows_when),
		cmocka_unit_test_teardown(what_ran_while_not_frozen_is_counted_exactly,
					  machine_end),
		cmocka_unit_test_teardown(what_ran_is_counted_exactly_without_a_freeze,
					  machine_end),
		cmocka_unit_test_teardown(what_ran_is_counted_exactly_with_nmis, machine_end),
	};

	return cmocka_run_group_tests_name("overflow interrupt: at random", tests, NULL, NULL);
}
