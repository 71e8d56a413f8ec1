// SPDX-License-Identifier: BSD-2-Clause
// The monitor's look at single instructions: branches by kind and length, locked accesses by address and size. The
// bytes are the assembler's: each instruction stands here as the assembler's text, between two labels.

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "model.h"

#include "../../../hal/emu/svm/decode.c"
#include "../../../hal/emu/svm/taken.c"

#define LENGTH(array) (sizeof array / sizeof *array)

struct code {
	const uint8_t *start, *end;
	const char *text;
};

// An instruction that is assembled and never executed.
#define CODE(instruction)								\
	({										\
		const uint8_t *start_, *end_;						\
		__asm__ volatile(".pushsection .rodata\n"				\
				 "771: " instruction "\n"				\
				 "772: .popsection\n"					\
				 "lea 771b(%%rip), %0\n\tlea 772b(%%rip), %1"		\
				 : "=r"(start_), "=r"(end_));				\
		(struct code){start_, end_, instruction};				\
	})

#define IP 0x200000

static const struct decode_context context = {
	.ip = IP,
	.general = {
		// RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI
		0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000, 0x7000, 0x8000,
		0x10000, 0x20000, 0x30000, 0x40000, 0x50000, 0x60000, 0x70000, 0x80000,	// R8-R15
	},
	.fs_base = 0x100000000, .gs_base = 0x200000000,
};

static struct decoded decode_code(struct code c)
{
	return decode(c.start, (size_t)(c.end - c.start), &context);
}

static void is_branch(struct code c, unsigned kind)
{
	struct decoded d = decode_code(c);

	if (d.kind != kind || d.lock_size || d.next != IP + (uint64_t)(c.end - c.start))
		fail_msg("%s: kind %u, next 0x%llx, lock %u", c.text, d.kind >> 4, (unsigned long long)d.next,
			 d.lock_size);
}

static void is_nothing(struct code c)
{
	struct decoded d = decode_code(c);

	if (d.kind || d.lock_size)
		fail_msg("%s: kind %u, lock %u", c.text, d.kind >> 4, d.lock_size);
}

static void is_locked(struct code c, uint64_t address, unsigned size)
{
	struct decoded d = decode_code(c);

	if (d.kind || d.lock_size != size || d.lock_address != address)
		fail_msg("%s: kind %u, lock of %u at 0x%llx", c.text, d.kind >> 4, d.lock_size,
			 (unsigned long long)d.lock_address);
}

static void conditional_branches(void **state)
{
	(void)state;
	is_branch(CODE("jz .+10"), OCCURRENCE_KIND_CONDITIONAL);
	is_branch(CODE("jo .+1000"), OCCURRENCE_KIND_CONDITIONAL);
	is_branch(CODE("jg .-5"), OCCURRENCE_KIND_CONDITIONAL);
	is_branch(CODE("jg .-500"), OCCURRENCE_KIND_CONDITIONAL);
	is_branch(CODE("ds jnz .+10"), OCCURRENCE_KIND_CONDITIONAL);
	is_branch(CODE("loop ."), OCCURRENCE_KIND_CONDITIONAL);
	is_branch(CODE("loopz ."), OCCURRENCE_KIND_CONDITIONAL);
	is_branch(CODE("loopnz ."), OCCURRENCE_KIND_CONDITIONAL);
	is_branch(CODE("jrcxz ."), OCCURRENCE_KIND_CONDITIONAL);
	is_branch(CODE("jecxz ."), OCCURRENCE_KIND_CONDITIONAL);
	// All sixteen conditions, short and near (SDM volume 2, appendix A).
	for (unsigned condition = 0; condition < 16; condition++) {
		uint8_t near[6] = {0x0F, (uint8_t)(0x80 + condition)}, brief[2] = {(uint8_t)(0x70 + condition)};

		is_branch((struct code){near, near + 6, "near"}, OCCURRENCE_KIND_CONDITIONAL);
		is_branch((struct code){brief, brief + 2, "short"}, OCCURRENCE_KIND_CONDITIONAL);
	}
}

//
// Whether it was taken
//

static bool is_taken(struct code c, uint64_t to, uint64_t flags, uint64_t count)
{
	const struct decoded d = decode_code(c);

	assert_int_not_equal(d.kind, 0);
	return decode_is_taken(&d, to, flags, count);
}

// Behind the instruction c.
static uint64_t behind(struct code c)
{
	return IP + (uint64_t)(c.end - c.start);
}

static void what_is_not_conditional_is_taken_wherever_it_goes(void **state)
{
	const struct code codes[] = {
		CODE("call .+5"), CODE("jmp .+2"), CODE("call *%%rax"), CODE("jmp *%%rax"), CODE("jmp *(%%rax)"),
		CODE("ret"), CODE("ret $8"), CODE("iretq"), CODE("ljmp *(%%rax)"), CODE("syscall"),
	};

	(void)state;
	for (unsigned i = 0; i < LENGTH(codes); i++) {
		assert_true(is_taken(codes[i], behind(codes[i]), 0, 0));
		assert_true(is_taken(codes[i], 0, 0, 0));
	}
}

static void a_conditional_branch_is_taken_if_it_goes_elsewhere(void **state)
{
	const struct code near = CODE("jz .+1000"), brief = CODE("jz .+10"), loop = CODE("loop .");

	(void)state;
	assert_true(is_taken(near, IP + 1000, 0, 0));
	assert_true(is_taken(brief, IP + 10, 0, 0));
	assert_true(is_taken(loop, IP, 0, 0));
	assert_false(is_taken(near, behind(near), ~0ULL, 0));
	assert_false(is_taken(brief, behind(brief), ~0ULL, 0));
	assert_false(is_taken(loop, behind(loop), 0, 1));
}

// What this processor makes of the flags that a condition looks at: the byte that SETcc sets. One line for each.
#define CONDITIONS(C)									\
	C(0, o) C(1, no) C(2, b) C(3, nb) C(4, z) C(5, nz) C(6, be) C(7, nbe)		\
	C(8, s) C(9, ns) C(10, p) C(11, np) C(12, l) C(13, nl) C(14, le) C(15, nle)

#define SET(number, name)								\
	case number:									\
		__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushq %1\n\tpopfq\n\t"		\
				 "lea 128(%%rsp), %%rsp\n\tset" #name " %0"		\
				 : "=q"(set) : "r"(flags) : "cc", "memory");		\
		break;

__attribute__((no_sanitize("address"))) static bool processor_says(unsigned condition, uint64_t flags)
{
	uint8_t set = 0;

	switch (condition) {
	CONDITIONS(SET)
	}
	return set;
}

static void one_to_the_next_instruction_is_by_its_condition(void **state)
{
	static const uint64_t bits[] = {1 << 0, 1 << 2, 1 << 6, 1 << 7, 1 << 11};	// CF, PF, ZF, SF, OF

	(void)state;
	for (unsigned set = 0; set < 1u << LENGTH(bits); set++) {
		uint64_t flags = 2;

		for (unsigned i = 0; i < LENGTH(bits); i++)
			flags |= set >> i & 1 ? bits[i] : 0;
		for (unsigned condition = 0; condition < 16; condition++) {
			const uint8_t near[6] = {0x0F, (uint8_t)(0x80 + condition)};
			const uint8_t brief[2] = {(uint8_t)(0x70 + condition)};
			const bool expected = processor_says(condition, flags);

			assert_int_equal(is_taken((struct code){near, near + 6, "near"}, IP + 6, flags, 0), expected);
			assert_int_equal(is_taken((struct code){brief, brief + 2, "short"}, IP + 2, flags, 0),
					 expected);
		}
	}
}

// SDM volume 2A, LOOP: the count has been decremented, and is not 0; LOOPE and LOOPNE look at ZF, too. JRCXZ: it is 0.
// With the address-size prefix it is ECX.
static void loops_to_the_next_instruction_are_by_their_count(void **state)
{
	const uint64_t zero = 1 << 6, high = 1ULL << 32;
	const struct {
		struct code code;
		uint64_t flags, count;
		bool taken;
	} cases[] = {
		{CODE("loop .+2"), 0, 0, false}, {CODE("loop .+2"), 0, 1, true}, {CODE("loop .+2"), zero, 1, true},
		{CODE("loop .+2"), 0, high, true}, {CODE("addr32 loop .+3"), 0, high, false},
		{CODE("addr32 loop .+3"), 0, high + 1, true},
		{CODE("loope .+2"), zero, 1, true}, {CODE("loope .+2"), 0, 1, false},
		{CODE("loope .+2"), zero, 0, false},
		{CODE("loopne .+2"), zero, 1, false}, {CODE("loopne .+2"), 0, 1, true},
		{CODE("loopne .+2"), 0, 0, false},
		{CODE("jrcxz .+2"), 0, 0, true}, {CODE("jrcxz .+2"), 0, 1, false}, {CODE("jrcxz .+2"), 0, high, false},
		{CODE("jecxz .+3"), 0, high, true},
	};

	(void)state;
	for (unsigned i = 0; i < LENGTH(cases); i++)
		if (is_taken(cases[i].code, behind(cases[i].code), cases[i].flags, cases[i].count) != cases[i].taken)
			fail_msg("%s, count 0x%llx", cases[i].code.text, (unsigned long long)cases[i].count);
}

static void near_branches(void **state)
{
	(void)state;
	is_branch(CODE("call .+100"), OCCURRENCE_KIND_CALL);
	is_branch(CODE("call *%%rax"), OCCURRENCE_KIND_CALL_INDIRECT);
	is_branch(CODE("call *%%r11"), OCCURRENCE_KIND_CALL_INDIRECT);
	is_branch(CODE("call *(%%rax)"), OCCURRENCE_KIND_CALL_INDIRECT);
	is_branch(CODE("call *8(%%rsp)"), OCCURRENCE_KIND_CALL_INDIRECT);
	is_branch(CODE("call *0x12345(%%rip)"), OCCURRENCE_KIND_CALL_INDIRECT);
	is_branch(CODE("call *%%gs:16"), OCCURRENCE_KIND_CALL_INDIRECT);
	is_branch(CODE("call *0x100(%%rbx,%%r9,8)"), OCCURRENCE_KIND_CALL_INDIRECT);
	is_branch(CODE("jmp .+10"), OCCURRENCE_KIND_JUMP);
	is_branch(CODE("jmp .+1000"), OCCURRENCE_KIND_JUMP);
	is_branch(CODE("jmp *%%rdx"), OCCURRENCE_KIND_JUMP_INDIRECT);
	is_branch(CODE("jmp *0x1000(,%%rax,8)"), OCCURRENCE_KIND_JUMP_INDIRECT);
	is_branch(CODE("jmp *-8(%%r13)"), OCCURRENCE_KIND_JUMP_INDIRECT);
	is_branch(CODE("ret"), OCCURRENCE_KIND_RETURN);
	is_branch(CODE("ret $16"), OCCURRENCE_KIND_RETURN);
	is_branch(CODE("repz ret"), OCCURRENCE_KIND_RETURN);
}

static void far_branches(void **state)
{
	(void)state;
	is_branch(CODE("lcall *(%%rax)"), OCCURRENCE_KIND_FAR);
	is_branch(CODE("ljmp *4(%%rax)"), OCCURRENCE_KIND_FAR);
	is_branch(CODE("rex.w ljmp *0x500(%%r12)"), OCCURRENCE_KIND_FAR);
	is_branch(CODE("lretl"), OCCURRENCE_KIND_FAR);
	is_branch(CODE("lretq $8"), OCCURRENCE_KIND_FAR);
	is_branch(CODE("int $0x80"), OCCURRENCE_KIND_FAR);
	is_branch(CODE("int3"), OCCURRENCE_KIND_FAR);
	is_branch(CODE(".byte 0xF1"), OCCURRENCE_KIND_FAR);
	is_branch(CODE("iretq"), OCCURRENCE_KIND_FAR);
	is_branch(CODE("iretl"), OCCURRENCE_KIND_FAR);
	is_branch(CODE("syscall"), OCCURRENCE_KIND_FAR);
	is_branch(CODE("sysretq"), OCCURRENCE_KIND_FAR);
	is_branch(CODE("sysenter"), OCCURRENCE_KIND_FAR);
	is_branch(CODE("sysexitq"), OCCURRENCE_KIND_FAR);
}

static void other_instructions(void **state)
{
	(void)state;
	is_nothing(CODE("nop"));
	is_nothing(CODE("pause"));
	is_nothing(CODE("hlt"));
	is_nothing(CODE("ud2"));
	is_nothing(CODE("add %%rax, (%%rbx)"));
	is_nothing(CODE("cmpxchg %%rax, (%%rbx)"));
	is_nothing(CODE("push (%%rax)"));		// FF /6
	is_nothing(CODE("incl (%%rax)"));		// FF /0
	is_nothing(CODE("decq (%%rax)"));
	is_nothing(CODE("mov $0xE8E8E8E8, %%eax"));	// bytes of calls inside
	is_nothing(CODE("movabs $0xC3C3C3C3C3C3C3C3, %%rax"));
	is_nothing(CODE("xchg %%rax, %%rbx"));
	is_nothing(CODE("xchg %%al, %%bl"));
	is_nothing(CODE("xchg %%rax, %%r9"));
	is_nothing(CODE("cmovz %%rax, %%rbx"));		// 0F 44
	is_nothing(CODE("setz %%al"));			// 0F 94
	is_nothing(CODE("rdmsr"));
	is_nothing(CODE("wrmsr"));
	is_nothing(CODE("cpuid"));
	is_nothing(CODE("rep movsb"));
	is_nothing(CODE("rex.w nop"));
	is_nothing(CODE(".byte 0xCE"));			// INTO, not in 64-bit mode
	is_nothing(CODE(".byte 0x9A, 0, 0, 0, 0, 0, 0"));	// far call, not in 64-bit mode
	is_nothing(CODE(".byte 0xEA, 0, 0, 0, 0, 0, 0"));
	is_nothing(CODE(".byte 0xFF, 0xD8"));		// far call through a register: invalid
	is_nothing(CODE(".byte 0xF0; cmpl $0, (%%rax)"));	// invalid: CMP cannot be locked
	is_nothing(CODE(".byte 0xF0; testl $1, (%%rax)"));
}

static void locked_instructions(void **state)
{
	(void)state;
	is_locked(CODE("lock addl $0, (%%rax)"), 0x1000, 4);
	is_locked(CODE("lock addl $0x12345678, (%%rax)"), 0x1000, 4);
	is_locked(CODE("lock addw $0x1234, (%%rcx)"), 0x2000, 2);
	is_locked(CODE("lock addb $1, (%%rdx)"), 0x3000, 1);
	is_locked(CODE("lock addq $1, (%%rbx)"), 0x4000, 8);
	is_locked(CODE("lock or %%eax, (%%rsi)"), 0x7000, 4);
	is_locked(CODE("lock adc %%al, (%%rdi)"), 0x8000, 1);
	is_locked(CODE("lock sbb %%rax, (%%r8)"), 0x10000, 8);
	is_locked(CODE("lock and %%ax, (%%r9)"), 0x20000, 2);
	is_locked(CODE("lock sub %%r10, (%%r10)"), 0x30000, 8);
	is_locked(CODE("lock xor %%r11d, (%%r11)"), 0x40000, 4);
	is_locked(CODE("lock incl (%%rax)"), 0x1000, 4);
	is_locked(CODE("lock decb (%%rax)"), 0x1000, 1);
	is_locked(CODE("lock notq (%%rax)"), 0x1000, 8);
	is_locked(CODE("lock negl (%%rax)"), 0x1000, 4);
	is_locked(CODE("lock negb (%%rax)"), 0x1000, 1);
	is_locked(CODE("lock btsl %%ecx, (%%rax)"), 0x1000, 4);
	is_locked(CODE("lock btrq %%rcx, (%%rax)"), 0x1000, 8);
	is_locked(CODE("lock btcl %%ecx, (%%rax)"), 0x1000, 4);
	is_locked(CODE("lock btsl $3, (%%rax)"), 0x1000, 4);
	is_locked(CODE("lock btrl $3, (%%rax)"), 0x1000, 4);
	is_locked(CODE("lock btcq $3, (%%rax)"), 0x1000, 8);
	is_locked(CODE("lock cmpxchgb %%cl, (%%rax)"), 0x1000, 1);
	is_locked(CODE("lock cmpxchgq %%rcx, (%%rax)"), 0x1000, 8);
	is_locked(CODE("lock cmpxchg8b (%%rax)"), 0x1000, 8);
	is_locked(CODE("lock cmpxchg16b (%%rax)"), 0x1000, 16);
	is_locked(CODE("lock xaddb %%cl, (%%rax)"), 0x1000, 1);
	is_locked(CODE("lock xaddl %%ecx, (%%rax)"), 0x1000, 4);
	is_locked(CODE("xchg %%eax, (%%rbx)"), 0x4000, 4);
	is_locked(CODE("xchg %%al, (%%rbx)"), 0x4000, 1);
	is_locked(CODE("xchg %%rax, (%%rbx)"), 0x4000, 8);
	is_locked(CODE("xchg %%ax, (%%rbx)"), 0x4000, 2);
	is_locked(CODE("lock xchg %%ax, (%%rbx)"), 0x4000, 2);
}

static void addresses(void **state)
{
	(void)state;
	is_locked(CODE("lock incl 0x7F(%%rax)"), 0x107F, 4);
	is_locked(CODE("lock incl -1(%%rax)"), 0xFFF, 4);
	is_locked(CODE("lock incl 0x12345(%%rax)"), 0x13345, 4);
	is_locked(CODE("lock incl -0x1000(%%rax)"), 0, 4);
	is_locked(CODE("lock incl (%%rsp)"), 0x5000, 4);
	is_locked(CODE("lock incl 4(%%rsp)"), 0x5004, 4);
	is_locked(CODE("lock incl (%%rbp)"), 0x6000, 4);
	is_locked(CODE("lock incl (%%r12)"), 0x50000, 4);
	is_locked(CODE("lock incl (%%r13)"), 0x60000, 4);
	is_locked(CODE("lock incl (%%rax,%%rcx)"), 0x3000, 4);
	is_locked(CODE("lock incl (%%rax,%%rcx,2)"), 0x5000, 4);
	is_locked(CODE("lock incl 8(%%rax,%%rcx,4)"), 0x9008, 4);
	is_locked(CODE("lock incl 0x1000(%%r8,%%r9,8)"), 0x111000, 4);
	is_locked(CODE("lock incl (%%rax,%%r12)"), 0x51000, 4);
	is_locked(CODE("lock incl 0x600000"), 0x600000, 4);
	is_locked(CODE("lock incl 0x100(,%%rbx,8)"), 0x20100, 4);
	is_locked(CODE("lock incl 0x100(%%rbp,%%rbx,8)"), 0x26100, 4);
	is_locked(CODE("lock incl 0x100(%%r13,%%rbx,8)"), 0x80100, 4);
	is_locked(CODE("lock incl (%%eax)"), 0x1000, 4);
	is_locked(CODE("lock incl -0x2000(%%eax)"), 0xFFFFF000, 4);
	is_locked(CODE("lock incl %%fs:(%%rax)"), 0x100001000, 4);
	is_locked(CODE("lock incl %%gs:8"), 0x200000008, 4);
	// Relative to the end of the instruction, its immediate included: F0 FF 05 disp32 is 7 bytes long, F0 83 05
	// disp32 imm8 8, F0 81 05 disp32 imm32 11, 66 F0 81 05 disp32 imm16 10, F0 0F BA 2D disp32 imm8 9.
	is_locked(CODE("lock incl 0x100(%%rip)"), IP + 7 + 0x100, 4);
	is_locked(CODE("lock addl $1, 0x100(%%rip)"), IP + 8 + 0x100, 4);
	is_locked(CODE("lock addl $0x11111111, 0x100(%%rip)"), IP + 11 + 0x100, 4);
	is_locked(CODE("lock addw $0x1111, 0x100(%%rip)"), IP + 10 + 0x100, 2);
	is_locked(CODE("lock btsl $1, 0x100(%%rip)"), IP + 9 + 0x100, 4);
	is_locked(CODE("lock addl $1, -0x100(%%rip)"), IP + 8 - 0x100, 4);
}

static void lines(void **state)
{
	static const struct {
		uint64_t address;
		uint8_t size;
		bool is;
	} cases[] = {
		{60, 4, false}, {61, 4, true}, {63, 1, false}, {63, 2, true}, {56, 8, false}, {57, 8, true},
		{48, 16, false}, {49, 16, true}, {0, 16, false}, {127, 2, true}, {128, 8, false}, {62, 0, false},
	};

	(void)state;
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		struct decoded d = {.lock_address = cases[i].address, .lock_size = cases[i].size};

		assert_int_equal(decode_is_bus_lock(&d), cases[i].is);
	}
}

// SPFLT is VEX.LIG.F2.0F.WIG AE /6 with a register, as GNU binutils spells it (gas/testsuite, insn-64.s). Not all
// assemblers know it: it stands here as bytes.
static void preferences(void **state)
{
	static const uint8_t some_allowed[] = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x67};

	(void)state;
	for (unsigned number = 0; number < 16; number++) {
		const uint8_t low = (uint8_t)(0xF0 + number % 8);
		const uint8_t brief[] = {0xC5, 0xFB, 0xAE, low};
		const uint8_t full[] = {0xC4, number < 8 ? 0xE1 : 0xC1, 0x7B, 0xAE, low};
		unsigned found = 99;

		assert_int_equal(decode_spflt(full, sizeof full, &found), sizeof full);
		assert_int_equal(found, number);
		if (number < 8) {
			assert_int_equal(decode_spflt(brief, sizeof brief, &found), sizeof brief);
			assert_int_equal(found, number);
		}
		// W and L say nothing, nor do R and X, which extend what this instruction has not.
		for (unsigned ignored = 0; ignored < 16; ignored++) {
			const uint8_t other[] = {
				0xC4, full[1] ^ (uint8_t)((ignored >> 2) << 6), full[2] ^ (ignored & 1 ? 0x80 : 0) ^
				(ignored & 2 ? 0x04 : 0), 0xAE, low, 0x90, 0x90,
			};

			assert_int_equal(decode_spflt(other, sizeof other, &found), 5);
			assert_int_equal(found, number);
		}
		for (unsigned i = 0; i < LENGTH(some_allowed); i++) {
			const uint8_t prefixed[] = {some_allowed[i], some_allowed[i], 0xC4, full[1], 0x7B, 0xAE, low};

			assert_int_equal(decode_spflt(prefixed, sizeof prefixed, &found), sizeof prefixed);
			assert_int_equal(found, number);
		}
	}
}

static bool prefers(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	unsigned number, length;

	memcpy(copy, bytes, size);
	length = decode_spflt(copy, size, &number);
	free(copy);
	return length;
}

static void no_preferences(void **state)
{
	static const uint8_t forbidden[] = {0x66, 0xF2, 0xF3, 0xF0, 0x40, 0x48, 0x4F};
	static const uint8_t long_form[] = {0xC4, 0xC1, 0x7B, 0xAE, 0xF3}, brief[] = {0xC5, 0xFB, 0xAE, 0xF3};
	uint8_t longest[DECODE_LONGEST + 1];

	(void)state;
	for (unsigned i = 0; i < LENGTH(forbidden); i++) {
		const uint8_t prefixed[] = {forbidden[i], 0xC5, 0xFB, 0xAE, 0xF3};
		const uint8_t between[] = {0x2E, forbidden[i], 0x2E, 0xC4, 0xC1, 0x7B, 0xAE, 0xF3};

		assert_false(prefers(prefixed, sizeof prefixed));
		assert_false(prefers(between, sizeof between));
	}
	// All values of each byte: of the short form's second, R alone may differ, and L; of the last, the register.
	for (unsigned value = 0; value < 256; value++) {
		const uint8_t first[] = {(uint8_t)value, 0xFB, 0xAE, 0xF3};
		const uint8_t second[] = {0xC5, (uint8_t)value, 0xAE, 0xF3};
		const uint8_t third[] = {0xC5, 0xFB, (uint8_t)value, 0xF3}, last[] = {0xC5, 0xFB, 0xAE, (uint8_t)value};
		const uint8_t map[] = {0xC4, (uint8_t)value, 0x7B, 0xAE, 0xF3};

		assert_int_equal(prefers(first, 4), value == 0xC5);
		assert_int_equal(prefers(second, 4), value == 0xFB || value == 0x7B || value == 0xFF || value == 0x7F);
		assert_int_equal(prefers(third, 4), value == 0xAE);
		assert_int_equal(prefers(last, 4), value >= 0xF0 && value <= 0xF7);
		assert_int_equal(prefers(map, 5), (value & 0x1F) == 1);
	}
	for (size_t size = 0; size < sizeof long_form; size++)
		assert_false(prefers(long_form, size));
	for (size_t size = 0; size < sizeof brief; size++)
		assert_false(prefers(brief, size));
	// 15 bytes at most.
	memset(longest, 0x2E, sizeof longest);
	memcpy(longest + DECODE_LONGEST - 4, brief, 4);
	assert_true(prefers(longest, sizeof longest));
	memset(longest, 0x2E, sizeof longest);
	memcpy(longest + DECODE_LONGEST - 3, brief, 4);
	assert_false(prefers(longest, sizeof longest));
}

// An instruction that is cut off is none; no byte behind the end is read, which the sanitizer sees.
static void truncated(void **state)
{
	const struct code codes[] = {
		CODE("lock addl $0x11111111, 0x12345678(%%rax,%%rcx,4)"), CODE("call .+100"), CODE("jz .+1000"),
		CODE("int $3"),
		CODE("call *0x12345678(%%rax,%%rcx,4)"), CODE("ret $16"), CODE("lock btsl $1, 0x100(%%rip)"),
	};

	(void)state;
	for (unsigned i = 0; i < LENGTH(codes); i++) {
		size_t length = (size_t)(codes[i].end - codes[i].start);

		for (size_t size = 0; size < length; size++) {
			uint8_t *copy = malloc(size ? size : 1);
			struct decoded d;

			memcpy(copy, codes[i].start, size);
			d = decode(copy, size, &context);
			assert_int_equal(d.kind, 0);
			assert_int_equal(d.lock_size, 0);
			free(copy);
		}
	}
}

// Any bytes: never read beyond 15, which is where the memory ends, or beyond what there is.
static void garbage(void **state)
{
	static const uint8_t some_prefixes[] = {0xF0, 0x66, 0x67, 0x48, 0x64, 0x65, 0xF3, 0x4F};
	uint64_t random = 1;

	(void)state;
	for (unsigned turn = 0; turn < 300000; turn++) {
		size_t size = turn % (DECODE_LONGEST + 1);
		uint8_t *bytes = malloc(size ? size : 1);
		struct decoded d;

		for (size_t i = 0; i < size; i++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			bytes[i] = (uint8_t)(random >> 56);
			if (turn & 1 && i < size / 2)	// half of them begin with prefixes
				bytes[i] = some_prefixes[bytes[i] % LENGTH(some_prefixes)];
		}
		d = decode(bytes, size + 100 * (size == DECODE_LONGEST), &context);
		assert_true(d.lock_size <= 16);
		assert_true(!d.kind || (d.next > IP && d.next <= IP + size));
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditional_branches), cmocka_unit_test(near_branches), cmocka_unit_test(far_branches),
		cmocka_unit_test(what_is_not_conditional_is_taken_wherever_it_goes),
		cmocka_unit_test(a_conditional_branch_is_taken_if_it_goes_elsewhere),
		cmocka_unit_test(one_to_the_next_instruction_is_by_its_condition),
		cmocka_unit_test(loops_to_the_next_instruction_are_by_their_count),
		cmocka_unit_test(other_instructions), cmocka_unit_test(locked_instructions),
		cmocka_unit_test(addresses), cmocka_unit_test(lines),
		cmocka_unit_test(preferences), cmocka_unit_test(no_preferences),
		cmocka_unit_test(truncated), cmocka_unit_test(garbage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
