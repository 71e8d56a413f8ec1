// SPDX-License-Identifier: BSD-2-Clause
// References that hit in the first level take a short path (first_level.h). Two identical machines
// receive the same random references; one of them uses the short path where it can. Both must raise
// the same events in the same order.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "../../../hal/emu/model/first_level.h"

#define CORES		2
#define TABLES		0x100000u	/* physical address of the page tables */
#define PAGE		4096u
#define REFERENCES	200000

static uint64_t tables[4][512];

static bool read_entry(void *context, uint64_t address, uint64_t *entry)
{
	(void)context;
	if (address < TABLES || address - TABLES >= sizeof tables)
		return false;
	*entry = tables[(address - TABLES) / PAGE][address % PAGE / 8];
	return true;
}

// Updates the machine's hash of all events raised so far.
static void note(void *context, unsigned core, enum cpu_event what, uint64_t address)
{
	uint64_t *all = context;

	*all = (*all ^ (core << 16 | what) ^ address << 20) * 0x9E3779B97F4A7C15u;
	*all ^= *all >> 29;
}

// Identity mapping: one page of 2 MB, then 512 pages of 4 KB.
static void map(void)
{
	memset(tables, 0, sizeof tables);
	tables[0][0] = (TABLES + PAGE) | 1;
	tables[1][0] = (TABLES + 2 * PAGE) | 1;
	tables[2][0] = 1 | 1u << 7;
	tables[2][1] = (TABLES + 3 * PAGE) | 1;
	for (unsigned i = 0; i < 512; i++)
		tables[3][i] = (1u << 21 | i * PAGE) | 1;
}

struct machine {
	struct processor processor;
	struct memory *memory;
	uint64_t all;
};

static void begin(struct machine *machine, const char *name)
{
	static const struct processor_needs none;

	assert_true(processor_load(&machine->processor, name, &none));
	machine->all = 0;
	machine->memory = memory_make(&machine->processor, 1, CORES, note, read_entry,
				      &machine->all);
	assert_non_null(machine->memory);
}

static uint64_t random_number(void)
{
	static uint64_t state = 0x123456789ABCDEF;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

// Most addresses are within 512 bytes of one of four moving positions.
static void choose(struct reference *r, enum access rare)
{
	static const enum access accesses[] = {
		ACCESS_LOAD, ACCESS_LOAD, ACCESS_LOAD, ACCESS_STORE, ACCESS_STORE, ACCESS_FETCH,
		ACCESS_FETCH, ACCESS_LOCK,
	};
	static uint64_t around[4];
	const unsigned which = random_number() % 4;

	if (random_number() % 64 == 0)
		around[which] = random_number() % (4u << 20);
	*r = (struct reference){
		.core = random_number() % CORES, .access = accesses[random_number() % 8],
		.ip = random_number() % 32,
		.linear = around[which] + random_number() % 512, .size = 1u << random_number() % 5,
		.paged = true, .cr3 = TABLES,
	};
	if (random_number() % 512 == 0)
		r->access = rare;
	r->physical = r->linear;
}

// The cpu events of queues reach the hash with their cycle.
static void note_at(void *context, unsigned package, enum cpu_event what, uint64_t address,
		    uint64_t cycle)
{
	note(context, package, what, address);
	note(context, package, what, cycle);
}

// With a timed clock, up to 64 cycles pass between references.
static void compare(const char *name, enum access rare, bool timed, unsigned least)
{
	static struct first_level near[CORES];
	struct machine a, b;
	unsigned short_ways = 0;
	uint64_t now = 0;

	map();
	begin(&a, name);
	begin(&b, name);
	if (timed) {
		memory_time(a.memory, note_at);
		memory_time(b.memory, note_at);
	}
	for (unsigned core = 0; core < CORES; core++)
		first_level_begin(&near[core], b.memory, core);
	for (unsigned i = 0; i < REFERENCES; i++) {
		struct reference r;
		struct reached by_a, by_b;

		choose(&r, rare);
		now += timed ? random_number() % 64 : 1;
		r.now = near[r.core].now = now;
		by_a = memory_refer(a.memory, &r);
		if (first_level_refer(&near[r.core], r.access, r.ip, r.linear, r.size)) {
			short_ways++;
			by_b = first_level_reached(&near[r.core]);
		} else {
			by_b = memory_refer(b.memory, &r);
			first_level_remember(&near[r.core], &r);
		}
		assert_int_equal(by_b.supplier, by_a.supplier);
		assert_int_equal(by_b.translation, by_a.translation);
		assert_int_equal(by_b.latency, by_a.latency);
		assert_int_equal(by_b.source, by_a.source);
		assert_int_equal(b.all, a.all);
		if (random_number() % 4096 == 0) {
			tlbs_flush(&a.memory->core[0].tlbs);
			tlbs_flush(&b.memory->core[0].tlbs);
		}
	}
	assert_in_range(short_ways, least, REFERENCES);
	free(a.memory);
	free(b.memory);
}

static void core_i7_does_the_same(void **state)
{
	(void)state;
	compare("nehalem", ACCESS_STREAM, false, REFERENCES / 8);
}

static void core_i7_does_the_same_with_the_timed_clock(void **state)
{
	(void)state;
	compare("nehalem", ACCESS_STREAM, true, REFERENCES / 32);
}

static void knights_corner_does_the_same(void **state)
{
	(void)state;
	compare("knc", ACCESS_PREFETCH, false, REFERENCES / 8);
	// the first such prefetch ends use of the short path
	compare("knc", ACCESS_VPREFETCH0, false, 1);
}

// first_level_forget discards the remembered lines, as needed after a change of the page tables.
static void forgets(void **state)
{
	static struct first_level near;
	struct reference r = {.access = ACCESS_LOAD, .linear = 0x1000, .physical = 0x1000,
			      .size = 8};
	struct machine m;

	(void)state;
	begin(&m, "nehalem");
	first_level_begin(&near, m.memory, 0);
	assert_false(first_level_refer(&near, ACCESS_LOAD, 0, 0x1000, 8));
	memory_refer(m.memory, &r);
	first_level_remember(&near, &r);
	assert_true(first_level_refer(&near, ACCESS_LOAD, 0, 0x1000, 8));
	first_level_forget(&near);
	assert_false(first_level_refer(&near, ACCESS_LOAD, 0, 0x1000, 8));
	free(m.memory);
}

static void load(struct first_level *near, struct memory *memory, uint64_t linear)
{
	const struct reference r = {.access = ACCESS_LOAD, .linear = linear, .physical = linear,
				    .size = 8};

	memory_refer(memory, &r);
	first_level_remember(near, &r);
}

// A non-temporal store evicts the line. The next loads from the line before it make the L1D_NEXT
// prefetcher bring it back. The stored data is still in a buffer, so that the next load of the line
// must take the long path, which writes the buffer.
static void what_waits_in_buffers_goes_the_long_way(void **state)
{
	static struct first_level near;
	const struct reference stream = {.access = ACCESS_STREAM, .linear = 0x1040,
					 .physical = 0x1040, .size = 8};
	struct machine m;

	(void)state;
	begin(&m, "nehalem");
	first_level_begin(&near, m.memory, 0);
	load(&near, m.memory, 0x1040);
	assert_true(first_level_refer(&near, ACCESS_LOAD, 0, 0x1040, 8));
	memory_refer(m.memory, &stream);
	assert_null(cache_find(&m.memory->package[0].core[0][CACHE_L1D], 0x1040));
	load(&near, m.memory, 0x1000);
	load(&near, m.memory, 0x1008);
	assert_non_null(cache_find(&m.memory->package[0].core[0][CACHE_L1D], 0x1040));
	assert_false(first_level_refer(&near, ACCESS_LOAD, 0, 0x1040, 8));
	load(&near, m.memory, 0x1040);
	assert_true(first_level_refer(&near, ACCESS_LOAD, 0, 0x1040, 8));
	free(m.memory);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(core_i7_does_the_same),
		cmocka_unit_test(core_i7_does_the_same_with_the_timed_clock),
		cmocka_unit_test(knights_corner_does_the_same),
		cmocka_unit_test(forgets),
		cmocka_unit_test(what_waits_in_buffers_goes_the_long_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
