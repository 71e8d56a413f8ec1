// SPDX-License-Identifier: BSD-2-Clause
// Decoding of instructions that the emulator lacks: prefetches (327364, VPREFETCH0, -1, -2, -NTA),
// encoded as VEX.128.0F.W0 18 /1, /2, /3, /0, and some vector instructions, whose displacements are
// in units of the operand size. test_spflt.c tests SPFLT; tests/boot/workloads/knc-vectors.c tests
// the results of vector instructions.

#include "unit.h"

#include "../../../hal/emu/qemu/x86/coprocessor.h"
#include "../../../hal/emu/qemu/x86/operands.h"
#include "../../../hal/emu/qemu/x86/vector.h"

static const struct operands_by guest = {
	.registers = {[0] = 0x1000, [1] = 0x20, [4] = 0x4000, [6] = 0xFFFFFFFF00006000,
		      [9] = 0x9000},
	.ip = 0x400000, .bases = {[4] = 0xF0000000, [5] = 0x60000000}, .bits = 64,
};

static void prefetches(void **state)
{
	static const struct {
		uint8_t bytes[12], length;
		enum access access;
		uint64_t linear;
	} cases[] = {
		// (%rax)
		{{0xC5, 0xF8, 0x18, 0x08}, 4, ACCESS_VPREFETCH0, 0x1000},
		{{0xC5, 0xF8, 0x18, 0x10}, 4, ACCESS_VPREFETCH1, 0x1000},
		{{0xC5, 0xF8, 0x18, 0x18}, 4, ACCESS_PREFETCH_L2, 0x1000},
		{{0xC5, 0xF8, 0x18, 0x00}, 4, ACCESS_PREFETCH_ONCE, 0x1000},
		// 16(%rax,%rcx,8)
		{{0xC5, 0xF8, 0x18, 0x4C, 0xC8, 0x10}, 6, ACCESS_VPREFETCH0, 0x1110},
		{{0xC5, 0xF8, 0x18, 0x0D, 0, 1, 0, 0}, 8, ACCESS_VPREFETCH0, 0x400108},	// 256(%rip)
		// (%r9)
		{{0xC4, 0xC1, 0x78, 0x18, 0x09}, 5, ACCESS_VPREFETCH0, 0x9000},
		// %fs:(%rax)
		{{0x64, 0xC5, 0xF8, 0x18, 0x08}, 5, ACCESS_VPREFETCH0, 0xF0001000},
		{{0x65, 0xC5, 0xF8, 0x18, 0x08}, 5, ACCESS_VPREFETCH0, 0x60001000},
		// (%esi)
		{{0x67, 0xC5, 0xF8, 0x18, 0x0E}, 5, ACCESS_VPREFETCH0, 0x6000},
		// (%rsp)
		{{0xC5, 0xF8, 0x18, 0x0C, 0x24}, 5, ACCESS_VPREFETCH0, 0x4000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct lacking is = lacking_decode(cases[i].bytes, sizeof cases[i].bytes,
							 &guest);

		assert_int_equal(is.kind, LACKING_PREFETCH);
		assert_int_equal(is.length, cases[i].length);
		assert_int_equal(is.access, cases[i].access);
		assert_int_equal(is.linear, cases[i].linear);
	}
}

static void vectors(void **state)
{
	// vmovaps 64(%rax), %zmm2{%k1}; vmovaps %zmm3, 128(%rsi); vaddpd %zmm1, %zmm2, %zmm3;
	// vpaddd (%rax){1to16}, ...
	static const struct {
		uint8_t bytes[7];
		uint64_t linear;
		struct vector_operation o;
	} cases[] = {
		{{0x62, 0xF1, 0x78, 0x09, 0x28, 0x50, 0x01}, 0x1040,
		 {.what = VECTOR_MOVE, .loads = true, .bytes = 64, .to = 2, .mask = 1}},
		{{0x62, 0xF1, 0x78, 0x08, 0x29, 0x5E, 0x02}, 0xFFFFFFFF00006080,
		 {.what = VECTOR_MOVE, .stores = true, .bytes = 64, .second = 3}},
		{{0x62, 0xF1, 0xE9, 0x08, 0x58, 0xD9}, 0,
		 {.what = VECTOR_ADD_FLOAT, .wide = true, .to = 3, .first = 2, .second = 1}},
		{{0x62, 0xF1, 0x69, 0x18, 0xFE, 0x18}, 0x1000,
		 {.what = VECTOR_ADD, .loads = true, .bytes = 4, .to = 3, .first = 2}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct lacking is = lacking_decode(cases[i].bytes, sizeof cases[i].bytes,
							 &guest);

		assert_int_equal(is.kind, LACKING_VECTOR);
		assert_int_equal(is.linear, cases[i].linear);
		assert_int_equal(is.vector.what, cases[i].o.what);
		assert_int_equal(is.vector.wide, cases[i].o.wide);
		assert_int_equal(is.vector.loads, cases[i].o.loads);
		assert_int_equal(is.vector.stores, cases[i].o.stores);
		assert_int_equal(is.vector.bytes, cases[i].o.bytes);
		assert_int_equal(is.vector.to, cases[i].o.to);
		assert_int_equal(is.vector.first, cases[i].o.first);
		assert_int_equal(is.vector.second, cases[i].o.second);
		assert_int_equal(is.vector.mask, cases[i].o.mask);
	}
}

static void others(void **state)
{
	static const uint8_t none[][6] = {
		{0xC5, 0xF8, 0x18, 0xC8},			// a register
		{0xC5, 0xF8, 0x18, 0x28},			// VPREFETCHE0, not implemented
		{0xC5, 0xFC, 0x18, 0x08},			// 256 bits
		{0xC5, 0xF9, 0x18, 0x08}, {0x66, 0xC5, 0xF8, 0x18, 0x08},
		{0xF0, 0xC5, 0xF8, 0x18, 0x08},
		{0x0F, 0x0B}, {0x90},
		{0x62, 0xF1, 0x68, 0x18, 0x58, 0xD9},		// vaddps with a swizzle,
		{0x62, 0xF1, 0x68, 0x88, 0x58, 0xD9},		// a rounding,
		{0x62, 0xF1, 0x68, 0x48, 0x58, 0x1E},		// a conversion
	};
	static const uint8_t brief[] = {0xC5, 0xF8, 0x18, 0x08},
		preference[] = {0xC5, 0xFB, 0xAE, 0xF3};
	struct operands_by narrow = guest;

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_int_equal(lacking_decode(none[i], sizeof none[i], &guest).length, 0);
	for (size_t size = 0; size < sizeof brief; size++)
		assert_int_equal(lacking_decode(brief, size, &guest).length, 0);
	narrow.bits = 32;
	assert_int_equal(lacking_decode(brief, sizeof brief, &narrow).length, 0);
	assert_int_equal(lacking_decode(preference, sizeof preference, &guest).kind, LACKING_SPFLT);
	assert_int_equal(lacking_decode(preference, sizeof preference, &guest).number, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefetches),
		cmocka_unit_test(vectors),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
