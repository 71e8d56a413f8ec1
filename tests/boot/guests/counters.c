// SPDX-License-Identifier: BSD-2-Clause
// The counters of the architectural PMU, version 3: identification, exact counts, overflow, access.

#include "level3.h"
#include "pmu.h"

#define VECTOR_SHORT	0x41	// its handler: 3 instructions

void guest_interrupt(struct frame *frame);
void guest_main(void);

static volatile uint32_t steps;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == VECTOR_BACK)
		leave_level_3();
	if (frame->vector == 1)
		steps++;
	else if (!take_exception(frame))
		fail_on(frame);
}

extern char short_handler[];
static volatile uint32_t short_taken;

__asm__(".text\nshort_handler:\n"
	"incl short_taken\n"
	"movl $0, 0xFEE000B0\n"
	"iret\n");

// CPUID leaf 0AH (SDM volume 2A): version 3; 4 counters of 48 bits; 7 enumerated events, none
// absent (EBX); 3 fixed counters of 48 bits.
static void check_identification(void)
{
	uint32_t r[4];

	cpuid(0, 0, r);
	is("CPUID has leaf 0AH", r[0] >= 10, true);
	cpuid(10, 0, r);
	is("leaf 0AH EAX", r[0], 0x07300403);
	is("EBX: all events are there", r[1], 0);
	is("EDX", r[3] & 0x1FFF, 3 | 48 << 5);
	cpuid(1, 0, r);
	is("leaf 1 says PDCM", r[2] >> 15 & 1, 1);
}

// SDM volume 3A, Table "IA-32 and Intel 64 Processor States Following Power-up, Reset, or INIT",
// and volume 4.
static void check_reset(void)
{
	is("global control at reset enables the general counters", rdmsr(IA32_PERF_GLOBAL_CTRL),
	   0xF);
	is("fixed control at reset", rdmsr(IA32_FIXED_CTR_CTRL), 0);
	is("global status at reset", rdmsr(IA32_PERF_GLOBAL_STATUS), 0);
	is("selects at reset", rdmsr(IA32_PERFEVTSEL0) | rdmsr(IA32_PERFEVTSEL0 + 3), 0);
}

static void check_counts(void)
{
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	MEASURE(1ULL, NOPS(100));
	is("100 instructions", rdmsr(IA32_PMC0), 100 + BEHIND);
	wrmsr(IA32_PMC0, 0);
	MEASURE(1ULL, "mov $10000, %%esi\n 1: dec %%esi\n jnz 1b");
	is("20,001 in a loop", rdmsr(IA32_PMC0), 20001 + BEHIND);
	wrmsr(IA32_PMC0, 0);
	MEASURE(1ULL,
		"xor %%eax, %%eax\n cpuid\n mov $0x40000000, %%ecx\n rdpmc\n mov $0x1D9, %%ecx\n "
		"rdmsr");
	is("those that leave the guest count as one", rdmsr(IA32_PMC0), 6 + BEHIND);
	wrmsr(IA32_PMC0, 0);
	MEASURE(1ULL, "movl $0x44041, 0xFEE00300\n sti\n" NOPS(5) "cli\n");
	is("an interrupt was taken", short_taken, 1);
	is("its handler's instructions count, and no others", rdmsr(IA32_PMC0), 8 + 3 + BEHIND);
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_OS | SELECT_USR | SELECT_EN);
	wrmsr(IA32_PMC0, 0);
	MEASURE(1ULL, "sti\n" NOPS(2) "movl $0x44041, 0xFEE00300\n" NOPS(5)
		"movl $0x44041, 0xFEE00300\n" NOPS(5) "cli\n");
	is("two more, each directly after an access to a device", short_taken, 3);
	is("which count, too", rdmsr(IA32_PMC0), 16 + 2 * 3 + BEHIND);
	wrmsr(IA32_PMC0, 0);
	MEASURE(0ULL, NOPS(100));
	is("nothing counts with global control 0", rdmsr(IA32_PMC0), 0);
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_OS);
	MEASURE(1ULL, NOPS(100));
	is("nor without EN", rdmsr(IA32_PMC0), 0);
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_USR | SELECT_EN);
	MEASURE(1ULL, NOPS(100));
	is("nor of level 0 with USR only", rdmsr(IA32_PMC0), 0);
}

static void check_together(void)
{
	reset_pmu();
	for (uint32_t i = 0; i < 4; i++)
		wrmsr(IA32_PERFEVTSEL0 + i, (i & 1 ? CYCLES : INSTRUCTIONS) | SELECT_OS |
		      SELECT_EN);
	wrmsr(IA32_FIXED_CTR_CTRL, 0x111 * CONTROL_OS);
	MEASURE(ALL, NOPS(500));
	is("fixed and general together: fixed 0", rdmsr(IA32_FIXED_CTR0), 500 + BEHIND);
	is("fixed 1, cycles: one for each instruction", rdmsr(IA32_FIXED_CTR1), 500 + BEHIND);
	is("fixed 2", rdmsr(IA32_FIXED_CTR2), 500 + BEHIND);
	is("general 0", rdmsr(IA32_PMC0), 500 + BEHIND);
	is("general 1, cycles", rdmsr(IA32_PMC0 + 1), 500 + BEHIND);
	is("general 3", rdmsr(IA32_PMC0 + 3), 500 + BEHIND);
}

static void check_overflow(void)
{
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0 + 2, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	wrmsr(IA32_PMC0 + 2, -50);
	is("a general counter is written with 32 bits, sign-extended", rdmsr(IA32_PMC0 + 2),
	   MASK_48 - 49);
	wrmsr(IA32_FIXED_CTR0, (MASK_48 + 1) - 70);
	MEASURE(4ULL | FIXED0, NOPS(100));
	is("general: the count after the overflow", rdmsr(IA32_PMC0 + 2), 100 + BEHIND - 50);
	is("fixed", rdmsr(IA32_FIXED_CTR0), 100 + BEHIND - 70);
	is("status has both", rdmsr(IA32_PERF_GLOBAL_STATUS), 4ULL | FIXED0);
	wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, 4);
	is("one is cleared", rdmsr(IA32_PERF_GLOBAL_STATUS), FIXED0);
	wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, FIXED0);
	is("and the other", rdmsr(IA32_PERF_GLOBAL_STATUS), 0);
	wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - 100 - BEHIND);
	MEASURE(FIXED0, NOPS(100));
	is("exactly to 0", rdmsr(IA32_FIXED_CTR0), 0);
	is("is an overflow", rdmsr(IA32_PERF_GLOBAL_STATUS), FIXED0);
	wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, FIXED0);
	wrmsr(IA32_FIXED_CTR0, MASK_48 - 100 - BEHIND);
	MEASURE(FIXED0, NOPS(100));
	is("one less is none", rdmsr(IA32_PERF_GLOBAL_STATUS), 0);
}

// A value written to a running counter is the start for the instructions after the WRMSR.
static void check_running(void)
{
	reset_pmu();
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	MEASURE(FIXED0,
		NOPS(40) "mov $0x309, %%ecx\n mov $1000, %%eax\n xor %%edx, %%edx\n wrmsr\n" NOPS(
			10));
	is("written while it runs", rdmsr(IA32_FIXED_CTR0), 1000 + 10 + BEHIND);
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	MEASURE(1ULL,
		NOPS(40) "mov $0xC1, %%ecx\n mov $-5, %%eax\n xor %%edx, %%edx\n wrmsr\n" NOPS(10));
	is("to overflow", rdmsr(IA32_PMC0), 10 + BEHIND - 5);
	is("with its status", rdmsr(IA32_PERF_GLOBAL_STATUS), 1);
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	MEASURE(1ULL,
		NOPS(20) "mov $0x186, %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n wrmsr\n" NOPS(
			50));
	is("a select that is cleared stops its counter", rdmsr(IA32_PMC0), 20 + 4);
}

// The time-stamp counter, the local APIC's timer and the counter advance at the same rate.
#define READS	1000
#define APIC_MASKED	(1u << 16)
static void check_clocks(void)
{
	uint64_t clocks;
	uint32_t ticks;

	reset_pmu();
	*apic(APIC_TIMER_DIVIDE) = 0xB;		// by 1
	*apic(APIC_TIMER) = APIC_MASKED;
	*apic(APIC_TIMER_START) = UINT32_MAX;
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	clocks = rdtsc();
	ticks = *apic(APIC_TIMER_NOW);
	for (uint32_t i = 0; i < READS; i++)
		rdpmc(0);
	ticks -= *apic(APIC_TIMER_NOW);
	clocks = rdtsc() - clocks;
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	*apic(APIC_TIMER_START) = 0;
	is("the time-stamp counter and the local APIC's timer agree to ten clocks",
	   clocks - ticks < 10, true);
}

// Reads the time-stamp counter, core cycles and reference cycles, always the same number of
// instructions apart.
__attribute__((noipa)) static void read_clocks(uint64_t clocks[3])
{
	clocks[0] = rdtsc();
	clocks[1] = rdpmc(0x40000001);
	clocks[2] = rdpmc(0x40000002);
}

// With QEMU's instruction clock each of the three counts instructions: 200,000 of the loop, and
// those that read.
static void check_clocks_agree(void)
{
	uint64_t before[3], after[3];
	uint32_t n = 100000;

	reset_pmu();
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS << 4 | CONTROL_OS << 8);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED1 | FIXED2);
	read_clocks(before);
	__asm__ volatile("1: dec %0\n jnz 1b" : "+r"(n) : : "cc");
	read_clocks(after);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	is("the time-stamp counter's ticks are instructions", (after[0] - before[0]) / 100, 2000);
	is("core cycles are its ticks", after[1] - before[1], after[0] - before[0]);
	is("reference cycles, too", after[2] - before[2], after[0] - before[0]);
}

extern char user_counted[], user_rdpmc[];

// 7 instructions at level 3; the last one is INT n.
__asm__(".text\nuser_counted:\n"
	"nop\n nop\n nop\n nop\n nop\n nop\n"
	"int $0x80\n"
	"user_rdpmc:\n"
	"rdpmc\n"
	"int $0x80\n");

static void set_pce(bool on)
{
	__asm__ volatile("mov %0, %%cr4" : : "r"(on ? 0x100 : 0));
}

static void check_levels(void)
{
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_USR | SELECT_EN);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
	at_level_3(user_counted, 0, FLAGS_OFF);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	is("level 3 only: its instructions", rdmsr(IA32_PMC0), 7);
	expected_length = 2;
	exceptions = 0;
	set_pce(false);
	at_level_3(user_rdpmc, 0, FLAGS_OFF);
	is("RDPMC at level 3 without CR4.PCE faults", exceptions, 1);
	is("with #GP", last_vector, 13);
	set_pce(true);
	at_level_3(user_rdpmc, 0x40000002, FLAGS_OFF);
	is("with it, it does not", exceptions, 1);
	at_level_3(user_rdpmc, 4, FLAGS_OFF);
	is("but for a counter that does not exist", exceptions, 2);
	expected_length = 0;
	set_pce(false);
}

static void check_access(void)
{
	reset_pmu();
	wrmsr(IA32_PMC0 + 3, 0x1234);
	wrmsr(IA32_FIXED_CTR1, 0x123456789ABCULL);
	is("RDPMC 3", rdpmc(3), 0x1234);
	is("RDPMC 40000001H", rdpmc(0x40000001), 0x123456789ABCULL);
	is("RDPMC 4 faults", rdpmc_faults(4), true);
	is("RDPMC 40000003H faults", rdpmc_faults(0x40000003), true);
	is("RDPMC 80000000H faults", rdpmc_faults(0x80000000), true);
	is("global status is read-only", wrmsr_faults(IA32_PERF_GLOBAL_STATUS, 0), true);
	is("reserved bits of global control", wrmsr_faults(IA32_PERF_GLOBAL_CTRL, 0x10), true);
	is("of fixed control", wrmsr_faults(IA32_FIXED_CTR_CTRL, 0x1000), true);
	is("of a select", wrmsr_faults(IA32_PERFEVTSEL0, 1ULL << 32), true);
	is("of a fixed counter", wrmsr_faults(IA32_FIXED_CTR0, MASK_48 + 1), true);
	is("a faulting write changes nothing", rdmsr(IA32_PERF_GLOBAL_CTRL), 0);
}

// 1,000 JNZ, CALL, RET, JMP; the end of the measurement has no branch. Also in 16-bit code.
static void check_branches(void)
{
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, BRANCHES | SELECT_OS | SELECT_EN);
	wrmsr(IA32_PERFEVTSEL0 + 1, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	MEASURE(3ULL,
		"mov $1000, %%esi\n 1: dec %%esi\n jnz 1b\n call 2f\n jmp 3f\n 2: ret\n nop\n 3:");
	is("branches, taken or not", rdmsr(IA32_PMC0), 1000 + 3);
	is("and all instructions", rdmsr(IA32_PMC0 + 1), 2001 + 3 + BEHIND);
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, BRANCHES | SELECT_OS | SELECT_EN);
	MEASURE(1ULL,
		"pushl $1f\n ret\n nop\n 1: mov $2f, %%esi\n jmp *%%esi\n nop\n 2: push $0x08; "
		"push $3f; lret\n"
		      " nop\n 3: ljmp $0x08, $4f\n 4: jecxz 5f\n 5: test %%esi, %%esi\n jz 6f\n"
		      " .byte 0x0F, 0x84\n .long 0\n"
		      " 6:");
	is("RET, JMP through a register, RETF, far JMP, JECXZ, JZ, JZ near", rdmsr(IA32_PMC0), 7);
}

// UOPS_ISSUED.ANY (SDM volume 3B, the table of this processor's events), which the emulator never
// raises. Inverted, a threshold of 1 counts each cycle without the event; with an event that never
// occurs this would be every cycle.
#define UOPS_ISSUED	0x010E
#define WITHOUT(event)	((event) | 1u << SELECT_CMASK | SELECT_INV | SELECT_OS | SELECT_EN)

static void check_absent(void)
{
	reset_pmu();
	wrmsr(IA32_PERFEVTSEL0, WITHOUT(UOPS_ISSUED));
	wrmsr(IA32_PERFEVTSEL0 + 1, WITHOUT(BRANCHES));
	MEASURE(3ULL, NOPS(100) "jmp 1f\n 1:");
	is("cycles without an event that nothing raises are not counted", rdmsr(IA32_PMC0), 0);
	is("cycles without branches are", rdmsr(IA32_PMC0 + 1), 100 + BEHIND);
	is("its select reads as it was written", rdmsr(IA32_PERFEVTSEL0), WITHOUT(UOPS_ISSUED));
	wrmsr(IA32_PERFEVTSEL0, WITHOUT(BRANCHES));
	wrmsr(IA32_PMC0, 0);
	MEASURE(1ULL, NOPS(10));
	is("another event counts again", rdmsr(IA32_PMC0), 10 + BEHIND);
}

// The trap flag's #DB while a counter counts branches.
static void check_single_steps(void)
{
	reset_pmu();
	steps = 0;
	wrmsr(IA32_PERFEVTSEL0, BRANCHES | SELECT_OS | SELECT_EN);
	MEASURE(1ULL,
		"pushf; orl $0x100, (%%esp); popf; nop; nop; pushf; andl $~0x100, (%%esp); popf");
	is("TF steps while branches are counted", steps, 5);
}

void guest_main(void)
{
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	idt[VECTOR_SHORT] = ((uint32_t)short_handler & 0xFFFF) | 0x08u << 16 |
			    (uint64_t)(0x8E00 | ((uint32_t)short_handler & 0xFFFF0000u)) << 32;
	check_identification();
	check_reset();
	check_counts();
	check_together();
	check_overflow();
	check_running();
	check_clocks();
	check_clocks_agree();
	check_levels();
	check_access();
	check_branches();
	check_absent();
	check_single_steps();
	finish();
}
