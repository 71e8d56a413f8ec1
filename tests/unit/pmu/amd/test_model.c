// SPDX-License-Identifier: BSD-2-Clause
// The amd model: rules of the manuals that steps.h names, which no fault of the model breaks alone.

#include "steps.h"

// HG_ONLY: both bits depend on EFER.SVME, which is 0.
static void host_only_counts_nothing_without_svm(void **state)
{
	(void)state;
	put(CTL(0), EVENT(RETIRED) | ON | HOST_ONLY);
	put(CTL(1), EVENT(RETIRED) | ON | HOST_ONLY | GUEST_ONLY);
	put(CTL(2), EVENT(RETIRED) | ON);
	SIGNALS({RETIRED, 0, 1, 0, 0});
	run(10);
	assert_int_equal(get(CTR(0)), 0);
	assert_int_equal(get(CTR(1)), 0);
	assert_int_equal(get(CTR(2)), 10);
}

// Code bits 11:8 and 7:0 both must be equal. A new code replaces the previous one.
static void a_code_has_12_bits(void **state)
{
	(void)state;
	put(CTL(0), EVENT(0x1C0) | ON);
	put(CTL(1), EVENT(RETIRED) | ON);
	put(CTL(1), EVENT(0xFC1) | ON);
	SIGNALS({0x1C0, 0, 1, 0, 0});
	run(10);
	SIGNALS({0xFC1, 0, 1, 0, 0});
	run(5);
	SIGNALS({0xFC0, 0, 1, 0, 0}, {0x1C1, 0, 1, 0, 0}, {RETIRED, 0, 1, 0, 0});
	run(3);
	assert_int_equal(get(CTR(0)), 10);
	assert_int_equal(get(CTR(1)), 5);
}

// Linux writes all bits that it does not clear as 1, reserved ones included
// (amd_pmu_ack_global_status). Reserved bits of selects are ignored (Linux, commit 9b026073db2f).
static void reserved_bits_are_ignored(void **state)
{
	(void)state;
	put(CTL(0), ~0ULL);
	assert_int_equal(get(CTL(0)), 0x30FFFD7FFFF);
	put(STATUS_SET, ~0ULL);
	assert_int_equal(get(GLOBAL_STATUS), PMC_FREEZE | LBR_FREEZE | ALL_BITS);
	put(STATUS_CLR, ~0ULL);
	assert_int_equal(get(GLOBAL_STATUS), 0);
	put(GLOBAL_CTL, ~0ULL);
	assert_int_equal(get(GLOBAL_CTL), ALL_BITS);
}

// A freeze by another counter keeps the counts of the same cycle.
static void the_freeze_follows_the_cycle(void **state)
{
	(void)state;
	put(DEBUGCTL, FREEZE_PERFMON_ON_PMI);
	put(CTR(0), COUNTER_MAX - 4);
	put(CTL(0), EVENT(RETIRED) | ON | INT);
	put(CTL(5), EVENT(RETIRED) | ON);
	SIGNALS({RETIRED, 0, 1, 0, 0});
	run(14);
	assert_int_equal(get(CTR(5)), 5);
	put(STATUS_CLR, PMC_FREEZE);
	run(2);
	assert_int_equal(get(CTR(5)), 7);
	assert_int_equal(get(GLOBAL_STATUS), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(host_only_counts_nothing_without_svm),
		TEST(a_code_has_12_bits),
		TEST(reserved_bits_are_ignored),
		TEST(the_freeze_follows_the_cycle),
	};

	return cmocka_run_group_tests_name("amd model", tests, find_model, release_model);
}
