// SPDX-License-Identifier: BSD-2-Clause
// Caches: what hits, and which line goes, counted by hand.

#include "unit.h"

#include "../../../hal/emu/model/caches.h"

// 2 ways of 4 sets: lines that are 256 bytes apart share a set.
static const struct cache_geometry small = {512, 2, 64};
#define FAR 256

struct held {
	struct cache cache;
	struct cache_line lines[8];
};

static struct held begin(void)
{
	return (struct held){0};
}

#define BEGIN(h) struct held h = begin(); cache_begin(&h.cache, &small, h.lines)

static void bytes_of_a_line_hit_together(void **state)
{
	BEGIN(h);

	(void)state;
	assert_false(cache_use(&h.cache, 0x1000, false));
	assert_false(cache_fill(&h.cache, 0x1010, false).valid);
	assert_true(cache_use(&h.cache, 0x1000, false));
	assert_true(cache_use(&h.cache, 0x103F, false));
	assert_false(cache_use(&h.cache, 0x1040, false));
	assert_false(cache_use(&h.cache, 0xFFF, false));
}

static void address_0_is_not_there_at_first(void **state)
{
	BEGIN(h);

	(void)state;
	assert_false(cache_use(&h.cache, 0, false));
	cache_fill(&h.cache, 0, false);
	assert_true(cache_use(&h.cache, 63, false));
}

static void the_line_used_longest_ago_goes(void **state)
{
	struct cache_victim gone;
	BEGIN(h);

	(void)state;
	cache_fill(&h.cache, 0, false);
	cache_fill(&h.cache, FAR, false);
	assert_true(cache_use(&h.cache, 0, false));
	gone = cache_fill(&h.cache, 2 * FAR, false);
	assert_true(gone.valid);
	assert_int_equal(gone.address, FAR);
	assert_true(cache_use(&h.cache, 0, false));
	assert_false(cache_use(&h.cache, FAR, false));
}

static void another_set_keeps_its_lines(void **state)
{
	BEGIN(h);

	(void)state;
	cache_fill(&h.cache, 64, false);
	for (uint64_t i = 0; i < 10; i++)
		cache_fill(&h.cache, i * FAR, false);
	assert_true(cache_use(&h.cache, 64, false));
}

static void what_was_written_is_dirty_when_it_goes(void **state)
{
	BEGIN(h);

	(void)state;
	cache_fill(&h.cache, 0, false);
	assert_true(cache_use(&h.cache, 8, true));
	cache_fill(&h.cache, FAR, true);
	cache_fill(&h.cache, 64, false);
	assert_true(cache_fill(&h.cache, 2 * FAR, false).dirty);
	assert_true(cache_flush(&h.cache, FAR).dirty);
	assert_false(cache_flush(&h.cache, FAR).valid);
	assert_false(cache_flush(&h.cache, 64).dirty);
	assert_false(cache_use(&h.cache, 64, false));
}

// Lines one after the other, again and again: all hit as long as they are no more than the cache has; with one line
// more each of a set's three misses, as the one that comes next has just gone.
static void the_cliff_stands_where_the_cache_ends(void **state)
{
	(void)state;
	for (unsigned lines = 1; lines <= 12; lines++) {
		unsigned misses = 0;
		BEGIN(h);

		for (unsigned turn = 0; turn < 2; turn++)
			for (unsigned i = 0; i < lines; i++)
				if (!cache_use(&h.cache, i * 64, false)) {
					cache_fill(&h.cache, i * 64, false);
					misses += turn;
				}
		assert_int_equal(misses, lines <= 8 ? 0 : 3 * (lines - 8));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_of_a_line_hit_together), cmocka_unit_test(address_0_is_not_there_at_first),
		cmocka_unit_test(the_line_used_longest_ago_goes), cmocka_unit_test(another_set_keeps_its_lines),
		cmocka_unit_test(what_was_written_is_dirty_when_it_goes),
		cmocka_unit_test(the_cliff_stands_where_the_cache_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
