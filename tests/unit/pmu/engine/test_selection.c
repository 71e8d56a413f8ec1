// SPDX-License-Identifier: BSD-2-Clause
// Selection by event code and unit mask, compared with its definition: a counter counts an
// occurrence of its code that shares a bit with its mask; without a mask, an occurrence without
// bits.

#include "../../../../pmu/engine/engine.h"
#include "../each_test.h"

#define COUNTERS 16

static void a_counter_is_selected_by_its_code_and_mask(void **state)
{
	static const unsigned codes[] = {0, 1, 0x3C, 0xFF, ENGINE_CODES};
	static const unsigned code_count = sizeof codes / sizeof *codes;
	struct engine_selection s = {0};
	struct { unsigned code, mask; } selects[COUNTERS] = {0};

	(void)state;
	random_state = 1;
	for (unsigned i = 0; i < COUNTERS; i++)
		engine_select(&s, i, 0, 0, 0);
	for (unsigned step = 0; step < 10000; step++) {
		const unsigned changed = (unsigned)random_below(COUNTERS),
			before = selects[changed].code;
		const unsigned code = codes[random_below(code_count)];
		const unsigned bits = (unsigned)(random_bits(0xFF) & random_bits(0xFF));
		uint32_t expected = 0;

		selects[changed].code = codes[random_below(code_count)];
		selects[changed].mask = (unsigned)(random_bits(0xFF) & random_bits(0xFF) &
						   random_bits(0xFF));
		engine_select(&s, changed, before, selects[changed].code, selects[changed].mask);
		for (unsigned i = 0; i < COUNTERS; i++)
			expected |= (uint32_t)(selects[i].code == code &&
					       (selects[i].mask ? (selects[i].mask & bits) != 0 :
						!bits)) << i;
		assert_int_equal(engine_selected(&s, s.of_code[code], bits), expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] =
		{cmocka_unit_test(a_counter_is_selected_by_its_code_and_mask)};

	return cmocka_run_group_tests_name("engine: selection", tests, NULL, NULL);
}
