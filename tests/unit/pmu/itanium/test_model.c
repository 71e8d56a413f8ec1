// SPDX-License-Identifier: BSD-2-Clause
// Counting: which monitors are enabled, sub-events, thresholds, overflow and freeze.

#include "steps.h"

// What counter n adds in one cycle in which this happens.
static uint64_t added_by(uint32_t n, uint64_t control, struct occurrence o)
{
	set_counter(n, control);
	connect(&o, 1);
	run(1);
	return get(PMD + n);
}

#define ADDED(n, control, ...) added_by(n, control, (struct occurrence){__VA_ARGS__})

// Table 6-1: requests alive in each of eight cycles, and how many came in.
static void table_6_1(void **state)
{
	static const uint32_t live[] = {1, 2, 3, 3, 3, 2, 1, 0}, in[] = {1, 1, 1, 1, 1, 0, 0, 0};
	static const uint64_t live_sum[] = {1, 3, 6, 9, 12, 14, 15, 15}, total[] = {1, 2, 3, 4, 5, 5, 5, 5};

	(void)state;
	for (uint32_t n = 4; n < 7; n++) {
		set_counter(n, ES(BUS_LIVE));
		set_counter(7, ES(CYCLES));
		set_counter(n == 4 ? 5 : 4, ES(BUS_ALL) | UMASK(1));
		for (unsigned i = 0; i < 8; i++) {
			HAPPENS({.code = BUS_LIVE, .n = live[i]}, {.code = BUS_ALL, .sub = 1, .n = in[i]},
				{.code = CYCLES, .n = 1});
			assert_int_equal(get(PMD + n), live_sum[i]);
			assert_int_equal(get(PMD + (n == 4 ? 5 : 4)), total[i]);
		}
		assert_int_equal(get(PMD + 7), 8);
	}
}

// Section 6.2.1: (not fr) and plm[cpl] and (not ism[is]) and (pm ? pp : up), every combination on every counter.
static void monitor_enable(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4 * 2 * 16 * 4 * 4 * 2 * 4; i++) {
		unsigned n = 4 + i % 4, fr = i >> 2 & 1, plm = i >> 3 & 15, level = i >> 7 & 3, ism = i >> 9 & 3;
		unsigned is = i >> 11 & 1, up = i >> 12 & 1, pp = i >> 13 & 1;

		for (unsigned pm = 0; pm < 2; pm++) {
			bool enabled = !fr && (plm >> level & 1) && !(ism >> is & 1) && (pm ? pp : up);

			put(PMC + n, PLM(plm) | ES(CYCLES) | ISM(ism) | pm * PM);
			put(PMD + n, 100);
			put(PSR, up * PSR_UP | pp * PSR_PP);
			put(PMC + 0, fr);
			HAPPENS({.code = CYCLES, .n = 1, .level = (uint8_t)level, .isa = (uint8_t)is});
			assert_int_equal(get(PMD + n), 100 + enabled);
			put(PMC + 0, 0);
		}
	}
}

// Table 6-11, instruction set mask: 00 both, 10 Itanium only, 01 IA-32 only, 11 off.
static void instruction_set_mask(void **state)
{
	static const struct {
		unsigned ism, itanium, ia32;
	} rows[] = {{0, 1, 1}, {2, 1, 0}, {1, 0, 1}, {3, 0, 0}};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(ADDED(4, ES(CYCLES) | ISM(rows[i].ism), .code = CYCLES, .n = 1), rows[i].itanium);
		assert_int_equal(ADDED(4, ES(CYCLES) | ISM(rows[i].ism), .code = CYCLES, .n = 1, .isa = 1),
				 rows[i].ia32);
	}
}

// Section 6.2.2 and table 6-6: counters 4 and 5 take up to 7 in a cycle and have three threshold bits, 6 and 7 take up
// to 3 and have two. Zero adds all; else a cycle with more than the threshold adds one.
static void thresholds(void **state)
{
	(void)state;
	for (uint32_t n = 4; n < 8; n++)
		for (unsigned threshold = 0; threshold < 8; threshold++)
			for (unsigned happen = 0; happen <= 9; happen++) {
				unsigned most = n < 6 ? 7 : 3, effective = n < 6 ? threshold : threshold & 3;
				unsigned seen = happen < most ? happen : most;

				assert_int_equal(ADDED(n, ES(BUS_LIVE) | THRESHOLD(threshold), .code = BUS_LIVE,
						       .n = happen),
						 effective ? seen > effective : seen);
			}
}

// A counter sees the sum of the occurrences of a cycle, then compares.
static void occurrences_of_a_cycle_are_added_first(void **state)
{
	(void)state;
	set_counter(4, ES(RETIRED));
	set_counter(5, ES(RETIRED) | THRESHOLD(3));
	set_counter(6, ES(CYCLES));
	HAPPENS({.code = RETIRED, .n = 2}, {.code = CYCLES, .n = 1}, {.code = RETIRED, .n = 2});
	assert_int_equal(get(PMD + 4), 4);
	assert_int_equal(get(PMD + 5), 1);
	assert_int_equal(get(PMD + 6), 1);
	HAPPENS({.code = RETIRED, .n = 2}, {.code = RETIRED, .n = 1});
	assert_int_equal(get(PMD + 4), 7);
	assert_int_equal(get(PMD + 5), 1);
	// No 32-bit sum goes round.
	HAPPENS({.code = RETIRED, .n = UINT32_MAX}, {.code = RETIRED, .n = 1});
	assert_int_equal(get(PMD + 4), 14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(table_6_1),
		TEST(monitor_enable),
		TEST(instruction_set_mask),
		TEST(thresholds),
		TEST(occurrences_of_a_cycle_are_added_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
