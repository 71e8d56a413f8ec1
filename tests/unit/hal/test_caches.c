// SPDX-License-Identifier: BSD-2-Clause
// Cache hits and replacement, counted by hand.

#include "unit.h"

#include "../../../hal/emu/model/caches.h"

// 2 ways of 4 sets: lines that are 256 bytes apart share a set.
static const struct cache_geometry small = {.ways = 2, .sets = 4, .line_shift = 6};
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

// Accesses lines in a loop. All of them hit as long as the cache holds them all. Each line more
// makes the three lines of one set miss, as each fill evicts the line that is accessed next.
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

// Fills one set of four ways with lines 0 to 3 in this order, accesses the lines in `used`, then
// fills line 4. Returns the line that is evicted.
static uint64_t goes(enum cache_policy policy, const char *used)
{
	const struct cache_geometry geometry = {.ways = 4, .sets = 1, .line_shift = 6,
						.policy = policy};
	struct cache_line lines[4] = {0};
	struct cache cache;

	cache_begin(&cache, &geometry, lines);
	for (uint64_t i = 0; i < 4; i++)
		assert_false(cache_fill(&cache, i * 64, false).valid);
	for (; *used; used++)
		assert_true(cache_use(&cache, (uint64_t)(*used - '0') * 64, false));
	return cache_fill(&cache, 4 * 64, false).address / 64;
}

// Tree PLRU evicts from the half that was not used last: the line that was not used last there.
static void a_tree_finds_what_goes(void **state)
{
	(void)state;
	assert_int_equal(goes(CACHE_PLRU, ""), 0);
	assert_int_equal(goes(CACHE_PLRU, "0"), 2);	// right half, in which 3 was used after 2
	assert_int_equal(goes(CACHE_PLRU, "02"), 1);
	assert_int_equal(goes(CACHE_PLRU, "20"), 3);
	assert_int_equal(goes(CACHE_PLRU, "0213"), 0);
	assert_int_equal(goes(CACHE_LRU, "0213"), 0);
	assert_int_equal(goes(CACHE_PLRU, "1230"), 2);	// LRU evicts 1
	assert_int_equal(goes(CACHE_LRU, "1230"), 1);
}

// MRU bits: after the fills only line 3, the last one filled, has its bit set.
static void the_first_line_without_a_mark_goes(void **state)
{
	(void)state;
	assert_int_equal(goes(CACHE_MRU, ""), 0);
	assert_int_equal(goes(CACHE_MRU, "0"), 1);
	assert_int_equal(goes(CACHE_MRU, "10"), 2);
	// 2 sets the last bit, which clears the other bits
	assert_int_equal(goes(CACHE_MRU, "102"), 0);
	assert_int_equal(goes(CACHE_MRU, "1020"), 1);
}

// With each policy, one pass over twice the cache's lines evicts all earlier lines. A loop over
// twice the cache or more always misses.
static void twice_the_cache_misses_always(void **state)
{
	(void)state;
	for (enum cache_policy policy = CACHE_LRU; policy <= CACHE_MRU; policy++)
		for (unsigned lines = 16; lines <= 64; lines *= 2) {
			const struct cache_geometry geometry = {.ways = 8, .sets = 1,
								.line_shift = 6,
								.policy = policy};
			struct cache_line line[8] = {0};
			struct cache cache;

			cache_begin(&cache, &geometry, line);
			for (unsigned i = 0; i < 4 * lines; i++) {
				assert_false(cache_use(&cache, i % lines * 64, false));
				cache_fill(&cache, i % lines * 64, false);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_of_a_line_hit_together),
		cmocka_unit_test(address_0_is_not_there_at_first),
		cmocka_unit_test(the_line_used_longest_ago_goes),
		cmocka_unit_test(another_set_keeps_its_lines),
		cmocka_unit_test(what_was_written_is_dirty_when_it_goes),
		cmocka_unit_test(the_cliff_stands_where_the_cache_ends),
		cmocka_unit_test(a_tree_finds_what_goes),
		cmocka_unit_test(the_first_line_without_a_mark_goes),
		cmocka_unit_test(twice_the_cache_misses_always),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
