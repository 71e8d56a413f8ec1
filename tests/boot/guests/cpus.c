// SPDX-License-Identifier: BSD-2-Clause
// Several CPUs: started by INIT and startup interrupts, each with a PMU of its own; two count and overflow at once;
// interrupts and NMIs from one to the other; INIT again. SDM volume 3A, "MP Initialization", Table 9-1.

#include "pmu.h"

#define VECTOR_PMI	0x51
#define VECTOR_CALL	0x52
#define MOST		4
#define START		0x7000

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);
void cpu_main(void);

static volatile uint32_t come, calls[MOST], nmis[MOST], pmis[MOST], done[MOST], go;
static volatile uint64_t counted[MOST], general[MOST], kept;
static uint32_t count;

static uint32_t self(void)
{
	return *apic(0x020) >> 24;
}

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == 2) {
		nmis[self()]++;
		return;
	}
	if (frame->vector == VECTOR_PMI) {
		pmis[self()]++;
		wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, rdmsr(IA32_PERF_GLOBAL_STATUS));
		*apic(APIC_LVTPC) = VECTOR_PMI;
	} else if (frame->vector == VECTOR_CALL) {
		calls[self()]++;
	} else if (!take_exception(frame)) {
		fail_on(frame);
	}
	*apic(APIC_EOI) = 0;
}

extern char start_start[], start_end[], cpu_stacks[];

__asm__(".section .rodata\n"
	".code16\n"
	"start_start:\n"
	"cli\n"
	"mov %cs, %ax\n"
	"mov %ax, %ds\n"
	"lgdtl 1f - start_start\n"
	"mov %cr0, %eax\n"
	"or $1, %al\n"
	"and $0x9FFFFFFF, %eax\n"
	"mov %eax, %cr0\n"
	"ljmpl $0x08, $cpu_entry\n"
	"1: .word 0x47\n"
	".long gdt\n"
	"start_end:\n"
	".text\n"
	".code32\n"
	"cpu_entry:\n"
	"mov $0x10, %eax\n"
	"mov %eax, %ds\n"
	"mov %eax, %es\n"
	"mov %eax, %ss\n"
	"mov 0xFEE00020, %eax\n"
	"shr $24, %eax\n"
	"inc %eax\n"
	"shl $12, %eax\n"
	"lea cpu_stacks(%eax), %esp\n"
	"call cpu_main\n"
	".bss\n"
	".balign 4096\n"
	"cpu_stacks: .skip 4096 * 4\n"
	".text\n");

static void send(uint32_t cpu, uint32_t command)
{
	*apic(0x310) = cpu << 24;
	*apic(APIC_COMMAND) = command;
}

static void relax(void)
{
	__asm__ volatile("pause" ::: "memory");
}

// 2n instructions and what ends counting. The second counter overflows with the 1000th, which interrupts behind it all.
// The general counter counts level 3 only, and so nothing.
static void count_here(uint32_t n)
{
	reset_pmu();
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | (CONTROL_OS | CONTROL_PMI) << 4);
	wrmsr(IA32_FIXED_CTR1, MASK_48 + 1 - 1000);
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_USR | SELECT_EN);
	__asm__ volatile("mov $0x38F, %%ecx\n wrmsr\n 1: dec %%esi\n jnz 1b\n mov $0x38F, %%ecx\n xor %%eax, %%eax\n"
			 "xor %%edx, %%edx\n wrmsr"
			 : "+S"(n) : "a"(1), "d"(3) : "ecx", "cc", "memory");
	counted[self()] = rdmsr(IA32_FIXED_CTR0);
	general[self()] = rdmsr(IA32_PMC0);
	__asm__ volatile("sti; nop; nop; cli" ::: "memory");	// the overflow interrupt
}

void cpu_main(void)
{
	const uint32_t cpu = self();

	__asm__ volatile("lidt (%0)" : : "r"(START + 0x100));
	*apic(APIC_SPURIOUS) = 0x1FF;
	kept = rdmsr(IA32_FIXED_CTR0);
	__asm__ volatile("lock incl %0" : "+m"(come));
	while (!go)
		relax();
	count_here(100000 * (cpu + 1));
	done[cpu] = 1;
	for (;;)
		__asm__ volatile("sti; hlt" ::: "memory");
}

static void wait_for(volatile uint32_t *what, uint32_t value)
{
	for (uint32_t i = 0; i < 10000000 && *what != value; i++)
		relax();
}

static void prepare_start(void)
{
	volatile uint8_t *low = 0;
	struct __attribute__((packed)) {
		uint16_t limit;
		uint32_t base;
	} pointer = {sizeof idt - 1, (uint32_t)idt};

	__asm__("" : "+r"(low));		// 0 is an address
	for (const char *from = start_start; from < start_end; from++)
		low[START + (from - start_start)] = (uint8_t)*from;
	for (uint32_t i = 0; i < sizeof pointer; i++)
		low[START + 0x100 + i] = ((const uint8_t *)&pointer)[i];
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	const char *word = (const char *)information[4];

	(void)magic;
	while (*word && *word != ' ')
		word++;
	count = (uint32_t)(word[1] - '0');
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	prepare_start();
	*apic(APIC_COMMAND) = 0xC4500;			// INIT to all others
	*apic(APIC_COMMAND) = 0xC4600 | START >> 12;	// startup, twice as the manual wants it
	*apic(APIC_COMMAND) = 0xC4600 | START >> 12;
	wait_for(&come, count - 1);
	is("all CPUs have come", come, count - 1);
	go = 1;
	count_here(100000);
	for (uint32_t cpu = 1; cpu < count; cpu++)
		wait_for(&done[cpu], 1);
	for (uint32_t cpu = 0; cpu < count; cpu++) {
		is("a CPU has counted its own instructions", counted[cpu], 200000 * (cpu + 1) + BEHIND);
		is("and none of what it does not execute", general[cpu], 0);
		is("its overflow has interrupted it", pmis[cpu], 1);
	}
	send(1, 0x4000 | VECTOR_CALL);
	wait_for(&calls[1], 1);
	is("an interrupt ends the other one's HLT", calls[1], 1);
	send(1, 0x4400);
	wait_for(&nmis[1], 1);
	is("so does an NMI", nmis[1], 1);
	is("which nobody else gets", nmis[0], 0);
	*apic(APIC_COMMAND) = 0x44400;
	is("its own is taken", nmis[0], 1);
	go = 0;
	kept = 0;
	send(1, 0x4500);
	send(1, 0x4600 | START >> 12);
	wait_for(&come, count);
	is("INIT and startup again", come, count);
	is("INIT leaves the counters as they were", kept, 400000 + BEHIND);
	finish();
}
