// SPDX-License-Identifier: BSD-2-Clause
// Assignment of counters to events, and refusals of events that do not fit.

#include "machine.h"

#include <string.h>

#include "random.h"

//
// A driver whose events state the counters that can count them
//

static uint64_t stub_choices(const struct event_request *request)
{
	return request->event->counters;
}

#define EVENTS_MAX PMU_SESSION_EVENTS

struct instance {
	struct pmu_driver driver;
	struct pmu_shape shape;
	uint64_t free;
	unsigned count;
	struct pmu_event event[EVENTS_MAX + 1];
	struct event_request request[EVENTS_MAX + 1];
};

static void start_instance(struct instance *in, uint64_t counters, uint64_t fixed, uint64_t free)
{
	*in = (struct instance){
		.driver = {.shape = &in->shape, .choices = stub_choices},
		.shape = {.counters = counters, .fixed = fixed}, .free = free,
	};
}

static void add_request(struct instance *in, uint64_t choices)
{
	in->event[in->count].counters = choices;
	in->request[in->count] = (struct event_request){.event = &in->event[in->count],
							.counter = EVENT_ANY_COUNTER};
	in->count++;
}

static enum pmu_error allocate(const struct instance *in, uint8_t *out, struct pmu_refusal *refusal)
{
	return pmu_allocate(&in->driver, in->request, in->count, in->free, out, refusal);
}

// Returns the counters that are free and allowed for request i.
static uint64_t allowed(const struct instance *in, unsigned i)
{
	return in->event[i].counters & in->shape.counters & in->free;
}

// Returns whether requests first..count-1 can all get counters outside `used`. Tries every
// assignment.
static bool assignment_exists(const struct instance *in, unsigned first, unsigned count,
			      uint64_t used)
{
	if (first == count)
		return true;
	for (uint64_t left = allowed(in, first) & ~used; left; left &= left - 1)
		if (assignment_exists(in, first + 1, count, used | (left & -left)))
			return true;
	return false;
}

//
// Random instances
//

#define INSTANCES	5000
#define SIZE_MAX_RANDOM	7	/* counters and requests, at most */

static uint64_t random_bits(uint64_t *seed, uint64_t from, unsigned percent)
{
	uint64_t bits = 0;

	for (uint64_t left = from; left; left &= left - 1)
		if (random_chance(seed, percent))
			bits |= left & -left;
	return bits;
}

static uint64_t random_bit(uint64_t *seed, uint64_t from)
{
	uint64_t skip = random_between(seed, 0, (uint64_t)__builtin_popcountll(from) - 1);

	for (; skip; skip--)
		from &= from - 1;
	return from & -from;
}

static void make_random_instance(struct instance *in, uint64_t *seed)
{
	uint64_t size = random_between(seed, 1, SIZE_MAX_RANDOM),
		requests = random_between(seed, 1, SIZE_MAX_RANDOM);
	unsigned density = (unsigned)random_between(seed, 10, 90);
	uint64_t counters = 0;

	while ((uint64_t)__builtin_popcountll(counters) < size)
		counters |= 1ULL << random_between(seed, 0, PMU_COUNTER_NUMBERS - 1);
	start_instance(in, counters, random_bits(seed, counters, 40),
		       random_bits(seed, counters, 85));
	while (in->count < requests)
		add_request(in, random_bit(seed, counters) | random_bits(seed, counters, density) |
				random_bits(seed, ~counters, 5));
}

// Each request has an allowed counter of its own. No request has a general counter while a fixed
// counter that can count it is unused.
static void check_assignment(const struct instance *in, const uint8_t *out)
{
	uint64_t used = 0;

	for (unsigned i = 0; i < in->count; i++) {
		assert_true(out[i] < PMU_COUNTER_NUMBERS);
		assert_true(allowed(in, i) >> out[i] & 1);
		assert_false(used >> out[i] & 1);
		used |= 1ULL << out[i];
	}
	for (unsigned i = 0; i < in->count; i++)
		if (!(in->shape.fixed >> out[i] & 1))
			assert_int_equal(allowed(in, i) & in->shape.fixed & ~used, 0);
}

// The named requests together have more members than free counters allowed for any of them. All
// requests up to the last named one, except that one, could be assigned.
static void check_refusal(const struct instance *in, const struct pmu_refusal *refusal)
{
	uint64_t able = 0, wanted = 0;
	unsigned last;

	assert_true(refusal->events);
	last = 63 - (unsigned)__builtin_clzll(refusal->events);
	assert_true(last < in->count);
	for (unsigned i = 0; i < in->count; i++)
		if (refusal->events >> i & 1) {
			able |= allowed(in, i);
			wanted |= in->event[i].counters & in->shape.counters;
		}
	assert_true(__builtin_popcountll(refusal->events) > __builtin_popcountll(able));
	assert_true(assignment_exists(in, 0, last, 0));
	assert_int_equal(refusal->counters, wanted);
	assert_int_equal(refusal->taken, wanted & ~in->free);
}

static void an_assignment_is_found_whenever_there_is_one(void **state)
{
	uint64_t seed = 0x70616C6D6F6E;
	unsigned fits = 0;

	(void)state;
	for (unsigned i = 0; i < INSTANCES; i++) {
		struct instance in;
		struct pmu_refusal refusal;
		uint8_t out[EVENTS_MAX];

		make_random_instance(&in, &seed);
		if (assignment_exists(&in, 0, in.count, 0)) {
			assert_int_equal(allocate(&in, out, &refusal), PMU_OK);
			check_assignment(&in, out);
			fits++;
		} else {
			assert_int_equal(allocate(&in, out, &refusal), PMU_CONFLICT);
			check_refusal(&in, &refusal);
		}
	}
	// Both results must have occurred.
	assert_in_range(fits, INSTANCES / 10, INSTANCES - INSTANCES / 10);
}

//
// Chosen instances
//

static void a_fixed_counter_is_preferred_wherever_its_number_is(void **state)
{
	static const uint64_t fixed[] = {1ULL << 0, 1ULL << 5, 1ULL << 63};

	(void)state;
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		struct instance in;
		struct pmu_refusal refusal;
		uint8_t out[EVENTS_MAX];

		start_instance(&in, fixed[i] | 0x1E, fixed[i], ~0ULL);
		add_request(&in, fixed[i] | 0x1E);
		assert_int_equal(allocate(&in, out, &refusal), PMU_OK);
		assert_int_equal(1ULL << out[0], fixed[i]);
	}
}

// Each request can have its own number and the one below. Only a chain through all requests makes
// space for the last one.
static void a_chain_through_all_requests_is_found(void **state)
{
	struct instance in;
	struct pmu_refusal refusal;
	uint8_t out[EVENTS_MAX];

	(void)state;
	start_instance(&in, FIELD_MASK(0, EVENTS_MAX), 0, ~0ULL);
	for (unsigned i = 1; i < EVENTS_MAX; i++)
		add_request(&in, 3ULL << (i - 1));
	add_request(&in, 1);
	assert_int_equal(allocate(&in, out, &refusal), PMU_OK);
	for (unsigned i = 1; i < EVENTS_MAX; i++)
		assert_int_equal(out[i - 1], i);
	assert_int_equal(out[EVENTS_MAX - 1], 0);
}

static void counters_of_no_such_pmu_are_not_used(void **state)
{
	struct instance in;
	struct pmu_refusal refusal;
	uint8_t out[EVENTS_MAX];

	(void)state;
	start_instance(&in, 0x2, 0, ~0ULL);
	add_request(&in, 0x7);
	assert_int_equal(allocate(&in, out, &refusal), PMU_OK);
	assert_int_equal(out[0], 1);
}

static void an_event_without_a_counter_is_unfit_and_named(void **state)
{
	static const uint64_t choices[] = {0, 0x80};	// none; one that this PMU lacks

	(void)state;
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
		struct instance in;
		struct pmu_refusal refusal;
		uint8_t out[EVENTS_MAX];

		start_instance(&in, 0xF, 0, ~0ULL);
		add_request(&in, 0xF);
		add_request(&in, choices[i]);
		add_request(&in, 0xF);
		assert_int_equal(allocate(&in, out, &refusal), PMU_UNFIT);
		assert_int_equal(refusal.events, 1 << 1);
	}
}

static void an_event_whose_counters_are_all_taken_conflicts_alone(void **state)
{
	struct instance in;
	struct pmu_refusal refusal;
	uint8_t out[EVENTS_MAX];

	(void)state;
	start_instance(&in, 0xF, 0, 0xC);
	add_request(&in, 0xC);
	add_request(&in, 0x3);
	assert_int_equal(allocate(&in, out, &refusal), PMU_CONFLICT);
	assert_int_equal(refusal.events, 1 << 1);
	assert_int_equal(refusal.counters, 0x3);
	assert_int_equal(refusal.taken, 0x3);
}

// Three events compete for counters 0 and 1. The fourth event, on counter 2, is not involved.
static void only_those_who_compete_are_named(void **state)
{
	struct instance in;
	struct pmu_refusal refusal;
	uint8_t out[EVENTS_MAX];

	(void)state;
	start_instance(&in, 0x7, 0, ~0ULL);
	add_request(&in, 0x3);
	add_request(&in, 0x4);
	add_request(&in, 0x3);
	add_request(&in, 0x3);
	assert_int_equal(allocate(&in, out, &refusal), PMU_CONFLICT);
	assert_int_equal(refusal.events, 0xD);
	assert_int_equal(refusal.counters, 0x3);
	assert_int_equal(refusal.taken, 0);
}

static void more_events_than_a_session_holds_are_too_many(void **state)
{
	struct instance in;
	struct pmu_refusal refusal;
	uint8_t out[EVENTS_MAX];

	(void)state;
	start_instance(&in, ~0ULL, 0, ~0ULL);
	for (unsigned i = 0; i < EVENTS_MAX; i++)
		add_request(&in, ~0ULL);
	assert_int_equal(allocate(&in, out, &refusal), PMU_OK);
	add_request(&in, ~0ULL);
	assert_int_equal(allocate(&in, out, &refusal), PMU_TOO_MANY);
}

//
// Events of a real driver: counters 0-3 are general, 32 counts instructions, 33 core cycles, 34
// reference cycles (Appendix II and table 1 of the performance analysis guide; SDM volume 3B).
//

#define OUT_MAX 8

struct placement {
	const char *events;
	uint8_t out[OUT_MAX];
};

static void nehalem_events_get_the_counters_they_must_have(void **state)
{
	static const struct placement placements[] = {
		{"INSTRUCTION_RETIRED", {32}},
		{"CPU_CLK_UNHALTED.THREAD_P,CPU_CLK_UNHALTED.REF", {33, 34}},
		{"INSTRUCTION_RETIRED:ctr=2", {2}},			// pinned
		{"INSTRUCTION_RETIRED:ctr=32", {32}},
		// no threshold on a fixed counter
		{"INSTRUCTION_RETIRED:c=1:ctr=3", {3}},
		{"INSTRUCTION_RETIRED:ctr=1,INST_RETIRED.ANY", {1, 32}},
		{"ARITH.MUL:ctr=0,ARITH.DIV:ctr=1,UOPS_ISSUED.ANY:ctr=3,UOPS_RETIRED.ANY",
		 {0, 1, 3, 2}},
		{"UOPS_RETIRED.ANY,ARITH.MUL:ctr=0,ARITH.DIV:ctr=1,UOPS_ISSUED.ANY:ctr=3",
		 {2, 0, 1, 3}},
	};

	(void)state;
	for (size_t p = 0; p < sizeof placements / sizeof *placements; p++) {
		struct event_request requests[REQUESTS_MAX];
		unsigned count = read_requests(placements[p].events, requests);
		struct pmu_refusal refusal;
		uint8_t out[EVENTS_MAX];

		assert_int_equal(pmu_allocate(nehalem(), requests, count,
					      nehalem()->shape->counters, out, &refusal),
				 PMU_OK);
		assert_memory_equal(out, placements[p].out, count);
	}
}

// An event that either kind of counter can count yields the fixed counter to an event that needs
// it, in any order.
static void the_fixed_counter_goes_to_who_has_no_other(void **state)
{
	static const char *const texts[] = {
		"INSTRUCTION_RETIRED,INST_RETIRED.ANY", "INST_RETIRED.ANY,INSTRUCTION_RETIRED",
	};

	(void)state;
	for (size_t t = 0; t < 2; t++) {
		struct event_request requests[REQUESTS_MAX];
		unsigned count = read_requests(texts[t], requests);
		struct pmu_refusal refusal;
		uint8_t out[EVENTS_MAX];

		assert_int_equal(pmu_allocate(nehalem(), requests, count,
					      nehalem()->shape->counters, out, &refusal),
				 PMU_OK);
		assert_int_equal(out[1 - t], 32);
		assert_in_range(out[t], 0, 3);
	}
}

struct misfit {
	const char *events;
	enum pmu_error error;
	struct pmu_refusal refusal;
};

static void events_that_do_not_fit_are_refused_with_the_reason(void **state)
{
	static const struct misfit misfits[] = {
		{"INST_RETIRED.ANY,INST_RETIRED.ANY", PMU_CONFLICT, {0x3, 1ULL << 32, 0}},
		{"ARITH.MUL:ctr=2,ARITH.DIV:ctr=2", PMU_CONFLICT, {0x3, 0x4, 0}},
		{"ARITH.MUL,ARITH.MUL,ARITH.MUL,ARITH.MUL,ARITH.MUL", PMU_CONFLICT, {0x1F, 0xF, 0}},
		{"ARITH.MUL,INST_RETIRED.ANY:c=1", PMU_UNFIT, {0x2, 0, 0}},
		{"ARITH.MUL:i", PMU_UNFIT, {0x1, 0, 0}},		// needs a threshold
		{"ARITH.MUL:e", PMU_UNFIT, {0x1, 0, 0}},
		{"ARITH.MUL:ctr=4", PMU_UNFIT, {0x1, 0, 0}},		// no such counter
		{"ARITH.MUL:ctr=63", PMU_UNFIT, {0x1, 0, 0}},
		{"ARITH.MUL:ctr=32", PMU_UNFIT, {0x1, 0, 0}},		// fixed for another event
	};

	(void)state;
	for (size_t m = 0; m < sizeof misfits / sizeof *misfits; m++) {
		struct event_request requests[REQUESTS_MAX];
		unsigned count = read_requests(misfits[m].events, requests);
		struct pmu_refusal refusal;
		uint8_t out[EVENTS_MAX];

		assert_int_equal(pmu_allocate(nehalem(), requests, count,
					      nehalem()->shape->counters, out, &refusal),
				 misfits[m].error);
		assert_int_equal(refusal.events, misfits[m].refusal.events);
		if (misfits[m].error == PMU_CONFLICT) {
			assert_int_equal(refusal.counters, misfits[m].refusal.counters);
			assert_int_equal(refusal.taken, misfits[m].refusal.taken);
		}
	}
}

//
// Sessions
//

#define SEVENTEEN "ARITH.MUL,ARITH.MUL,ARITH.MUL,ARITH.MUL,ARITH.MUL,ARITH.MUL,ARITH.MUL," \
		  "ARITH.MUL,ARITH.MUL," \
	"ARITH.MUL,ARITH.MUL,ARITH.MUL,ARITH.MUL,ARITH.MUL,ARITH.MUL,ARITH.MUL,ARITH.MUL"

static void a_refused_open_writes_and_reserves_nothing(void **state)
{
	static const struct misfit misfits[] = {
		{"ARITH.MUL,INST_RETIRED.ANY,INST_RETIRED.ANY", PMU_CONFLICT, {0x6, 0, 0}},
		{"ARITH.MUL,ARITH.DIV:ctr=32", PMU_UNFIT, {0x2, 0, 0}},
		{"ARITH.MUL,ARITH.MUL:period=1", PMU_BAD_PERIOD, {0x2, 0, 0}},
		{SEVENTEEN, PMU_TOO_MANY, {0, 0, 0}},
	};
	struct pmu_session session, untouched, all;

	(void)state;
	memset(&untouched, 0xA5, sizeof untouched);
	for (size_t m = 0; m < sizeof misfits / sizeof *misfits; m++) {
		struct pmu_refusal refusal;

		memset(&session, 0xA5, sizeof session);
		assert_int_equal(open_text(&session, misfits[m].events, &refusal),
				 misfits[m].error);
		assert_memory_equal(&session, &untouched, sizeof session);
		assert_int_equal(refusal.events, misfits[m].refusal.events);
	}
	// All counters are still available.
	open_session(&all, "INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD,CPU_CLK_UNHALTED.REF,"
			   "ARITH.MUL,ARITH.MUL,ARITH.MUL,ARITH.MUL");
	assert_int_equal(all.counters, nehalem()->shape->counters);
	assert_int_equal(pmu_close(&all), PMU_OK);
}

static void a_refusal_says_what_other_sessions_have_taken(void **state)
{
	struct pmu_session first, second;
	struct pmu_refusal refusal;

	(void)state;
	open_session(&first, "ARITH.MUL:ctr=0,ARITH.DIV:ctr=3,INST_RETIRED.ANY");
	assert_int_equal(open_text(&second, "ARITH.MUL,ARITH.MUL,ARITH.MUL", &refusal),
			 PMU_CONFLICT);
	assert_int_equal(refusal.events, 0x7);
	assert_int_equal(refusal.counters, 0xF);
	assert_int_equal(refusal.taken, 0x9);
	assert_int_equal(open_text(&second, "INST_RETIRED.ANY", &refusal), PMU_CONFLICT);
	assert_int_equal(refusal.taken, 1ULL << 32);
	assert_int_equal(pmu_close(&first), PMU_OK);
	open_session(&second, "ARITH.MUL,ARITH.MUL,ARITH.MUL,INST_RETIRED.ANY");
	assert_int_equal(pmu_close(&second), PMU_OK);
}

#define ON_SHIM(name) cmocka_unit_test_setup_teardown(name, machine_start, machine_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_assignment_is_found_whenever_there_is_one),
		cmocka_unit_test(a_fixed_counter_is_preferred_wherever_its_number_is),
		cmocka_unit_test(a_chain_through_all_requests_is_found),
		cmocka_unit_test(counters_of_no_such_pmu_are_not_used),
		cmocka_unit_test(an_event_without_a_counter_is_unfit_and_named),
		cmocka_unit_test(an_event_whose_counters_are_all_taken_conflicts_alone),
		cmocka_unit_test(only_those_who_compete_are_named),
		cmocka_unit_test(more_events_than_a_session_holds_are_too_many),
		ON_SHIM(nehalem_events_get_the_counters_they_must_have),
		ON_SHIM(the_fixed_counter_goes_to_who_has_no_other),
		ON_SHIM(events_that_do_not_fit_are_refused_with_the_reason),
		ON_SHIM(a_refused_open_writes_and_reserves_nothing),
		ON_SHIM(a_refusal_says_what_other_sessions_have_taken),
	};

	return cmocka_run_group_tests_name("allocation", tests, NULL, NULL);
}
