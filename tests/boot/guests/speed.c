// SPDX-License-Identifier: BSD-2-Clause
// What a PMU costs a guest, as the benchmark's lines (tools/bench): by the local APIC's timer, of which a tick is the
// time of an instruction, and by a CPUID leaf in which a hypervisor may count its exits and its instructions. QEMU has
// no such leaf. With two CPUs, what it costs to start one.

#include "pmu.h"

#define VECTOR_TIMER	0x51
#define VECTOR_PMI	0x52
#define PERIOD		100000
#define SAMPLES		100
#define TURNS		1000

#define APIC_TIMER_PERIODIC	(1u << 17)
#define APIC_MASKED		(1u << 16)
#define APIC_NMI		0x400u

// Exits in EBX:EAX, instructions in EDX:ECX; of both the low half is enough.
#define CPUID_MONITOR	0x40000010u

// A page below 1 MiB, at which the second CPU starts; where it says that it has.
#define START		0x7000u
#define START_FLAG	0x7100u

void guest_interrupt(struct frame *frame);
void guest_main(void);

static volatile uint32_t timers, samples;
static volatile bool samples_go_on;	// each overflow's handler prepares the next one

static void take_sample(void)
{
	samples++;
	if (samples_go_on) {
		wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - PERIOD);
		wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, FIXED0);
	}
	*apic(APIC_LVTPC) &= ~APIC_MASKED;
}

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == 2) {
		take_sample();
		return;
	}
	if (take_exception(frame))
		return;
	if (frame->vector == VECTOR_TIMER)
		timers++;
	else if (frame->vector == VECTOR_PMI)
		take_sample();
	else
		fail_on(frame);
	*apic(APIC_EOI) = 0;
}

//
// Clocks
//

static uint32_t now(void)
{
	return ~*apic(APIC_TIMER_NOW);
}

static void start_timer(uint32_t entry, uint32_t ticks)
{
	*apic(APIC_TIMER_DIVIDE) = 0xB;		// by 1
	*apic(APIC_TIMER) = entry;
	*apic(APIC_TIMER_START) = ticks;
}

static uint32_t exits(void)
{
	uint32_t r[4];

	cpuid(CPUID_MONITOR, 0, r);
	return r[0];
}

static uint32_t spent(void)
{
	uint32_t r[4];

	cpuid(CPUID_MONITOR, 0, r);
	return r[2];
}

static void print_line(const char *name, uint32_t value, const char *unit)
{
	print("{\"name\": \"guest");
	print(name);
	print("\", \"value\": ");
	print_number(value);
	print(", \"unit\": \"");
	print(unit);
	print("\"}\n");
}

// What `code` costs by the leaf, each of so many times, rounded up. What the question itself costs is asked, too.
#define PRINT_SPENT(name, turns, code)								\
	do {											\
		uint32_t begin = spent(), nothing_between = spent(), end;			\
												\
		for (uint32_t turn = 0; turn < (turns); turn++) {				\
			code;									\
		}										\
		end = spent();									\
		print_line(name, (end - nothing_between - (nothing_between - begin) + (turns) - 1) / (turns), \
			   "instructions");							\
	} while (0)

// 2n + 1 instructions.
static void loop(uint32_t n)
{
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

// Interrupts, halts, mode switches: 1,000 of each.
static void mixed(void)
{
	start_timer(APIC_TIMER_PERIODIC | VECTOR_TIMER, 3000);
	for (int i = 0; i < 1000; i++) {
		uint32_t cr0;

		__asm__ volatile("sti; hlt; cli" ::: "memory");
		__asm__ volatile("mov %%cr0, %0; mov %0, %%cr0" : "=r"(cr0));
	}
	start_timer(APIC_MASKED, UINT32_MAX);
}

//
// With the PMU
//

// With four general counters and one fixed running, as far from overflow as can be. Controls are written with what
// turns a counter off, and then on again.
static void print_accesses(void)
{
	const uint64_t select = INSTRUCTIONS | SELECT_USR | SELECT_OS | SELECT_EN;
	const uint64_t control = CONTROL_OS | CONTROL_USR, global = 0xF | FIXED0;

	reset_pmu();
	for (uint32_t i = 0; i < 4; i++)
		wrmsr(IA32_PERFEVTSEL0 + i, select);
	wrmsr(IA32_FIXED_CTR_CTRL, control);
	wrmsr(IA32_PERF_GLOBAL_CTRL, global);
	PRINT_SPENT(", RDMSR of a counter, 5 counters running", TURNS, rdmsr(IA32_PMC0));
	PRINT_SPENT(", RDPMC", TURNS, rdpmc(0));
	PRINT_SPENT(", WRMSR of a counter", TURNS, wrmsr(IA32_PMC0, 0));
	PRINT_SPENT(", WRMSR of a select", TURNS, wrmsr(IA32_PERFEVTSEL0, select ^ (turn & 1 ? 0 : SELECT_EN)));
	PRINT_SPENT(", WRMSR of fixed control", TURNS, wrmsr(IA32_FIXED_CTR_CTRL, turn & 1 ? control : 0));
	PRINT_SPENT(", WRMSR of global control", TURNS, wrmsr(IA32_PERF_GLOBAL_CTRL, turn & 1 ? global : 0));
	PRINT_SPENT(", WRMSR of overflow control", TURNS, wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, FIXED0));
	PRINT_SPENT(", a WRMSR that is refused (#GP)", TURNS, wrmsr_faults(IA32_PERF_GLOBAL_CTRL, 1u << 31));
	PRINT_SPENT(", CPUID", TURNS, (void)exits());
	start_timer(APIC_TIMER_PERIODIC | VECTOR_TIMER, 3000);
	PRINT_SPENT(", HLT, to the interrupt that ends it", TURNS, __asm__ volatile("sti; hlt; cli" ::: "memory"));
	start_timer(APIC_MASKED, UINT32_MAX);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
}

// From 1,000 instructions before it to 1,000 behind.
static void print_overflow(const char *name, uint32_t entry)
{
	uint32_t sum = 0;

	reset_pmu();
	*apic(APIC_LVTPC) = entry;
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_USR | CONTROL_PMI);
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	samples_go_on = false;
	samples = 0;
	__asm__ volatile("sti");
	for (int i = 0; i < SAMPLES; i++) {
		uint32_t begin, nothing_between;

		wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - 1000);
		begin = spent();
		nothing_between = spent();
		loop(1000);
		sum += spent() - nothing_between - (nothing_between - begin);
	}
	__asm__ volatile("cli");
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	is(name + 2, samples, SAMPLES);
	print_line(name, (sum + SAMPLES - 1) / SAMPLES, "instructions");
}

// How much longer the loop takes that took so many ticks alone.
static void print_sampling(const char *name, uint32_t levels, uint32_t alone)
{
	uint32_t start, sampled;

	reset_pmu();
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(IA32_FIXED_CTR_CTRL, levels | CONTROL_PMI);
	wrmsr(IA32_FIXED_CTR0, MASK_48 + 1 - PERIOD);
	samples_go_on = true;
	samples = 0;
	start = now();
	wrmsr(IA32_PERF_GLOBAL_CTRL, FIXED0);
	__asm__ volatile("sti");
	loop(5000000);
	__asm__ volatile("cli");
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	sampled = now() - start;
	is(name + 2, samples, SAMPLES);
	print_line(name, (sampled - alone) / (alone / 1000000), "millionths");
}

//
// Two CPUs
//

extern char start_start[], start_end[];

__asm__(".section .rodata\n"
	".code16\n"
	"start_start:\n"
	"cli\n"
	"movb $1, %cs:0x100\n"
	"1: hlt\n"
	"jmp 1b\n"
	"start_end:\n"
	".text\n"
	".code32\n");

static void start_second(void)
{
	*apic(APIC_COMMAND_HIGH) = 1u << 24;
	*apic(APIC_COMMAND) = 0x4500;
	*apic(APIC_COMMAND) = 0x4600 | START >> 12;
	while (!*(volatile uint8_t *)START_FLAG)
		__asm__ volatile("pause");
}

static void print_startup(void)
{
	for (char *to = (char *)START, *from = start_start; from < start_end;)
		*to++ = *from++;
	*(volatile uint8_t *)START_FLAG = 0;
	PRINT_SPENT(", INIT and startup of a CPU, who sends them", 1, start_second());
}

void guest_main(void)
{
	uint32_t r[4], start, alone, exits_before, exits_meanwhile;

	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	cpuid(1, 0, r);
	if ((r[1] >> 16 & 0xFF) > 1) {
		print_startup();
		finish();
	}
	start_timer(APIC_MASKED, UINT32_MAX);
	exits_before = exits();
	start = now();
	loop(5000000);
	alone = now() - start;
	mixed();
	exits_meanwhile = exits() - exits_before;
	print("# ticks of 10,000,001 instructions: ");
	print_number(alone);
	print("\n# timer interrupts, a HLT for each: ");
	print_number(timers);
	print("\n");
	cpuid(10, 0, r);
	if (r[0] & 0xFF) {
		print_line(" without PMU, slow-down of 10,000,001 instructions", alone - 10000001, "instructions");
		print_line(" without PMU, exits", exits_meanwhile - 1, "exits");
		print_accesses();
		print_overflow(", overflow interrupt as vector", VECTOR_PMI);
		print_overflow(", overflow interrupt as NMI, to its IRET", APIC_NMI);
		print_sampling(", sampling each 100,000 instructions, slow-down", CONTROL_OS | CONTROL_USR, alone);
		print_sampling(", sampling at level 0 only, slow-down", CONTROL_OS, alone);
	}
	finish();
}
