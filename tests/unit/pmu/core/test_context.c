// SPDX-License-Identifier: BSD-2-Clause
// Contexts saved and restored, on each target: a context's sessions count exactly the instructions
// executed while it was active.

#include <stdio.h>

#include "pmu/core/random.h"
#include "pmu/on_shim.h"

static const struct target {
	const char *name;
	const char *events;		// the first event only counts, the others take samples
	const char *other;		// events of another context, on the same counters
	const char *user;		// events that count at the lowest level only
} targets[] = {
	{"itanium",
	 "CPU_CYCLES,CPU_CYCLES:period=100,IA64_INST_RETIRED:period=977,"
	 "IA64_INST_RETIRED:period=5000",
	 "CPU_CYCLES:period=77,CPU_CYCLES:period=1000,IA64_INST_RETIRED,"
	 "IA64_INST_RETIRED:period=33", "CPU_CYCLES:u"},
	{"nehalem", "INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=100,INST_RETIRED.ANY_P:period=977,"
		    "UOPS_RETIRED.ANY:ctr=3",
	 "INST_RETIRED.ANY_P:period=77,INST_RETIRED.ANY_P:period=1000,INST_RETIRED.ANY",
	 "INST_RETIRED.ANY_P:u"},
};
#define TARGETS (sizeof targets / sizeof *targets)

static const struct target *target;

static void begin(void)
{
	assert_true(shim_start(target->name, ""));
	assert_int_equal(pmu_begin(pmu_driver_find(target->name), false), PMU_OK);
	allow_all_interrupts();
}

static void save(struct pmu_context *context)
{
	assert_int_equal(pmu_context_save(context, 0x1234, 0), PMU_OK);
}

static void restore(struct pmu_context *context)
{
	assert_int_equal(pmu_context_restore(context), PMU_OK);
}

// Samples are a period apart, except those delayed by a switch near an overflow.
static void assert_sampled(const struct pmu_session *session, unsigned event, uint64_t executed)
{
	const struct pmu_counter *c = &session->counter[event];

	if (c->period)
		assert_int_equal(c->samples, (executed - c->slipped) / c->period);
}

// For each number of instructions up to more than the longest period.
static void save_and_restore_are_invisible_at_any_point(void)
{
	for (uint64_t before = 2; before < 1100; before++) {
		struct pmu_session session;
		struct pmu_context context;
		uint64_t executed;

		open_session(&session, target->events);
		assert_int_equal(pmu_start(&session), PMU_OK);
		executed = execute(before);
		save(&context);
		for (unsigned event = 0; event < session.count; event++)
			if (session.counter[event].period)
				assert_int_equal(count_of(&session, event), executed);
		hal_execute(500);
		restore(&context);
		executed += execute(1000);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_int_equal(count_of(&session, 0), executed);
		for (unsigned event = 0; event < session.count; event++)
			if (session.counter[event].period) {
				assert_int_equal(count_of(&session, event), executed);
				assert_sampled(&session, event, executed);
			}
		assert_int_equal(pmu_close(&session), PMU_OK);
	}
}

// With a pending overflow whose interrupt could not be taken: it is served after the restore, with
// the address at which the context continues. The other context sees a spurious interrupt.
static void a_pending_overflow_is_replayed(void)
{
	struct pmu_session session, other;
	struct pmu_context context;
	struct pmu_statistics s;
	struct pmu_sample sample;
	uint64_t count;

	open_session(&session, target->events);
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_interrupts_disable();
	hal_execute(150);
	save(&context);
	assert_false(pmu_take_sample(&sample));
	count = count_of(&session, 1);
	assert_true(count >= 100 && count <= 153);
	assert_int_equal(count_of(&session, 0), count);
	open_session(&other, target->user);
	assert_int_equal(pmu_start(&other), PMU_OK);
	hal_interrupts_restore(true);
	hal_execute(500);
	pmu_statistics(&s);
	assert_int_equal(s.overflows, 0);
	assert_int_equal(s.spurious, s.interrupts);
	assert_int_equal(count_of(&other, 0), 0);
	assert_int_equal(pmu_close(&other), PMU_OK);
	restore(&context);
	assert_int_equal(count_of(&session, 1), count);
	assert_int_equal(session.counter[1].samples, 1);
	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.ip, 0x1234);
	assert_int_equal(sample.count, count);
	count += execute(1000);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0), count);
	assert_int_equal(count_of(&session, 1), count);
	assert_int_equal(session.counter[1].samples, (count - session.counter[1].slipped) / 100);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

#define CONTEXTS 3

// Contexts alternate for random times on the same counters; some have a session that is open but
// not started.
static void contexts_take_turns(void)
{
	static struct pmu_session session[CONTEXTS], idle[CONTEXTS];
	struct pmu_context context[CONTEXTS];
	uint64_t executed[CONTEXTS] = {0}, random = 0x2545F4914F6CDD1D;

	for (unsigned i = 0; i < CONTEXTS; i++) {
		open_session(&session[i], i == 1 ? target->other : i == 2 ? target->user :
			     target->events);
		if (i == 2)
			open_session(&idle[i], target->user);
		assert_int_equal(pmu_start(&session[i]), PMU_OK);
		save(&context[i]);
	}
	for (unsigned turn = 0; turn < 3000; turn++) {
		unsigned i = (unsigned)random_between(&random, 0, CONTEXTS - 1);

		restore(&context[i]);
		executed[i] += execute(random_between(&random, 2, 700));
		if (random_chance(&random, 12)) {
			assert_int_equal(pmu_stop(&session[i]), PMU_OK);
			hal_execute(random_between(&random, 2, 50));
			assert_int_equal(pmu_start(&session[i]), PMU_OK);
		}
		save(&context[i]);
	}
	for (unsigned i = 0; i < CONTEXTS; i++) {
		restore(&context[i]);
		assert_int_equal(pmu_stop(&session[i]), PMU_OK);
		for (unsigned event = 0; event < session[i].count; event++)
			if (session[i].counter[event].period) {
				assert_int_equal(count_of(&session[i], event), executed[i]);
				assert_sampled(&session[i], event, executed[i]);
			}
		assert_int_equal(count_of(&session[i], 0), i == 2 ? 0 : executed[i]);
		if (i == 2)
			assert_int_equal(pmu_close(&idle[i]), PMU_OK);
		assert_int_equal(pmu_close(&session[i]), PMU_OK);
	}
}

static void a_cpu_with_open_sessions_takes_no_context(void)
{
	struct pmu_session session, other;
	struct pmu_context context;

	open_session(&session, target->user);
	save(&context);
	open_session(&other, target->user);
	assert_int_equal(pmu_context_restore(&context), PMU_CONFLICT);
	assert_int_equal(pmu_close(&other), PMU_OK);
	restore(&context);
	assert_int_equal(pmu_close(&session), PMU_OK);
}

static void a_context_without_sessions_is_one(void)
{
	struct pmu_context context;

	save(&context);
	restore(&context);
	save(&context);
	restore(&context);
}

static void for_each_target(void (*test)(void))
{
	for (target = targets; target < targets + TARGETS; target++) {
		begin();
		test();
		shim_end();
	}
}

#define ON_EACH_TARGET(f)		\
	static void f##_(void **state)	\
	{				\
		(void)state;		\
		for_each_target(f);	\
	}

ON_EACH_TARGET(save_and_restore_are_invisible_at_any_point)
ON_EACH_TARGET(a_pending_overflow_is_replayed)
ON_EACH_TARGET(contexts_take_turns)
ON_EACH_TARGET(a_cpu_with_open_sessions_takes_no_context)
ON_EACH_TARGET(a_context_without_sessions_is_one)

//
// Hardware state that another context could see
//

#define PMC(n)	(0x000u + (n))
#define PMD(n)	(0x100u + (n))

// Itanium: settings and recorded addresses are part of their context.
static void settings_and_records_go_along(void **state)
{
	static const struct occurrence branch = {
		.code = 0x0F, .n = 1, .type = OCCURRENCE_TYPE_B, .slot = 2,
		.branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN, .served = 1, .ip = 0x2000,
		.target = 0x3000,
	};
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_session session;
	struct pmu_context context;
	struct pmu_sample sample;

	(void)state;
	target = &targets[0];
	begin();
	open_session(&session, "BRANCH_EVENT:period=10:iar=0x2000-0x200F");
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_interrupts_disable();
	for (unsigned branches = 10; branches; branches--)	// with an interrupt that cannot be
								// taken
		shim_deliver(&branch, 1, 1);
	save(&context);
	for (unsigned i = 8; i <= 16; i++)
		assert_int_equal(get(PMD(i)), 0);
	for (unsigned i = 4; i <= 7; i++)
		assert_int_equal(get(PMD(i)), 0);
	assert_int_equal(get(PMC(12)), 0);
	assert_int_equal(get(PMC(13)), 1);
	assert_int_equal(get(PMC(0)) & 0xF0, 0);
	hal_interrupts_restore(true);
	restore(&context);
	assert_int_equal(get(PMC(13)), 0);
	assert_true(pmu_take_sample_with_payload(&sample, words));
	assert_int_equal(sample.source.words, 9);
	assert_int_equal(words[0], 8 | 4);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(words[1 + i], i % 2 ? 0x3002 : 0x2009);
	assert_int_equal(pmu_close(&session), PMU_OK);
	shim_end();
}

// Nothing is pending, and the other context's records are gone.
static void all_records_go_along(void **state)
{
	static const uint32_t recorded[] = {0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
	static const struct occurrence signals[] = {
		{.code = 0x0F, .n = 1, .slot = 2, .branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN,
		 .served = 1,
		 .ip = 0x2000, .target = 0x3000},
		{.code = 0x22, .n = 1, .latency = 64, .ip = 0x4A0},
		{.code = 0x66, .n = 1, .slot = 1, .data = 1, .latency = 4, .ip = 0x12340,
		 .address = 0xABCDE8},
	};
	const char *events = "BRANCH_EVENT,DATA_EAR_EVENTS,INSTRUCTION_EAR_EVENTS";
	uint64_t before[sizeof recorded / sizeof *recorded];
	struct pmu_session session, other;
	struct pmu_context context;

	(void)state;
	target = &targets[0];
	begin();
	open_session(&session, events);
	assert_int_equal(pmu_start(&session), PMU_OK);
	vpmu_connect(shim_vpmu(), signals, 3);
	hal_execute(20);
	vpmu_connect(shim_vpmu(), NULL, 0);
	assert_true(reg_write(PMC(0), 1));
	for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
		before[i] = get(PMD(recorded[i]));
	assert_int_equal(before[0] & 1, 1);
	assert_int_equal(before[13], 0x12345);
	assert_true(reg_write(PMC(0), 0));
	save(&context);
	open_session(&other, events);
	assert_int_equal(pmu_close(&other), PMU_OK);
	restore(&context);
	assert_true(reg_write(PMC(0), 1));
	for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
		assert_int_equal(get(PMD(recorded[i])), before[i]);
	assert_int_equal(pmu_close(&session), PMU_OK);
	shim_end();
}

// A stopped session is saved unchanged, next to a running one.
static void a_stopped_session_goes_along(void **state)
{
	struct pmu_session stopped, running, other;
	struct event_request request;
	struct pmu_refusal refusal;
	struct pmu_context context;
	const char *text = "CPU_CYCLES:ctr=5";
	uint64_t executed, before;

	(void)state;
	target = &targets[0];
	begin();
	open_session(&stopped, "CPU_CYCLES:ctr=4,CPU_CYCLES:ctr=5:period=100");
	open_session(&running, "CPU_CYCLES:ctr=6");
	assert_int_equal(pmu_start(&stopped), PMU_OK);
	assert_int_equal(pmu_start(&running), PMU_OK);
	before = hal_clock();
	hal_execute(350);
	assert_int_equal(pmu_stop(&stopped), PMU_OK);
	executed = hal_clock() - before;
	hal_execute(200);
	save(&context);
	for (unsigned event = 0; event < 2; event++)
		assert_int_equal(count_of(&stopped, event), executed);
	open_session(&other, "CPU_CYCLES:ctr=7");
	assert_int_equal(pmu_start(&other), PMU_OK);
	for (unsigned i = 4; i <= 6; i++)
		assert_int_equal(get(PMC(i)), 0);
	assert_int_equal(pmu_close(&other), PMU_OK);
	restore(&context);
	// Its counters are still reserved.
	assert_int_equal(event_parse(pmu_current_driver()->events, &text, &request), EVENT_OK);
	assert_int_equal(pmu_open(&other, &request, 1, &refusal), PMU_CONFLICT);
	for (unsigned event = 0; event < 2; event++)
		assert_int_equal(count_of(&stopped, event), executed);
	assert_int_equal(pmu_start(&stopped), PMU_OK);
	executed += execute(400);
	assert_int_equal(pmu_stop(&stopped), PMU_OK);
	for (unsigned event = 0; event < 2; event++)
		assert_int_equal(count_of(&stopped, event), executed);
	assert_int_equal(stopped.counter[1].samples, executed / 100);
	assert_int_equal(pmu_close(&stopped), PMU_OK);
	assert_int_equal(pmu_close(&running), PMU_OK);
	shim_end();
}

// The overflow of another program's counter does not belong to the saved session that used this
// counter.
static void an_overflow_meanwhile_is_unclaimed(void **state)
{
	struct pmu_session session;
	struct pmu_context context;
	struct pmu_statistics s;
	uint64_t executed;

	(void)state;
	target = &targets[0];
	begin();
	open_session(&session, "CPU_CYCLES:ctr=4");
	assert_int_equal(pmu_start(&session), PMU_OK);
	executed = execute(100);
	save(&context);
	assert_true(reg_write(PMC(4), 0x126F) && reg_write(PMD(4), 0xFFFFFFF0) &&
		    reg_write(PMC(0), 0));
	hal_execute(100);
	assert_true(reg_write(PMC(4), 0) && reg_write(PMD(4), 0));
	pmu_statistics(&s);
	assert_int_equal(s.unclaimed, 1);
	assert_int_equal(s.overflows, 0);
	assert_int_equal(count_of(&session, 0), executed);
	restore(&context);
	executed += execute(100);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0), executed);
	assert_int_equal(pmu_close(&session), PMU_OK);
	shim_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(save_and_restore_are_invisible_at_any_point_),
		cmocka_unit_test(a_pending_overflow_is_replayed_),
		cmocka_unit_test(contexts_take_turns_),
		cmocka_unit_test(a_cpu_with_open_sessions_takes_no_context_),
		cmocka_unit_test(a_context_without_sessions_is_one_),
		cmocka_unit_test(settings_and_records_go_along),
		cmocka_unit_test(all_records_go_along),
		cmocka_unit_test(a_stopped_session_goes_along),
		cmocka_unit_test(an_overflow_meanwhile_is_unclaimed),
	};

	return cmocka_run_group_tests_name("contexts", tests, NULL, NULL);
}
