// SPDX-License-Identifier: BSD-2-Clause
// Which address a PREFETCHh in a block has: bytes by the opcode maps of the SDM, volume 2.

#include "unit.h"

#include "../../../hal/emu/plugin/prefetches.c"

#define NONE 0x7FFF

// Blocks, with the size of each instruction; the number of the prefetch, and of the access that it is told by.
static const struct block {
	const char *text;
	uint8_t bytes[24], sizes[4];
	unsigned bits, prefetch, of;
	int32_t distance;
	uint8_t hint;
	bool loads;
} blocks[] = {
	{"prefetcht0 [rdi+200h]; mov rax, [rdi]", {0x0F, 0x18, 0x8F, 0, 2, 0, 0, 0x48, 0x8B, 0x07}, {7, 3}, 64,
	 0, 1, 0x200, 1, true},
	{"mov rax, [rsi+8]; add rbx, rax; prefetchnta [rsi+48h]",
	 {0x48, 0x8B, 0x46, 8, 0x48, 0x01, 0xC3, 0x0F, 0x18, 0x46, 0x48}, {4, 3, 4}, 64, 2, 0, 0x40, 0, true},
	{"mov [rdi], eax; prefetcht2 [rdi-40h]", {0x89, 0x07, 0x0F, 0x18, 0x5F, 0xC0}, {2, 4}, 64,
	 1, 0, -0x40, 3, false},
	{"prefetcht1 [rsi+40h]; mov rsi, [rsi]", {0x0F, 0x18, 0x56, 0x40, 0x48, 0x8B, 0x36}, {4, 3}, 64,
	 0, 1, 0x40, 2, true},
	{"mov eax, [esi]; prefetcht0 [esi+4]", {0x8B, 0x06, 0x0F, 0x18, 0x4E, 4}, {2, 4}, 32, 1, 0, 4, 1, true},
	{"add [rdi+rcx*8], rax; prefetcht0 [rdi+rcx*8+40h]", {0x48, 0x01, 0x04, 0xCF, 0x0F, 0x18, 0x4C, 0xCF, 0x40},
	 {4, 5}, 64, 1, 0, 0x40, 1, true},
	// The register has changed: by what comes between, also in part; by the access itself.
	{"mov rax, [rsi]; add rsi, 8; prefetcht0 [rsi]", {0x48, 0x8B, 0x06, 0x48, 0x83, 0xC6, 8, 0x0F, 0x18, 0x0E},
	 {3, 4, 3}, 64, 2, NONE},
	{"mov rax, [rsi]; mov sil, 1; prefetcht0 [rsi]", {0x48, 0x8B, 0x06, 0x40, 0xB6, 1, 0x0F, 0x18, 0x0E},
	 {3, 3, 3}, 64, 2, NONE},
	{"mov rsi, [rsi]; prefetcht0 [rsi+40h]", {0x48, 0x8B, 0x36, 0x0F, 0x18, 0x4E, 0x40}, {3, 4}, 64, 1, NONE},
	{"prefetcht0 [rsi]; inc rsi; mov rax, [rsi]", {0x0F, 0x18, 0x0E, 0x48, 0xFF, 0xC6, 0x48, 0x8B, 0x06},
	 {3, 3, 3}, 64, 0, NONE},
	// Another address; several accesses; the stack's; none.
	{"mov rax, [rdi+rcx*4]; prefetcht0 [rdi+rcx*8]", {0x48, 0x8B, 0x04, 0x8F, 0x0F, 0x18, 0x0C, 0xCF}, {4, 4}, 64,
	 1, NONE},
	{"mov rax, [rdi]; prefetcht0 [rip]", {0x48, 0x8B, 0x07, 0x0F, 0x18, 0x0D, 0, 0, 0, 0}, {3, 7}, 64, 1, NONE},
	{"mov rax, fs:[rdi]; prefetcht0 [rdi]", {0x64, 0x48, 0x8B, 0x07, 0x0F, 0x18, 0x0F}, {4, 3}, 64, 1, NONE},
	{"push [rax]; prefetcht0 [rax]", {0xFF, 0x30, 0x0F, 0x18, 0x08}, {2, 3}, 64, 1, NONE},
	{"pop rsp; prefetcht0 [rsp+8]", {0x5C, 0x0F, 0x18, 0x4C, 0x24, 8}, {1, 5}, 64, 1, NONE},
	{"lea rax, [rdi]; prefetcht0 [rdi]", {0x48, 0x8D, 0x07, 0x0F, 0x18, 0x0F}, {3, 3}, 64, 1, NONE},
	{"prefetcht0 [rdi+40h]; prefetcht0 [rdi]", {0x0F, 0x18, 0x4F, 0x40, 0x0F, 0x18, 0x0F}, {4, 3}, 64, 1, NONE},
	{"nop [rdi]; prefetcht0 [rdi]", {0x0F, 0x1F, 0x07, 0x0F, 0x18, 0x0F}, {3, 3}, 64, 1, NONE},
	{"mov rax, [rdi]; mov rbx, [rdi]", {0x48, 0x8B, 0x07, 0x48, 0x8B, 0x1F}, {3, 3}, 64, 1, NONE},
	{"mov rax, [rdi]; (none); prefetcht0 [rdi]", {0x48, 0x8B, 0x07, 0x06, 0x0F, 0x18,
	 0x0F}, {3, 1, 3}, 64, 2, NONE},
};

static void a_prefetch_is_beside_an_access(void **state)
{
	(void)state;
	for (const struct block *b = blocks; b < blocks + sizeof blocks / sizeof *blocks; b++) {
		struct prefetch p = {0};
		size_t count = 0;
		bool found;

		while (count < sizeof b->sizes && b->sizes[count])
			count++;
		found = prefetches_find(&p, b->bytes, b->sizes, count, b->bits, b->prefetch);
		if (found != (b->of != NONE) || (found && (p.of != b->of || p.distance != b->distance ||
							   p.hint != b->hint || p.loads != b->loads)))
			fail_msg("%s: %u, of %zu, distance %d, hint %u, loads %u", b->text, found, p.of, p.distance,
				 p.hint, p.loads);
	}
}

// Displacements may be as far from each other as four bytes cannot say.
static void a_distance_has_four_bytes(void **state)
{
	static const uint8_t bytes[] = {0x48, 0x8B, 0x87, 0, 0, 0, 0x80, 0x0F, 0x18, 0x8F, 0, 0, 0, 0x40};
	static const uint8_t sizes[] = {7, 7};
	struct prefetch p;

	(void)state;
	assert_false(prefetches_find(&p, bytes, sizes, 2, 64, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_prefetch_is_beside_an_access), cmocka_unit_test(a_distance_has_four_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
