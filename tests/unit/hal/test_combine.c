// SPDX-License-Identifier: BSD-2-Clause
// Non-temporal stores, counted by hand. SDM volume 3A, "Buffering of Write Combining Memory
// Locations": a full buffer is written as one line, a partial one in chunks of 8 bytes. Volume 1,
// "Caching of Temporal vs. Non-Temporal Data": a cached copy of the line is evicted.

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "happened.h"

#define LINE	64u

static struct processor processor;
static struct memory *memory;

static bool no_tables(void *context, uint64_t address, uint64_t *entry)
{
	(void)context, (void)address, (void)entry;
	return false;
}

// Nehalem has ten fill buffers.
static void begin(unsigned buffers)
{
	static const struct processor_needs none;

	free(memory);
	assert_true(processor_load(&processor, "nehalem", &none));
	processor.prefetchers = (struct processor_prefetchers){0};
	processor.queue[QUEUE_FILL] = buffers;
	memory = memory_make(&processor, 1, 2, count_cpu_event, no_tables, NULL);
	assert_non_null(memory);
	forget_cpu_events();
}

static struct reached refer(unsigned core, enum access access, uint64_t address, unsigned size)
{
	return memory_refer(memory, &(struct reference){
		.core = core, .access = access, .linear = address, .physical = address,
		.size = size,
	});
}

static int end(void **state)
{
	(void)state;
	free(memory);
	memory = NULL;
	return 0;
}

static void a_whole_line_is_written_at_once(void **state)
{
	(void)state;
	begin(10);
	for (unsigned i = 0; i < 7; i++)
		refer(0, ACCESS_STREAM, i * 8, 8);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_FULL], 0);
	refer(0, ACCESS_STREAM, 56, 8);
	refer(0, ACCESS_STREAM, LINE, 64);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_FULL], 2);
	memory_fence(memory, 0, 0);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_FULL], 2);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_PARTIAL], 0);
	// the stores bypass the caches
	assert_int_equal(all_states(CPU_EVENT_L1D_STORE_I), 0);
	assert_int_equal(happened[0][CPU_EVENT_MEMORY_READ], 0);
	assert_int_equal(happened[0][CPU_EVENT_MEMORY_WRITE], 0);
}

static void a_fence_writes_the_parts(void **state)
{
	(void)state;
	begin(10);
	for (unsigned line = 0; line < 4; line++)
		refer(0, ACCESS_STREAM, line * LINE, 16);		// two chunks
	// crosses into a second chunk
	refer(0, ACCESS_STREAM, 4 * LINE + 6, 4);
	// crosses into the next line
	refer(0, ACCESS_STREAM, 5 * LINE + 60, 8);
	assert_int_equal(happened[0][CPU_EVENT_SPLIT_STORE], 1);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_PARTIAL], 0);
	// of the other core: writes nothing
	memory_fence(memory, 1, 0);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_PARTIAL], 0);
	memory_fence(memory, 0, 0);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_PARTIAL], 4 * 2 + 2 + 2);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_FULL], 0);
	refer(0, ACCESS_STREAM, 0, 8);
	refer(0, ACCESS_LOCK, 16 * LINE, 4);				// a lock acts as a fence
	assert_int_equal(happened[0][CPU_EVENT_STREAM_PARTIAL], 13);
}

// An eleventh line takes the buffer of the first line, which holds one chunk.
static void buffers_are_as_many_as_there_are(void **state)
{
	(void)state;
	begin(10);
	for (unsigned line = 0; line < 10; line++)
		refer(0, ACCESS_STREAM, line * LINE, line ? 16 : 8);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_PARTIAL], 0);
	refer(0, ACCESS_STREAM, 10 * LINE, 8);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_PARTIAL], 1);
	refer(0, ACCESS_STREAM, 11 * LINE, 8);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_PARTIAL], 3);
	memory_fence(memory, 0, 0);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_PARTIAL], 3 + 8 * 2 + 2);
}

static void caches_give_the_line_up(void **state)
{
	(void)state;
	begin(10);
	refer(0, ACCESS_LOAD, 0, 8);
	refer(0, ACCESS_STREAM, 8, 8);
	assert_int_equal(happened[0][CPU_EVENT_L3_EVICTION_EXCLUSIVE], 1);
	assert_int_equal(refer(0, ACCESS_LOAD, 0, 8).source, CPU_EVENT_LOAD_MEMORY);
	// the buffer is written before the load
	assert_int_equal(happened[0][CPU_EVENT_STREAM_PARTIAL], 1);
	refer(1, ACCESS_STORE, LINE, 8);
	refer(0, ACCESS_STREAM, LINE, 8);
	refer(0, ACCESS_STREAM, LINE + 8, 8);
	assert_int_equal(happened[1][CPU_EVENT_L1D_SNOOP_MODIFIED], 1);
	assert_int_equal(happened[0][CPU_EVENT_L3_EVICTION_MODIFIED], 1);
	assert_int_equal(happened[0][CPU_EVENT_MEMORY_WRITE], 1);
}

static void without_buffers_they_are_stores(void **state)
{
	(void)state;
	begin(0);
	refer(0, ACCESS_STREAM, 0, 8);
	memory_fence(memory, 0, 0);
	assert_int_equal(happened[0][CPU_EVENT_L1D_STORE_I], 1);
	assert_int_equal(happened[0][CPU_EVENT_STREAM_PARTIAL], 0);
}

// The line may be in caches without an L3 cache, with a non-inclusive one, or with an inclusive
// one.
static void a_line_leaves_all_caches_of_any_package(void **state)
{
	static const char *const third[] = {
		"", "cache L3 bytes=512 ways=8 line=64 | here\n",
		"cache L3 bytes=512 ways=8 line=64 inclusive | here\n",
	};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct processor_error error;
		char text[400];

		snprintf(text, sizeof text, "cache L1I bytes=128 ways=2 line=64 | here\n"
			 "cache L1D bytes=128 ways=2 line=64 | here\ncache L2 bytes=256 ways=4 "
			 "line=64 | here\n"
			 "queue FILL 10 | here\n%s", third[i]);
		free(memory);
		assert_true(processor_read(&processor, text, strlen(text), &error));
		memory = memory_make(&processor, 1, 2, count_cpu_event, no_tables, NULL);
		assert_non_null(memory);
		forget_cpu_events();
		refer(1, ACCESS_STORE, 0, 8);
		refer(0, ACCESS_STREAM, 0, 8);
		assert_int_equal(happened[0][CPU_EVENT_MEMORY_WRITE], 1);
		assert_int_equal(happened[0][CPU_EVENT_L3_EVICTION_MODIFIED], i ? 1 : 0);
		assert_int_equal(refer(1, ACCESS_LOAD, 0, 8).source, CPU_EVENT_LOAD_MEMORY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_line_is_written_at_once),
		cmocka_unit_test(a_fence_writes_the_parts),
		cmocka_unit_test(buffers_are_as_many_as_there_are),
		cmocka_unit_test(caches_give_the_line_up),
		cmocka_unit_test(without_buffers_they_are_stores),
		cmocka_unit_test(a_line_leaves_all_caches_of_any_package),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
