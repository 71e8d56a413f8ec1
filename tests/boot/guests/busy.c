// SPDX-License-Identifier: BSD-2-Clause
// Cost of several CPUs that do not use their PMUs, measured with the first one's local APIC timer:
// on the bare machine a tick is the time of one instruction of any CPU. At the end the first CPU
// counts for the first time, while others halt and while others execute.

#include "cpus.h"
#include "pmu.h"

#define VECTOR_TIMER	0x51
#define VECTOR_CALL	0x52

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

static volatile uint32_t come, timers, calls, go, done, awakenings;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == VECTOR_TIMER)
		timers++;
	else if (frame->vector == VECTOR_CALL)
		calls++;
	else
		fail_on(frame);
	*apic(APIC_EOI) = 0;
}

static void loop(uint32_t n)
{
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

void cpu_main(void)
{
	begin_cpu();
	__asm__ volatile("lock incl %0" : "+m"(come));
	while (!go)
		__asm__ volatile("sti; hlt; cli" ::: "memory");
	loop(1000000);
	__asm__ volatile("lock incl %0" : "+m"(done));
	for (;;) {
		__asm__ volatile("sti; hlt" ::: "memory");
		__asm__ volatile("lock incl %0" : "+m"(awakenings));
		loop(1000000);
	}
}

static void start_timer(uint32_t entry, uint32_t ticks)
{
	*apic(0x3E0) = 0xB;
	*apic(0x320) = entry;
	*apic(0x380) = ticks;
}

static uint32_t now(void)
{
	return ~*apic(0x390);
}

#define REPORT(what, code)						\
	do {								\
		uint32_t begin, ticks;					\
									\
		start_timer(0x10000, 0xFFFFFFFF);			\
		begin = now();						\
		code;							\
		ticks = now() - begin;					\
		print("# " what ": ");					\
		print_number(ticks);					\
		print("\n");						\
	} while (0)

static void halts(uint32_t n)
{
	start_timer(0x20000 | VECTOR_TIMER, 3000);	// periodic
	for (uint32_t i = 0; i < n; i++)
		__asm__ volatile("sti; hlt; cli" ::: "memory");
}

static void writes(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		*apic(APIC_EOI) = 0;
}

static void calls_to_self(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		*apic(APIC_COMMAND) = COMMAND_SELF | COMMAND_FIXED | VECTOR_CALL;
		__asm__ volatile("sti; nop; cli" ::: "memory");
	}
}

static void calls_of_all(uint32_t n)
{
	go = 1;
	*apic(APIC_COMMAND) = COMMAND_OTHERS | COMMAND_FIXED | VECTOR_CALL;
	loop(1000000);
	while (done != n)
		relax();
}

static void pauses(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		relax();
}

// A CPU's counters never count other CPUs' instructions, whenever counting begins.
static void count_with_others(uint32_t others)
{
	uint32_t wrong = 0;

	reset_pmu();
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS);
	MEASURE(FIXED0, NOPS(100));
	is("100 instructions while other CPUs halt", rdmsr(IA32_FIXED_CTR0), 100 + BEHIND);
	pauses(100);
	is("which sleep on", awakenings, 0);
	*apic(APIC_COMMAND) = COMMAND_OTHERS | COMMAND_FIXED | VECTOR_CALL;
	for (uint32_t i = 0; i < 100; i++) {
		relax();
		wrmsr(IA32_FIXED_CTR0, 0);
		MEASURE(FIXED0, NOPS(100));
		wrong += rdmsr(IA32_FIXED_CTR0) != 100 + BEHIND;
		loop(i * 10 + 1);
	}
	is("while other CPUs execute", wrong, 0);
	is("which do", awakenings, others);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	uint32_t r[4];
	const uint32_t count = count_of_cpus(information);

	(void)magic;
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	if (count > 1)
		start_others();
	wait_for(&come, count - 1);
	pauses(100);		// the others halt
	is("all CPUs have come", come, count - 1);
	REPORT("10,000,001 instructions while other CPUs halt", loop(5000000));
	REPORT("1,000 pauses", pauses(1000));
	REPORT("1,000 writes to the APIC", writes(1000));
	REPORT("1,000 interrupts of its own", calls_to_self(1000));
	REPORT("2,000,000 instructions on each CPU", calls_of_all(count - 1));
	halts(1000);
	is("a timer interrupt for each of 1,000 HLTs", timers, 1000);
	start_timer(0x10000, 0);
	cpuid(10, 0, r);
	if (r[0] & 0xFF)
		count_with_others(count - 1);
	finish();
}
