// SPDX-License-Identifier: BSD-2-Clause
// A package's caches, counted by hand: the working sets at which they begin to miss, writebacks,
// and requests of other cores.

#include "unit.h"

#include <stdlib.h>

#include "happened.h"

#define K	1024u
#define M	(1024u * K)

static struct processor processor;
static struct package package;

static struct cache_line *begin(const char *name, const char *text, unsigned cores)
{
	static const struct processor_needs none;
	struct processor_error error;
	struct cache_line *lines;

	assert_true(name ? processor_load(&processor, name, &none) :
		    processor_read(&processor, text, strlen(text), &error));
	processor.prefetchers = (struct processor_prefetchers){0};
	lines = calloc(package_lines(&processor, cores), sizeof *lines);
	assert_non_null(lines);
	package_begin(&package, &processor, cores, lines, count_cpu_event, NULL);
	forget_cpu_events();
	return lines;
}

//
// Working set x stride x level
//

// Passes over a working set, in address order or in a pointer chase with large jumps. The first
// passes warm the caches up. misses: loads of the last pass that missed the L1 data, L2 and L3
// cache.
static void pass_over(unsigned bytes, unsigned stride, bool leaps, unsigned misses[3])
{
	// odd: visits each line once
	const unsigned lines = bytes / stride, leap = leaps ? lines / 2 - 1 : 1;

	for (unsigned pass = 0; pass < 4; pass++) {
		forget_cpu_events();
		for (unsigned i = 0, at = 0; i < lines; i++, at = (at + leap) % lines)
			package_access(&package, 0, ACCESS_LOAD, (uint64_t)at * stride);
	}
	misses[0] = happened[0][CPU_EVENT_L1D_LOAD_I];
	misses[1] = happened[0][CPU_EVENT_L2_LOAD_I];
	misses[2] = happened[0][CPU_EVENT_L3_READ_MISS];
}

// The largest working set that each level holds. A level holds one line per way in each set that
// the stride reaches. Sets repeat every 4 KB in the L1 data cache, every 32 KB in the L2 cache,
// every 512 KB in the L3 cache. For strides up to these, the limit is the cache's size. Longer
// strides reach a single set, which holds 8, 8 or 16 lines.
static const struct {
	unsigned stride, holds[3];
} cliffs[] = {
	{64, {32 * K, 256 * K, 8 * M}},
	{256, {32 * K, 256 * K, 8 * M}},
	{4 * K, {32 * K, 256 * K, 8 * M}},
	{16 * K, {128 * K, 256 * K, 8 * M}},
	{64 * K, {512 * K, 512 * K, 8 * M}},
	{1 * M, {8 * M, 8 * M, 16 * M}},
};

static void the_cliffs_stand_where_the_caches_end(void **state)
{
	(void)state;
	for (unsigned leaps = 0; leaps < 2; leaps++)
		for (size_t c = 0; c < sizeof cliffs / sizeof *cliffs; c++)
			for (unsigned bytes = 16 * K; bytes <= 32 * M; bytes *= 2) {
				struct cache_line *lines;
				unsigned misses[3];

				if (bytes / cliffs[c].stride < 4)
					continue;
				lines = begin("nehalem", NULL, 1);
				pass_over(bytes, cliffs[c].stride, leaps, misses);
				for (unsigned level = 0; level < 3; level++)
					assert_int_equal(misses[level],
							 bytes <= cliffs[c].holds[level] ? 0 :
							 bytes / cliffs[c].stride);
				free(lines);
			}
}

// Knights Corner has caches of 32 KB and 512 KB, and no L3 cache.
static void a_processor_without_an_l3_cache(void **state)
{
	(void)state;
	for (unsigned bytes = 16 * K; bytes <= 2 * M; bytes *= 2) {
		struct cache_line *lines = begin("knc", NULL, 1);
		unsigned misses[3];

		pass_over(bytes, 64, false, misses);
		assert_int_equal(misses[0], bytes <= 32 * K ? 0 : bytes / 64);
		assert_int_equal(misses[1], bytes <= 512 * K ? 0 : bytes / 64);
		assert_int_equal(happened[0][CPU_EVENT_MEMORY_READ], misses[1]);
		assert_int_equal(happened[0][CPU_EVENT_L3_READ_MISS], 0);
		free(lines);
	}
}

//
// Single lines: L1 caches of 2 lines, an L2 cache of 4, an L3 cache of 8, each with one set
//

#define SMALL							\
	"cache L1I bytes=128 ways=2 line=64 | here\n"		\
	"cache L1D bytes=128 ways=2 line=64 | here\n"		\
	"cache L2 bytes=256 ways=4 line=64 | here\n"
#define WITH_L3 SMALL "cache L3 bytes=512 ways=8 line=64 inclusive | here\n"

static enum supplier reach(unsigned core, enum access access, unsigned line)
{
	return package_access(&package, core, access, (uint64_t)line * 64);
}

static void a_modified_line_is_written_back_level_by_level(void **state)
{
	struct cache_line *lines = begin(NULL, WITH_L3, 1);

	(void)state;
	assert_int_equal(reach(0, ACCESS_STORE, 0), SUPPLIER_MEMORY);
	assert_int_equal(happened[0][CPU_EVENT_L1D_STORE_I], 1);
	assert_int_equal(happened[0][CPU_EVENT_L2_STORE_I], 1);
	assert_int_equal(happened[0][CPU_EVENT_OFFCORE_STORE_MEMORY], 1);
	assert_int_equal(reach(0, ACCESS_STORE, 0), SUPPLIER_L1);
	assert_int_equal(happened[0][CPU_EVENT_L1D_STORE_M], 1);
	for (unsigned line = 1; line <= 2; line++)
		// evicts line 0 to the L2 cache, which held it exclusive
		reach(0, ACCESS_LOAD, line);
	assert_int_equal(happened[0][CPU_EVENT_L1D_EVICTION_MODIFIED], 1);
	assert_int_equal(happened[0][CPU_EVENT_L1D_WRITEBACK_E], 1);
	assert_int_equal(happened[0][CPU_EVENT_L2_EVICTION_CLEAN], 0);
	for (unsigned line = 3; line <= 6; line++)
		// a writeback is a use: lines 1, 2 are evicted before line 0
		reach(0, ACCESS_LOAD, line);
	assert_int_equal(happened[0][CPU_EVENT_L2_EVICTION_CLEAN], 2);
	assert_int_equal(happened[0][CPU_EVENT_L2_EVICTION_MODIFIED], 1);
	assert_int_equal(happened[0][CPU_EVENT_L3_WRITEBACK_HIT], 1);
	assert_int_equal(happened[0][CPU_EVENT_MEMORY_WRITE], 0);
	for (unsigned line = 7; line <= 14; line++)
		reach(0, ACCESS_LOAD, line);		// 15 lines read; the L3 cache holds 8
	assert_int_equal(happened[0][CPU_EVENT_MEMORY_READ], 15);
	assert_int_equal(happened[0][CPU_EVENT_L3_EVICTION_EXCLUSIVE], 6);
	assert_int_equal(happened[0][CPU_EVENT_L3_EVICTION_MODIFIED], 1);
	assert_int_equal(happened[0][CPU_EVENT_MEMORY_WRITE], 1);
	free(lines);
}

static void what_is_read_again_comes_back_from_where_it_is(void **state)
{
	struct cache_line *lines = begin(NULL, WITH_L3, 1);

	(void)state;
	for (unsigned line = 0; line < 8; line++)
		assert_int_equal(reach(0, ACCESS_LOAD, line), SUPPLIER_MEMORY);
	assert_int_equal(reach(0, ACCESS_LOAD, 7), SUPPLIER_L1);	// holds lines 6 and 7
	assert_int_equal(reach(0, ACCESS_LOAD, 5), SUPPLIER_L2);	// holds lines 4 to 7
	assert_int_equal(reach(0, ACCESS_LOAD, 0), SUPPLIER_L3);
	assert_int_equal(reach(0, ACCESS_FETCH, 0), SUPPLIER_L2);
	assert_int_equal(happened[0][CPU_EVENT_L2_FETCH_E], 1);
	free(lines);
}

// L1 hits do not reach the L3 cache: line 0, in constant use, is the L3 cache's least recently
// used.
static void an_inclusive_cache_takes_lines_from_cores(void **state)
{
	struct cache_line *lines = begin(NULL, WITH_L3, 1);

	(void)state;
	assert_int_equal(reach(0, ACCESS_STORE, 0), SUPPLIER_MEMORY);
	for (unsigned line = 1; line <= 7; line++) {
		reach(0, ACCESS_LOAD, line);
		assert_int_equal(reach(0, ACCESS_LOAD, 0), SUPPLIER_L1);
	}
	reach(0, ACCESS_LOAD, 8);
	assert_int_equal(happened[0][CPU_EVENT_L1D_SNOOP_MODIFIED], 1);
	assert_int_equal(happened[0][CPU_EVENT_L3_EVICTION_MODIFIED], 1);
	assert_int_equal(happened[0][CPU_EVENT_MEMORY_WRITE], 1);
	assert_int_equal(reach(0, ACCESS_LOAD, 0), SUPPLIER_MEMORY);
	free(lines);
}

// The guide, "Precise Memory Access Events": the answers to a request for a line in another core.
static void cores_ask_each_other(void **state)
{
	struct cache_line *lines = begin(NULL, WITH_L3, 3);

	(void)state;
	assert_int_equal(reach(0, ACCESS_LOAD, 0), SUPPLIER_MEMORY);
	// one core has it: it may be modified
	assert_int_equal(reach(1, ACCESS_LOAD, 0), SUPPLIER_SHARED);
	assert_int_equal(happened[1][CPU_EVENT_OFFCORE_LOAD_SHARED], 1);
	// two cores have it: it is clean
	assert_int_equal(reach(2, ACCESS_LOAD, 0), SUPPLIER_L3);
	assert_int_equal(happened[2][CPU_EVENT_L2_FILL_SHARED], 1);
	assert_int_equal(reach(0, ACCESS_LOAD, 0), SUPPLIER_L1);
	assert_int_equal(happened[0][CPU_EVENT_L1D_LOAD_S], 1);
	// invalidates the other copies
	assert_int_equal(reach(0, ACCESS_STORE, 0), SUPPLIER_SHARED);
	assert_int_equal(happened[0][CPU_EVENT_L1D_STORE_S], 1);
	assert_int_equal(happened[0][CPU_EVENT_L2_STORE_S], 1);
	assert_int_equal(reach(1, ACCESS_LOAD, 0), SUPPLIER_MODIFIED);
	assert_int_equal(happened[0][CPU_EVENT_L1D_SNOOP_MODIFIED], 1);
	assert_int_equal(reach(0, ACCESS_LOAD, 0), SUPPLIER_L1);
	assert_int_equal(reach(2, ACCESS_LOCK, 0), SUPPLIER_SHARED);
	assert_int_equal(happened[2][CPU_EVENT_L2_LOCK_I], 1);
	assert_int_equal(reach(1, ACCESS_LOAD, 0), SUPPLIER_MODIFIED);
	free(lines);
}

// Two cores store to the same line ten times each: all but the first two stores find it modified by
// the other core. Stores to separate lines never do.
static void false_sharing_is_answered_by_modified_lines(void **state)
{
	(void)state;
	for (unsigned apart = 0; apart < 2; apart++) {
		struct cache_line *lines = begin(NULL, WITH_L3, 2);

		for (unsigned i = 0; i < 20; i++)
			reach(i % 2, ACCESS_STORE, i % 2 * apart);
		assert_int_equal(happened[0][CPU_EVENT_OFFCORE_STORE_MODIFIED], apart ? 0 : 9);
		assert_int_equal(happened[1][CPU_EVENT_OFFCORE_STORE_MODIFIED], apart ? 0 : 10);
		assert_int_equal(happened[0][CPU_EVENT_L1D_SNOOP_MODIFIED], apart ? 0 : 10);
		assert_int_equal(happened[0][CPU_EVENT_MEMORY_WRITE], 0);
		free(lines);
	}
}

static void cores_without_an_l3_cache_ask_each_other(void **state)
{
	struct cache_line *lines = begin(NULL, SMALL, 2);

	(void)state;
	assert_int_equal(reach(0, ACCESS_STORE, 0), SUPPLIER_MEMORY);
	assert_int_equal(reach(1, ACCESS_LOAD, 0), SUPPLIER_MODIFIED);
	assert_int_equal(happened[1][CPU_EVENT_MEMORY_WRITE], 1);
	assert_int_equal(reach(1, ACCESS_STORE, 0), SUPPLIER_SHARED);
	assert_int_equal(reach(0, ACCESS_LOAD, 0), SUPPLIER_MODIFIED);
	free(lines);
}

static void latencies_are_those_of_the_file(void **state)
{
	struct cache_line *lines = begin("nehalem", NULL, 1);

	(void)state;		// the guide: 4 and 10 cycles; table 2: 40, 65, 75
	assert_int_equal(package_latency(&package, SUPPLIER_L1), 4);
	assert_int_equal(package_latency(&package, SUPPLIER_L2), 10);
	assert_int_equal(package_latency(&package, SUPPLIER_L3), 40);
	assert_int_equal(package_latency(&package, SUPPLIER_SHARED), 65);
	assert_int_equal(package_latency(&package, SUPPLIER_MODIFIED), 75);
	free(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cliffs_stand_where_the_caches_end),
		cmocka_unit_test(a_processor_without_an_l3_cache),
		cmocka_unit_test(a_modified_line_is_written_back_level_by_level),
		cmocka_unit_test(what_is_read_again_comes_back_from_where_it_is),
		cmocka_unit_test(an_inclusive_cache_takes_lines_from_cores),
		cmocka_unit_test(cores_ask_each_other),
		cmocka_unit_test(false_sharing_is_answered_by_modified_lines),
		cmocka_unit_test(cores_without_an_l3_cache_ask_each_other),
		cmocka_unit_test(latencies_are_those_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
