// SPDX-License-Identifier: BSD-2-Clause
// Single steps, watchpoints and breakpoints across accesses to the PMU. The guest prints the
// addresses at which #DB is raised; they must be those of the bare machine (SDM volume 3B, "Debug,
// Branch Profile ... Features", "Single-Step Exception Condition"). The second word of the command
// line selects an event that counts meanwhile: clock, at all levels; level, at one level; branches.

#include "pmu.h"

#define VECTOR_ONE	0x42
#define VECTOR_CALL	0x80
#define STEPS_MOST	32

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

static volatile uint32_t steps, eip_of_step[STEPS_MOST], dr6_of_step[STEPS_MOST];

#define FLAG_RF	(1u << 16)

// Sets RF, so that a breakpoint's instruction executes without a second #DB.
static void take_step(struct frame *frame)
{
	uint32_t dr6;

	__asm__ volatile("mov %%dr6, %0; mov %1, %%dr6" : "=&r"(dr6) : "r"(0));
	eip_of_step[steps % STEPS_MOST] = frame->eip;
	dr6_of_step[steps % STEPS_MOST] = dr6;
	steps++;
	frame->eflags |= FLAG_RF;
}

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == 1)
		take_step(frame);
	else if (frame->vector == VECTOR_ONE)
		*apic(APIC_EOI) = 0;
	else if (frame->vector != 2 && frame->vector != 3 && frame->vector != VECTOR_CALL &&
		 !take_exception(frame))
		fail_on(frame);
}

// Prints each step's position, relative to the first instruction, and its cause.
static void report(const char *name, uint32_t begin)
{
	print("# ");
	print(name);
	print(": ");
	print_number(exceptions);
	print(" exceptions, steps after");
	for (uint32_t i = 0; i < steps && i < STEPS_MOST; i++) {
		print(" ");
		print_number(eip_of_step[i] - begin);
		print(" ");
		print_hex(dr6_of_step[i] & 0xFFFF);
	}
	print("\n");
	steps = exceptions = 0;
}

// Sets the trap flag before a NOP, and clears it after the body with three instructions.
#define STEP(name, before, body)							\
	do {										\
		uint32_t begin;								\
											\
		expected_length = 2;							\
		__asm__ volatile("mov $9f, %0\n" before "\n pushf; orl $0x100, (%%esp); popf\n " \
							"9: nop\n" body \
				 "\n pushf; andl $~0x100, (%%esp); popf"			\
				 : "=&r"(begin) : : "eax", "ebx", "ecx", "edx", "memory", "cc"); \
		expected_length = 0;							\
		report(name, begin);							\
	} while (0)

#define CPUID_0 "xor %%eax, %%eax; xor %%ecx, %%ecx"

static void check_instructions(void)
{
	STEP("RDMSR, three times", "mov $0x38F, %%ecx", "rdmsr; rdmsr; rdmsr");
	STEP("WRMSR", "mov $0x30B, %%ecx; xor %%eax, %%eax; xor %%edx, %%edx", "wrmsr");
	STEP("RDMSR of EFER", "mov $0xC0000080, %%ecx", "rdmsr");
	STEP("RDPMC that faults", "mov $77, %%ecx", "rdpmc");
	STEP("CPUID, twice", CPUID_0, "cpuid; cpuid");
	STEP("IN from the debug-exit port", "mov $0xF5, %%edx", "in %%dx, %%al");
	STEP("INT n", "", "int $0x80");
	STEP("INT3", "", "int3");
	STEP("UD2", "", "ud2");
	STEP("IRET", "", "pushf; push %%cs; push $1f; iret; 1: nop");
	STEP("MOV to SS and CPUID", CPUID_0 "; mov %%ss, %%edx", "mov %%edx, %%ss; cpuid; nop");
	STEP("STI and CPUID", CPUID_0, "sti; cpuid; cli");
	STEP("a write to CR0", "mov %%cr0, %%eax", "mov %%eax, %%cr0");
}

static void send_one(void)
{
	*apic(APIC_COMMAND) = 0x44000 | VECTOR_ONE;
}

static void check_interrupts(void)
{
	*apic(APIC_TIMER_DIVIDE) = 0xB;
	*apic(APIC_TIMER) = VECTOR_ONE;
	*apic(APIC_TIMER_START) = 1000000;
	STEP("HLT", "", "sti; hlt; cli");
	send_one();
	STEP("an interrupt", "", "sti; nop; nop; cli");
	send_one();
	STEP("an interrupt before CPUID", CPUID_0, "sti; cpuid; cpuid; cli");
	STEP("an NMI", "mov $0xFEE00300, %%ebx", "movl $0x44400, (%%ebx); nop; nop");
}

static volatile uint32_t watched;

// The second debug register watches writes to four bytes.
static void check_watchpoint(void)
{
	uint32_t r[4];

	__asm__ volatile("mov %0, %%dr1; mov %1, %%dr7" : : "r"(&watched), "r"(0xD << 20 | 8));
	for (uint32_t i = 0; i < 3; i++) {
		cpuid(0, 0, r);
		__asm__ volatile("movl $1, watched" : : : "memory");
		cpuid(0, 0, r);
		__asm__ volatile("push %0; pop watched" : : "r"(i) : "memory");
	}
	__asm__ volatile("mov %0, %%dr7" : : "r"(0));
	print("# watchpoint: ");
	print_number(steps);
	print("\n");
}

#define PASSES	30

extern char breakpoint[];

// An instruction breakpoint in the first debug register, which RF suppresses. In each pass the
// counter overflows at another of the instructions around it. The overflow interrupt is masked.
static void check_breakpoint(void)
{
	uint32_t elsewhere = 0;

	steps = 0;
	*apic(APIC_LVTPC) = 0x10000;
	__asm__ volatile("mov %0, %%dr0; mov %1, %%dr7" : : "r"(breakpoint), "r"(2));
	for (uint32_t i = 1; i <= PASSES; i++) {
		wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - i);
		__asm__ volatile(NOPS(10) "breakpoint: nop\n" NOPS(10));
		elsewhere += eip_of_step[(steps - 1) % STEPS_MOST] != (uint32_t)breakpoint;
	}
	__asm__ volatile("mov %0, %%dr7" : : "r"(0));
	is("an instruction breakpoint, in each pass", steps, PASSES);
	is("all of them there", elsewhere, 0);
	steps = 0;
}

static void count(char how)
{
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_PMI | (how == 'l' ? CONTROL_USR : CONTROL_OS));
	wrmsr(IA32_PERFEVTSEL0, how == 'b' ? BRANCHES | SELECT_OS | SELECT_EN : 0);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0 | 1);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	const char *word = second_word(information);

	(void)magic;
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	if (*word)
		count(*word);
	check_instructions();
	check_interrupts();
	check_watchpoint();
	check_breakpoint();
	finish();
}
