// SPDX-License-Identifier: BSD-2-Clause
// The PMU that the cores of a package share, with one CPU or two: registers, its clock, overflow.
// SDM volume 3B, "Performance Monitoring Facility in the Uncore". In QEMU its clock counts the
// instructions of all CPUs.

#include "cpus.h"
#include "pmu.h"

#define GLOBAL_CTRL	0x391
#define GLOBAL_STATUS	0x392
#define GLOBAL_OVF_CTRL	0x393
#define FIXED_CTR0	0x394
#define FIXED_CTR_CTRL	0x395
#define ADDR_MATCH	0x396
#define PMC0		0x3B0
#define PERFEVTSEL0	0x3C0
#define COUNTERS	8

/* Global control and status. */
#define EN_FC0		(1ULL << 32)
#define EN_PMI_CORE0	(1ULL << 48)
#define PMI_FRZ		(1ULL << 63)
#define OVF_FC0		(1ULL << 32)
#define OVF_PMI		(1ULL << 61)
#define CHG		(1ULL << 63)

/* Fixed control; IA32_DEBUGCTL; IA32_PERF_GLOBAL_STATUS. */
#define EN		1u
#define PMI		4u
#define UNCORE_PMI_EN	(1u << 13)
#define OVF_UNCORE	(1ULL << 61)

#define VECTOR_PMI	0x51
#define VECTOR_TIMER	0x61

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

static volatile uint32_t pmis[MOST], come, go, done;
static volatile uint64_t core_status, counted;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == VECTOR_PMI) {
		pmis[self()]++;
		core_status = rdmsr(IA32_PERF_GLOBAL_STATUS);
		wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, core_status);
		*apic(APIC_LVTPC) = VECTOR_PMI;
	} else if (frame->vector != VECTOR_TIMER && !take_exception(frame)) {
		fail_on(frame);
	}
	*apic(APIC_EOI) = 0;
}

static void let_interrupts_come(void)
{
	__asm__ volatile("sti; nop; nop; cli" ::: "memory");
}

static void reset(uint64_t fixed_control)
{
	wrmsr(GLOBAL_CTRL, 0);
	wrmsr(GLOBAL_OVF_CTRL, rdmsr(GLOBAL_STATUS));
	wrmsr(FIXED_CTR_CTRL, fixed_control);
	wrmsr(FIXED_CTR0, 0);
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(IA32_DEBUGCTL, UNCORE_PMI_EN);
	pmis[0] = pmis[1] = 0;
	core_status = 0;
}

// Like MEASURE, with the package's global control.
#define COUNT(control, body)								\
	do {										\
		uint32_t low = (uint32_t)(control), high = (uint32_t)((control) >> 32);	\
											\
		__asm__ volatile("mov $0x391, %%ecx\n wrmsr\n"				\
				 body							\
				 "\n mov $0x391, %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n " \
				 "wrmsr" \
				 : "+a"(low), "+d"(high) : : "ecx", "memory", "cc");	\
	} while (0)

static void check_registers(void)
{
	static const uint32_t plain[] = {
		GLOBAL_CTRL, GLOBAL_STATUS, GLOBAL_OVF_CTRL, FIXED_CTR0, FIXED_CTR_CTRL, ADDR_MATCH,
	};
	uint64_t all = 0;

	for (uint32_t i = 0; i < sizeof plain / sizeof *plain; i++)
		all |= rdmsr(plain[i]);
	for (uint32_t i = 0; i < COUNTERS; i++)
		all |= rdmsr(PMC0 + i) | rdmsr(PERFEVTSEL0 + i);
	is("all registers are 0 at first", all, 0);
	for (uint32_t i = 0; i < COUNTERS; i++) {
		wrmsr(PMC0 + i, MASK_48 - i);
		wrmsr(PERFEVTSEL0 + i, 0x012C + i);
	}
	for (uint32_t i = 0; i < COUNTERS; i++)
		all |= (rdmsr(PMC0 + i) ^ (MASK_48 - i)) | (rdmsr(PERFEVTSEL0 + i) ^ (0x012C + i));
	is("eight counters of 48 bits and their event selects hold written values", all, 0);
	for (uint32_t i = 0; i < COUNTERS; i++) {
		wrmsr(PMC0 + i, 0);
		wrmsr(PERFEVTSEL0 + i, 0);
	}
	is("reserved bits: of global control", wrmsr_faults(GLOBAL_CTRL, 1 << 8), true);
	is("of a counter", wrmsr_faults(PMC0, MASK_48 + 1), true);
	is("status cannot be written", wrmsr_faults(GLOBAL_STATUS, 0), true);
}

static void check_clock(void)
{
	reset(EN);
	COUNT(EN_FC0, NOPS(100));
	is("its clock counts executed instructions", rdmsr(FIXED_CTR0), 100 + BEHIND);
	COUNT(EN_FC0, NOPS(100));
	is("on from there", rdmsr(FIXED_CTR0), 2 * (100 + BEHIND));
	reset(0);
	COUNT(EN_FC0, NOPS(100));
	is("not if its own control does not let it", rdmsr(FIXED_CTR0), 0);
}

static uint64_t clocks_of_halt(uint32_t ticks)
{
	reset(EN);
	*apic(APIC_TIMER_DIVIDE) = 0xB;		// by 1
	*apic(APIC_TIMER) = VECTOR_TIMER;
	*apic(APIC_TIMER_START) = ticks;
	COUNT(EN_FC0, "sti\n hlt\n cli");
	return rdmsr(FIXED_CTR0);
}

// The timer ticks at the rate of the time-stamp counter.
static void check_halt(void)
{
	const uint64_t first = clocks_of_halt(20000);

	is("it goes on in a HLT", clocks_of_halt(200000) - first, 180000);
}

static void check_overflow(void)
{
	reset(EN | PMI);
	wrmsr(FIXED_CTR0, MASK_48 + 1 - 50);
	COUNT(EN_FC0 | EN_PMI_CORE0, "sti\n" NOPS(100) "cli\n");
	is("an overflow interrupts the core that is asked for", pmis[0], 1);
	is("whose status says that it is the package's", core_status, OVF_UNCORE);
	is("the package's says which counter", rdmsr(GLOBAL_STATUS), OVF_FC0 | OVF_PMI | CHG);
	wrmsr(GLOBAL_OVF_CTRL, OVF_FC0 | OVF_PMI | CHG);
	is("and is cleared", rdmsr(GLOBAL_STATUS), 0);

	reset(EN | PMI);
	wrmsr(FIXED_CTR0, MASK_48 + 1 - 50);
	COUNT(EN_FC0, "sti\n" NOPS(100) "cli\n");
	is("none if no core is asked for", pmis[0], 0);
	is("but status", (rdmsr(GLOBAL_STATUS) & OVF_FC0) != 0, true);

	reset(EN | PMI);
	wrmsr(IA32_DEBUGCTL, 0);
	wrmsr(FIXED_CTR0, MASK_48 + 1 - 50);
	COUNT(EN_FC0 | EN_PMI_CORE0, "sti\n" NOPS(100) "cli\n");
	is("none if the core does not want it", pmis[0], 0);

	reset(EN);
	wrmsr(FIXED_CTR0, MASK_48 + 1 - 50);
	COUNT(EN_FC0 | EN_PMI_CORE0, "sti\n" NOPS(100) "cli\n");
	is("none if the counter raises none", pmis[0], 0);

	reset(EN | PMI);
	wrmsr(FIXED_CTR0, MASK_48 + 1 - 50);
	wrmsr(GLOBAL_CTRL, PMI_FRZ | EN_FC0 | EN_PMI_CORE0);
	__asm__ volatile(NOPS(100));
	is("with PMI_FRZ it stands at the overflow", rdmsr(FIXED_CTR0), 0);
	is("because global control does not enable it any more", rdmsr(GLOBAL_CTRL),
	   PMI_FRZ | EN_PMI_CORE0);
	let_interrupts_come();
	is("and interrupts", pmis[0], 1);
	reset(0);
}

//
// Two CPUs
//

#define WORK 100000u

static void execute(uint32_t instructions)
{
	uint32_t n = instructions / 2;

	__asm__ volatile("1: dec %0\n jnz 1b" : "+r"(n) : : "cc");
}

// The second CPU counts its own work after `go`, up to the instructions that end counting.
void cpu_main(void)
{
	begin_cpu();
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(IA32_DEBUGCTL, UNCORE_PMI_EN);
	reset_pmu();
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	__asm__ volatile("lock incl %0" : "+m"(come));
	while (!go)
		execute(100);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	execute(WORK);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	counted = rdmsr(IA32_FIXED_CTR0);
	done = 1;
	for (;;)
		__asm__ volatile("sti; hlt" ::: "memory");
}

// First both CPUs execute for some time without counting. Then the clock must count the
// instructions of both.
static void check_two(void)
{
	uint64_t clocks, own;

	start_others();
	wait_for(&come, 1);
	execute(10 * WORK);
	reset_pmu();
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	reset(EN);
	wrmsr(GLOBAL_CTRL, EN_FC0);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	go = 1;
	while (!done)
		relax();
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	own = rdmsr(IA32_FIXED_CTR0);
	wrmsr(GLOBAL_CTRL, 0);
	clocks = rdmsr(FIXED_CTR0);
	is("the second CPU has done its work", counted > WORK && counted < WORK + 100, true);
	is("its clock counts both CPUs' instructions", clocks >= own + counted, true);
	is("and nothing of before", clocks < own + counted + WORK / 100, true);

	reset(EN | PMI);
	wrmsr(FIXED_CTR0, MASK_48 + 1 - 1000);
	wrmsr(GLOBAL_CTRL, EN_FC0 | EN_PMI_CORE0 | EN_PMI_CORE0 << 1);
	__asm__ volatile("sti");
	execute(2000);
	wait_for(&pmis[1], 1);
	__asm__ volatile("cli");
	wrmsr(GLOBAL_CTRL, 0);
	is("an overflow interrupts both", pmis[0] + pmis[1], 2);
	is("each once", pmis[1], 1);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	(void)magic;
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	check_registers();
	check_clock();
	check_overflow();
	if (count_of_cpus(information) == 1)
		check_halt();
	else
		check_two();
	finish();
}
