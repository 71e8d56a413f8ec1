// SPDX-License-Identifier: BSD-2-Clause
// Instructions on the four threads of a core of Knights Corner: SPFLT at all levels, undefined
// instructions, RDPMC that faults. The workload programs registers directly, also on the first
// thread, and restores that thread's registers. Run with one event.

#include "knc.h"

#include "arch.h"
#include "cpus.h"
#include "layout.h"
#include "stimulus.h"
#include "x86/cpu.h"
#include "x86/this_cpu.h"

static struct job {
	uint64_t found[6];
	unsigned hits;
} jobs[CPUS];

//
// SPFLT (the guide, Table 1-1)
//

#define NOPS	20

// The user filter is on for NOPS instructions, one more, and the second SPFLT, which still counts.
#define OF_FILTERED	(NOPS + 2)

#define TEXT(...)	#__VA_ARGS__
#define STRING(x)	TEXT(x)

// Executes SPFLT of this register, given as bytes.
#define FILTER(reg, reg32, on, off, ...)							\
	static void filter_##reg(void)								\
	{											\
		static uint64_t saved;								\
		__asm__ volatile("mov %%" #reg ", %0\n\tmov $" STRING(	\
			on) ", %%" #reg32 "\n\t.byte " #__VA_ARGS__	\
				 "\n\t.rept " STRING(NOPS) "\n\tnop\n\t.endr\n\tmov $" STRING(	\
					 off) ", %%" #reg32	\
		"\n\t.byte " #__VA_ARGS__ "\n\tmov %0, %%" #reg : "+m"(saved) : : "memory");	\
	}

FILTER(rax, eax, 1, 0, 0xC5, 0xFB, 0xAE, 0xF0)
FILTER(rcx, ecx, 1, 0, 0xC5, 0xFB, 0xAE, 0xF1)
FILTER(rdx, edx, 1, 0, 0xC5, 0xFB, 0xAE, 0xF2)
FILTER(rbx, ebx, 1, 0, 0xC5, 0xFB, 0xAE, 0xF3)
FILTER(rsp, esp, 1, 0, 0xC5, 0xFB, 0xAE, 0xF4)
FILTER(rbp, ebp, 1, 0, 0xC5, 0xFB, 0xAE, 0xF5)
FILTER(rsi, esi, 1, 0, 0xC5, 0xFB, 0xAE, 0xF6)
FILTER(rdi, edi, 1, 0, 0xC5, 0xFB, 0xAE, 0xF7)
FILTER(r8, r8d, 3, 2, 0xC4, 0xC1, 0x7B, 0xAE, 0xF0)		// bit 0 alone
FILTER(r9, r9d, 0xFFFFFFFF, 0xFFFFFFFE, 0xC4, 0xC1, 0x7B, 0xAE, 0xF1)
FILTER(r10, r10d, 1, 0, 0xC4, 0xC1, 0x7B, 0xAE, 0xF2)
FILTER(r11, r11d, 1, 0, 0xC4, 0xC1, 0xFB, 0xAE, 0xF3)		// W set
FILTER(r12, r12d, 1, 0, 0xC4, 0xC1, 0x7F, 0xAE, 0xF4)		// L set
FILTER(r13, r13d, 1, 0, 0xC4, 0xC1, 0x7B, 0xAE, 0xF5)
FILTER(r14, r14d, 1, 0, 0x2E, 0xC4, 0xC1, 0x7B, 0xAE, 0xF6)	// a segment prefix
FILTER(r15, r15d, 1, 0, 0x67, 0xC4, 0xC1, 0x7B, 0xAE, 0xF7)	// an address size

static void (*const filtering[])(void) = {
	filter_rax, filter_rcx, filter_rdx, filter_rbx, filter_rsp, filter_rbp, filter_rsi,
	filter_rdi,
	filter_r8, filter_r9, filter_r10, filter_r11, filter_r12, filter_r13, filter_r14,
	filter_r15,
};

// Code at level 3, with the entry and the return around it (arch/x86/execute.S).
#define AT_LEVEL_3(name, code)									\
	void name(void);									\
	__asm__(".text\n" #name ":\n\t"								\
		"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; pushfq\n\t"	\
		"mov %rsp, %gs:" STRING(THIS_CPU_USER_RETURN) "\n\t"				\
		"pushq $" STRING(SEGMENT_USER_DATA) "; pushq $0; pushfq; pushq $" STRING(	\
			SEGMENT_USER_CODE) "\n\t"	\
		"lea 1f(%rip), %rax; push %rax; iretq\n1:\t" code "\n\t"			\
		"int $" STRING(VECTOR_USER_RETURN) "\n");

// The same at level 3, with RAX, in the three-byte VEX encoding.
AT_LEVEL_3(filter_at_user_level, "mov $1, %eax\n\t.byte 0xC4, 0xE1, 0x7B, 0xAE, 0xF0\n\t"
	   ".rept " STRING(NOPS) "\n\tnop\n\t.endr\n\t"
	   "mov $0, %eax\n\t.byte 0xC4, 0xE1, 0x7B, 0xAE, 0xF0")

static uint64_t filtered(void (*code)(void), uint64_t levels, uint64_t event)
{
	const bool interrupts = hal_interrupts_disable();

	put(COUNTER(0), 0);
	put(SELECT(0), event | levels | EN);
	put(SPFLT, 1);
	put(ENABLE, 1);
	code();
	put(ENABLE, 0);
	put(SPFLT, 0);
	hal_interrupts_restore(interrupts);
	return get(COUNTER(0));
}

// One CPU at a time, because the filters save a register in memory.
static void filter_everywhere(void *unused)
{
	static bool taken;
	struct job *job = &jobs[hal_cpu()];

	(void)unused;
	while (__atomic_exchange_n(&taken, true, __ATOMIC_ACQUIRE))
		hal_relax();
	for (unsigned i = 0; i < sizeof filtering / sizeof *filtering; i++)
		job->hits += filtered(filtering[i], OS, EXECUTED) == OF_FILTERED;
	job->found[0] = filtered(filter_at_user_level, USR, EXECUTED);
	job->found[1] = filtered(filter_at_user_level, USR | OS, EXECUTED);
	job->found[2] = filtered(filter_at_user_level, OS, EXECUTED);
	job->found[3] = filtered(filter_at_user_level, USR | OS, UNHALTED);
	put(SPFLT, 0);
	job->found[4] = hal_spflt(true) && get(SPFLT) == 1ULL << 63;
	job->found[5] = hal_spflt(false) && get(SPFLT) == 0;
	__atomic_store_n(&taken, false, __ATOMIC_RELEASE);
}

// Starts a counter on a thread whose program never enables the filter.
static void leave_to_program(void *unused)
{
	(void)unused;
	put(COUNTER(1), 0);
	put(SELECT(1), EXECUTED | USR | OS | EN);
	put(SPFLT, 2);
	put(ENABLE, 2);
	hal_execute(50000);
}

static void look(void *unused)
{
	(void)unused;
	jobs[hal_cpu()].found[0] = get(COUNTER(1));
}

static void leave_or_filter(void *unused)
{
	(hal_cpu() == 2 ? leave_to_program : filter_everywhere)(unused);
}

static void user_filter(void)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		jobs[cpu].hits = 0;
	everywhere(leave_or_filter, NULL);
	on(2, look);
	expect("a program that never turns it on", 2, 0, jobs[2].found[0]);
	on(2, clear);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		const uint64_t *found = jobs[cpu].found;

		if (cpu == 2)
			continue;
		expect("SPFLT of each register at level 0", cpu, 16, jobs[cpu].hits);
		expect("at level 3", cpu, OF_FILTERED, found[0]);
		expect("at level 3, all levels", cpu, OF_FILTERED, found[1]);
		expect("at level 3, level 0 counted", cpu, 0, found[2]);
		expect("at level 3, cycles", cpu, OF_FILTERED, found[3]);
		expect("hal_spflt(true)", cpu, true, found[4]);
		expect("hal_spflt(false)", cpu, true, found[5]);
	}
}

//
// Encodings other than SPFLT are undefined
//

static struct {
	uint64_t vector, error, rip, cs;
	unsigned count;
} undefined;

extern char undefined_at[], undefined_end[], undefined_user_end[];

static void note_undefined(struct arch_frame *frame)
{
	undefined.vector = frame->vector;
	undefined.error = frame->error;
	undefined.rip = frame->rip;
	undefined.cs = frame->cs;
	undefined.count++;
	frame->rip = (frame->rip & ~0xFULL) + 16;
}

// Each occupies 16 bytes, padded with no-operations.
__asm__(".text\n.macro undefined bytes:vararg\n\t.balign 16, 0x90\n\t.byte \\bytes\n.endm\n\t"
	"undefined_code:\n\tjmp undefined_at\n\t.balign 16\nundefined_at:\n\t"
	"undefined 0x66, 0xC5, 0xFB, 0xAE, 0xF0\n\t"	// forbidden prefixes
	"undefined 0xF2, 0xC5, 0xFB, 0xAE, 0xF0\n\t"
	"undefined 0xF3, 0xC5, 0xFB, 0xAE, 0xF0\n\t"
	"undefined 0xF0, 0xC5, 0xFB, 0xAE, 0xF0\n\t"
	"undefined 0x48, 0xC5, 0xFB, 0xAE, 0xF0\n\t"
	"undefined 0x40, 0xC4, 0xE1, 0x7B, 0xAE, 0xF0\n\t"
	"undefined 0xC5, 0xF3, 0xAE, 0xF0\n\t"		// a second register
	"undefined 0xC5, 0xF8, 0xAE, 0xF0\n\t"		// no F2
	"undefined 0xC5, 0xFB, 0xAE, 0x30\n\t"		// memory
	"undefined 0xC5, 0xFB, 0xAE, 0xF8\n\t"		// /7
	"undefined 0xC4, 0xE2, 0x7B, 0xAE, 0xF0\n\t"	// another opcode map
	"undefined 0xC4, 0xE1, 0x03, 0xAE, 0xF0\n\t"	// a second register
	"undefined 0x0F, 0x0B\n\t"			// UD2
	"undefined 0x0F, 0x05\n\t"			// SYSCALL and SYSRET, which are disabled
	"undefined 0x48, 0x0F, 0x07\n\t"
	"undefined 0x0F, 0xA2, 0x0F, 0x0B\n\t"		// directly after CPUID: UD2, SYSCALL
	"undefined 0x0F, 0xA2, 0x0F, 0x05\n\t"
	".balign 16, 0x90\nundefined_end: ret\n");
void undefined_code(void);

#define UNDEFINED_ONES	17
#define BEHIND_CPUID	15	/* the first of those */

// Executes the undefined instructions from number i on. Returns the number of counted instructions.
static uint64_t execute_undefined(unsigned i)
{
	const uint64_t at = (uint64_t)undefined_at + 16 * i;

	undefined.count = 0;
	put(COUNTER(0), 0);
	put(ENABLE, 1);
	__asm__ volatile("call *%0" : : "r"(at) : "memory", "cc", "rax", "rbx", "rcx", "rdx", "rsi",
			 "rdi", "r8", "r9",
			 "r10", "r11");
	put(ENABLE, 0);
	return get(COUNTER(0));
}

static void undefined_instructions(void)
{
	const bool interrupts = hal_interrupts_disable();
	uint64_t counted[UNDEFINED_ONES];

	arch_attach(VECTOR_UNDEFINED, note_undefined);
	put(SPFLT, 2);
	put(SELECT(0), EXECUTED | OS | EN);
	for (unsigned i = 0; i < UNDEFINED_ONES; i++) {
		counted[i] = execute_undefined(i);
		// This instruction and those after it.
		expect("undefined ones", 0, UNDEFINED_ONES - i, undefined.count);
		expect("vector", 0, 6, undefined.vector);
		expect("error code", 0, 0, undefined.error);
		// UD2 or SYSCALL after CPUID, which is two bytes long.
		expect("address of the last", 0,
		       (uint64_t)undefined_at + 16 * (UNDEFINED_ONES - 1) + 2, undefined.rip);
		expect("level", 0, 0, undefined.cs & 3);
	}
	// Each instruction adds its handler's instructions, not itself, and a CPUID before it.
	for (unsigned i = 0; i < UNDEFINED_ONES - 1; i++)
		expect("counted for an undefined one", i,
		       counted[0] - counted[1] + (i >= BEHIND_CPUID), counted[i] - counted[i + 1]);
	expect("the user filter is as it was", 0, 2, get(SPFLT));
	put(SPFLT, 0);
	put(SELECT(0), 0);
	hal_interrupts_restore(interrupts);
}

//
// A fault of RDPMC at level 3: its handler's instructions belong to level 0
//

static unsigned rdpmc_faults;

#define RDPMC_LENGTH 2

static void skip_rdpmc(struct arch_frame *frame)
{
	rdpmc_faults++;
	frame->rip += RDPMC_LENGTH;
}

AT_LEVEL_3(read_odd_counter,
	   "mov $0x40000001, %ecx\n\trdpmc\n\t.rept " STRING(NOPS) "\n\tnop\n\t.endr")

// MOV, NOPS instructions, and INT, as in OF_USER; the faulting RDPMC does not count.
#define OF_ODD_COUNTER (NOPS + 2)

static void odd_counter(void)
{
	const bool interrupts = hal_interrupts_disable();

	arch_attach(VECTOR_GENERAL_PROTECTION, skip_rdpmc);
	put(COUNTER(0), 0);
	put(SELECT(0), EXECUTED | USR | EN);
	put(ENABLE, 1);
	read_odd_counter();
	put(ENABLE, 0);
	put(SELECT(0), 0);
	arch_attach(VECTOR_GENERAL_PROTECTION, NULL);
	hal_interrupts_restore(interrupts);
	expect("faults of RDPMC at level 3", 0, 1, rdpmc_faults);
	expect("counted at level 3 around a fault of RDPMC", 0, OF_ODD_COUNTER, get(COUNTER(0)));
}

int workload(void)
{
	uint64_t first[6];

	expect("CPUs", 0, CPUS, hal_cpus_start());
	if (wrong)
		return 1;
	for (unsigned i = 0; i < 6; i++)
		first[i] = get(registers[i]);
	everywhere(clear, NULL);
	user_filter();
	undefined_instructions();
	odd_counter();
	expect("failed accesses and calls", 0, 0, failed);
	for (unsigned i = 0; i < 6; i++)
		put(registers[i], first[i]);
	printf("knc-instructions: %d wrong\n", wrong);
	return wrong != 0;
}
