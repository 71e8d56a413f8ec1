// SPDX-License-Identifier: BSD-2-Clause
// PAL procedures on the itanium target. "The manual": Intel Itanium Processor Reference Manual for
// Software Development. Indices and layouts: Itanium Architecture Software Developer's Manual
// volume 2, chapter 11.

#include "pmu/itanium/driver.h"

#include <string.h>

#include "../../../hal/emu/ia64/tlb.h"
#include "pal.h"

static _Alignas(64) uint8_t memory[256];

static int start(void **state)
{
	if (driver_start(state))
		return -1;
	memset(memory, 0xB7, sizeof memory);
	shim_allow_memory(memory, sizeof memory);
	hal_interrupts_disable();
	return 0;
}

static uint64_t word_at(size_t offset)
{
	uint64_t word;

	memcpy(&word, memory + offset, sizeof word);
	return word;
}

static void assert_answer(struct pal_ret r, uint64_t v1, uint64_t v2)
{
	assert_int_equal(r.status, PAL_SUCCESS);
	assert_int_equal(r.v1, v1);
	assert_int_equal(r.v2, v2);
	assert_int_equal(r.v3, 0);
}

// The manual, Table 6-24: event 08, event 12, width 32, 4 pairs; masks.
static void perf_mon_info_is_table_6_24(void **state)
{
	static const uint64_t masks[] = {0x3FFF, 0x3FFFF, 0xF0, 0x10};

	(void)state;
	assert_answer(pal_call(PAL_PERF_MON_INFO, (uintptr_t)memory, 0, 0), 0x08122004, 0);
	for (size_t mask = 0; mask < LENGTH(masks); mask++) {
		assert_int_equal(word_at(32 * mask), masks[mask]);
		for (size_t word = 1; word < 4; word++)
			assert_int_equal(word_at(32 * mask + 8 * word), 0);
	}
}

// The table's mask of counters for retired instructions is 10; the event's entry in 7.8 names
// counters 4 and 5.
static void the_allocator_uses_both_wide_counters_for_retired_instructions(void **state)
{
	struct pmu_session session;

	(void)state;
	open_session(&session, "IA64_INST_RETIRED,IA64_INST_RETIRED");
	assert_int_equal(session.counters, 0x30);
	pmu_close(&session);
}

// The manual, 2.1: enforced lazy; 2.2: a register stack of 96 registers.
static void rse_info(void **state)
{
	(void)state;
	assert_answer(pal_call(PAL_RSE_INFO, 0, 0, 0), 96, 0);
}

// The manual, chapter 3: 44 physical address bits, 16 key registers (the last is 15) of 21 bits,
// region identifiers of 18 bits; 51 virtual address bits (the last is 50) and 3 of the region.
// Table 8-1: ITLB, DTLB0, DTLB1. Architecture manual, volume 2, PAL_VM_SUMMARY: max_dtr_entry 39:32
// and max_itr_entry 47:40, each the number of registers less 1. Linux prints 48 DTRs and 8 ITRs for
// this processor (arch/ia64/kernel/palinfo.c).
static void vm_summary(void **state)
{
	(void)state;
	assert_answer(pal_call(PAL_VM_SUMMARY, 0, 0, 0), 0x0203072F000F1559, 0x1232);
}

// The translation registers that PAL reports to a program are those of the machine.
static void translation_registers(void **state)
{
	const uint64_t summary = (uint64_t)pal_call(PAL_VM_SUMMARY, 0, 0, 0).v1;

	(void)state;
	assert_int_equal(summary >> 32 & 0xFF, DTLB_REGISTERS - 1);
	assert_int_equal(summary >> 40 & 0xFF, ITLB_REGISTERS - 1);
}

// The manual, 3.1.
static void vm_page_size(void **state)
{
	static const uint64_t sizes[] = {
		4 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20,
		256 << 20,
	};
	uint64_t sum = 0;

	(void)state;
	for (size_t i = 0; i < LENGTH(sizes); i++)
		sum += sizes[i];			// bit n: size 2^n
	assert_answer(pal_call(PAL_VM_PAGE_SIZE, 0, 0, 0), sum, sum);
}

// No fixed counters; width 32; counters 4-7. Freeze, one write for all, user reads, qualification;
// thresholds, but no inversion or edge detection.
static void monitor_features(void **state)
{
	struct pal_ret r = pal_call(PALMON_MONITOR_FEATURES, 0, 0, 0);

	(void)state;
	// The interval timer is a counter with a fixed event, number 32.
	assert_answer((struct pal_ret){r.status, r.v1, r.v2, 0}, 1 | 32 << 8, 0x1000000F0);
	assert_int_equal(r.v3, PMU_FEATURE_FREEZE | PMU_FEATURE_GLOBAL | PMU_FEATURE_USER_READ |
			 PMU_FEATURE_QUALIFY);
}

// Events 12 and 08 have no significant unit mask (7.8: CPU_CYCLES, IA64_INST_RETIRED).
static void monitor_events(void **state)
{
	(void)state;
	assert_answer(pal_call(PALMON_MONITOR_EVENTS, 0, 0, 0), 0x12, 0x08);
}

static void debug_info_is_four_pairs_of_each(void **state)
{
	(void)state;
	assert_answer(pal_call(PAL_DEBUG_INFO, 0, 0, 0), 4, 4);
}

// The manual, Table 8-1. v1: unified 0, write-back 1, ways 15:8, line 23:16 and stride 31:24 as
// powers of 2.
static void cache_info_is_table_8_1(void **state)
{
	(void)state;
	assert_answer(pal_call(PAL_CACHE_INFO, 0, 1, 0), 0x05050400, 16 << 10);	// L0I
	// L0D, written through (7.6)
	assert_answer(pal_call(PAL_CACHE_INFO, 0, 2, 0), 0x05050400, 16 << 10);
	assert_answer(pal_call(PAL_CACHE_INFO, 1, 2, 0), 0x06060603, 96 << 10);	// L1
	assert_answer(pal_call(PAL_CACHE_INFO, 2, 2, 0), 0x06060403, 4 << 20);	// L2
}

// The manual, Table 8-1: L0, L1 and L2; L0 is two caches.
static void cache_summary(void **state)
{
	(void)state;
	assert_answer(pal_call(PAL_CACHE_SUMMARY, 0, 0, 0), 3, 4);
}

// The manual, 5.6: "a single ptc.e purges all translation cache (TC) entries in both the
// instruction and data TLBs". Two loops of one iteration each: the counts are in bits 63:32 and
// 31:0.
static void ptce_info(void **state)
{
	(void)state;
	assert_answer(pal_call(PAL_PTCE_INFO, 0, 0, 0), 0, 0x100000001);
}

// The manual, Table 8-1: fully associative (one set), with the page sizes of 3.1, 4K to 256M. v1:
// sets 7:0, ways 15:8, entries 31:16, optimized for the preferred page size 32, unified 33, fewer
// with translation registers 34.
static void vm_info_is_table_8_1(void **state)
{
	const uint64_t pages = pal_call(PAL_VM_PAGE_SIZE, 0, 0, 0).v1;

	(void)state;
	assert_answer(pal_call(PAL_VM_INFO, 0, 1, 0), 1 | 64 << 8 | 64 << 16, pages);	// ITLB
	assert_answer(pal_call(PAL_VM_INFO, 0, 2, 0), 1 | 32 << 8 | 32 << 16, pages);	// DTLB0
	assert_answer(pal_call(PAL_VM_INFO, 1, 2, 0), 1 | 96 << 8 | 96 << 16, pages);	// DTLB1
}

// The procedures answer for exactly the caches that the summaries report.
static void summaries_say_what_there_is(void **state)
{
	static const struct {
		uint64_t index, levels, unique;
	} of[] = {{PAL_CACHE_INFO, 3, 4}, {PAL_VM_INFO, 2, 3}};	// Table 8-1

	(void)state;
	for (size_t i = 0; i < LENGTH(of); i++) {
		unsigned found = 0;

		for (uint64_t level = 0; level < 5; level++)
			for (uint64_t type = 0; type < 5; type++) {
				const struct pal_ret r = pal_call(of[i].index, level, type, 0);

				assert_int_equal(r.status == PAL_SUCCESS ||
						 r.status == PAL_INVALID_ARGUMENT, true);
				assert_false(r.status == PAL_SUCCESS && level >= of[i].levels);
				found += r.status == PAL_SUCCESS;
			}
		assert_int_equal(found, of[i].unique);
	}
}

static void arguments_are_checked(void **state)
{
	static const struct {
		uint64_t index, a1, a2, a3;
	} bad[] = {
		{PAL_CACHE_INFO, 0, 0, 0}, {PAL_CACHE_INFO, 0, 3, 0}, {PAL_CACHE_INFO, 1, 1, 0},
		{PAL_CACHE_INFO, 3, 2, 0},
		{PAL_CACHE_INFO, 256, 2, 0}, {PAL_CACHE_INFO, 1, 258, 0},
		{PAL_CACHE_INFO, 1ULL << 32, 2, 0},
		{PAL_CACHE_INFO, UINT64_MAX, UINT64_MAX, 0}, {PAL_CACHE_INFO, 0, 2, 1},
		{PAL_VM_SUMMARY, 1, 0, 0},
		{PAL_VM_SUMMARY, 0, 1, 0}, {PAL_VM_SUMMARY, 0, 0, 1}, {PAL_RSE_INFO, 1, 0, 0},
		{PAL_RSE_INFO, 0, 1, 0},
		{PAL_RSE_INFO, 0, 0, 1ULL << 63}, {PAL_VM_PAGE_SIZE, 256, 0, 0},
		{PAL_VM_PAGE_SIZE, 0, 1, 0},
		{PAL_VM_PAGE_SIZE, 0, 0, 1}, {PAL_CACHE_SUMMARY, 1, 0, 0},
		{PAL_CACHE_SUMMARY, 0, 1, 0},
		{PAL_CACHE_SUMMARY, 0, 0, 1}, {PAL_PTCE_INFO, 1, 0, 0}, {PAL_PTCE_INFO, 0, 1, 0},
		{PAL_PTCE_INFO, 0, 0, 1ULL << 63}, {PAL_VM_INFO, 0, 0, 0}, {PAL_VM_INFO, 0, 3, 0},
		{PAL_VM_INFO, 1, 1, 0}, {PAL_VM_INFO, 2, 2, 0},
		{PAL_VM_INFO, 0, 2, 1}, {PAL_VM_INFO, 256, 2, 0}, {PAL_VM_INFO, 0, 258, 0},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(bad); i++)
		assert_int_equal(pal_call(bad[i].index, bad[i].a1, bad[i].a2, bad[i].a3).status,
				 PAL_INVALID_ARGUMENT);
}

// A driver without tables of its processor.
static void another_target_has_none_of_these(void **state)
{
	static const uint64_t indices[] = {
		PAL_CACHE_INFO, PAL_CACHE_SUMMARY, PAL_PTCE_INFO, PAL_VM_INFO, PAL_VM_SUMMARY,
		PAL_RSE_INFO, PAL_VM_PAGE_SIZE,
	};

	(void)state;
	assert_true(shim_start("nehalem", ""));
	assert_int_equal(pmu_begin(pmu_driver_find("nehalem"), false), PMU_OK);
	for (size_t i = 0; i < LENGTH(indices); i++) {
		assert_int_equal(pal_call(indices[i], 0, 0, 0).status, PAL_UNIMPLEMENTED);
		assert_int_equal(pal_call(indices[i], 0, 2, 0).status, PAL_UNIMPLEMENTED);
	}
}

//
// PAL_HALT_LIGHT (the manual, 6.2.9)
//

static void a_halt_preserves_pmc0(void **state)
{
	(void)state;
	put(REG_PSR, get(REG_PSR) & ~(PSR_UP | PSR_PP));	// nothing counts, so nothing
								// overflows
	for (uint64_t overflowed = 0; overflowed <= 0xF0; overflowed += 0x10)
		for (uint64_t frozen = 0; frozen <= 1; frozen++) {
			put(PMC(0), overflowed | frozen);
			hal_alarm(100);
			assert_int_equal(pal_call(PAL_HALT_LIGHT, 0, 0, 0).status, PAL_SUCCESS);
			assert_int_equal(get(PMC(0)), overflowed | frozen);
		}
}

static void a_halt_in_a_session_loses_nothing(void **state)
{
	struct pmu_session session;
	uint64_t executed;

	(void)state;
	open_session(&session,
		     "CPU_CYCLES,CPU_CYCLES:period=100,IA64_INST_RETIRED,"
		     "IA64_INST_RETIRED:period=333");
	executed = hal_clock();
	assert_int_equal(pmu_start(&session), PMU_OK);
	for (unsigned i = 0; i < 50; i++) {
		hal_interrupts_restore(true);
		hal_execute(17 + i);
		hal_interrupts_disable();
		hal_execute(100);			// an overflow may be pending
		hal_alarm(1000);
		assert_int_equal(pal_call(PAL_HALT_LIGHT, 0, 0, 0).status, PAL_SUCCESS);
	}
	executed = hal_clock() - executed;
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_true(count_of(&session, 0) < executed);
	for (unsigned event = 1; event < 4; event++)
		assert_int_equal(count_of(&session, event), count_of(&session, 0));
	pmu_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(perf_mon_info_is_table_6_24, start, driver_end),
		cmocka_unit_test_setup_teardown(
			the_allocator_uses_both_wide_counters_for_retired_instructions, start,
						driver_end),
		cmocka_unit_test_setup_teardown(rse_info, start, driver_end),
		cmocka_unit_test_setup_teardown(vm_summary, start, driver_end),
		cmocka_unit_test_setup_teardown(translation_registers, start, driver_end),
		cmocka_unit_test_setup_teardown(vm_page_size, start, driver_end),
		cmocka_unit_test_setup_teardown(monitor_features, start, driver_end),
		cmocka_unit_test_setup_teardown(monitor_events, start, driver_end),
		cmocka_unit_test_setup_teardown(debug_info_is_four_pairs_of_each, start,
						driver_end),
		cmocka_unit_test_setup_teardown(cache_info_is_table_8_1, start, driver_end),
		cmocka_unit_test_setup_teardown(cache_summary, start, driver_end),
		cmocka_unit_test_setup_teardown(ptce_info, start, driver_end),
		cmocka_unit_test_setup_teardown(vm_info_is_table_8_1, start, driver_end),
		cmocka_unit_test_setup_teardown(summaries_say_what_there_is, start, driver_end),
		cmocka_unit_test_setup_teardown(arguments_are_checked, start, driver_end),
		cmocka_unit_test_setup_teardown(another_target_has_none_of_these, start,
						driver_end),
		cmocka_unit_test_setup_teardown(a_halt_preserves_pmc0, start, driver_end),
		cmocka_unit_test_setup_teardown(a_halt_in_a_session_loses_nothing, start,
						driver_end),
	};

	return cmocka_run_group_tests_name("PAL on itanium", tests, NULL, NULL);
}
