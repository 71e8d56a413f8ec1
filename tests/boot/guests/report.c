// SPDX-License-Identifier: BSD-2-Clause
// Counts known by hand, for the plugin's report and for counting from outside
// (tests/boot/qemu-report.t). The guest checks the same numbers in its own counters. Sections named
// are those of the Intel Software Developer's Manual.

#include "level3.h"
#include "pmu.h"

#define VECTOR_PMI	0x51
#define LVT_MASKED	0x10000u
#define PERIOD		50

/* Table "Performance Events In the Processor Core for Intel Core i7": BPU_CLEARS.EARLY. The table
 * has no event FEH. */
#define BPU_CLEARS	0x01E8
#define NAMELESS	0x77FE

void guest_interrupt(struct frame *frame);
void guest_main(void);

static volatile uint32_t pmis;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == VECTOR_BACK)
		leave_level_3();
	if (frame->vector != VECTOR_PMI)
		fail_on(frame);
	pmis++;
	wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, 4);
	wrmsr(IA32_PMC0 + 2, -(uint64_t)PERIOD);
	*apic(APIC_LVTPC) &= ~LVT_MASKED;
	*apic(APIC_EOI) = 0;
}

// 4 instructions at level 3, and 201.
extern char short_code[], long_code[];
__asm__(".text\nshort_code:\n" NOPS(3) "int $0x80\n"
	"long_code:\n" NOPS(200) "int $0x80\n");

// Writing a counter adds no events to the report: 104 and 204 are 308.
static void count_at_level_0(void)
{
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_OS | SELECT_EN);
	MEASURE(1ULL, NOPS(100));
	is("100 instructions", rdmsr(IA32_PMC0), 100 + BEHIND);
	wrmsr(IA32_PMC0, 5000);
	MEASURE(1ULL, NOPS(200));
	is("200 instructions, from 5000 on", rdmsr(IA32_PMC0), 5000 + 200 + BEHIND);
	wrmsr(IA32_PMC0, 0);
}

static void count_at_level_3(void)
{
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_USR | SELECT_EN);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
	at_level_3(short_code, 0, FLAGS_OFF);
	at_level_3(short_code, 0, FLAGS_OFF);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	is("8 instructions at level 3", rdmsr(IA32_PMC0), 8);
}

static void count_absent(void)
{
	wrmsr(IA32_PERFEVTSEL0 + 1, BPU_CLEARS | SELECT_OS | SELECT_EN);
	MEASURE(2ULL, NOPS(10));
	wrmsr(IA32_PERFEVTSEL0 + 1, NAMELESS | SELECT_OS | SELECT_EN);
	MEASURE(2ULL, NOPS(10));
	is("events that nothing raises", rdmsr(IA32_PMC0 + 1), 0);
	wrmsr(IA32_PERFEVTSEL0 + 1, 0);
}

// Overflows every 50 instructions: 4 times in 201. Then an overflow that the local APIC masks, in
// 201 more instructions.
static void overflow(void)
{
	wrmsr(IA32_PERFEVTSEL0 + 2, INSTRUCTIONS | SELECT_USR | SELECT_INT | SELECT_EN);
	wrmsr(IA32_PMC0 + 2, -(uint64_t)PERIOD);
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(IA32_PERF_GLOBAL_CTRL, 4);
	at_level_3(long_code, 0, FLAGS_ON);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	is("overflow interrupts", pmis, 4);
	is("instructions after the last one", rdmsr(IA32_PMC0 + 2), MASK_48 + 1 - PERIOD + 1);
	wrmsr(IA32_PMC0 + 2, -(uint64_t)PERIOD);
	*apic(APIC_LVTPC) = VECTOR_PMI | LVT_MASKED;
	wrmsr(IA32_PERF_GLOBAL_CTRL, 4);
	at_level_3(long_code, 0, FLAGS_OFF);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	is("no interrupt while masked", pmis, 4);
	is("the counter goes on", rdmsr(IA32_PMC0 + 2), 201 - PERIOD);
}

#define CR0_PG		0x80000000u
#define CR4_PSE		0x010u
#define PAGE		0x083u /* present, writable, 4 MiB (SDM volume 3A, "32-Bit Paging") */

uint32_t first_space[1024] __attribute__((aligned(4096)));
uint32_t second_space[1024] __attribute__((aligned(4096)));

// In the second address space: 100 instructions, and the MOV that leaves it.
static void change_space(void)
{
	for (uint32_t i = 0; i < 1024; i++)
		first_space[i] = second_space[i] = i << 22 | PAGE;
	__asm__ volatile("mov %%cr4, %%eax; or %0, %%eax; mov %%eax, %%cr4; mov %1, %%cr3;"
			 "mov %%cr0, %%eax; or %2, %%eax; mov %%eax, %%cr0"
			 : : "i"(CR4_PSE), "r"(first_space), "i"(CR0_PG) : "eax", "memory");
	__asm__ volatile("mov %0, %%cr3\n" NOPS(100) "mov %1, %%cr3"
			 : : "r"(second_space), "r"(first_space) : "memory");
}

void guest_main(void)
{
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	reset_pmu();
	count_at_level_0();
	count_at_level_3();
	count_absent();
	overflow();
	change_space();
	finish();
}
