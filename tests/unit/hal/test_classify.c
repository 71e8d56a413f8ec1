// SPDX-License-Identifier: BSD-2-Clause
// The plugin's classification of instructions. The bytes are encoded by hand from the opcode maps
// of the SDM, volume 2, and the classes are from its text, not from the decoder.

#include "unit.h"

#include "cpu_event.h"
#include "model.h"

#include "../../../hal/emu/qemu/x86/classify.h"
#include "../../../hal/emu/qemu/x86/classify_pipes.h"

#define RAISES(name) CPU_EVENT_SET(name)
#define NONE 0
#define LOADS(n) (n)
#define STORES(n) ((n) << 4)
#define BEHIND_BOTH (CLASS_BEHIND_COMPARE | CLASS_BEHIND_TEST)

static const struct sample {
	const char *text;
	uint8_t size, bytes[15];
	uint8_t bits, branch, references;
	uint16_t kinds;
	uint64_t raises;	// in addition to DECODED, LOADS and STORES
	uint8_t wide;
} samples[] = {
	// Branches. SDM volume 2, appendix A; a near call stores its return address, a near return
	// loads it.
	{"jz", 2, {0x74, 0x10}, 64, OCCURRENCE_KIND_CONDITIONAL, 0, BEHIND_BOTH},
	{"jnz rel32", 6, {0x0F, 0x85, 1, 2, 3, 4}, 64, OCCURRENCE_KIND_CONDITIONAL, 0, BEHIND_BOTH},
	{"jz rel16", 4, {0x0F, 0x84, 1, 2}, 16, OCCURRENCE_KIND_CONDITIONAL, 0, BEHIND_BOTH},
	{"loop", 2, {0xE2, 0xFE}, 64, OCCURRENCE_KIND_CONDITIONAL},
	{"jrcxz", 2, {0xE3, 0x00}, 64, OCCURRENCE_KIND_CONDITIONAL},
	{"jmp rel8", 2, {0xEB, 0xFE}, 64, OCCURRENCE_KIND_JUMP},
	{"jmp rel32", 5, {0xE9, 0, 0, 0, 0}, 64, OCCURRENCE_KIND_JUMP},
	{"jmp rax", 2, {0xFF, 0xE0}, 64, OCCURRENCE_KIND_JUMP_INDIRECT},
	{"jmp [rax]", 2, {0xFF, 0x20}, 64, OCCURRENCE_KIND_JUMP_INDIRECT, LOADS(1)},
	{"call rel32", 5, {0xE8, 0, 0, 0, 0}, 64, OCCURRENCE_KIND_CALL, STORES(1)},
	{"call rel32", 5, {0xE8, 0, 0, 0, 0}, 32, OCCURRENCE_KIND_CALL, STORES(1)},
	{"call rel16", 3, {0xE8, 0, 0}, 16, OCCURRENCE_KIND_CALL, STORES(1)},
	{"call rax", 2, {0xFF, 0xD0}, 64, OCCURRENCE_KIND_CALL_INDIRECT, STORES(1)},
	{"call [rip]", 6, {0xFF, 0x15, 0, 0, 0, 0}, 64, OCCURRENCE_KIND_CALL_INDIRECT,
	 LOADS(1) | STORES(1)},
	{"ret", 1, {0xC3}, 64, OCCURRENCE_KIND_RETURN, LOADS(1)},
	{"ret 8", 3, {0xC2, 8, 0}, 64, OCCURRENCE_KIND_RETURN, LOADS(1)},
	{"repz ret", 2, {0xF3, 0xC3}, 64, OCCURRENCE_KIND_RETURN, LOADS(1)},
	{"int 80h", 2, {0xCD, 0x80}, 64, OCCURRENCE_KIND_FAR, .raises = RAISES(STORES)},
	{"int3", 1, {0xCC}, 64, OCCURRENCE_KIND_FAR, .raises = RAISES(STORES)},
	{"syscall", 2, {0x0F, 0x05}, 64, OCCURRENCE_KIND_FAR},
	{"sysret", 3, {0x48, 0x0F, 0x07}, 64, OCCURRENCE_KIND_FAR},
	{"jmp far 16:32", 7, {0xEA, 0, 0, 0, 0, 8, 0}, 32, OCCURRENCE_KIND_FAR},

	// References.
	{"mov eax, [rax]", 2, {0x8B, 0x00}, 64, NONE, LOADS(1)},
	{"mov [rax], eax", 2, {0x89, 0x00}, 64, NONE, STORES(1)},
	{"mov eax, ebx", 2, {0x89, 0xD8}, 64},
	{"add [rax], eax", 2, {0x01, 0x00}, 64, NONE, LOADS(1) | STORES(1)},
	{"cmp [rax], eax", 2, {0x39, 0x00}, 64, NONE, LOADS(1), CLASS_COMPARE},
	{"push rax", 1, {0x50}, 64, NONE, STORES(1)},
	{"pop rax", 1, {0x58}, 64, NONE, LOADS(1)},
	{"push [rax]", 2, {0xFF, 0x30}, 64, NONE, LOADS(1) | STORES(1)},
	{"pop [rax]", 2, {0x8F, 0x00}, 64, NONE, LOADS(1) | STORES(1)},
	{"leave", 1, {0xC9}, 64, NONE, LOADS(1)},
	{"lea rax, [rax]", 3, {0x48, 0x8D, 0x00}, 64},
	{"nop [rax]", 3, {0x0F, 0x1F, 0x00}, 64},
	{"movs", 1, {0xA4}, 64, NONE, LOADS(1) | STORES(1)},
	{"cmps", 1, {0xA6}, 64, NONE, LOADS(2)},
	{"cmpsd", 1, {0xA7}, 64, NONE, LOADS(2)},	// the string instruction, not the SSE2 one
	{"movsd", 1, {0xA5}, 64, NONE, LOADS(1) | STORES(1)},
	{"stos", 1, {0xAA}, 64, NONE, STORES(1)},
	{"prefetchnta [rax]", 3, {0x0F, 0x18, 0x00}, 64, .kinds = CLASS_PREFETCH,
	 .raises = RAISES(PREFETCH)},
	{"prefetcht0 [rax]", 3, {0x0F, 0x18, 0x08}, 64, .kinds = CLASS_PREFETCH,
	 .raises = RAISES(PREFETCH)},
	{"prefetcht1 [rax]", 3, {0x0F, 0x18, 0x10}, 64, .kinds = CLASS_PREFETCH,
	 .raises = RAISES(PREFETCH)},
	{"prefetcht2 [rax]", 3, {0x0F, 0x18, 0x18}, 64, .kinds = CLASS_PREFETCH,
	 .raises = RAISES(PREFETCH)},
	{"clflush [rax]", 3, {0x0F, 0xAE, 0x38}, 64, .raises = RAISES(BARRIER)},
	{"cpuid", 2, {0x0F, 0xA2}, 64, .raises = RAISES(BARRIER)},
	{"movaps xmm0, [rax]", 3, {0x0F, 0x28, 0x00}, 64, NONE, LOADS(1), .wide = 16},
	{"fld m80", 2, {0xDB, 0x28}, 64, NONE, LOADS(1), .raises = RAISES(X87), .wide = 10},
	{"cmpxchg16b [rax]", 4, {0x48, 0x0F, 0xC7, 0x08}, 64, NONE, LOADS(1) | STORES(1),
	 .wide = 16},

	// Repeated string instructions, locks, fences, halts.
	{"rep movsb", 2, {0xF3, 0xA4}, 64, NONE, LOADS(1) | STORES(1), CLASS_REPEATED},
	{"repne scasb", 2, {0xF2, 0xAE}, 64, NONE, LOADS(1), CLASS_REPEATED},
	{"rep stosq", 3, {0xF3, 0x48, 0xAB}, 64, NONE, STORES(1), CLASS_REPEATED},
	{"pause", 2, {0xF3, 0x90}, 64, .kinds = CLASS_PAUSE},
	{"lock inc [rax]", 3, {0xF0, 0xFF, 0x00}, 64, NONE, LOADS(1) | STORES(1), CLASS_LOCKED},
	{"lock cmpxchg [rax], ecx", 4, {0xF0, 0x0F, 0xB1, 0x08}, 64, NONE, LOADS(1) | STORES(1),
	 CLASS_LOCKED},
	{"xchg [rax], ecx", 2, {0x87, 0x08}, 64, NONE, LOADS(1) | STORES(1), CLASS_LOCKED},
	{"xchg eax, ecx", 2, {0x87, 0xC8}, 64},
	{"lfence", 3, {0x0F, 0xAE, 0xE8}, 64},
	{"mfence", 3, {0x0F, 0xAE, 0xF0}, 64, .kinds = CLASS_FENCE, .raises = RAISES(BARRIER)},
	{"sfence", 3, {0x0F, 0xAE, 0xF8}, 64, .kinds = CLASS_FENCE, .raises = RAISES(BARRIER)},
	{"movnti [rax], ecx", 3, {0x0F, 0xC3, 0x08}, 64, NONE, STORES(1), CLASS_STREAM},
	{"movntdq [rax], xmm0", 4, {0x66, 0x0F, 0xE7, 0x00}, 64, NONE, STORES(1), CLASS_STREAM,
	 .wide = 16},
	{"movntps [rax], xmm0", 3, {0x0F, 0x2B, 0x00}, 64, NONE, STORES(1), CLASS_STREAM,
	 .wide = 16},
	{"movntdqa xmm0, [rax]", 5, {0x66, 0x0F, 0x38, 0x2A, 0x00}, 64, NONE, LOADS(1), .wide = 16},
	{"hlt", 1, {0xF4}, 64, .kinds = CLASS_HALT},
	{"into", 1, {0xCE}, 32, .kinds = CLASS_TRAP},

	// Arithmetic.
	{"div ecx", 2, {0xF7, 0xF1}, 64, .raises = RAISES(DIVIDE) | RAISES(COMPUTATION)},
	{"idiv [rax]", 2, {0xF7, 0x38}, 64, NONE, LOADS(1), 0,
	 RAISES(DIVIDE) | RAISES(COMPUTATION)},
	{"not ecx", 2, {0xF7, 0xD1}, 64},
	{"mul ecx", 2, {0xF7, 0xE1}, 64, .raises = RAISES(MULTIPLY)},
	{"imul eax, ecx, 3", 3, {0x6B, 0xC1, 3}, 64, .raises = RAISES(MULTIPLY)},
	{"addps", 3, {0x0F, 0x58, 0xC1}, 64, .raises = RAISES(PACKED_SINGLE)},
	{"addpd", 4, {0x66, 0x0F, 0x58, 0xC1}, 64, .raises = RAISES(PACKED_DOUBLE)},
	{"addss", 4, {0xF3, 0x0F, 0x58, 0xC1}, 64, .raises = RAISES(SCALAR_SINGLE)},
	{"addsd [rax]", 4, {0xF2, 0x0F, 0x58, 0x00}, 64, NONE, LOADS(1), 0, RAISES(SCALAR_DOUBLE)},
	{"mulpd", 4, {0x66, 0x0F, 0x59, 0xC1}, 64,
	 .raises = RAISES(PACKED_DOUBLE) | RAISES(MULTIPLY)},
	{"divss", 4, {0xF3, 0x0F, 0x5E, 0xC1}, 64,
	 .raises = RAISES(SCALAR_SINGLE) | RAISES(DIVIDE)},
	{"sqrtsd", 4, {0xF2, 0x0F, 0x51, 0xC1}, 64,
	 .raises = RAISES(SCALAR_DOUBLE) | RAISES(DIVIDE)},
	{"ucomisd", 4, {0x66, 0x0F, 0x2E, 0xC1}, 64, .raises = RAISES(SCALAR_DOUBLE)},
	{"rcpps", 3, {0x0F, 0x53, 0xC1}, 64, .raises = RAISES(PACKED_SINGLE)},
	{"haddps", 4, {0xF2, 0x0F, 0x7C, 0xC1}, 64},
	{"movaps", 3, {0x0F, 0x28, 0xC1}, 64},
	{"andps", 3, {0x0F, 0x54, 0xC1}, 64},
	{"cvtsi2sd", 4, {0xF2, 0x0F, 0x2A, 0xC1}, 64},

	{"paddd xmm", 4, {0x66, 0x0F, 0xFE, 0xC1}, 64,
	 .raises = RAISES(PACKED_INTEGER) | RAISES(ARITHMETIC_128)},
	{"pxor xmm", 4, {0x66, 0x0F, 0xEF, 0xC1}, 64,
	 .raises = RAISES(PACKED_INTEGER) | RAISES(LOGIC_128)},
	{"pshufb xmm", 5, {0x66, 0x0F, 0x38, 0x00, 0xC1}, 64, .raises = RAISES(PACKED_INTEGER)},
	{"pmullw xmm", 4, {0x66, 0x0F, 0xD5, 0xC1}, 64,
	 .raises = RAISES(PACKED_INTEGER) | RAISES(MULTIPLY_128) | RAISES(MULTIPLY)},
	{"pmulld xmm", 5, {0x66, 0x0F, 0x38, 0x40, 0xC1}, 64, .raises = RAISES(MULTIPLY)},
	{"pslld xmm, 3", 5, {0x66, 0x0F, 0x72, 0xF1, 3}, 64,
	 .raises = RAISES(PACKED_INTEGER) | RAISES(SHIFT_128)},
	{"pslld xmm, xmm", 4, {0x66, 0x0F, 0xF2, 0xC1}, 64},
	{"phaddd xmm", 5, {0x66, 0x0F, 0x38, 0x02, 0xC1}, 64},
	{"movdqa", 4, {0x66, 0x0F, 0x6F, 0xC1}, 64},

	{"pmuludq xmm", 4, {0x66, 0x0F, 0xF4, 0xC1}, 64,
	 .raises = RAISES(PACKED_INTEGER) | RAISES(MULTIPLY) | RAISES(MULTIPLY_128)},
	{"packuswb xmm", 4, {0x66, 0x0F, 0x67, 0xC1}, 64,
	 .raises = RAISES(PACKED_INTEGER) | RAISES(PACK_128)},
	{"punpckhqdq xmm", 4, {0x66, 0x0F, 0x6D, 0xC1}, 64,
	 .raises = RAISES(PACKED_INTEGER) | RAISES(UNPACK_128)},
	{"pcmpgtb xmm, [rax]", 4, {0x66, 0x0F, 0x64, 0x00}, 64, NONE, LOADS(1), 0,
	 RAISES(PACKED_INTEGER) | RAISES(ARITHMETIC_128), .wide = 16},
	{"psrldq xmm, 3", 5, {0x66, 0x0F, 0x73, 0xD9, 3}, 64, .raises = RAISES(PACKED_INTEGER)},

	// x87, MMX: all instructions with an x87 or MMX register.
	{"fld st1", 2, {0xD9, 0xC1}, 64, .raises = RAISES(X87)},
	{"fadd m32", 2, {0xD8, 0x00}, 64, NONE, LOADS(1), 0, RAISES(X87) | RAISES(COMPUTATION)},
	{"fstp m64", 2, {0xDD, 0x18}, 64, NONE, STORES(1), 0, RAISES(X87)},
	{"fdivp", 2, {0xDE, 0xF9}, 64, .raises = RAISES(X87) | RAISES(COMPUTATION) |
	 RAISES(DIVIDE)},
	{"fsqrt", 2, {0xD9, 0xFA}, 64, .raises = RAISES(X87) | RAISES(COMPUTATION) |
	 RAISES(DIVIDE)},
	{"fmul st, st1", 2, {0xD8, 0xC9}, 64, .raises = RAISES(X87) | RAISES(COMPUTATION) |
	 RAISES(MULTIPLY)},
	{"fcmovb", 2, {0xDA, 0xC1}, 64, .raises = RAISES(X87)},
	{"fwait", 1, {0x9B}, 64, .raises = RAISES(X87)},
	{"fbld", 2, {0xDF, 0x20}, 64, NONE, LOADS(1), 0, RAISES(X87), .wide = 10},
	{"fbstp", 2, {0xDF, 0x30}, 64, NONE, STORES(1), 0, RAISES(X87), .wide = 10},
	{"fldenv", 2, {0xD9, 0x20}, 64, NONE, LOADS(1), 0, RAISES(X87), .wide = 28},
	{"frstor", 2, {0xDD, 0x20}, 64, NONE, LOADS(1), 0, RAISES(X87)},
	{"fxrstor", 3, {0x0F, 0xAE, 0x08}, 64, NONE, LOADS(1)},
	{"paddd mm", 3, {0x0F, 0xFE, 0xC1}, 64, .raises = RAISES(MMX) | RAISES(ARITHMETIC_64)},
	{"movq mm, [rax]", 3, {0x0F, 0x6F, 0x00}, 64, NONE, LOADS(1), 0, RAISES(MMX)},
	{"pshufb mm", 4, {0x0F, 0x38, 0x00, 0xC1}, 64, .raises = RAISES(MMX) | RAISES(SHUFFLE_64)},
	{"pmullw mm", 3, {0x0F, 0xD5, 0xC1}, 64, .raises = RAISES(MMX) | RAISES(MULTIPLY_64) |
	 RAISES(MULTIPLY)},
	{"psrlq mm, mm", 3, {0x0F, 0xD3, 0xC1}, 64, .raises = RAISES(MMX) | RAISES(SHIFT_64)},
	{"packsswb mm", 3, {0x0F, 0x63, 0xC1}, 64, .raises = RAISES(MMX) | RAISES(PACK_64)},
	{"punpcklbw mm", 3, {0x0F, 0x60, 0xC1}, 64, .raises = RAISES(MMX) | RAISES(UNPACK_64)},
	{"pand mm", 3, {0x0F, 0xDB, 0xC1}, 64, .raises = RAISES(MMX) | RAISES(LOGIC_64)},
	{"phaddw mm", 4, {0x0F, 0x38, 0x01, 0xC1}, 64, .raises = RAISES(MMX)},
	{"fcomip st1", 2, {0xDF, 0xF1}, 64, .raises = RAISES(X87) | RAISES(COMPUTATION)},
	{"fabs", 2, {0xD9, 0xE1}, 64, .raises = RAISES(X87) | RAISES(COMPUTATION)},
	{"fyl2xp1", 2, {0xD9, 0xF9}, 64, .raises = RAISES(X87) | RAISES(COMPUTATION)},
	{"fisttp m32", 2, {0xDB, 0x08}, 64, NONE, STORES(1), 0, RAISES(X87) | RAISES(COMPUTATION)},
	{"fild m32", 2, {0xDB, 0x00}, 64, NONE, LOADS(1), 0, RAISES(X87)},
	{"fxch", 2, {0xD9, 0xC9}, 64, .raises = RAISES(X87)},
	{"cvtpi2ps xmm, mm", 3, {0x0F, 0x2A, 0xC1}, 64, .raises = RAISES(MMX)},
	{"emms", 2, {0x0F, 0x77}, 64, .raises = RAISES(MMX)},

	// Optimization Reference Manual, "Length-Changing Prefixes".
	{"add ax, 1234h", 4, {0x66, 0x05, 0x34, 0x12}, 64, .raises = RAISES(LENGTH_CHANGED)},
	{"add eax, 1234h", 5, {0x05, 0x34, 0x12, 0, 0}, 64},
	{"add ax, 12h", 4, {0x66, 0x83, 0xC0, 0x12}, 64},
	{"add ax, cx", 3, {0x66, 0x01, 0xC8}, 64},
	{"mov dx, 1234h", 4, {0x66, 0xBA, 0x34, 0x12}, 64, .raises = RAISES(LENGTH_CHANGED)},
	{"mov rdx, imm64", 10, {0x48, 0xBA, 1, 2, 3, 4, 5, 6, 7, 8}, 64},
	{"add eax, 12345678h", 6, {0x66, 0x05, 0x78, 0x56, 0x34, 0x12}, 16,
	 .raises = RAISES(LENGTH_CHANGED)},
	{"ret 8", 4, {0x66, 0xC2, 8, 0}, 32, OCCURRENCE_KIND_RETURN, LOADS(1)},
	{"mov eax, [bx]", 3, {0x67, 0x8B, 0x07}, 32, NONE, LOADS(1), 0, RAISES(LENGTH_CHANGED)},
	{"mov eax, [ebx]", 3, {0x67, 0x8B, 0x03}, 64, NONE, LOADS(1)},

	// "Optimizing for Macro-fusion": CMP and TEST, except of memory with an immediate, and the
	// conditional jumps that fuse with each.
	{"cmp eax, ecx", 2, {0x39, 0xC8}, 64, .kinds = CLASS_COMPARE},
	{"cmp eax, 5", 3, {0x83, 0xF8, 5}, 64, .kinds = CLASS_COMPARE},
	{"cmp eax, [rax]", 2, {0x3B, 0x00}, 64, NONE, LOADS(1), CLASS_COMPARE},
	{"cmp [rax], 5", 3, {0x83, 0x38, 5}, 64, NONE, LOADS(1)},
	{"test eax, eax", 2, {0x85, 0xC0}, 64, .kinds = CLASS_TEST},
	{"test [rax], 5", 3, {0xF6, 0x00, 5}, 64, NONE, LOADS(1)},
	{"jl", 2, {0x7C, 0}, 64, OCCURRENCE_KIND_CONDITIONAL, 0, BEHIND_BOTH},
	{"jng", 2, {0x7E, 0}, 64, OCCURRENCE_KIND_CONDITIONAL, 0, BEHIND_BOTH},
	{"ja", 2, {0x77, 0}, 64, OCCURRENCE_KIND_CONDITIONAL, 0, BEHIND_BOTH},
	{"js", 2, {0x78, 0}, 64, OCCURRENCE_KIND_CONDITIONAL, 0, CLASS_BEHIND_TEST},
	{"jno", 2, {0x71, 0}, 64, OCCURRENCE_KIND_CONDITIONAL, 0, CLASS_BEHIND_TEST},
	{"jp", 2, {0x7A, 0}, 64, OCCURRENCE_KIND_CONDITIONAL, 0, CLASS_BEHIND_TEST},
};

static void fails(const struct sample *s, const struct classes *c)
{
	fail_msg("%s: length %u, branch %u, loads %u, stores %u, kinds 0x%x, raises 0x%x", s->text,
		 c->length, c->branch / OCCURRENCE_KIND_CONDITIONAL, c->loads, c->stores, c->kinds,
		 c->raises);
}

static void instructions_are_what_the_manual_says(void **state)
{
	(void)state;
	for (const struct sample *s = samples; s < samples + sizeof samples / sizeof *samples;
	     s++) {
		const struct classes c = classify(s->bytes, s->size, s->bits);
		const uint64_t raises = RAISES(DECODED) | s->raises |
			(s->references & 0xF ? RAISES(LOADS) : 0) |
					(s->references >> 4 ? RAISES(STORES) : 0);

		if (c.raises != raises || c.length != s->size || c.branch != s->branch ||
		    c.kinds != s->kinds || (LOADS(c.loads) | STORES(c.stores)) != s->references ||
		    c.wide != s->wide)
			fails(s, &c);
	}
}

// IRET pops three words, in 64-bit mode five. The number of references is unspecified, but not 0.
static void returns_from_interrupts_load(void **state)
{
	static const uint8_t iretq[] = {0x48, 0xCF};
	const struct classes c = classify(iretq, sizeof iretq, 64);

	(void)state;
	assert_int_equal(c.branch, OCCURRENCE_KIND_FAR);
	assert_true(c.loads);
}

// PUSH ES does not exist in 64-bit mode. The jump lacks two bytes of its displacement.
static void what_is_no_instruction_has_no_length(void **state)
{
	static const uint8_t push_es[] = {0x06}, jump[] = {0xE9, 0, 0};

	(void)state;
	assert_int_equal(classify(push_es, sizeof push_es, 64).length, 0);
	assert_int_equal(classify(push_es, sizeof push_es, 32).length, 1);
	assert_int_equal(classify(jump, sizeof jump, 64).length, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_what_the_manual_says),
		cmocka_unit_test(returns_from_interrupts_load),
		cmocka_unit_test(what_is_no_instruction_has_no_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
