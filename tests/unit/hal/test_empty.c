// SPDX-License-Identifier: BSD-2-Clause
// WBINVD writes each modified line of a package to memory once (SDM volume 2) and leaves the caches
// in their initial state: a random sequence of references, repeated after WBINVD, raises the same
// events in the same order.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "../../../hal/emu/model/memory.h"

#define CORES		2
#define REFERENCES	100000

static struct processor processor;
static unsigned written;
static uint64_t all;		// hash of all events raised so far, in order

static void note(void *context, unsigned core, enum cpu_event what, uint64_t address)
{
	(void)context;
	written += what == CPU_EVENT_MEMORY_WRITE;
	all = (all ^ (core << 16 | what) ^ address << 20) * 0x9E3779B97F4A7C15u;
	all ^= all >> 29;
}

static bool no_tables(void *context, uint64_t address, uint64_t *entry)
{
	(void)context, (void)address, (void)entry;
	return false;
}

static struct memory *begin(const char *name)
{
	static const struct processor_needs none;
	struct memory *m;

	assert_true(processor_load(&processor, name, &none));
	m = memory_make(&processor, 1, CORES, note, no_tables, NULL);
	assert_non_null(m);
	all = 0;
	return m;
}

static void refer(struct memory *m, unsigned core, enum access access, uint64_t address)
{
	const struct reference r = {
		.core = core, .access = access, .ip = 0x1000 + address % 7, .linear = address,
		.physical = address,
		.size = 8,
	};

	memory_refer(m, &r);
}

static unsigned written_by_wbinvd(struct memory *m, unsigned core)
{
	written = 0;
	memory_empty(m, core, 0);
	return written;
}

// 1,024 lines are 64 KB, twice the L1 data cache. After two passes all of them are modified in the
// L2 cache, the last 512 also in the L1 data cache.
static void each_modified_line_is_written_once(void **state)
{
	static const char *const names[] = {"nehalem", "knc"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct memory *m = begin(names[i]);

		for (unsigned pass = 0; pass < 2; pass++)
			for (unsigned line = 0; line < 1024; line++)
				refer(m, 0, ACCESS_STORE, line * 64);
		assert_int_equal(written_by_wbinvd(m, 0), 1024);
		assert_int_equal(written_by_wbinvd(m, 0), 0);
		free(m);
	}
}

// Writes a line that one core modified and the other core then read, and a line that only the other
// core holds.
static void the_whole_package_is_emptied(void **state)
{
	struct memory *m = begin("nehalem");

	(void)state;
	refer(m, 1, ACCESS_STORE, 0);
	refer(m, 1, ACCESS_STORE, 0x10000);
	refer(m, 0, ACCESS_LOAD, 0x10000);
	refer(m, 0, ACCESS_LOAD, 0x20000);
	assert_int_equal(written_by_wbinvd(m, 0), 2);
	assert_null(cache_find(&m->package[0].core[1][CACHE_L1D], 0));
	assert_null(cache_find(&m->package[0].l3, 0x20000));
	free(m);
}

// WBINVD also writes the buffers of non-temporal stores to memory.
static void buffers_are_emptied(void **state)
{
	struct memory *m = begin("nehalem");
	uint64_t before;

	(void)state;
	refer(m, 1, ACCESS_STREAM, 0x40000);
	assert_int_equal(m->core[1].combining.held, 1);
	before = all;
	memory_empty(m, 0, 0);
	assert_int_equal(m->core[1].combining.held, 0);
	assert_int_not_equal(all, before);
	free(m);
}

static uint64_t random_state;

static unsigned random_below(unsigned most)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % most;
}

// One of 64 lines that share a set in every cache. No cache has more than 16 ways. The L3 cache's
// sets repeat every 512 KB.
static uint64_t random_line_of_set(void)
{
	return (uint64_t)random_below(64) << 19;
}

// Streams, strides and jumps within 1 MB, and lines of one set. They make prefetchers request lines
// and all caches evict lines.
static void refer_at_random(struct memory *m)
{
	static const enum access kinds[] = {
		ACCESS_LOAD, ACCESS_LOAD, ACCESS_LOAD, ACCESS_STORE, ACCESS_FETCH, ACCESS_LOCK,
		ACCESS_PREFETCH, ACCESS_STREAM,
	};
	uint64_t address = 0;

	for (unsigned i = 0; i < REFERENCES; i++) {
		const bool same_set = !random_below(4);

		address = random_below(4) ? address + 8 * (1 + random_below(16)) :
			(uint64_t)random_below(1u << 17) * 8;
		refer(m, random_below(CORES), kinds[random_below(sizeof kinds / sizeof *kinds)],
		      same_set ? random_line_of_set() : address % (1u << 20));
	}
}

static void the_same_references_raise_the_same_behind_it(void **state)
{
	static const char *const names[] = {"nehalem", "knc"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (unsigned seed = 1; seed <= 3; seed++) {
			struct memory *m = begin(names[i]);
			uint64_t first;

			random_state = seed;
			refer_at_random(m);
			first = all;
			memory_empty(m, seed % CORES, 0);
			all = 0;
			random_state = seed;
			refer_at_random(m);
			assert_int_equal(all, first);
			free(m);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_modified_line_is_written_once),
		cmocka_unit_test(the_whole_package_is_emptied),
		cmocka_unit_test(buffers_are_emptied),
		cmocka_unit_test(the_same_references_raise_the_same_behind_it),
	};

	return cmocka_run_group_tests_name("WBINVD", tests, NULL, NULL);
}
