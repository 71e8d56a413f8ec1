// SPDX-License-Identifier: BSD-2-Clause
// Knights Corner's PMU, on one CPU or two: registers, counts, overflow, SPFLT, undefined
// instructions. Intel Xeon Phi Coprocessor (codename: Knights Corner) Performance Monitoring Units,
// 327357-001 ("the guide").

#include "cpus.h"

#define PERFCNTR0	0x20
#define PERFEVTSEL0	0x28
#define SPFLT_CONTROL	0x2C
#define GLOBAL_STATUS	0x2D
#define GLOBAL_OVF_CTRL	0x2E
#define GLOBAL_CTRL	0x2F
#define MASK_40		0xFFFFFFFFFFULL

#define INSTRUCTIONS_EXECUTED 0x16
#define OS	(1u << 17)
#define INT	(1u << 20)
#define EN	(1u << 22)

#define VECTOR_UNDEFINED 6
#define VECTOR_PMI	0x51
#define LVT_MASKED	0x10000u

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

static volatile uint32_t pmis, undefined, come, done;
static volatile uint64_t status, counted, filtered;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector == VECTOR_PMI) {
		pmis++;
		status = rdmsr(GLOBAL_STATUS);
		wrmsr(GLOBAL_OVF_CTRL, status);
		*apic(APIC_EOI) = 0;
	} else if (take_exception(frame)) {
		undefined += frame->vector == VECTOR_UNDEFINED;
	} else {
		fail_on(frame);
	}
}

static void select(uint32_t counter, uint32_t value, uint64_t count)
{
	wrmsr(GLOBAL_CTRL, 0);
	wrmsr(PERFEVTSEL0 + counter, value);
	wrmsr(PERFCNTR0 + counter, count);
}

// Writes global control, executes the body, and writes 0 to global control. The counted
// instructions are the body and BEHIND: a MOV, two XOR, and the WRMSR, which disables counting when
// it has retired; not the WRMSR that enables it.
#define BEHIND 4
#define NOPS(n) ".rept " #n "\n nop\n .endr\n"
#define MEASURE(enables, body)								\
	__asm__ volatile("mov $0x2F, %%ecx\n xor %%edx, %%edx\n wrmsr\n"		\
			 body								\
			 "\n mov $0x2F, %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n wrmsr" \
			 : : "a"(enables) : "ecx", "edx", "memory", "cc")

// SPFLT EAX: GNU binutils, gas/testsuite, insn-64.s.
#define SPFLT ".byte 0xC5, 0xFB, 0xAE, 0xF0\n"

static void check_identity(void)
{
	uint32_t r[4];

	cpuid(1, 0, r);
	is("family 11, model 1", r[0] >> 4 & 0xFF, 0xB1);
	is("with features that kernels for x86-64 need: CMOV, CLFLUSH, MMX, SSE, SSE2",
	   r[3] & 0x06888000, 0x06888000);
	cpuid(0xA, 0, r);
	is("no architectural performance monitoring", r[0] | r[1] | r[2] | r[3], 0);
}

static void check_registers(void)
{
	is("all registers are 0 at first", rdmsr(PERFCNTR0) | rdmsr(PERFCNTR0 + 1) |
	   rdmsr(PERFEVTSEL0) |
	   rdmsr(PERFEVTSEL0 + 1) | rdmsr(SPFLT_CONTROL) | rdmsr(GLOBAL_STATUS) |
	   rdmsr(GLOBAL_CTRL), 0);
	wrmsr(PERFCNTR0 + 1, MASK_40);
	is("counters have 40 bits", rdmsr(PERFCNTR0 + 1), MASK_40);
	is("and no more", wrmsr_faults(PERFCNTR0 + 1, MASK_40 + 1), true);
	is("reserved bits of a select", wrmsr_faults(PERFEVTSEL0, 1 << 19), true);
	is("no fixed counters", rdmsr_faults(0x309), true);
}

static void check_counts(void)
{
	select(0, INSTRUCTIONS_EXECUTED | OS | EN, 0);
	MEASURE(1, NOPS(100));
	is("instructions", rdmsr(PERFCNTR0), 100 + BEHIND);
	is("RDPMC reads them", rdpmc(0), 100 + BEHIND);
	is("but no third counter", rdpmc_faults(2), true);
	MEASURE(2, NOPS(100));
	is("none while global control does not enable it", rdmsr(PERFCNTR0), 100 + BEHIND);
}

// The last bytes of these constants are the opcodes of RDTSC and RDMSR.
static void check_immediates(void)
{
	uint32_t clock, reg;

	__asm__ volatile("mov $0x310F0000, %%eax" : "=a"(clock) : : "edx");
	__asm__ volatile("mov $0x320F0000, %%eax" : "=a"(reg) : : "edx");
	is("an immediate that ends as RDTSC", clock, 0x310F0000);
	is("an immediate that ends as RDMSR", reg, 0x320F0000);
}

// The program's filter enables the counter from the instruction after the first SPFLT to the second
// SPFLT.
static void check_filter(void)
{
	wrmsr(SPFLT_CONTROL, 1);
	select(0, INSTRUCTIONS_EXECUTED | OS | EN, 0);
	MEASURE(1, NOPS(10) "mov $1, %%eax\n" SPFLT NOPS(100) "xor %%eax, %%eax\n" SPFLT NOPS(10));
	is("SPFLT selects the counted instructions", rdmsr(PERFCNTR0), 100 + 2);
	wrmsr(SPFLT_CONTROL, 0);
}

// Both call the same handler, but INT 6 retires, and an undefined instruction does not.
static void check_undefined(void)
{
	uint64_t of_int;

	expected_length = 2;
	select(0, INSTRUCTIONS_EXECUTED | OS | EN, 0);
	MEASURE(1, "int $6\n" NOPS(2));
	of_int = rdmsr(PERFCNTR0);
	select(0, INSTRUCTIONS_EXECUTED | OS | EN, 0);
	MEASURE(1, "ud2\n");
	is("an undefined instruction raises its exception", undefined, 2);
	is("and does not retire", of_int - rdmsr(PERFCNTR0), 1);
	MEASURE(0, "ud2\n");
	is("while nothing counts, too", undefined, 3);
	expected_length = 0;
}

// Knights Corner has no RDTSCP; QEMU's processor here has it.
static void check_rdtscp(void)
{
	const uint32_t before = undefined;
	uint32_t r[4];

	cpuid(0x80000001, 0, r);
	is("no RDTSCP", r[3] >> 27 & 1, 0);
	expected_length = 3;
	MEASURE(0, ".byte 0x0F, 0x01, 0xF9\n");
	is("it is undefined", undefined - before, 1);
	MEASURE(1, ".byte 0x0F, 0x01, 0xF9\n");
	is("while something counts, too", undefined - before, 2);
	expected_length = 0;
}

static void check_overflow(void)
{
	*apic(APIC_LVTPC) = VECTOR_PMI;
	select(1, INSTRUCTIONS_EXECUTED | OS | INT | EN, MASK_40 + 1 - 50);
	MEASURE(2, "sti\n" NOPS(100) "cli\n");
	is("an overflow interrupts", pmis, 1);
	is("with status", status, 2);
	is("and masks its entry (the guide, 1.4.3.8)", *apic(APIC_LVTPC), VECTOR_PMI | LVT_MASKED);
	is("status is cleared", rdmsr(GLOBAL_STATUS), 0);
	select(1, 0, 0);
}

// 2n instructions and those that end counting.
static uint64_t count_here(uint32_t n)
{
	select(0, INSTRUCTIONS_EXECUTED | OS | EN, 0);
	__asm__ volatile("mov $0x2F, %%ecx\n xor %%edx, %%edx\n wrmsr\n 1: dec %%esi\n jnz 1b\n"
			 "mov $0x2F, %%ecx\n xor %%eax, %%eax\n xor %%edx, %%edx\n wrmsr"
			 : "+S"(n) : "a"(1) : "ecx", "edx", "cc", "memory");
	return rdmsr(PERFCNTR0);
}

void cpu_main(void)
{
	begin_cpu();
	come = 1;
	counted = count_here(100000);
	wrmsr(SPFLT_CONTROL, 1);
	select(0, INSTRUCTIONS_EXECUTED | OS | EN, 0);
	MEASURE(1, "mov $1, %%eax\n" SPFLT NOPS(100) "xor %%eax, %%eax\n" SPFLT);
	filtered = rdmsr(PERFCNTR0);
	done = 1;
	for (;;)
		__asm__ volatile("hlt");
}

static void check_two(void)
{
	uint64_t own;

	start_others();
	wait_for(&come, 1);
	own = count_here(200000);
	wait_for(&done, 1);
	is("a second CPU counts its own instructions", counted, 200000 + BEHIND);
	is("the first one its own", own, 400000 + BEHIND);
	is("the second CPU's SPFLT", filtered, 100 + 2);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	(void)magic;
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	check_identity();
	check_registers();
	check_counts();
	check_immediates();
	check_filter();
	check_undefined();
	check_rdtscp();
	check_overflow();
	if (count_of_cpus(information) == 2)
		check_two();
	finish();
}
