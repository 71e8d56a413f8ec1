// SPDX-License-Identifier: BSD-2-Clause
// A repeated string instruction retires once, whether interrupts arrive in it, before it or after
// it (SDM volume 2B, "REP/REPE/REPZ/REPNE/REPNZ": they are taken between iterations). In each run a
// timer interrupt arrives at another instruction or iteration of known code, while instructions are
// counted.

#include "pmu.h"

#define VECTOR_SHORT	0x61
#define VECTOR_LONG	0x62
#define LATEST		700	/* ticks of one instruction each */
#define ITERATIONS	"100"

void guest_interrupt(struct frame *frame);
void guest_main(void);

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

// Handlers of 8 and of 15 instructions; the second one also has a string instruction.
#define SHORT_RETIRES	8
#define LONG_RETIRES	15
extern char short_handler[], long_handler[], body[], string_1[], string_2[], body_end[];
volatile uint32_t taken, interrupted;
uint8_t buffer[256];

#define NOTE	"push %eax\n mov 4(%esp), %eax\n mov %eax, interrupted\n pop %eax\n"
#define END	"incl taken\n movl $0, 0xFEE000B0\n nop\n iret\n"
__asm__("short_handler:\n" NOTE END
	"long_handler:\n push %ecx\n push %edi\n mov $3, %ecx\n mov $buffer + 128, %edi\n rep "
	"stosb\n"
	"pop %edi\n pop %ecx\n" NOTE END);

static void take_by(unsigned vector, const char *handler)
{
	const uint32_t at = (uint32_t)handler;

	idt[vector] = (at & 0xFFFFu) | 0x08u << 16 | (uint64_t)(0x8E00u | (at & 0xFFFF0000u)) << 32;
}

// Two adjacent string instructions; then one without iterations, and one that a jump skips. CLI is
// the last instruction before which an interrupt can arrive.
#define BODY	".global body, string_1, string_2, body_end\n"			\
		"sti\n body: mov $" ITERATIONS ", %%ecx\n mov $buffer, %%edi\n"	\
		"string_1: rep stosb\n"						\
		"string_2: repne scasb\n"					\
		"mov $" ITERATIONS ", %%ecx\n mov $buffer, %%edi\n mov $buffer + 100, %%esi\n " \
				   "rep movsw\n" \
		"rep lodsb\n jecxz 1f\n rep stosb\n 1: nop\n body_end: cli\n"
#define BODY_RETIRES 13

// Counts the body's instructions, with an interrupt `ticks` after the timer's start.
static uint64_t count(unsigned vector, uint32_t ticks)
{
	reset_pmu();
	taken = interrupted = 0;
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_USR);
	*apic(APIC_TIMER_DIVIDE) = 0xB;		// by 1
	*apic(APIC_TIMER) = vector;
	*apic(APIC_TIMER_START) = ticks;
	MEASURE(FIXED0, BODY);
	*apic(APIC_TIMER_START) = 0;
	__asm__ volatile("sti\n nop\n cli" ::: "memory");	// interrupts after CLI
	return rdmsr(IA32_FIXED_CTR0);
}

static void check(const char *what, unsigned vector, uint32_t handler_retires)
{
	uint32_t wrong = 0, within = 0, in_first = 0, between = 0;

	for (uint32_t ticks = 1; ticks <= LATEST; ticks++) {
		const uint64_t counted = count(vector, ticks);
		const bool is_within = interrupted - (uint32_t)body <= (uint32_t)(body_end - body);

		wrong += counted != BODY_RETIRES + BEHIND + (is_within ? handler_retires : 0);
		within += is_within;
		in_first += interrupted == (uint32_t)string_1;
		between += interrupted == (uint32_t)string_2;
	}
	print("# ");
	print(what);
	print(": in the body ");
	print_number(within);
	print(", in the first string ");
	print_number(in_first);
	print(", at the second ");
	print_number(between);
	print("\n");
	is(what, wrong, 0);
	is("it came in each iteration of the first one", in_first >= 99, true);
	is("and at the second one", between >= 1, true);
	is("and after the body", within < LATEST, true);
}

void guest_main(void)
{
	start_interrupts();
	take_by(VECTOR_SHORT, short_handler);
	take_by(VECTOR_LONG, long_handler);
	*apic(APIC_SPURIOUS) = 0x1FF;
	check("an interrupt anywhere leaves each string instruction one", VECTOR_SHORT,
	      SHORT_RETIRES);
	check("with a string instruction in its handler, too", VECTOR_LONG, LONG_RETIRES);
	finish();
}
