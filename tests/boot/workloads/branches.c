// SPDX-License-Identifier: BSD-2-Clause
// Counts and records branches one by one, on CPU 3 with the registers themselves: IA32_PERFEVTSELx
// with event C4H, unit masks 01H (conditional), 02H (near call), 04H (all), and branch records (the
// guide, Table 6 and "Last Branch Record").

#include <inttypes.h>
#include <stdio.h>

#include "cpus.h"
#include "registers.h"
#include "stimulus.h"

int workload(void);

enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, LBR_SELECT = 0x1C8, LASTBRANCH_TOS = 0x1C9,
	DEBUGCTL = 0x1D9, GLOBAL_CTRL = 0x38F, LASTBRANCH_FROM = 0x680, LASTBRANCH_TO = 0x6C0,
};

#define LBR		1
#define MISPRED		(1ull << 63)
#define USR_OS_EN	(3 << 16 | 1 << 22)
#define RECORDS		16

static int wrong;

static void expect(const char *what, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s: 0x%" PRIx64 ", not 0x%" PRIx64 "\n", what, found, expected);
		wrong++;
	}
}

// The code. Each branch and each target has a name; one conditional branch is not taken.
extern const char at_call[], at_return[], at_jump[], at_indirect[], at_indirect_call[],
at_not_taken[], at_taken[],
	at_loop[], at_interrupt[], to_call[], to_jump[], to_indirect[], to_taken[], to_end[],
	after_call[], after_indirect_call[];

__attribute__((noipa)) static void branches(void)
{
	__asm__ volatile(
		"at_call:		call	to_call\n"
		"after_call:		jmp	1f\n"
		"to_call:		nop\n"
		"at_return:		ret\n"
		"1:			nop\n"
		"at_jump:		jmp	to_jump\n"
		"			nop\n"
		"to_jump:		mov	$to_indirect, %%rax\n"
		"at_indirect:		jmp	*%%rax\n"
		"			nop\n"
		"to_indirect:		mov	$to_call, %%rax\n"
		"at_indirect_call:	call	*%%rax\n"
		"after_indirect_call:	xor	%%eax, %%eax\n"
		"at_not_taken:		jnz	to_taken\n"
		"at_taken:		jz	to_taken\n"
		"			nop\n"
		"to_taken:		mov	$3, %%ecx\n"
		"at_loop:		loop	at_loop\n"
		"to_end:		nop\n"
		: : : "rax", "rcx", "memory");
}

// Branches to the next instruction. The plugin cannot see whether a conditional one is taken, and
// does not record it.
extern const char next_call[], next_jump[], next_register[], next_return[],
	behind_call[], behind_jump[], behind_register[], behind_return[];

__attribute__((noipa)) static void to_next(void)
{
	__asm__ volatile(
		"next_call:	call	behind_call\n"
		"behind_call:	pop	%%rax\n"
		"next_jump:	jmp	behind_jump\n"
		"behind_jump:	mov	$behind_register, %%rax\n"
		"next_register:	jmp	*%%rax\n"
		"behind_register: push	$behind_return\n"
		"next_return:	ret\n"
		"behind_return:	xor	%%eax, %%eax\n"
		"		jz	1f\n"
		"1:		jnz	1f\n"
		"1:		mov	$2, %%ecx\n"
		"		loop	1f\n"
		"1:		loop	1f\n"
		"1:		jrcxz	1f\n"
		"1:		nop\n"
		: : : "rax", "rcx", "memory");
}

__attribute__((noipa)) static void nothing(void)
{
	__asm__ volatile("");
}

// Branches of branches(), with its call and its return: jnz, jz, loop three times; call three
// times; as many returns; three jumps.
enum { CONDITIONAL = 5, CALLS = 3, ALL = CONDITIONAL + CALLS + 3 + 3 };

static uint64_t counts[4][2];		// with the code once, and twice

// Executes the code once, and then again or an empty function. No other branches are counted.
__attribute__((noipa)) static void execute(unsigned times)
{
	void (*second)(void) = times == 2 ? branches : nothing;

	put(GLOBAL_CTRL, 0xF);
	branches();
	second();
	put(GLOBAL_CTRL, 0);
}

static void count(void *unused)
{
	static const uint8_t masks[4] = {1, 2, 4, 0};

	(void)unused;
	put(GLOBAL_CTRL, 0);
	for (unsigned i = 0; i < 4; i++)
		put(PERFEVTSEL0 + i, USR_OS_EN | masks[i] << 8 | 0xC4);
	for (unsigned times = 1; times <= 2; times++) {
		for (unsigned i = 0; i < 4; i++)
			put(PMC0 + i, 0);
		execute(times);
		for (unsigned i = 0; i < 4; i++)
			counts[i][times - 1] = get(PMC0 + i);
	}
}

static uint64_t loop_counts[2];

static void count_loop(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		put(PMC0, 0);
		hal_execute_between(GLOBAL_CTRL, 1, 0, i ? 20000 : 1000);
		loop_counts[i] = get(PMC0);
	}
}

static uint64_t from[RECORDS], to[RECORDS];	// the newest first; without the misprediction flags
static void (*recorded)(void);

static void record(void *unused)
{
	uint64_t top;

	(void)unused;
	put(LBR_SELECT, 0);
	put(DEBUGCTL, LBR);
	recorded();
	put(DEBUGCTL, 0);
	top = get(LASTBRANCH_TOS);
	for (unsigned i = 0; i < RECORDS; i++) {
		from[i] = get(LASTBRANCH_FROM + (uint32_t)(top - i) % RECORDS) & ~MISPRED;
		to[i] = get(LASTBRANCH_TO + (uint32_t)(top - i) % RECORDS);
	}
}

static void on_3(void (*function)(void *))
{
	hal_cpu_call(3, function, NULL);
	ok &= hal_cpus_wait(1u << 3, 100000000);
}

struct expected_record {
	const char *from, *to;
};

// The newest record is the function's return.
static void check_records(void (*function)(void), const struct expected_record *expected,
			  unsigned count)
{
	recorded = function;
	on_3(record);
	for (unsigned i = 0; i < count; i++) {
		expect("recorded from", (uintptr_t)expected[i].from, from[i + 1]);
		expect("recorded to", (uintptr_t)expected[i].to, to[i + 1]);
	}
}

static const struct expected_record of_branches[] = {
	// The loop ends without a taken branch.
	{at_loop, at_loop}, {at_loop, at_loop}, {at_taken, to_taken},
	{at_return, after_indirect_call},
	{at_indirect_call, to_call}, {at_indirect, to_indirect}, {at_jump, to_jump},
	{after_call, at_jump - 1},
	{at_return, after_call}, {at_call, to_call},
};

static const struct expected_record of_next[] = {
	{next_return, behind_return}, {next_register, behind_register}, {next_jump, behind_jump},
	{next_call, behind_call},
};

#define LENGTH(array) (sizeof (array) / sizeof *(array))

int workload(void)
{
	expect("CPUs", 4, hal_cpus_start());
	on_3(count);
	// The first measurement calls nothing() instead, whose call and return are two branches.
	expect("conditional branches", CONDITIONAL, counts[0][1] - counts[0][0]);
	expect("near calls", CALLS - 1, counts[1][1] - counts[1][0]);
	expect("all branches", ALL - 2, counts[2][1] - counts[2][0]);
	expect("the architectural event", ALL - 2, counts[3][1] - counts[3][0]);
	on_3(count_loop);
	expect("a loop", (20000 - 1000) / 2, loop_counts[1] - loop_counts[0]);
	check_records(branches, of_branches, LENGTH(of_branches));
	check_records(to_next, of_next, LENGTH(of_next));
	expect("no access failed", true, ok);
	printf("branches: %d wrong\n", wrong);
	return wrong != 0;
}
