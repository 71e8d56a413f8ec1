// SPDX-License-Identifier: BSD-2-Clause
// TLBs, page walks, and references that use them, counted by hand. Page tables: SDM volume 3A,
// "4-Level Paging".

#include "unit.h"

#include <stdlib.h>

#include "happened.h"

#define PAGE	4096u
#define TABLES	0x100000u	/* physical address of the page tables */

static struct processor processor;
static uint64_t tables[8][512];	/* at TABLES */

static bool read_entry(void *context, uint64_t address, uint64_t *entry)
{
	(void)context;
	if (address < TABLES || address - TABLES >= sizeof tables || address % 8)
		return false;
	*entry = tables[(address - TABLES) / PAGE][address % PAGE / 8];
	return true;
}

static struct memory *begin(const char *name, unsigned cores)
{
	static const struct processor_needs none;
	struct memory *m;

	assert_true(processor_load(&processor, name, &none));
	processor.prefetchers = (struct processor_prefetchers){0};
	m = memory_make(&processor, 1, cores, count_cpu_event, read_entry, NULL);
	assert_non_null(m);
	forget_cpu_events();
	memset(tables, 0, sizeof tables);
	return m;
}

// Makes entry `index` of table `table` point to `address`.
static void map(unsigned table, unsigned index, uint64_t address, uint64_t bits)
{
	tables[table][index] = address | bits | 1;
}

#define TABLE(number)	(TABLES + (number) * PAGE)
#define LARGE		(1u << 7)

// Maps linear 0 to 2 MB in pages of 4 KB, from 2 MB on in pages of 2 MB, from 1 GB on in a page of
// 1 GB. All of them are identity mappings.
static void map_all(void)
{
	map(0, 0, TABLE(1), 2);
	map(1, 0, TABLE(2), 2);
	map(1, 1, 1u << 30, LARGE);
	map(2, 0, TABLE(3), 2);
	for (unsigned i = 1; i < 512; i++)
		map(2, i, (uint64_t)i << 21, LARGE);
	for (unsigned i = 0; i < 512; i++)
		map(3, i, (uint64_t)i * PAGE, 2);
}

static void a_walk_reads_an_entry_of_each_level(void **state)
{
	struct memory *m = begin("nehalem", 1);
	struct walk w;

	(void)state;
	map_all();
	assert_true(walk_tables(&w, TABLES, 0x5678, read_entry, NULL));
	assert_int_equal(w.count, 4);
	assert_int_equal(w.entry[0], TABLES);
	assert_int_equal(w.entry[1], TABLES + PAGE);
	assert_int_equal(w.entry[2], TABLES + 2 * PAGE);
	assert_int_equal(w.entry[3], TABLES + 3 * PAGE + 5 * 8);
	assert_int_equal(w.page, PAGE_4K);
	assert_int_equal(w.physical, 0x5678);
	assert_true(walk_tables(&w, TABLES, 0x612345, read_entry, NULL));
	assert_int_equal(w.count, 3);
	assert_int_equal(w.entry[2], TABLES + 2 * PAGE + 3 * 8);
	assert_int_equal(w.page, PAGE_2M);
	assert_int_equal(w.physical, 0x612345);
	assert_true(walk_tables(&w, TABLES, 0x40000123, read_entry, NULL));
	assert_int_equal(w.count, 2);
	assert_int_equal(w.page, PAGE_1G);
	assert_int_equal(w.physical, 0x40000123);
	assert_false(walk_tables(&w, TABLES, 0x80000000, read_entry, NULL));	// not present
	assert_int_equal(w.count, 2);
	assert_false(walk_tables(&w, 0, 0, read_entry, NULL));			// no table
	assert_int_equal(w.count, 0);
	free(m);
}

static struct reached refer(struct memory *m, enum access access, uint64_t linear, unsigned size)
{
	return memory_refer(m, &(struct reference){
		.access = access, .linear = linear, .physical = linear, .size = size, .paged = true,
		.cr3 = TABLES,
	});
}

// Refers to each of so many pages, three times. Leaves the events of the last pass.
static void pass_over(struct memory *m, enum access access, unsigned pages, uint64_t page)
{
	for (unsigned pass = 0; pass < 3; pass++) {
		forget_cpu_events();
		for (unsigned i = 0; i < pages; i++)
			refer(m, access, page == PAGE ? i * page : (i + 1) * page, 4);
	}
}

// TLB reach. 64 entries in 4 ways are 16 sets: with 65 pages the 5 pages of one set miss. The
// second level has 512 entries, enough for all 512 pages of 4 KB, so that these never walk in the
// last pass. Large pages have 32 entries for data, and no second level.
static void tlbs_reach_as_far_as_they_have_entries(void **state)
{
	static const struct {
		enum access access;
		uint64_t page;
		unsigned pages, first, second, walks;
	} reach[] = {
		{ACCESS_LOAD, PAGE, 64, 0, 0, 0}, {ACCESS_LOAD, PAGE, 65, 5, 5, 0},
		{ACCESS_LOAD, PAGE, 80, 80, 80, 0},
		{ACCESS_LOAD, PAGE, 512, 512, 512, 0}, {ACCESS_LOAD, 2u << 20, 32, 0, 0, 0},
		{ACCESS_LOAD, 2u << 20, 33, 5, 0, 5}, {ACCESS_LOAD, 2u << 20, 40, 40, 0, 40},
		{ACCESS_FETCH, PAGE, 128, 0, 0, 0}, {ACCESS_FETCH, PAGE, 129, 5, 5, 0},
		{ACCESS_FETCH, PAGE, 512, 512, 512, 0}, {ACCESS_FETCH, 2u << 20, 7, 0, 0, 0},
		{ACCESS_FETCH, 2u << 20, 8, 8, 0, 8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof reach / sizeof *reach; i++) {
		const bool fetch = reach[i].access == ACCESS_FETCH, large = reach[i].page != PAGE;
		struct memory *m = begin("nehalem", 1);

		map_all();
		pass_over(m, reach[i].access, reach[i].pages, reach[i].page);
		assert_int_equal(happened[0][fetch ?
					     CPU_EVENT_TLB_FETCH_MISS : CPU_EVENT_TLB_LOAD_MISS],
				 reach[i].first);
		assert_int_equal(happened[0][fetch ?
					CPU_EVENT_TLB_FETCH_SECOND : CPU_EVENT_TLB_LOAD_SECOND],
				 reach[i].second);
		assert_int_equal(happened[0][fetch ?
				CPU_EVENT_TLB_FETCH_WALK_LARGE : CPU_EVENT_TLB_LOAD_WALK_LARGE],
				 large ? reach[i].walks : 0);
		assert_int_equal(happened[0][fetch ?
					     CPU_EVENT_TLB_FETCH_WALK : CPU_EVENT_TLB_LOAD_WALK],
					     0);
		assert_int_equal(happened[0][CPU_EVENT_TLB_FETCH_LARGE_HIT],
				 fetch && large ? reach[i].pages - reach[i].first : 0);
		free(m);
	}
}

// Loads and stores share both levels of data TLBs. A first load walks 4 entries, each in its own
// line.
static void a_walk_is_loads_of_the_tables(void **state)
{
	struct memory *m = begin("nehalem", 1);

	(void)state;
	map_all();
	refer(m, ACCESS_LOAD, 0x5000, 8);
	assert_int_equal(happened[0][CPU_EVENT_TLB_LOAD_MISS], 1);
	assert_int_equal(happened[0][CPU_EVENT_TLB_LOAD_WALK], 1);
	assert_int_equal(happened[0][CPU_EVENT_L1D_WALK_I], 4);
	assert_int_equal(happened[0][CPU_EVENT_L1D_LOAD_I], 1);
	assert_int_equal(happened[0][CPU_EVENT_LOAD_MEMORY], 1);
	refer(m, ACCESS_STORE, 0x5008, 8);
	assert_int_equal(happened[0][CPU_EVENT_TLB_STORE_MISS], 0);
	// the next entry, in the same line: all four hit
	refer(m, ACCESS_STORE, 0x6000, 8);
	assert_int_equal(happened[0][CPU_EVENT_TLB_STORE_WALK], 1);
	assert_int_equal(happened[0][CPU_EVENT_L1D_WALK_E], 4);
	// a page of 2 MB: three levels, the third in another line
	refer(m, ACCESS_LOCK, 0x200000, 8);
	assert_int_equal(happened[0][CPU_EVENT_TLB_STORE_WALK_LARGE], 1);
	assert_int_equal(happened[0][CPU_EVENT_L1D_WALK_E], 7);
	free(m);
}

static void flushes_forget_translations(void **state)
{
	struct memory *m = begin("nehalem", 1);

	(void)state;
	map_all();
	refer(m, ACCESS_LOAD, 0x5000, 8);
	refer(m, ACCESS_LOAD, 0x6000, 8);
	tlbs_flush_page(&m->core[0].tlbs, 0x5123);
	refer(m, ACCESS_LOAD, 0x6000, 8);
	assert_int_equal(happened[0][CPU_EVENT_TLB_LOAD_WALK], 2);
	refer(m, ACCESS_LOAD, 0x5000, 8);
	assert_int_equal(happened[0][CPU_EVENT_TLB_LOAD_WALK], 3);
	tlbs_flush(&m->core[0].tlbs);
	refer(m, ACCESS_LOAD, 0x6000, 8);
	assert_int_equal(happened[0][CPU_EVENT_TLB_LOAD_WALK], 4);
	free(m);
}

static void references_that_cross_are_of_two_lines_and_two_pages(void **state)
{
	struct memory *m = begin("nehalem", 1);

	(void)state;
	map_all();
	map(3, 6, 0x9000, 2);				// page 6 is not the frame after page 5's
	refer(m, ACCESS_LOAD, 0x5ffc, 8);
	assert_int_equal(happened[0][CPU_EVENT_TLB_LOAD_WALK], 2);
	assert_int_equal(happened[0][CPU_EVENT_SPLIT_LOAD], 1);
	assert_int_equal(happened[0][CPU_EVENT_LOAD_MEMORY], 1);
	forget_cpu_events();
	memory_refer(m, &(struct reference){.linear = 0x9000, .physical = 0x9000, .size = 8});
	assert_int_equal(happened[0][CPU_EVENT_LOAD_L1D], 1);
	refer(m, ACCESS_STORE, 0x103c, 8);
	assert_int_equal(happened[0][CPU_EVENT_SPLIT_STORE], 1);
	assert_int_equal(happened[0][CPU_EVENT_L1D_STORE_I], 2);
	refer(m, ACCESS_LOAD, 0x1038, 8);
	assert_int_equal(happened[0][CPU_EVENT_SPLIT_LOAD], 0);
	free(m);
}

// A guest can refer to any address.
static void addresses_may_wrap(void **state)
{
	struct memory *m = begin("nehalem", 1);

	(void)state;
	memory_refer(m, &(struct reference){.linear = UINT64_MAX, .physical = UINT64_MAX,
					    .size = 1});
	memory_refer(m, &(struct reference){.linear = UINT64_MAX - 2, .physical = UINT64_MAX,
					    .size = 64});
	refer(m, ACCESS_STORE, UINT64_MAX - 2, 64);
	assert_int_equal(happened[0][CPU_EVENT_L1D_LOAD_I], 1);
	free(m);
}

// The L1 data cache takes 4 cycles (guide). A first access to a page of 4 KB also waits for four
// loads of table entries.
static void latencies_add_up(void **state)
{
	struct memory *m = begin("nehalem", 1);
	const unsigned memory = processor.latency[LATENCY_MEMORY];

	(void)state;
	map_all();
	assert_int_equal(refer(m, ACCESS_LOAD, 0x5000, 8).latency, 5 * memory);
	assert_int_equal(refer(m, ACCESS_LOAD, 0x5000, 8).latency, 4);
	assert_int_equal(refer(m, ACCESS_LOAD, 0x6000, 8).latency, memory + 4 * 4);
	free(m);
}

// The suppliers of tables 3 and 5. A load that crosses a line names the farther supplier.
static void loads_say_where_their_data_was(void **state)
{
	struct memory *m = begin("nehalem", 3);
	struct reference r = {.size = 8};

	(void)state;
	assert_int_equal(memory_refer(m, &r).source, CPU_EVENT_LOAD_MEMORY);
	assert_int_equal(memory_refer(m, &r).source, CPU_EVENT_LOAD_L1D);
	r.core = 1;
	assert_int_equal(memory_refer(m, &r).source, CPU_EVENT_LOAD_SHARED);
	r.core = 2;
	assert_int_equal(memory_refer(m, &r).source, CPU_EVENT_LOAD_L3);
	r.access = ACCESS_STORE;
	memory_refer(m, &r);
	r = (struct reference){.size = 8};
	assert_int_equal(memory_refer(m, &r).source, CPU_EVENT_LOAD_MODIFIED);
	for (unsigned page = 1; page <= 8; page++)
		memory_refer(m, &(struct reference){.linear = page * PAGE, .physical = page * PAGE,
						    .size = 8});
	assert_int_equal(memory_refer(m, &r).source, CPU_EVENT_LOAD_L2);
	r = (struct reference){.linear = 60, .physical = 60, .size = 8};
	assert_int_equal(memory_refer(m, &r).source, CPU_EVENT_LOAD_MEMORY);
	assert_int_equal(happened[0][CPU_EVENT_LOAD_MEMORY], 10);
	assert_int_equal(happened[0][CPU_EVENT_LOAD_MODIFIED], 1);
	free(m);
}

static void devices_are_not_cached(void **state)
{
	struct memory *m = begin("nehalem", 1);
	struct reference r = {.linear = 0xFEB00000, .physical = 0xFEB00000, .size = 4,
			      .device = true};

	(void)state;
	assert_int_equal(memory_refer(m, &r).source, CPU_EVENT_LOAD_DEVICE);
	memory_refer(m, &r);
	r.access = ACCESS_STORE;
	memory_refer(m, &r);
	r.access = ACCESS_STREAM;
	memory_refer(m, &r);
	r.access = ACCESS_LOCK;			// loads and stores
	memory_refer(m, &r);
	assert_int_equal(happened[0][CPU_EVENT_LOAD_DEVICE], 3);
	assert_int_equal(happened[0][CPU_EVENT_STORE_DEVICE], 3);
	r.internal = true;
	memory_refer(m, &r);
	assert_int_equal(happened[0][CPU_EVENT_LOAD_DEVICE], 3);
	assert_int_equal(happened[0][CPU_EVENT_STORE_DEVICE], 3);
	assert_int_equal(all_states(CPU_EVENT_L1D_LOAD_I), 0);
	assert_int_equal(all_states(CPU_EVENT_L1D_STORE_I), 0);
	free(m);
}

// A load that misses the TLB counts once, even if both of its pages miss. A software prefetch is no
// load, but its translation counts as a load's.
static void loads_that_miss_the_tlb_are_counted_once(void **state)
{
	struct memory *m = begin("nehalem", 1);

	(void)state;
	map_all();
	refer(m, ACCESS_LOAD, 0x5ffc, 8);
	assert_int_equal(happened[0][CPU_EVENT_TLB_LOAD_MISS], 2);
	assert_int_equal(happened[0][CPU_EVENT_LOAD_TLB_MISS], 1);
	refer(m, ACCESS_LOAD, 0x5ffc, 8);
	refer(m, ACCESS_PREFETCH, 0x7000, 1);
	assert_int_equal(happened[0][CPU_EVENT_TLB_LOAD_MISS], 3);
	assert_int_equal(happened[0][CPU_EVENT_LOAD_TLB_MISS], 1);
	refer(m, ACCESS_STREAM, 0x8000, 8);
	assert_int_equal(happened[0][CPU_EVENT_TLB_STORE_MISS], 1);
	free(m);
}

static void ignore_queues(void *context, unsigned package, enum cpu_event what, uint64_t address,
			  uint64_t cycle)
{
	(void)context, (void)package, (void)what, (void)address, (void)cycle;
}

// On the timed clock, a requested line is in the cache at once, but its data arrives later. With 10
// fill buffers, the eleventh line waits for the first line's buffer. A twelfth line, requested
// after the second one has arrived, does not wait.
static void by_the_timed_clock_lines_take_their_time(void **state)
{
	struct memory *m = begin("nehalem", 1);
	struct reference r = {.access = ACCESS_LOAD, .size = 8, .now = 1000};
	const unsigned memory = processor.latency[LATENCY_MEMORY];
	struct reached reached;
	uint64_t until;

	(void)state;
	memory_time(m, ignore_queues);
	for (unsigned i = 0; i < 10; i++, r.physical = r.linear += 64, r.now++) {
		reached = memory_refer(m, &r);
		assert_int_equal(reached.latency, memory);
		assert_int_equal(reached.waits, 0);
	}
	// requested at 1010; the first line arrives at 1160
	reached = memory_refer(m, &r);
	assert_int_equal(reached.waits, 1000 + memory - 1010);
	assert_int_equal(reached.latency, 1000 + memory - 1010 + memory);
	r.physical = r.linear = 0;			// in flight
	reached = memory_refer(m, &r);
	assert_int_equal(reached.latency, 1000 + memory - 1010);
	assert_int_equal(reached.source, CPU_EVENT_LOAD_FILL);
	r.now = 1000 + memory - processor.latency[LATENCY_L1D];
	reached = memory_refer(m, &r);
	assert_int_equal(reached.latency, processor.latency[LATENCY_L1D]);
	assert_int_equal(reached.source, CPU_EVENT_LOAD_L1D);
	assert_int_equal(flights_count(&m->core[0].flights, 999, &until), 0);
	assert_int_equal(until, 1000);
	assert_int_equal(flights_count(&m->core[0].flights, 1009, &until), 10);
	assert_int_equal(until, 1000 + memory);		// one arrives, and another one starts
	assert_int_equal(flights_count(&m->core[0].flights, 1001 + memory, &until), 9);
	r.now = 1001 + memory;
	// the second has arrived; the eleventh starts at 1160
	r.physical = r.linear = 11 * 64;
	assert_int_equal(memory_refer(m, &r).waits, 0);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_reads_an_entry_of_each_level),
		cmocka_unit_test(tlbs_reach_as_far_as_they_have_entries),
		cmocka_unit_test(a_walk_is_loads_of_the_tables),
		cmocka_unit_test(flushes_forget_translations),
		cmocka_unit_test(references_that_cross_are_of_two_lines_and_two_pages),
		cmocka_unit_test(addresses_may_wrap),
		cmocka_unit_test(latencies_add_up),
		cmocka_unit_test(loads_say_where_their_data_was),
		cmocka_unit_test(devices_are_not_cached),
		cmocka_unit_test(loads_that_miss_the_tlb_are_counted_once),
		cmocka_unit_test(by_the_timed_clock_lines_take_their_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
