// SPDX-License-Identifier: BSD-2-Clause
// Overflow interrupts preserve the flags, also before a repeated string instruction, and arrive at
// the right instruction. An instruction clears or sets flags, a repeated string follows; in each
// run an interrupt arrives after another instruction.

#include "pmu.h"

#define LVT_NMI		0x400u
/* OF, SF, ZF, PF, CF (SDM volume 1, "EFLAGS Register"); AF is undefined after XOR */
#define STATUS_FLAGS	0x8C5u
#define ZF_PF		0x044u
#define CF_PF_SF	0x085u

void guest_interrupt(struct frame *frame);
void guest_main(void);

static volatile uint32_t interrupts, interrupted;
static uint8_t buffer[16];
static uint32_t flags;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector != 2)
		fail_on(frame);
	interrupts++;
	interrupted = frame->eip;
	wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, FIXED0);
	*apic(APIC_LVTPC) = LVT_NMI;
}

// Six instructions, the string, and two more. ADD sets other flags, with a large operand. Also
// without an iteration (ECX is 0).
#define BODY(name, last, iterations)							\
	".global " name "\n mov $0x3CB19422, %%ebx\n add %%ebx, %%ebx\n"		\
	"mov $" iterations ", %%ecx\n mov %[buffer], %%edi\n mov $1, %%eax\n " last "\n"	\
	name ": rep stosb\n pushf\n pop %[flags]\n"
#define BEFORE_STRING	6
#define BODY_RETIRES	9

// MEASURE with operands.
#define MEASURE_FLAGS(name, last, iterations)							\
	do {											\
		uint32_t low = 0, high = 1;							\
												\
		__asm__ volatile("mov $0x38F, %%ecx\n wrmsr\n" BODY(name, last, iterations)	\
				 "mov $0x38F, %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n wrmsr" \
				 : "+a"(low), "+d"(high),	\
				 [flags] "=m"(flags) : [buffer] "i"(buffer)	\
				 : "ebx", "ecx", "edi", "memory", "cc");			\
	} while (0)

extern char cleared[], subtracted[], empty[];

static void overflow_after(uint32_t n)
{
	reset_pmu();
	interrupts = interrupted = 0;
	*apic(APIC_LVTPC) = LVT_NMI;
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_PMI);
	wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - n);
}

#define CHECK(what, name, last, iterations, expected)						\
	do {											\
		uint32_t wrong = 0, missing = 0, at_string = 0;					\
												\
		for (uint32_t n = 1; n <= BODY_RETIRES; n++) {					\
			overflow_after(n);							\
			MEASURE_FLAGS(#name, last, iterations);					\
			wrong += (flags & STATUS_FLAGS) != (expected);				\
			missing += interrupts != 1;						\
			at_string += (interrupted == (uint32_t)name) == (n == BEFORE_STRING);	\
		}										\
		is(what ": its flags", wrong, 0);						\
		is(what ": an interrupt each", missing, 0);					\
		is(what ": before the string it has the string's address", at_string,	\
		   BODY_RETIRES);	\
	} while (0)

void guest_main(void)
{
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	CHECK("XOR", cleared, "xor %%eax, %%eax", "3", ZF_PF);
	CHECK("CMP", subtracted, "cmp $2, %%eax", "3", CF_PF_SF);
	CHECK("a string of no iteration", empty, "xor %%eax, %%eax", "0", ZF_PF);
	finish();
}
