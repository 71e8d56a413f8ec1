// SPDX-License-Identifier: BSD-2-Clause
// Several CPUs, each with its own PMU, started by INIT and startup interrupts. Two count and
// overflow at once; interrupts and NMIs from one to the other; then INIT again. SDM volume 3A, "MP
// Initialization", Table 9-1.

#include "cpus.h"
#include "pmu.h"

#define VECTOR_PMI	0x51
#define VECTOR_CALL	0x52

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

static volatile uint32_t come, calls[MOST], nmis[MOST], pmis[MOST], done[MOST], go;
static volatile uint64_t counted[MOST], general[MOST], kept;
static uint32_t count;

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

// Executes 2n instructions and those that end counting. The second counter overflows at the 1000th
// and interrupts after counting has ended. The general counter counts level 3 only, and therefore
// nothing.
static void count_here(uint32_t n)
{
	reset_pmu();
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | (CONTROL_OS | CONTROL_PMI) << 4);
	wrmsr(IA32_FIXED_CTR1, MASK_48 + 1 - 1000);
	wrmsr(IA32_PERFEVTSEL0, INSTRUCTIONS | SELECT_USR | SELECT_EN);
	__asm__ volatile("mov $0x38F, %%ecx\n wrmsr\n 1: dec %%esi\n jnz 1b\n mov $0x38F, %%ecx\n "
			 "xor %%eax, %%eax\n"
			 "xor %%edx, %%edx\n wrmsr"
			 : "+S"(n) : "a"(1), "d"(3) : "ecx", "cc", "memory");
	counted[self()] = rdmsr(IA32_FIXED_CTR0);
	general[self()] = rdmsr(IA32_PMC0);
	__asm__ volatile("sti; nop; nop; cli" ::: "memory");	// the overflow interrupt
}

void cpu_main(void)
{
	const uint32_t cpu = self();

	begin_cpu();
	kept = rdmsr(IA32_FIXED_CTR0);
	__asm__ volatile("lock incl %0" : "+m"(come));
	while (!go)
		relax();
	count_here(100000 * (cpu + 1));
	done[cpu] = 1;
	for (;;)
		__asm__ volatile("sti; hlt" ::: "memory");
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	(void)magic;
	count = count_of_cpus(information);
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	start_others();
	wait_for(&come, count - 1);
	is("all CPUs have come", come, count - 1);
	go = 1;
	count_here(100000);
	for (uint32_t cpu = 1; cpu < count; cpu++)
		wait_for(&done[cpu], 1);
	for (uint32_t cpu = 0; cpu < count; cpu++) {
		is("a CPU has counted its own instructions", counted[cpu],
		   200000 * (cpu + 1) + BEHIND);
		is("and no instructions of the other level", general[cpu], 0);
		is("its overflow has interrupted it", pmis[cpu], 1);
	}
	send(1, COMMAND_FIXED | VECTOR_CALL);
	wait_for(&calls[1], 1);
	is("an interrupt ends the other one's HLT", calls[1], 1);
	send(1, COMMAND_NMI);
	wait_for(&nmis[1], 1);
	is("so does an NMI", nmis[1], 1);
	is("which no other CPU receives", nmis[0], 0);
	*apic(APIC_COMMAND) = COMMAND_SELF | COMMAND_NMI;
	is("its own is taken", nmis[0], 1);
	go = 0;
	kept = 0;
	send(1, COMMAND_INIT);
	send(1, COMMAND_STARTUP);
	wait_for(&come, count);
	is("INIT and startup again", come, count);
	is("INIT leaves the counters as they were", kept, 400000 + BEHIND);
	finish();
}
