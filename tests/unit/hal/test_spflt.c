// SPDX-License-Identifier: BSD-2-Clause
// The plugin's decoder of SPFLT: all encodings, and bytes that are not SPFLT.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "../../../hal/emu/qemu/x86/classify.h"
#include "../../../hal/emu/qemu/x86/spflt.h"

#define LENGTH(array) (sizeof array / sizeof *array)

// SPFLT is VEX.LIG.F2.0F.WIG AE /6 with a register, as in GNU binutils (gas/testsuite, insn-64.s).
// The test has its bytes, as not all assemblers know it.
static void preferences(void **state)
{
	static const uint8_t some_allowed[] = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x67};

	(void)state;
	for (unsigned number = 0; number < 16; number++) {
		const uint8_t low = (uint8_t)(0xF0 + number % 8);
		const uint8_t brief[] = {0xC5, 0xFB, 0xAE, low};
		const uint8_t full[] = {0xC4, number < 8 ? 0xE1 : 0xC1, 0x7B, 0xAE, low};
		unsigned found = 99;

		assert_int_equal(spflt_decode(full, sizeof full, &found), sizeof full);
		assert_int_equal(found, number);
		if (number < 8) {
			assert_int_equal(spflt_decode(brief, sizeof brief, &found), sizeof brief);
			assert_int_equal(found, number);
		}
		// W and L are ignored, and so are R and X, which extend operands that SPFLT lacks.
		for (unsigned ignored = 0; ignored < 16; ignored++) {
			const uint8_t other[] = {
				0xC4, full[1] ^ (uint8_t)((ignored >> 2) << 6),
					full[2] ^ (ignored & 1 ? 0x80 : 0) ^
				(ignored & 2 ? 0x04 : 0), 0xAE, low, 0x90, 0x90,
			};

			assert_int_equal(spflt_decode(other, sizeof other, &found), 5);
			assert_int_equal(found, number);
		}
		for (unsigned i = 0; i < LENGTH(some_allowed); i++) {
			const uint8_t prefixed[] = {some_allowed[i], some_allowed[i], 0xC4, full[1],
						    0x7B, 0xAE, low};

			assert_int_equal(spflt_decode(prefixed, sizeof prefixed, &found),
					 sizeof prefixed);
			assert_int_equal(found, number);
		}
	}
}

static bool prefers(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	unsigned number, length;

	memcpy(copy, bytes, size);
	length = spflt_decode(copy, size, &number);
	free(copy);
	return length;
}

static void no_preferences(void **state)
{
	static const uint8_t forbidden[] = {0x66, 0xF2, 0xF3, 0xF0, 0x40, 0x48, 0x4F};
	static const uint8_t long_form[] = {0xC4, 0xC1, 0x7B, 0xAE, 0xF3},
		brief[] = {0xC5, 0xFB, 0xAE, 0xF3};
	uint8_t longest[CLASSIFY_LONGEST + 1];

	(void)state;
	for (unsigned i = 0; i < LENGTH(forbidden); i++) {
		const uint8_t prefixed[] = {forbidden[i], 0xC5, 0xFB, 0xAE, 0xF3};
		const uint8_t between[] = {0x2E, forbidden[i], 0x2E, 0xC4, 0xC1, 0x7B, 0xAE, 0xF3};

		assert_false(prefers(prefixed, sizeof prefixed));
		assert_false(prefers(between, sizeof between));
	}
	// All values of each byte. In the short form's second byte only R and L may differ; the
	// last byte has the register.
	for (unsigned value = 0; value < 256; value++) {
		const uint8_t first[] = {(uint8_t)value, 0xFB, 0xAE, 0xF3};
		const uint8_t second[] = {0xC5, (uint8_t)value, 0xAE, 0xF3};
		const uint8_t third[] = {0xC5, 0xFB, (uint8_t)value, 0xF3},
			last[] = {0xC5, 0xFB, 0xAE, (uint8_t)value};
		const uint8_t map[] = {0xC4, (uint8_t)value, 0x7B, 0xAE, 0xF3};

		assert_int_equal(prefers(first, 4), value == 0xC5);
		assert_int_equal(prefers(second, 4), value == 0xFB || value == 0x7B ||
				 value == 0xFF || value == 0x7F);
		assert_int_equal(prefers(third, 4), value == 0xAE);
		assert_int_equal(prefers(last, 4), value >= 0xF0 && value <= 0xF7);
		assert_int_equal(prefers(map, 5), (value & 0x1F) == 1);
	}
	for (size_t size = 0; size < sizeof long_form; size++)
		assert_false(prefers(long_form, size));
	for (size_t size = 0; size < sizeof brief; size++)
		assert_false(prefers(brief, size));
	// An instruction has at most 15 bytes.
	memset(longest, 0x2E, sizeof longest);
	memcpy(longest + CLASSIFY_LONGEST - 4, brief, 4);
	assert_true(prefers(longest, sizeof longest));
	memset(longest, 0x2E, sizeof longest);
	memcpy(longest + CLASSIFY_LONGEST - 3, brief, 4);
	assert_false(prefers(longest, sizeof longest));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(preferences),
		cmocka_unit_test(no_preferences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
