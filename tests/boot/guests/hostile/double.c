// SPDX-License-Identifier: BSD-2-Clause
// An exception whose handler is not there (SDM volume 3A, "Interrupt 8--Double Fault Exception"): RDPMC of no counter,
// whose #GP the plugin raises, with and without a counter that counts, and UD2, which raises its own; #DF has a
// handler, but not with the word "none": then the processor shuts down.

#include "../pmu.h"

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

void guest_interrupt(struct frame *frame)
{
	if (!take_exception(frame))
		fail_on(frame);
}

// #DF is an abort: what EIP it leaves is not defined. This goes on behind what was tried.
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
		__asm__ volatile("movl $1f, behind\n" instruction "\n1:" : : "c"(99) : "eax", "edx", "memory");	\
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
	set_gate(11, 0);		// #NP, which comes of a gate that is not present
	idt[13] = idt[11] & ~(1ULL << 47);
	is_double("RDPMC with a gate for #GP that is not present, and one for #NP", "while a counter counts, too");
	idt[11] = idt[13] = 0;
	is("UD2 without a gate for #UD, too", IS_DOUBLE("ud2"), true);
	finish();
}
