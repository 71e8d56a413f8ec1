// SPDX-License-Identifier: BSD-2-Clause
// Mispredicted branches, on CPU 1 with the registers themselves: pieces of code whose
// mispredictions are worked out by hand from the predictor's model (hal/emu/model/nehalem.machine):
// the last 18 outcomes of conditional branches predict the next one, the last 8 predict an indirect
// branch's target; 16 return addresses; targets of 2,048 branches in 512 sets. Each piece executes
// until the predictor learns nothing new. Then its events are counted, and an overflow is set at
// each misprediction. Events: the guide, Table 18; records: "Last Branch Record".

#include <inttypes.h>
#include <stdio.h>

#include "cpus.h"
#include "registers.h"

int workload(void);

enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, LBR_SELECT = 0x1C8, LASTBRANCH_TOS = 0x1C9,
	DEBUGCTL = 0x1D9,
	GLOBAL_STATUS = 0x38E, GLOBAL_CTRL = 0x38F, GLOBAL_OVF_CTRL = 0x390,
	LASTBRANCH_FROM = 0x680,
};

#define ALL_LEVELS	(3u << 16)
#define INT		(1u << 20)
#define EN		(1u << 22)
#define LBR		1
#define FREEZE_ON_PMI	(1u << 12)
#define COUNTERS	4
#define RECORDS		16
#define MISPREDICTED	(1ULL << 63)

#define TURNS		124	/* of each piece: four periods of `pseudo_random` */
#define UNTIL_LEARNED	8
#define UNTIL_LEARNED_AGAIN 4

static int wrong;

//
// Pieces. Each is a loop of EDX turns between two writes of IA32_PERF_GLOBAL_CTRL. Another loop
// before it makes the history the same each time: the last outcome not taken, those before it
// taken. After a branch that is mispredicted in each turn, the piece continues at one of two
// addresses.
//

#define TURN		"	dec	%edx\n	jnz	1b\n"
#define PIECE(name, code)								\
	extern const char behind_##name[], other_##name[], end_##name[];		\
	void piece_##name(unsigned turns);						\
	__asm__(".text\n"								\
		"piece_" #name ":	push	%rbx\n"					\
		"	mov	%edi, %ebx\n"						\
		"	mov	$20, %ecx\n"						\
		"1:	loop	1b\n"							\
		"	mov	$0x38F, %ecx\n	xor	%edx, %edx\n	mov	$0xF, %eax\n"	\
		"	wrmsr\n"							\
		"	mov	%ebx, %edx\n"						\
		code									\
		"	mov	$0x38F, %ecx\n	xor	%edx, %edx\n	xor	%eax, %eax\n"	\
		"	wrmsr\n"							\
		"end_" #name ":	pop	%rbx\n"						\
		"	ret\n");

// After 18 iterations the history no longer shows their number: the exit is mispredicted.
PIECE(long_loop,
	"1:	mov	$40, %ecx\n"
	"2:	loop	2b\n"
	"behind_long_loop:\nother_long_loop:\n"
	TURN)

// The history contains the previous exit, which predicts this one.
PIECE(short_loop,
	"1:	mov	$10, %ecx\n"
	"2:	loop	2b\n"
	"behind_short_loop:\nother_short_loop:\n"
	TURN)

PIECE(alternating,
	"1:	test	$1, %dl\n"
	"	jz	2f\n"
	"	nop\n"
	"2:\nbehind_alternating:\nother_alternating:\n"
	TURN)

// A linear feedback shift register of five bits: five outcomes determine the next one, and nine of
// the last eighteen outcomes are this branch's.
PIECE(pseudo_random,
	"	mov	$1, %ecx\n"
	"1:	mov	%ecx, %eax\n"
	"	shr	$2, %eax\n"
	"	xor	%ecx, %eax\n"
	"	shr	%ecx\n"
	"	test	$1, %al\n"
	"	jz	2f\n"
	"	or	$0x10, %ecx\n"
	"2:\nbehind_pseudo_random:\nother_pseudo_random:\n"
	TURN)

// One call, and `more` nested calls in it. The seventeenth return address overwrites the first.
#define CALLS(name, more)								\
	"1:	call	3f\n"								\
	"behind_" #name ":\nother_" #name ":\n"						\
	TURN										\
	"	jmp	4f\n"								\
	"3:	call	2f\n"								\
	"at_" #name ":	ret\n"							\
	"2:\n"										\
	"	.rept	" #more " - 1\n"						\
	"	call	2f\n"								\
	"	ret\n"									\
	"2:\n"										\
	"	.endr\n"								\
	"	ret\n"									\
	"4:\n"
extern const char at_calls_17[], at_jump[];
PIECE(calls_16, CALLS(calls_16, 15))
PIECE(calls_17, CALLS(calls_17, 16))

// A jump that alternates between two targets. Without a condition no outcome predicts the target,
// so the last one is predicted; with a condition an outcome predicts it.
#define JUMP(name, condition)								\
	"1:	mov	%edx, %eax\n"							\
	"	and	$1, %eax\n"							\
	condition									\
	"	mov	places_" #name "(,%rax,8), %rax\n"				\
	"at_" #name ":	jmp	*%rax\n"						\
	"behind_" #name ":	nop\n"							\
	"other_" #name ":\n"								\
	TURN										\
	".pushsection .rodata\n.balign 8\n"						\
	"places_" #name ": .quad behind_" #name ", other_" #name "\n.popsection\n"
PIECE(jump, JUMP(jump, ""))
PIECE(jump_by_outcome, JUMP(jump_by_outcome, "jz 2f\n nop\n 2:\n"))

// An indirect call that alternates between two functions, likewise.
PIECE(call,
	"1:	mov	%edx, %eax\n"
	"	and	$1, %eax\n"
	"	mov	places_call(,%rax,8), %rax\n"
	"	call	*%rax\n"
	TURN
	"	jmp	2f\n"
	"behind_call:	ret\n"
	"other_call:	ret\n"
	"2:\n"
	".pushsection .rodata\n.balign 8\nplaces_call: .quad behind_call, "
	"other_call\n.popsection\n")

// Five branches of one set, which has four ways: each branch has always been evicted. The decoder
// finds it.
PIECE(conflict,
	"	jmp	1f\n"
	"	.balign 512\n"
	"1:	jmp	2f\n"
	"	.balign 512\n"
	"2:	jmp	2f\n"
	"	.balign 512\n"
	"2:	call	2f\n"
	"	.balign 512\n"
	"2:	jmp	2f\n"
	"	.balign 512\n"
	"2:	jmp	2f\n"
	"	.balign 512, 0x90\n"
	"2:	add	$8, %rsp\n"
	"behind_conflict:\nother_conflict:\n"
	TURN)

// The number of events of each kind. The end of the loop is mispredicted each time, because no
// outcome predicts it.
enum { WRONG, CONDITIONAL, RETURN, INDIRECT, TAKEN, ANY, MISSED, REDIRECTED, CALL, CALL_RETIRED,
      EVENTS };
static const uint32_t selects[EVENTS] = {
	0xC5, 0x189, 0x889, 0x489, 0x4089, 0x7F89, 0x1E5, 0x1E6, 0x2089, 0x2C5,
};
#define END		[WRONG] = 1, [CONDITIONAL] = 1, [ANY] = 1
#define END_AND(n, kind) [WRONG] = 1 + (n), [CONDITIONAL] = 1, [ANY] = 1 + (n), [kind] = (n), \
	[TAKEN] = (n)

#define ROW(name, ...) {#name, piece_##name, behind_##name, other_##name, end_##name, {__VA_ARGS__}}
static const struct piece {
	const char *name;
	void (*execute)(unsigned turns);
	const char *behind, *other, *end;
	unsigned expected[EVENTS];
} pieces[] = {
	ROW(long_loop, [WRONG] = TURNS + 1, [CONDITIONAL] = TURNS + 1, [ANY] = TURNS + 1),
	// At the first exit the history looks like the ninth iteration of later turns: nine taken,
	// one not, eight taken.
	ROW(short_loop, [WRONG] = 2, [CONDITIONAL] = 2, [ANY] = 2),
	ROW(alternating, END), ROW(pseudo_random, END),
	ROW(calls_16, END), ROW(calls_17, END_AND(TURNS, RETURN)),
	// In the first eight turns the last eight outcomes differ each time. Then they stay the
	// same; the number of turns is even, so that even the first of the later ones is wrong.
	ROW(jump, END_AND(TURNS - 8, INDIRECT)), ROW(jump_by_outcome, END),
	ROW(call, END_AND(TURNS - 8, CALL), [CALL_RETIRED] = TURNS - 8),
	ROW(conflict, END, [MISSED] = TURNS, [REDIRECTED] = 5 * TURNS),
};

static void execute(const struct piece *p)
{
	p->execute(TURNS);
}

static void count_all(const struct piece *p)
{
	for (unsigned first = 0; first < EVENTS; first += COUNTERS) {
		const unsigned count = EVENTS - first < COUNTERS ? EVENTS - first : COUNTERS;

		for (unsigned i = 0; i < COUNTERS; i++)
			put(PERFEVTSEL0 + i, i < count ? selects[first + i] | ALL_LEVELS | EN : 0);
		// Always along the same path, whose outcomes are learned, too. The last execution
		// is counted.
		for (unsigned n = 0; n < UNTIL_LEARNED; n++) {
			for (unsigned i = 0; i < COUNTERS; i++)
				put(PMC0 + i, 0);
			execute(p);
		}
		for (unsigned i = 0; i < count; i++) {
			const uint64_t expected = p->expected[first + i], found = get(PMC0 + i);

			if (found != expected) {
				printf("WRONG: %s: event 0x%x: %" PRIu64 ", not %" PRIu64 "\n",
				       p->name, (unsigned)selects[first + i], found, expected);
				wrong++;
			}
		}
	}
}

//
// Overflows
//

static volatile uint64_t interrupted;
static unsigned overflows;

static void note(uint64_t ip, unsigned level)
{
	(void)level;
	interrupted = ip;
	put(GLOBAL_OVF_CTRL, get(GLOBAL_STATUS));
	hal_pmi_unmask();
	hal_pmi_end();
}

// At each misprediction except the end of the loop.
static void overflow_each(const struct piece *p)
{
	put(DEBUGCTL, FREEZE_ON_PMI);
	put(PERFEVTSEL0, selects[WRONG] | ALL_LEVELS | INT | EN);
	for (unsigned number = 1; number < p->expected[WRONG]; number++, overflows++) {
		// The handler's branches train the predictor, too. Therefore learn the piece again
		// before each overflow.
		for (unsigned n = 1; n <= UNTIL_LEARNED_AGAIN; n++) {
			interrupted = 0;
			put(PMC0, -(uint64_t)number * (n == UNTIL_LEARNED_AGAIN));
			execute(p);
		}
		if (interrupted != (uintptr_t)p->behind && interrupted != (uintptr_t)p->other) {
			printf("WRONG: %s, misprediction %u: interrupted at 0x%" PRIx64 "\n",
			       p->name, number, interrupted);
			wrong++;
		}
	}
	put(DEBUGCTL, 0);
	put(PERFEVTSEL0, 0);
}

//
// Records
//

// Among the last sixteen taken branches, records of this piece from `at` have the misprediction
// flag, and no others; there are at least `least` of these. (The return into C is mispredicted,
// too, if its return address was overwritten.)
static void check_records(const struct piece *p, const char *at, unsigned least)
{
	unsigned found = 0;

	put(LBR_SELECT, 0);
	for (unsigned n = 0; n < UNTIL_LEARNED; n++) {
		put(DEBUGCTL, LBR);
		execute(p);
		put(DEBUGCTL, 0);
	}
	for (unsigned i = 0; i < RECORDS; i++) {
		const uint64_t from = get(LASTBRANCH_FROM + i), address = from & ~MISPREDICTED;
		const bool is_at = address == (uintptr_t)at;

		found += is_at;
		if (address >= (uintptr_t)p->execute && address < (uintptr_t)p->end &&
		    is_at != from >> 63) {
			printf("WRONG: %s: a record from 0x%" PRIx64 "\n", p->name, from);
			wrong++;
		}
	}
	if (found < least) {
		printf("WRONG: %s: %u records\n", p->name, found);
		wrong++;
	}
}

static const struct piece *find(void (*piece)(unsigned turns))
{
	const struct piece *p = pieces;

	while (p->execute != piece)
		p++;
	return p;
}

static void check_all(void *unused)
{
	(void)unused;
	hal_pmi_attach(note, HAL_PMI_VECTOR);
	put(GLOBAL_CTRL, 0);
	for (const struct piece *p = pieces; p < pieces + sizeof pieces / sizeof *pieces; p++) {
		count_all(p);
		overflow_each(p);
	}
	printf("predictions: %u overflows\n", overflows);
	check_records(find(piece_calls_17), at_calls_17, 1);
	// two in a turn; and the return
	check_records(find(piece_jump), at_jump, RECORDS / 2 - 3);
}

int workload(void)
{
	if (hal_cpus_start() < 2)
		return 1;
	hal_cpu_call(1, check_all, NULL);
	if (!hal_cpus_wait(1u << 1, 1000000000))
		return 1;
	wrong += !ok;
	printf("predictions: %d wrong\n", wrong);
	return wrong != 0;
}
