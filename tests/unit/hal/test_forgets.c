// SPDX-License-Identifier: BSD-2-Clause
// Which x86 instructions empty TLBs or caches. Encodings are by hand from SDM volume 2.

#include "unit.h"

#include "../../../hal/emu/qemu/x86/forgets.h"

static void is(enum forgets expected, size_t size, const uint8_t *bytes)
{
	assert_int_equal(forgets_of(bytes, size), expected);
}

#define BYTES(...) sizeof (uint8_t[]){__VA_ARGS__}, (uint8_t[]){__VA_ARGS__}

static void mov_to_cr3_and_invlpg_empty_tlbs(void **state)
{
	(void)state;
	is(FORGETS_TRANSLATIONS, BYTES(0x0F, 0x22, 0xD8));		// mov cr3, rax: /3
	is(FORGETS_TRANSLATIONS, BYTES(0x41, 0x0F, 0x22, 0xDF));	// mov cr3, r15
	is(FORGETS_TRANSLATIONS, BYTES(0x0F, 0x01, 0x38));		// invlpg [rax]: /7, memory
	is(FORGETS_TRANSLATIONS, BYTES(0x41, 0x0F, 0x01, 0x7C, 0x24, 0x08));	// invlpg [r12 + 8]
}

static void wbinvd_empties_caches(void **state)
{
	(void)state;
	is(FORGETS_CACHES, BYTES(0x0F, 0x09));
}

static void others_empty_nothing(void **state)
{
	(void)state;
	is(FORGETS_NOTHING, BYTES(0x90));
	is(FORGETS_NOTHING, BYTES(0x0F, 0x08));			// invd
	is(FORGETS_NOTHING, BYTES(0x0F, 0x22, 0xC0));		// mov cr0, rax
	is(FORGETS_NOTHING, BYTES(0x0F, 0x20, 0xD8));		// mov rax, cr3
	is(FORGETS_NOTHING, BYTES(0x0F, 0x01, 0xF8));		// swapgs: /7, a register
	is(FORGETS_NOTHING, BYTES(0x0F, 0x01, 0x18));		// lidt [rax]: /3
	is(FORGETS_NOTHING, BYTES(0x48, 0x01, 0x38));		// add [rax], rdi
	is(FORGETS_NOTHING, BYTES(0x09, 0x0F));			// or [rdi], ecx
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mov_to_cr3_and_invlpg_empty_tlbs),
		cmocka_unit_test(wbinvd_empties_caches),
		cmocka_unit_test(others_empty_nothing),
	};

	return cmocka_run_group_tests_name("instructions that empty TLBs or caches", tests, NULL,
					   NULL);
}
