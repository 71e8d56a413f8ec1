// SPDX-License-Identifier: BSD-2-Clause
// The events of each instruction, on CPU 1 with the registers themselves. Pieces of code list each
// instruction's events by hand, from the guide's tables and Intel's manuals. The workload counts
// each event of each piece. It then makes a counter overflow at each occurrence of each event: the
// interrupt must come directly after that instruction. Finally precise records of loads and stores:
// they must hold the registers after the recorded instruction.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpus.h"
#include "registers.h"

int workload(void);

enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, DEBUGCTL = 0x1D9, GLOBAL_STATUS = 0x38E,
	GLOBAL_CTRL = 0x38F, GLOBAL_OVF_CTRL = 0x390, PEBS_ENABLE = 0x3F1, DS_AREA = 0x600,
};

#define ALL_LEVELS		(3u << 16)
#define EDGE			(1u << 18)
#define INT			(1u << 20)
#define EN			(1u << 22)
#define INV			(1u << 23)
#define CMASK_1			(1u << 24)
#define FREEZE_ON_PMI		(1u << 12)
#define COUNTERS		4

static int wrong;

//
// Events: unit mask and code, and the number that one instruction raises
//

#define EVENTS(E)										\
	E(INST, 0x1C0, 1) E(DECODED, 0x1D0, 1) E(QUEUED, 0x117, 1) E(FUSED, 0x1A6, 1)		\
	E(FUSED_RETIRED, 0x4C2, 1) E(SLOW, 0x187, 6) E(LOAD, 0x10B, 1) E(STORE, 0x20B, 1)	\
	E(X87, 0x2C0, 1) E(MMX, 0x4C0, 1) E(TO_FP, 0x1CC, 1) E(TO_MMX, 0x2CC, 1)		\
	E(DIV, 0x114, 1) E(MUL, 0x214, 1)							\
	E(PS, 0x1C7, 1) E(SS, 0x2C7, 1) E(PD, 0x4C7, 1) E(SD, 0x8C7, 1) E(PI, 0x10C7, 1)	\
	E(BRANCH, 0x4C4, 1) E(CONDITIONAL, 0x1C4, 1) E(CALL, 0x2C4, 1) E(BRANCH_DECODED, 0x1E0, 1) \
	E(X_COND, 0x188, 1) E(X_DIRECT, 0x288, 1) E(X_INDIRECT, 0x488, 1) E(X_RETURN, 0x888, 1)	\
	E(X_CALL, 0x1088, 1) E(X_CALL_INDIRECT, 0x2088, 1) E(X_TAKEN, 0x4088,	\
							     1) E(X_ANY, 0x7F88, 1)	\
	E(X_SSE_FP, 0x410, 1) E(X_PACKED, 0x1010, 1) E(X_SCALAR, 0x2010, 1) E(X_SINGLE, 0x4010, 1) \
	E(X_DOUBLE, 0x8010, 1) E(X_SSE2, 0x810, 1) E(X_MMX, 0x210, 1)		\
	E(MPY, 0x112, 1) E(SHIFT, 0x212, 1) E(PACK, 0x412, 1) E(UNPACK, 0x812,	\
								1) E(LOGIC, 0x1012, 1)	\
	E(ARITH, 0x2012, 1) E(MPY_64, 0x1FD, 1) E(SHIFT_64, 0x2FD, 1) E(PACK_64, 0x4FD, 1)	\
	E(UNPACK_64, 0x8FD, 1) E(LOGIC_64, 0x10FD, 1) E(ARITH_64, 0x20FD, 1)

#define NUMBER(name, code, each) NUMBER_##name,
enum { EVENTS(NUMBER) EVENT_COUNT };
#define B(name) (1ULL << NUMBER_##name)
#define ROW(name, code, each) {#name, code, each},
static const struct {
	const char *name;
	uint32_t select, each;
} events[] = {EVENTS(ROW)};

// Most instructions are decoded alone. The second one of a fused pair is not.
#define ALONE	(B(INST) | B(QUEUED) | B(DECODED))
#define SECOND	(B(INST) | B(QUEUED) | B(FUSED) | B(FUSED_RETIRED))
// One SSE uop: its retirement events and its execution events.
#define PACKED_S (B(PS) | B(X_SSE_FP) | B(X_PACKED) | B(X_SINGLE))
#define SCALAR_S (B(SS) | B(X_SSE_FP) | B(X_SCALAR) | B(X_SINGLE))
#define PACKED_D (B(PD) | B(X_SSE_FP) | B(X_PACKED) | B(X_DOUBLE))
#define SCALAR_D (B(SD) | B(X_SSE_FP) | B(X_SCALAR) | B(X_DOUBLE))
#define INTEGERS (B(PI) | B(X_SSE2))
#define AN_MMX	(B(MMX) | B(X_MMX))	/* one uop */
// Branches: SDM volume 2 lists their loads and stores.
#define JCC	(B(BRANCH) | B(CONDITIONAL) | B(BRANCH_DECODED) | B(X_COND) | B(X_ANY))
#define TAKEN	B(X_TAKEN)
#define NEAR(kind) (B(BRANCH) | B(BRANCH_DECODED) | B(kind) | B(X_ANY) | B(X_TAKEN))
#define CALLS(kind) (NEAR(kind) | B(CALL) | B(STORE))

//
// Pieces of code: I(instruction, its events). RDI is the address of 64 bytes of data, RSI that of
// 64 more.
//

#define MEMORY(I)									\
	I("mov	(%rdi), %rbx", ALONE | B(LOAD))						\
	I("mov	%rbx, 8(%rdi)", ALONE | B(STORE))					\
	I("add	%rbx, 16(%rdi)", ALONE | B(LOAD) | B(STORE))				\
	I("lea	8(%rdi), %rbx", ALONE)							\
	I("push	%rbx", ALONE | B(STORE))						\
	I("pop	%rbx", ALONE | B(LOAD))							\
	I("push	(%rdi)", ALONE | B(LOAD) | B(STORE))					\
	I("pop	8(%rdi)", ALONE | B(LOAD) | B(STORE))					\
	I("lock; incl (%rdi)", ALONE | B(LOAD) | B(STORE))				\
	I("xchg	%rbx, (%rdi)", ALONE | B(LOAD) | B(STORE))				\
	I("cmp	$3, (%rdi)", ALONE | B(LOAD))						\
	I("nopl	(%rdi)", ALONE)								\
	I("movaps %xmm0, (%rdi)", ALONE | B(STORE))					\
	I("movnti %rbx, (%rdi)", ALONE | B(STORE))					\
	I("cmovz (%rdi), %rbx", ALONE | B(LOAD))					\
	I("xor	%ebx, %ebx", ALONE)							\
	I("enter $8, $0", ALONE | B(STORE))						\
	I("leave", ALONE | B(LOAD))

// A repeated string is one instruction, with any number of iterations: five, four, one, none.
#define STRINGS(I)									\
	I("mov	$5, %ecx", ALONE)							\
	I("mov	%rdi, %rbx", ALONE)							\
	I("rep	stosb", ALONE | B(STORE))						\
	I("mov	%rbx, %rdi", ALONE)							\
	I("mov	$4, %ecx", ALONE)							\
	I("rep	movsl", ALONE | B(LOAD) | B(STORE))					\
	I("mov	$1, %ecx", ALONE)							\
	I("rep	lodsb", ALONE | B(LOAD))						\
	I("mov	%rbx, %rdi", ALONE)							\
	I("movsb", ALONE | B(LOAD) | B(STORE))						\
	I("cmpsb", ALONE | B(LOAD))							\
	I("mov	%rbx, %rdi", ALONE)							\
	I("xor	%ecx, %ecx", ALONE)

// An X5570 counts x87 computations as INST_RETIRED.X87: not loads of constants, but conversions to
// integers, and also integer divides (Weaver and others, see below).
#define NUMBERS(I)									\
	I("emms", ALONE | B(MMX))							\
	I("fld1", ALONE | B(TO_FP))							\
	I("fld1", ALONE)								\
	I("nop", ALONE)									\
	I("faddp", ALONE | B(X87))							\
	I("fmul	%st, %st", ALONE | B(X87) | B(MUL))					\
	I("fdiv	%st, %st", ALONE | B(X87) | B(DIV))					\
	I("fsqrt", ALONE | B(X87) | B(DIV))						\
	I("fsin", ALONE | B(X87))							\
	I("fistl (%rdi)", ALONE | B(X87) | B(STORE))					\
	I("fstps (%rdi)", ALONE | B(STORE))						\
	I("movq	(%rdi), %mm0", ALONE | B(MMX) | B(TO_MMX) | B(LOAD))			\
	I("paddd %mm0, %mm1", ALONE | AN_MMX | B(ARITH_64))				\
	I("pmullw %mm0, %mm1", ALONE | AN_MMX | B(MPY_64) | B(MUL))			\
	I("psrlq %mm0, %mm1", ALONE | AN_MMX | B(SHIFT_64))				\
	I("packuswb %mm0, %mm1", ALONE | AN_MMX | B(PACK_64))				\
	I("punpckhwd %mm0, %mm1", ALONE | AN_MMX | B(UNPACK_64))			\
	I("pxor	(%rdi), %mm1", ALONE | AN_MMX | B(LOGIC_64) | B(LOAD))			\
	I("pshufw $1, %mm0, %mm1", ALONE | AN_MMX)					\
	I("mov	$7, %eax", ALONE)							\
	I("xor	%edx, %edx", ALONE)							\
	I("mov	$2, %ebx", ALONE)							\
	I("div	%ebx", ALONE | B(X87) | B(DIV))						\
	I("mul	%ebx", ALONE | B(MUL))							\
	I("imul	$3, %ebx, %ebx", ALONE | B(MUL))					\
	I("emms", ALONE | B(MMX))							\
	I("fldz", ALONE | B(TO_FP))							\
	I("fstp	%st", ALONE)								\
	I("emms", ALONE | B(MMX) | B(TO_MMX))

#define VECTORS(I)									\
	I("xorps %xmm0, %xmm0", ALONE)							\
	I("movaps %xmm0, %xmm1", ALONE)							\
	I("addps %xmm0, %xmm1", ALONE | PACKED_S)					\
	I("addss (%rdi), %xmm1", ALONE | SCALAR_S | B(LOAD))				\
	I("mulpd %xmm0, %xmm1", ALONE | PACKED_D | B(MUL))				\
	I("subsd %xmm0, %xmm1", ALONE | SCALAR_D)					\
	I("sqrtps %xmm0, %xmm1", ALONE | PACKED_S | B(DIV))				\
	I("ucomiss %xmm0, %xmm1", ALONE | SCALAR_S)					\
	I("haddpd %xmm0, %xmm1", ALONE)							\
	I("cvtps2pd %xmm0, %xmm1", ALONE)						\
	I("paddd %xmm0, %xmm1", ALONE | INTEGERS | B(ARITH))				\
	I("pmaddwd %xmm0, %xmm1", ALONE | INTEGERS | B(MPY) | B(MUL))			\
	I("pslld $3, %xmm1", ALONE | INTEGERS | B(SHIFT))				\
	I("pslld %xmm0, %xmm1", ALONE)							\
	I("pshufd $3, %xmm0, %xmm1", ALONE | INTEGERS)					\
	I("packssdw %xmm0, %xmm1", ALONE | INTEGERS | B(PACK))				\
	I("punpcklqdq %xmm0, %xmm1", ALONE | INTEGERS | B(UNPACK))			\
	I("pandn %xmm0, %xmm1", ALONE | INTEGERS | B(LOGIC))				\
	I("pcmpeqb %xmm0, %xmm1", ALONE | INTEGERS | B(ARITH))				\
	I("movdqa %xmm0, %xmm1", ALONE)

// An X5570 counts these as loads and stores, too (V. Weaver, D. Terpstra, S. Moore,
// "Non-Determinism and Overcount on Modern Hardware Performance Counter Implementations", 2013):
// the software prefetches as loads; SFENCE, MFENCE, CLFLUSH and CPUID as stores, LFENCE not.
#define SILICON(I)									\
	I("prefetcht0 (%rdi)", ALONE | B(LOAD))						\
	I("prefetcht1 (%rdi)", ALONE | B(LOAD))						\
	I("prefetcht2 (%rdi)", ALONE | B(LOAD))						\
	I("prefetchnta (%rdi)", ALONE | B(LOAD))					\
	I("lfence", ALONE)								\
	I("mfence", ALONE | B(STORE))							\
	I("sfence", ALONE | B(STORE))							\
	I("clflush (%rdi)", ALONE | B(STORE))						\
	I("xor	%eax, %eax", ALONE)							\
	I("cpuid", ALONE | B(STORE))							\
	I("nop", ALONE)									\
	I("xor	%eax, %eax", ALONE)							\
	I("cpuid", ALONE | B(STORE))							\
	I("cpuid", ALONE | B(STORE))							\
	I("mov	%rax, (%rdi)", ALONE | B(STORE))

// CMP and TEST fuse with a directly following branch on carry, zero, less or greater. A branch on
// sign, overflow or parity fuses with TEST only. A comparison of memory with an immediate never
// fuses.
#define PAIRS(I)									\
	I("xor	%ebx, %ebx", ALONE)							\
	I("cmp	%ebx, %ebx", ALONE)							\
	I("jnz	1f", SECOND | JCC)							\
	I("test	%ebx, %ebx", ALONE)							\
	I("js	1f", SECOND | JCC)							\
	I("cmp	%ebx, %ebx", ALONE)							\
	I("js	1f", ALONE | JCC)							\
	I("cmp	%ebx, %ebx", ALONE)							\
	I("jl	1f", SECOND | JCC)							\
	I("cmp	%ebx, %ebx", ALONE)							\
	I("nop", ALONE)									\
	I("ja	1f", ALONE | JCC)							\
	I("cmpl	$-1, (%rdi)", ALONE | B(LOAD))						\
	I("jz	1f", ALONE | JCC)							\
	I("cmp	(%rdi), %rsp", ALONE | B(LOAD))						\
	I("jz	1f", SECOND | JCC)							\
	I("add	$1, %ebx", ALONE)							\
	I("1:	jz 1f", ALONE | JCC)							\
	I("1:	add $0x1234, %bx", ALONE | B(SLOW))					\
	I("add	$0x12345678, %ebx", ALONE)						\
	I("movw	$0x1234, (%rdi)", ALONE | B(SLOW) | B(STORE))				\
	I("add	$2, %bx", ALONE)

// Consecutive branches. Each skips one byte, which is never executed.
#define BRANCHES(I)									\
	I("jmp	1f; nop; 1:", ALONE | NEAR(X_DIRECT))					\
	I("call	1f; nop; 1:", ALONE | CALLS(X_CALL))					\
	I("pop	%rbx", ALONE | B(LOAD))							\
	I("mov	$1f, %rbx", ALONE)							\
	I("jmp	*%rbx; nop; 1:", ALONE | NEAR(X_INDIRECT))				\
	I("mov	$1f, %rbx", ALONE)							\
	I("call	*%rbx; nop; 1:", ALONE | CALLS(X_CALL_INDIRECT))			\
	I("pop	%rbx", ALONE | B(LOAD))							\
	I("mov	$1f, %rbx", ALONE)							\
	I("push	%rbx", ALONE | B(STORE))						\
	I("ret; nop; 1:", ALONE | NEAR(X_RETURN) | B(LOAD))				\
	I("mov	$1f, %rbx", ALONE)							\
	I("mov	%rbx, (%rdi)", ALONE | B(STORE))					\
	I("jmp	*(%rdi); nop; 1:", ALONE | NEAR(X_INDIRECT) | B(LOAD))			\
	I("xor	%ebx, %ebx", ALONE)							\
	I("jz	1f; nop; 1:", ALONE | JCC | TAKEN)					\
	I("jnz	1f", ALONE | JCC)							\
	I("1:	mov $3, %ecx", ALONE)

// Each piece begins and ends with a write of IA32_PERF_GLOBAL_CTRL; three instructions precede the
// second write. `ends` lists the address after each instruction, `raises` its events.
#define TEXT(instruction, raises)								\
	instruction "\n91:\n.pushsection .rodata\n.quad 91b\n.popsection\n"
#define RAISES(instruction, raises) raises,

#define PIECE(name, CODE)									\
	extern const uint64_t ends_##name[];							\
	static const uint64_t raises_##name[] = {CODE(RAISES)};					\
	__attribute__((noipa)) static void execute_##name(void *data)				\
	{											\
		__asm__ volatile(								\
			"push	%%rbp\n mov %%rsp, %%rbp\n and $-16, %%rsp\n"			\
			"mov	$0x38F, %%ecx\n xor %%edx, %%edx\n mov $0xF, %%eax\n"		\
			"call	piece_" #name "\n"						\
			"mov	%%rbp, %%rsp\n pop %%rbp"					\
			: "+D"(data)								\
			: "S"((char *)data + 64)						\
			: "rax", "rbx", "rcx", "rdx", "xmm0", "xmm1", "memory", "cc");		\
	}											\
	__asm__(".pushsection .rodata\n.balign 8\nends_" #name ":\n.popsection\n"		\
		".text\npiece_" #name ": wrmsr\n" CODE(TEXT)					\
		"mov	$0x38F, %ecx\n xor %edx, %edx\n xor %eax, %eax\n wrmsr\n ret\n");

#define BEHIND	4	/* instructions */

#define PIECES(P) P(memory, MEMORY) P(strings, STRINGS) P(numbers,	\
							  NUMBERS) P(vectors, VECTORS) P(pairs,	\
											 PAIRS)	\
	P(branches, BRANCHES) P(silicon, SILICON)
PIECES(PIECE)

#define PIECE_ROW(name, CODE) {#name, execute_##name, raises_##name, ends_##name, \
			       sizeof raises_##name / 8},
static const struct piece {
	const char *name;
	void (*execute)(void *data);
	const uint64_t *raises, *ends;
	unsigned count;
} pieces[] = {PIECES(PIECE_ROW)};

static _Alignas(64) char data[128];

static void execute(const struct piece *p)
{
	memset(data, 0, sizeof data);
	p->execute(data);
}

//
// Counts
//

static uint64_t expected_count(const struct piece *p, unsigned event)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < p->count; i++)
		count += p->raises[i] >> event & 1 ? events[event].each : 0;
	return count + (ALONE >> event & 1 ? BEHIND : 0);
}

static void check_counts(const struct piece *p, unsigned first)
{
	for (unsigned i = 0; i < COUNTERS && first + i < EVENT_COUNT; i++) {
		const uint64_t expected = expected_count(p, first + i), found = get(PMC0 + i);

		if (expected != found) {
			printf("WRONG: %s: %s: %" PRIu64 ", not %" PRIu64 "\n", p->name,
			       events[first + i].name, found, expected);
			wrong++;
		}
	}
}

static void count_all(const struct piece *p)
{
	for (unsigned first = 0; first < EVENT_COUNT; first += COUNTERS) {
		for (unsigned i = 0; i < COUNTERS; i++) {
			put(PERFEVTSEL0 + i, first + i < EVENT_COUNT ? events[first + i].select |
			    ALL_LEVELS | EN : 0);
			put(PMC0 + i, 0);
		}
		execute(p);
		check_counts(p, first);
	}
}

// ARITH.DIV counts an edge each time the divider becomes idle; two divides in NUMBERS are adjacent
// and give one edge. The start of counting is one more edge.
#define DIVIDES_OF_NUMBERS	(1 + 2)
#define LOADS_OF_NUMBERS	2

static void count_edges(void)
{
	const struct piece *p = &pieces[2];
	uint64_t found;

	put(PERFEVTSEL0, 0x114 | CMASK_1 | INV | EDGE | ALL_LEVELS | EN);
	put(PERFEVTSEL0 + 1, 0x10B | CMASK_1 | ALL_LEVELS | EN);
	put(PERFEVTSEL0 + 2, 0);
	put(PERFEVTSEL0 + 3, 0);
	put(PMC0, 0);
	put(PMC0 + 1, 0);
	execute(p);
	found = get(PMC0);
	if (found != DIVIDES_OF_NUMBERS || get(PMC0 + 1) != LOADS_OF_NUMBERS) {
		printf("WRONG: %" PRIu64 " divides, %" PRIu64 " cycles with a load\n", found,
		       get(PMC0 + 1));
		wrong++;
	}
}

//
// Overflows
//

static volatile uint64_t interrupted;

static void note(uint64_t ip, unsigned level)
{
	(void)level;
	interrupted = ip;
	put(GLOBAL_OVF_CTRL, get(GLOBAL_STATUS));
	hal_pmi_unmask();
	hal_pmi_end();
}

// Makes the counter overflow at this occurrence of the event, which instruction `number` raises.
static void overflow_at(const struct piece *p, unsigned event, uint64_t occurrence, unsigned number)
{
	interrupted = 0;
	put(PMC0, -occurrence);
	execute(p);
	if (interrupted != p->ends[number]) {
		printf("WRONG: %s: %s, occurrence %" PRIu64 ": interrupted at 0x%" PRIx64
		       ", not 0x%" PRIx64
		       " after instruction %u\n", p->name, events[event].name, occurrence,
		       interrupted, p->ends[number], number);
		wrong++;
	}
}

static unsigned overflow_everywhere(const struct piece *p)
{
	unsigned overflows = 0;

	put(DEBUGCTL, FREEZE_ON_PMI);
	for (unsigned i = 1; i < COUNTERS; i++)
		put(PERFEVTSEL0 + i, 0);
	for (unsigned event = 0; event < EVENT_COUNT; event++) {
		uint64_t occurrence = 0;

		put(PERFEVTSEL0, events[event].select | ALL_LEVELS | INT | EN);
		for (unsigned i = 0; i < p->count; i++)
			for (unsigned n = 0; p->raises[i] >> event & 1 && n < events[event].each;
			     n++, overflows++)
				overflow_at(p, event, ++occurrence, i);
	}
	put(DEBUGCTL, 0);
	return overflows;
}

//
// Precise records: SDM volume 3B, "PEBS Data Format"
//

#define ROUNDS		20
#define IN_ROUND	4	/* instructions: a load, a count, a store, another one */
#define RECORD_WORDS	22
#define SHADOW		8	/* the model's cycles from overflow to record */
enum { RIP = 1, RBX = 3 };

static struct {
	uint64_t trace[4], base, index, maximum, threshold, reset[COUNTERS];
} area;
static uint64_t records[2][RECORD_WORDS];

extern const char first_round[], second_round[];

__attribute__((noipa)) static void execute_rounds(void)
{
	__asm__ volatile(
		"mov	$0x38F, %%ecx\n xor %%edx, %%edx\n mov $1, %%eax\n xor %%ebx, %%ebx\n "
		"wrmsr\n"
		"first_round:	mov (%0), %%rsi\n inc %%rbx\n mov %%rsi, 8(%0)\n nop\n"
		"second_round:	.rept 19\n mov (%0), %%rsi\n inc %%rbx\n mov %%rsi, 8(%0)\n nop\n "
		".endr\n"
		"xor	%%eax, %%eax\n wrmsr\n"
		: : "D"(data) : "rax", "rbx", "rcx", "rdx", "rsi", "memory", "cc");
}

// Instruction `number` of a round raises the event. The counter overflows in round `left`, counted
// from 1. The first event more than SHADOW instructions later is recorded: not the one two rounds
// later, but the one three rounds later.
static void record(uint32_t select, unsigned number, unsigned left, uint64_t size)
{
	const unsigned round = left + SHADOW / IN_ROUND + 1;
	const uint64_t behind = (uintptr_t)first_round +
		(round - 1) * (uint64_t)(second_round - first_round) + size;

	area.base = area.index = (uintptr_t)records;
	area.maximum = area.base + sizeof records;
	area.threshold = area.maximum + 1;
	area.reset[0] = -(uint64_t)1000000;
	put(DS_AREA, (uintptr_t)&area);
	put(PERFEVTSEL0, select | ALL_LEVELS | EN);
	put(PMC0, -(uint64_t)left);
	put(PEBS_ENABLE, 1);
	execute_rounds();
	put(PEBS_ENABLE, 0);
	if (area.index - area.base != sizeof records[0] || records[0][RIP] != behind ||
	    records[0][RBX] != round - (number == 0)) {
		printf("WRONG: record of 0x%x, round %u: 0x%" PRIx64 " bytes, RIP 0x%" PRIx64
		       ", not 0x%" PRIx64
		       ", RBX %" PRIu64 "\n", select, left, area.index - area.base, records[0][RIP],
		       behind, records[0][RBX]);
		wrong++;
	}
}

#define LOAD_SIZE	3	/* bytes: mov (%rdi), %rsi */
#define STORE_BEHIND	(3 + 3 + 4)	/* with inc %rbx, and mov %rsi, 8(%rdi) */

static void record_all(void)
{
	for (unsigned i = 1; i < COUNTERS; i++)
		put(PERFEVTSEL0 + i, 0);
	for (unsigned left = 1; left < ROUNDS - 3; left++) {
		record(0x10B, 0, left, LOAD_SIZE);
		record(0x20B, 2, left, STORE_BEHIND);
	}
}

static void check_all(void *unused)
{
	unsigned overflows = 0;

	(void)unused;
	hal_pmi_attach(note, HAL_PMI_VECTOR);
	put(GLOBAL_CTRL, 0);
	for (const struct piece *p = pieces; p < pieces + sizeof pieces / sizeof *pieces; p++) {
		count_all(p);
		overflows += overflow_everywhere(p);
	}
	count_edges();
	record_all();
	printf("classes: %u overflows\n", overflows);
}

int workload(void)
{
	if (hal_cpus_start() < 2)
		return 1;
	hal_cpu_call(1, check_all, NULL);
	if (!hal_cpus_wait(1u << 1, 1000000000))
		return 1;
	wrong += !ok;
	printf("classes: %d wrong\n", wrong);
	return wrong != 0;
}
