// SPDX-License-Identifier: BSD-2-Clause
// Instructions that issue in pairs, and instructions that wait for an address, on the first thread
// of a Knights Corner core, with the registers themselves. Counted by hand, by the rules of
// hal/emu/qemu/x86/pipes.c. Run with one event.

#include "knc.h"

enum { IN_BOTH = 0x09, CONFLICTS = 0x0A, IN_V = 0x17, INTERLOCKS = 0x1F };

#define STOPS 12

static char data[2 * 64] __attribute__((aligned(64)));

// CLD never pairs. Two of the instructions after it pair, and another one issues alone (PIECE).
#define CODE(name, code)	PIECE(name, code "	cld\n")
#define BEHIND			1

CODE(nothing, "")
CODE(two, "nop\n nop\n")
CODE(three, "nop\n nop\n nop\n")
CODE(read_behind_write, "mov $1, %eax\n mov %eax, %ecx\n")
CODE(write_behind_write, "mov $1, %eax\n mov $2, %eax\n")
CODE(part_behind_write, "mov $1, %ah\n mov %al, %cl\n")
CODE(write_behind_read, "mov %eax, %ecx\n mov $2, %eax\n")
CODE(displacement, "nop\n mov %eax, 4(%rsi)\n")
CODE(immediate, "nop\n movl $1, (%rsi)\n")
CODE(displacement_and_immediate, "nop\n movl $1, 4(%rsi)\n")
CODE(shift_first, "shl $3, %eax\n nop\n")
CODE(shift_second, "nop\n shl $1, %eax\n")
CODE(shift_by_register, "shl %cl, %eax\n nop\n")
CODE(rotate_by_one, "rol $1, %eax\n nop\n")
CODE(rotate_by_two, "rol $2, %eax\n nop\n")
CODE(carry_first, "adc %eax, %eax\n nop\n")
CODE(carry_second, "nop\n adc %eax, %eax\n")
CODE(multiply, "imul %eax, %ecx\n nop\n")
CODE(compare_and_branch, "cmp %eax, %ecx\n jz 2f\n 2:\n")
CODE(branch_first, "jmp 2f\n 2: nop\n")
CODE(pushes, "push %rax\n push %rdx\n pop %rcx\n pop %rdx\n")
CODE(push_and_pop, "push %rax\n pop %rcx\n")
CODE(calls, "push %rax\n call 2f\n 2: pop %rax\n pop %rdx\n")
CODE(prefix_first, "mov %ax, %cx\n nop\n")
CODE(prefix_second, "nop\n mov %ax, %cx\n")
CODE(rex_second, "nop\n mov %rax, %rcx\n")
CODE(segment, "nop\n mov %ds, %eax\n")
CODE(test_immediate, "nop\n test $1, %cl\n")
CODE(test_accumulator, "nop\n test $1, %al\n")
CODE(loads, "mov (%rsi), %eax\n mov 8(%rsi), %ecx\n")
CODE(loads_of_a_bank, "mov (%rsi), %eax\n mov 4(%rsi), %ecx\n")
CODE(loads_of_a_bank_of_two_lines, "mov (%rsi), %eax\n mov 64(%rsi), %ecx\n")
CODE(load_and_store, "mov 8(%rsi), %eax\n mov %ecx, 72(%rsi)\n")
CODE(load_and_address, "mov (%rsi), %eax\n lea 64(%rsi), %ecx\n")
CODE(address, "mov %rsi, %rbx\n mov (%rbx), %eax\n")
CODE(address_behind_pair, "mov %rsi, %rbx\n nop\n mov (%rbx), %eax\n")
CODE(address_later, "mov %rsi, %rbx\n nop\n nop\n nop\n mov (%rbx), %eax\n")
CODE(addresses_in_both, "mov %rsi, %rbx\n nop\n mov (%rbx), %eax\n mov 8(%rbx), %ecx\n")
CODE(index, "xor %eax, %eax\n lea (%rsi,%rax,4), %rcx\n")
CODE(stack_by_lea, "lea (%rsp), %rsp\n push %rax\n pop %rax\n")
CODE(stack_by_push, "push %rsi\n mov (%rsp), %eax\n pop %rax\n")
// NOP with an operand, (%rbx).
CODE(no_operand, "mov %rsi, %rbx\n .byte 0x0F, 0x1F, 0x03\n")
// More than the emulator translates at once, across several pages.
CODE(many, ".rept 5000\n nop\n .endr\n")
CODE(turns, "mov $100, %eax\n cld\n 1: nop\n nop\n dec %eax\n jnz 1b\n")
CODE(odd_turns, "mov $100, %eax\n cld\n 1: nop\n dec %eax\n nop\n jnz 1b\n")
CODE(address_of_next_turn,
     "mov $100, %eax\n cld\n 1: mov (%rsi), %ecx\n dec %eax\n lea (%rsi), %rsi\n jnz 1b\n")

static const struct {
	const char *name;
	void (*execute)(uint64_t enable, uint64_t argument);
	unsigned in_v, in_both, conflicts, interlocks;
} pieces[] = {
#define ROW(name, ...) {#name, piece_##name, __VA_ARGS__}
	ROW(nothing, 0), ROW(two, 1), ROW(three, 1), ROW(read_behind_write, 0),
	ROW(write_behind_write, 0),
	ROW(part_behind_write, 0), ROW(write_behind_read, 1), ROW(displacement, 1),
	ROW(immediate, 1),
	ROW(displacement_and_immediate, 0), ROW(shift_first, 1), ROW(shift_second, 0),
	ROW(shift_by_register, 0),
	ROW(rotate_by_one, 1), ROW(rotate_by_two, 0), ROW(carry_first, 1), ROW(carry_second, 0),
	ROW(multiply, 0), ROW(compare_and_branch, 1), ROW(branch_first, 0),
	// Two consecutive pushes access neighboring words, in different banks.
	ROW(pushes, 2, 2), ROW(push_and_pop, 0), ROW(calls, 2, 2),
	ROW(prefix_first, 1), ROW(prefix_second, 0), ROW(rex_second, 1), ROW(segment, 0),
	ROW(test_immediate, 0), ROW(test_accumulator, 1),
	ROW(loads, 1, 1), ROW(loads_of_a_bank, 1, 1, 1), ROW(loads_of_a_bank_of_two_lines, 1, 1, 1),
	ROW(load_and_store, 1, 1, 1), ROW(load_and_address, 1),
	ROW(address, 0, 0, 0, 1), ROW(address_behind_pair, 1, 0, 0, 1), ROW(address_later, 2),
	ROW(addresses_in_both, 2, 1, 0, 2), ROW(index, 0, 0, 0, 1),
	ROW(stack_by_lea, 0, 0, 0, 1), ROW(stack_by_push, 0), ROW(no_operand, 0),
	ROW(many, 2500), ROW(turns, 200), ROW(odd_turns, 200),
	ROW(address_of_next_turn, 200, 0, 0, 99),
};

// The other counter overflows after `stop` instructions, without an interrupt: the emulator splits
// the code there.
static void measure(const char *name, unsigned event,
		    void (*execute)(uint64_t enable, uint64_t argument),
		    unsigned expected, unsigned stop)
{
	uint64_t found;

	put(SELECT(0), event | OS | EN);
	put(COUNTER(0), 0);
	put(COUNTER(1), WIDTH_MASK + 1 - stop);
	execute(BOTH, (uint64_t)data);
	found = get(COUNTER(0));
	if (found != expected)
		printf("event 0x%02X:\n", event);
	expect(name, 0, expected, found);
}

int workload(void)
{
	clear(NULL);
	put(SELECT(1), EXECUTED | OS | EN);
	for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++)
		for (unsigned stop = 1; stop < STOPS; stop++) {
			measure(pieces[i].name, IN_V, pieces[i].execute, pieces[i].in_v + BEHIND,
				stop);
			measure(pieces[i].name, IN_BOTH, pieces[i].execute, pieces[i].in_both,
				stop);
			measure(pieces[i].name, CONFLICTS, pieces[i].execute, pieces[i].conflicts,
				stop);
			measure(pieces[i].name, INTERLOCKS, pieces[i].execute, pieces[i].interlocks,
				stop);
		}
	clear(NULL);
	wrong += failed != 0;
	printf("knc-pipes: %d wrong\n", wrong);
	return wrong != 0;
}
