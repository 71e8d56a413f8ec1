// SPDX-License-Identifier: BSD-2-Clause
// Counters of up to 64 bits, and counters of different widths in one PMU.

#include "overflow_device.h"

#define ARM_32		(1ULL << 31)
#define ARM_64		(1ULL << 62)

#define STUB(...)									\
	{.counters = FIELD_MASK(0, COUNTERS), .features = PMU_FEATURE_FREEZE, \
	 .arm_least = PMU_ARM_LEAST, __VA_ARGS__}
#define ALL_64		.width = 64, .mixed = true, .widths = {64, 64, 64, 64}
#define MIXED		.width = 64, .mixed = true, .widths = {64, 48, 32, 63}

// Stub devices: 64 bits everywhere, and different widths. A device that can be armed for the whole
// distance of the narrowest counter, and one that can be armed for less.
static const struct pmu_shape kinds[] = {
	STUB(.width = 64, .arm_most = ARM_64), STUB(ALL_64, .arm_most = ARM_64),
	STUB(.width = 64, .arm_most = ARM_32),
	STUB(MIXED, .arm_most = 1ULL << 32), STUB(MIXED, .arm_most = ARM_32),
	STUB(.width = 63, .arm_most = ARM_64),
};
#define MIXED_ARM_32	4

static const struct pmu_shape *present;		// the processor's

static const char *probe_stub(struct pmu_shape *found)
{
	if (!present)
		return "no kind";
	*found = *present;
	return NULL;
}

// The driver learns its shape by the probe.
static void begin_kind(const struct pmu_shape *kind)
{
	begin(0, 1, 1);
	stub.probe = probe_stub;
	present = kind;
	assert_null(pmu_probe(&stub));
	assert_int_equal(pmu_begin(&stub, false), PMU_OK);
}

static void a_failed_probe_changes_nothing(void **state)
{
	(void)state;
	begin_kind(&kinds[MIXED_ARM_32]);
	present = NULL;
	assert_string_equal(pmu_probe(&stub), "no kind");
	assert_int_equal(stub.shape->widths[1], 48);
	assert_int_equal(stub.shape->arm_most, ARM_32);
}

static void serve(void)
{
	while (device.line)
		interrupt();
}

static void a_counter_without_samples_starts_from_zero(void **state)
{
	static const uint64_t none[COUNTERS];

	(void)state;
	for (size_t k = 0; k < LENGTH(kinds); k++) {
		struct pmu_session session;

		begin_kind(&kinds[k]);
		open_on(&session, 0, none, COUNTERS);
		for (unsigned start = 0; start < 3; start++) {
			start_session(&session);
			for (unsigned i = 0; i < COUNTERS; i++) {
				assert_int_equal(device.counter[i], 0);
				happen(i, 1000 + i);
			}
			assert_int_equal(count_of(&session, 1), device.counted[1]);
			assert_int_equal(pmu_stop(&session), PMU_OK);
			for (unsigned i = 0; i < COUNTERS; i++)
				assert_int_equal(count_of(&session, i), (start + 1) * (1000 + i));
		}
		assert_int_equal(statistics().overflows, 0);
	}
}

// Each counter overflows at its own width.
static void a_counter_without_samples_overflows_after_its_own_modulus(void **state)
{
	static const uint64_t none[COUNTERS];
	struct pmu_session session;

	(void)state;
	begin_kind(&kinds[MIXED_ARM_32]);
	open_on(&session, 0, none, COUNTERS);
	start_session(&session);
	for (unsigned i = 0; i < COUNTERS; i++) {
		happen(i, FIELD_MASK(0, 32));
		assert_false(device.line);
	}
	happen(2, 6);
	assert_int_equal(device.status, 1 << 2);
	serve();
	happen(1, (1ULL << 48) - (1ULL << 32));
	assert_false(device.line);
	happen(1, 1);
	assert_int_equal(device.status, 1 << 1);
	serve();
	assert_int_equal(statistics().overflows, 2);
	for (unsigned i = 0; i < COUNTERS; i++)
		assert_int_equal(count_of(&session, i), device.counted[i]);
}

// A period is 1000 for each counter; counter i overflows i events late.
static void samples_are_taken_at_their_counts(void **state)
{
	static const uint64_t periods[COUNTERS] = {1000, 1000, 1000, 1000};

	(void)state;
	for (size_t k = 0; k < LENGTH(kinds); k++) {
		struct pmu_session session;

		begin_kind(&kinds[k]);
		open_on(&session, 0, periods, COUNTERS);
		start_session(&session);
		for (unsigned i = 0; i < COUNTERS; i++) {
			assert_int_equal(device.counter[i], greatest(i) - 999);
			happen(i, 999);
			assert_false(device.line);
			happen(i, 1 + i);
			serve();
			assert_sample(1000 + i, (uint8_t)i);
			assert_int_equal(device.counter[i], greatest(i) - 999 + i);
		}
		assert_int_equal(pmu_stop(&session), PMU_OK);
		for (unsigned i = 0; i < COUNTERS; i++)
			assert_progress(&session.counter[i], count_of(&session, i));
	}
}

// A period longer than the distance for which a counter can be armed takes several overflows; one
// of 2^63 - 1, the greatest, too.
static void long_periods_are_armed_in_parts(void **state)
{
	static const uint64_t periods[] = {1ULL << 40, 1ULL << 62, (1ULL << 62) + 1,
					   UINT64_MAX >> 1};

	(void)state;
	for (size_t i = 0; i < LENGTH(periods); i++) {
		struct pmu_session session;
		uint64_t left = periods[i];

		begin(PMU_FEATURE_FREEZE, 64, ARM_64);
		run_one(&session, periods[i]);
		for (unsigned overflows = 0; left; overflows++) {
			const uint64_t distance = -device.counter[0];

			assert_in_range(overflows, 0, 3);
			assert_in_range(distance, PMU_ARM_LEAST, left < ARM_64 ? left : ARM_64);
			assert_no_more_samples();
			happen(0, distance);
			serve();
			left -= distance;
		}
		assert_sample(periods[i], 0);
		assert_int_equal(count_of(&session, 0), periods[i]);
	}
}

// An overflow at any point near a save is neither lost nor served twice.
static void a_context_keeps_a_pending_overflow(void **state)
{
	static const uint64_t periods[COUNTERS] = {1000, 1000, 1000, 0};

	(void)state;
	for (size_t k = 0; k < LENGTH(kinds); k++)
		for (uint64_t before = 990; before < 1010; before++) {
			struct pmu_session session;
			struct pmu_context context;

			begin_kind(&kinds[k]);
			open_on(&session, 0, periods, COUNTERS);
			start_session(&session);
			for (unsigned i = 0; i < COUNTERS; i++)
				arrive(i, before);
			device.line = false;
			assert_int_equal(pmu_context_save(&context, 0x1234, 0), PMU_OK);
			for (unsigned i = 0; i < COUNTERS; i++)
				assert_int_equal(count_of(&session, i), before);
			assert_int_equal(device.status, 0);
			assert_int_equal(pmu_context_restore(&context), PMU_OK);
			for (unsigned i = 0; i < COUNTERS; i++)
				assert_int_equal(count_of(&session, i), before);
			assert_int_equal(statistics().overflows, before < 1000 ? 0 : 3);
			for (unsigned i = 0; i < 3; i++)
				assert_int_equal(session.counter[i].samples, before < 1000 ? 0 : 1);
		}
}

static void a_throttled_counter_has_no_pending_overflow(void **state)
{
	struct pmu_session session;
	struct pmu_context context;

	(void)state;
	begin(PMU_FEATURE_FREEZE, 64, ARM_64);
	run_one(&session, 1000);
	happen(0, 500);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	pmu_throttle(pmu_this_cpu(), &session.counter[0], 500);
	pmu_start_from_count(&stub, &session.counter[0], 500);
	start_session(&session);
	assert_int_equal(device.counter[0], 0);
	happen(0, 5000);
	assert_int_equal(pmu_context_save(&context, 0x1234, 0), PMU_OK);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_int_equal(count_of(&session, 0), 5500);
	assert_int_equal(statistics().overflows, 0);
	assert_no_more_samples();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_DEVICE(a_failed_probe_changes_nothing),
		ON_DEVICE(a_counter_without_samples_starts_from_zero),
		ON_DEVICE(a_counter_without_samples_overflows_after_its_own_modulus),
		ON_DEVICE(samples_are_taken_at_their_counts),
		ON_DEVICE(long_periods_are_armed_in_parts),
		ON_DEVICE(a_context_keeps_a_pending_overflow),
		ON_DEVICE(a_throttled_counter_has_no_pending_overflow),
	};

	return cmocka_run_group_tests_name("counter widths", tests, NULL, NULL);
}
