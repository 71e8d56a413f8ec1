// SPDX-License-Identifier: BSD-2-Clause
// Exceptions without a handler (SDM volume 3A, "Interrupt 8--Double Fault Exception"): RDPMC of a
// nonexistent counter, whose #GP the plugin raises, while a counter counts and while none does, and
// UD2, which raises its own exception. #DF has a handler, except with the word "none": then the
// processor shuts down.

#include "../pmu.h"

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

void guest_interrupt(struct frame *frame)
{
	if (!take_exception(frame))
		fail_on(frame);
}

// #DF is an abort, which leaves an undefined EIP. The handler continues after the tested
// instruction.
static volatile uint32_t behind, double_faults, double_error;
void double_fault(void);

__asm__(".text\ndouble_fault:\n"
	"incl double_faults\n"
	"pop double_error\n"
	"mov behind, %eax\n"
	"mov %eax, (%esp)\n"
	"iret\n");

#define IS_DOUBLE(instruction)								\
	({										\
		double_faults = 0;							\
		double_error = 1;							\
		__asm__ volatile("movl $1f, behind\n" instruction "\n1:" : : "c"(99) : "eax",	\
				 "edx", "memory");	\
		double_faults == 1 && double_error == 0;				\
	})

static void is_double(const char *without, const char *with)
{
	is(without, IS_DOUBLE("rdpmc"), true);
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_USR);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	is(with, IS_DOUBLE("rdpmc"), true);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	(void)magic;
	start_interrupts();
	for (unsigned vector = 0; vector < 32; vector++)
		idt[vector] = 0;
	if (!has_word(information, "none")) {
		set_gate(8, 0);
		idt[8] = ((uint32_t)double_fault & 0xFFFF) | 0x08u << 16 |
			 (uint64_t)(0x8E00 | ((uint32_t)double_fault & 0xFFFF0000u)) << 32;
	}
	is_double("RDPMC without a gate for #GP is a double fault", "while a counter counts, too");
	set_gate(11, 0);		// #NP, which a gate that is not present raises
	idt[13] = idt[11] & ~(1ULL << 47);
	is_double("RDPMC with a gate for #GP that is not present, and one for #NP",
		  "while a counter counts, too");
	idt[11] = idt[13] = 0;
	is("UD2 without a gate for #UD, too", IS_DOUBLE("ud2"), true);
	finish();
}
