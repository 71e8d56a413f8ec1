// SPDX-License-Identifier: BSD-2-Clause
// Random sessions: random counters count random code, and their overflows interrupt it. Every ten
// sessions the guest prints a checksum of all the PMU's results: counts, status, branch records,
// precise records, the uncore's counts, and at each interrupt the same and the interrupted
// instruction. The numbers mean nothing by themselves, but machines that should count alike print
// the same.
//
// Words of the command line: the number of CPUs, each with its own sessions; a seed; the number of
// sessions. "plain": only events that can be added up. "own": only events that depend on the CPU
// alone, so no reference cycles, which follow the machine's clock. "memory": the code accesses more
// memory than the caches hold, and most events are of memory. "pipeline": most events are of the
// timed clock's pipeline.

#include "cpus.h"
#include "level3.h"
#include "pmu.h"

#define VECTOR_PMI	0x51
#define SELECT_EDGE	(1u << 18)
#define SELECT_ANY	(1u << 21)
#define LBR_TOS		0x1C9
#define LBR_FROM	0x680
#define LBR_TO		0x6C0
#define CODE_MOST	4096
#define SAMPLES_MOST	64	/* per session; after that its counters no longer interrupt */
#define REFERENCE_CYCLES 0x013C
#define COUNTERS	7	/* four general ones, three fixed ones */

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

static uint32_t count, seed, sessions;
static bool plain, own, memory, pipeline;
static volatile uint32_t come, done;

static struct cpu {
	uint32_t random, sum;
	uint32_t period[COUNTERS];	// 0: no interrupts
	uint32_t samples;
	bool counts_package;
	uint8_t code[CODE_MOST];
	uint8_t *end;
	uint8_t data[512];
} state[MOST];

static uint32_t random_below(struct cpu *c, uint32_t n)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 17;
	c->random ^= c->random << 5;
	return c->random % n;
}

static void note(struct cpu *c, uint64_t value)
{
	c->sum = (c->sum ^ (uint32_t)value) * 16777619;
	c->sum = (c->sum ^ (uint32_t)(value >> 32)) * 16777619;
}

//
// Code
//

static void append(struct cpu *c, const void *bytes, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		*c->end++ = ((const uint8_t *)bytes)[i];
}
#define APPEND(...) append(c, (const uint8_t[]){__VA_ARGS__}, sizeof (const uint8_t[]){__VA_ARGS__})

static void append_address(struct cpu *c, const void *address)
{
	const uint32_t value = (uint32_t)address;

	append(c, &value, sizeof value);
}

static void (*volatile called)(void);
static void nothing(void)
{
}

//
// Code that accesses memory at ESI in a window of 1 MiB; some of its pages are absent or read-only
//

#define WINDOW		0x40000000u
#define PAGES		256u
#define PAGE		4096u
#define ESI_MOST	(PAGES * PAGE - 64)
#define PRESENT_USER	5
#define WRITABLE	2
#define LARGE		0x80

static uint8_t window[PAGES * PAGE] __attribute__((aligned(PAGE)));
static uint32_t directory[1024] __attribute__((aligned(PAGE))),
	table[1024] __attribute__((aligned(PAGE)));

static void make_tables(void)
{
	for (uint32_t i = 0; i < 1024; i++)
		directory[i] = i << 22 | LARGE | WRITABLE | PRESENT_USER;
	directory[WINDOW >> 22] = (uint32_t)table | WRITABLE | PRESENT_USER;
	for (uint32_t i = 0; i < PAGES; i++)
		if (i % 11)
			table[i] = (uint32_t)(window + i * PAGE) | (i % 7 ? WRITABLE : 0) |
				PRESENT_USER;
}

static void start_paging(void)
{
	__asm__ volatile("mov %0, %%cr4; mov %1, %%cr3; mov %%cr0, %%eax; or $0x80010000, %%eax\n"
			 "mov %%eax, %%cr0; jmp 1f; 1:" : : "r"(0x10), "r"(directory) : "eax",
			 "memory");
}

#define APPEND_WINDOW(...) (APPEND(__VA_ARGS__), append_address(c, (const void *)WINDOW))
#define LENGTH_REFERS	6	/* bytes of an instruction that accesses it */

static void append_reference(struct cpu *c)
{
	const uint32_t stride = random_below(c, 2) ? 64 * random_below(c, 200) :
		random_below(c, 0x10000);
	const uint32_t most = ESI_MOST;

	switch (random_below(c, 8)) {
	case 0: APPEND_WINDOW(0x8B, 0x86); break;		// mov window(%esi), %eax
	case 1: APPEND_WINDOW(0x89, 0x86); break;		// mov %eax, window(%esi)
	case 2: APPEND_WINDOW(0x01, 0x86); break;		// add %eax, window(%esi)
	case 3: APPEND(0x60, 0x61); break;			// pusha; popa
	case 4: APPEND_WINDOW(0x0F, 0x18, 0x8E); break;		// prefetcht0 window(%esi)
	case 5: APPEND_WINDOW(0x85, 0x86); break;		// test %eax, window(%esi)
	// add window(%esi), %eax; xor, %edx
	case 6: APPEND_WINDOW(0x03, 0x86); APPEND_WINDOW(0x33, 0x96); break;
	case 7:							// jmp 1f; ...; 1:
		APPEND(0xEB, (uint8_t)(stride % 100));
		for (uint32_t i = stride % 100; i; i--)
			APPEND(0x90);
	}
	APPEND(0x81, 0xC6);					// add $stride, %esi
	append(c, &stride, sizeof stride);
	APPEND(0x81, 0xE6);					// and $most, %esi
	append(c, &most, sizeof most);
}

// Appends one of the instructions or groups of which the loops consist. EBX and EBP are reserved
// for the loops.
static void append_some(struct cpu *c)
{
	if (memory && random_below(c, 2)) {
		append_reference(c);
		return;
	}
	switch (random_below(c, memory ? 20 : 24)) {
	case 0: APPEND(0x90); break;				// nop
	case 1: APPEND(0x40); break;				// inc %eax
	case 2: APPEND(0x8B, 0x04, 0x24); break;		// mov (%esp), %eax
	case 3: APPEND(0x50, 0x5A); break;			// push %eax; pop %edx
	case 4: APPEND(0x39, 0xD0, 0x75, 0x01, 0x90); break;	// cmp %edx, %eax; jne 1f; nop; 1:
	// test %eax, %eax; jz 1f; inc %eax; inc %edx
	case 5: APPEND(0x85, 0xC0, 0x74, 0x02, 0x40, 0x42); break;
	case 6: APPEND(0xE8, 0, 0, 0, 0, 0x83, 0xC4, 0x04); break;	// call 1f; 1: add $4, %esp
	case 7: APPEND(0xD9, 0xE8, 0xDD, 0xD8); break;		// fld1; fstp %st(0)
	case 8: APPEND(0x0F, 0x6F, 0xC1, 0x0F, 0x77); break;	// movq %mm1, %mm0; emms
	case 9: APPEND(0xF7, 0xE2); break;			// mul %edx
	// xor %edx, %edx; mov $7, %ecx; div
	case 10: APPEND(0x31, 0xD2, 0xB9, 7, 0, 0, 0, 0xF7, 0xF1); break;
	// push %ebx; xor %eax, %eax; cpuid; pop %ebx
	case 11: APPEND(0x53, 0x31, 0xC0, 0x0F, 0xA2, 0x5B); break;
	case 12: APPEND(0x0F, 0x0B); break;			// ud2, which the handler skips
	case 13: APPEND(0xCD, VECTOR_BACK + 1); break;		// int $81H
	case 14: APPEND(0xF3, 0x90); break;			// pause
	case 15: APPEND(0xEB, 0x00); break;			// jmp 1f; 1:
	case 16: APPEND(0x0F, 0x94, 0xC0); break;		// sete %al
	// call *called
	case 17: APPEND(0xFF, 0x15); append_address(c, (const void *)&called); break;
	case 18: APPEND(0xA3); append_address(c, c->data); break;	// mov %eax, data
	// lock incl data + 62
	case 19: APPEND(0xF0, 0xFF, 0x05); append_address(c, c->data + 62); break;
	// mov $n, %ecx; mov $data, %edi; rep stosb
	case 20:
		APPEND(0xB9, (uint8_t)random_below(c, 20), 0, 0, 0, 0xBF);
		append_address(c, c->data);
		APPEND(0xF3, 0xAA);
		break;
	case 21:						// the same with movsl from data
		APPEND(0xB9, (uint8_t)random_below(c, 9), 0, 0, 0, 0xBF);
		append_address(c, c->data + 128);
		APPEND(0xBE);
		append_address(c, c->data);
		APPEND(0xF3, 0xA5);
		break;
	// rdtsc, which counts other CPUs, too
	case 22:
		if (count == 1)
			APPEND(0x0F, 0x31);
		break;
	// cmp $5, %eax; cmovb %edx, %eax
	case 23: APPEND(0x83, 0xF8, 0x05, 0x0F, 0x42, 0xC2); break;
	}
}

// Random loops, each with a random number of iterations, and then `ends`.
static void make_code(struct cpu *c, const uint8_t *ends, uint32_t size)
{
	c->end = c->code;
	if (memory)
		APPEND(0x31, 0xF6);						// xor %esi, %esi
	for (uint32_t loops = 1 + random_below(c, 4); loops; loops--) {
		const uint32_t times = 1 + random_below(c, memory ? 1000 : 200);
		uint8_t *begin;
		uint32_t back;

		APPEND(0xBB);						// mov $times, %ebx
		append(c, &times, sizeof times);
		begin = c->end;
		for (uint32_t some = 1 + random_below(c, 12); some; some--)
			append_some(c);
		APPEND(0x4B, 0x0F, 0x85);				// dec %ebx; jnz begin
		back = (uint32_t)(begin - (c->end + 4));
		append(c, &back, sizeof back);
	}
	append(c, ends, size);
}

//
// Counters
//

// 2 to 2^17: each magnitude is equally likely.
static uint32_t random_period(struct cpu *c)
{
	const uint32_t magnitude = 1u << (1 + random_below(c, 16));

	return magnitude + random_below(c, magnitude);
}

static uint32_t counter_of(uint32_t i)
{
	return i < 4 ? IA32_PMC0 + i : IA32_FIXED_CTR0 + i - 4;
}

static uint64_t bit_of(uint32_t i)
{
	return 1ULL << (i < 4 ? i : i + 28);
}

//
// Precise records: SDM volume 3B, "Processor Event Based Sampling"; volume 4, Nehalem's registers
//

#define IA32_PEBS_ENABLE	0x3F1
#define MSR_PEBS_LD_LAT		0x3F6
#define IA32_DS_AREA		0x600
#define LATENCY			0x100B
#define LATENCY_ENABLE(i)	(1ULL << ((i) + 32))
#define RECORDS			8u
#define RECORD_WORDS		22u

static const uint16_t precise[] = {INSTRUCTIONS, BRANCHES, LOADS, STORES, 0x01CB, 0x02CB, 0x10CB,
				   LATENCY};

static struct {
	uint64_t bts[4], base, index, maximum, threshold, reset[4];
	uint64_t record[RECORDS + 1][RECORD_WORDS];
} records[MOST];

// Makes counter i write precise records. Returns its event select.
static uint32_t start_records(struct cpu *c, uint32_t i, uint32_t period)
{
	const uint32_t event = precise[random_below(c, sizeof precise / sizeof *precise)];
	const uint32_t cpu = (uint32_t)(c - state), base = (uint32_t)records[cpu].record;

	records[cpu].base = records[cpu].index = base;
	records[cpu].maximum = base + sizeof records[cpu].record;
	records[cpu].threshold = base + RECORDS * sizeof *records[cpu].record;
	records[cpu].reset[i] = -(uint64_t)period;
	wrmsr(IA32_DS_AREA, (uint32_t)&records[cpu]);
	wrmsr(MSR_PEBS_LD_LAT, 3 + random_below(c, 100));
	wrmsr(IA32_PEBS_ENABLE, 1ULL << i | (event == LATENCY ? LATENCY_ENABLE(i) : 0));
	return event | SELECT_USR | SELECT_OS | SELECT_EN;
}

static void note_records(struct cpu *c)
{
	const uint32_t cpu = (uint32_t)(c - state);
	const uint64_t *const end = (const uint64_t *)(uint32_t)records[cpu].index;

	for (const uint64_t *word = records[cpu].record[0]; word < end; word++)
		note(c, *word);
	records[cpu].index = records[cpu].base;
}

//
// The PMU of the package, which the first CPU uses: SDM volume 3B, "Performance Monitoring Facility
// in the Uncore"
//

#define UNCORE_GLOBAL_CTRL	0x391
#define UNCORE_GLOBAL_STATUS	0x392
#define UNCORE_OVF_CTRL		0x393
#define UNCORE_FIXED_CTR0	0x394
#define UNCORE_FIXED_CTRL	0x395
#define UNCORE_PMC0		0x3B0
#define UNCORE_PERFEVTSEL0	0x3C0
#define UNCORE_COUNTERS		4u
#define UNCORE_FIXED		(1ULL << 32)
#define UNCORE_INTERRUPTS_0	(1ULL << 48)
#define UNCORE_PMI		4u
#define UNCORE_EN		1u
#define DEBUGCTL_UNCORE		(1u << 13)
#define OVF_UNCORE		(1ULL << 61)

// The L3 cache: misses, hits, filled and evicted lines; reads and writes of memory.
static const uint16_t of_package[] = {0x0309, 0x0308, 0x0F0A, 0x0F0B, 0x072C, 0x072F};

static uint64_t start_package(struct cpu *c)
{
	uint64_t enabled = UNCORE_FIXED | UNCORE_INTERRUPTS_0;

	wrmsr(UNCORE_FIXED_CTRL, UNCORE_EN | UNCORE_PMI);
	wrmsr(UNCORE_FIXED_CTR0, MASK_48 + 1 - random_period(c));
	for (uint32_t i = 0; i < UNCORE_COUNTERS; i++) {
		wrmsr(UNCORE_PERFEVTSEL0 + i,
		      of_package[random_below(c, sizeof of_package / sizeof *of_package)] |
		      SELECT_EN | SELECT_INT);
		wrmsr(UNCORE_PMC0 + i, MASK_48 + 1 - random_period(c));
		enabled |= 1u << i;
	}
	return enabled;
}

static void note_package(struct cpu *c)
{
	const uint64_t status = rdmsr(UNCORE_GLOBAL_STATUS);

	note(c, status);
	note(c, rdmsr(UNCORE_FIXED_CTR0));
	for (uint32_t i = 0; i < UNCORE_COUNTERS; i++)
		note(c, rdmsr(UNCORE_PMC0 + i));
	wrmsr(UNCORE_OVF_CTRL, status);
}

static void note_pmu(struct cpu *c)
{
	for (uint32_t i = 0; i < COUNTERS; i++)
		note(c, rdmsr(counter_of(i)));
	note(c, rdmsr(IA32_PERF_GLOBAL_STATUS));
	note_records(c);
	if (c->counts_package)
		note_package(c);
	note(c, rdmsr(LBR_TOS));
	for (uint32_t i = 0; i < 16 && !plain; i++) {
		note(c, rdmsr(LBR_FROM + i));
		note(c, rdmsr(LBR_TO + i));
	}
}

static void take_sample(struct cpu *c, const struct frame *frame)
{
	const uint64_t enabled = rdmsr(IA32_PERF_GLOBAL_CTRL);
	uint64_t status;

	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	status = rdmsr(IA32_PERF_GLOBAL_STATUS);
	note(c, frame->eip);
	note_pmu(c);
	for (uint32_t i = 0; i < COUNTERS; i++)
		if (status & bit_of(i))
			wrmsr(counter_of(i), i < 4 ? (uint64_t)-(int64_t)c->period[i] & 0xFFFFFFFF :
						     (MASK_48 + 1 - c->period[i]));
	wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, status);
	*apic(APIC_LVTPC) = VECTOR_PMI;
	if (++c->samples == SAMPLES_MOST && c->counts_package)
		wrmsr(UNCORE_GLOBAL_CTRL, 0);
	wrmsr(IA32_PERF_GLOBAL_CTRL, c->samples < SAMPLES_MOST ? enabled : 0);
}

void guest_interrupt(struct frame *frame)
{
	struct cpu *c = &state[self()];

	if (frame->vector == VECTOR_BACK && frame->cs & 3)
		leave_level_3();
	if (frame->vector == 6)
		frame->eip += 2;
	else if (frame->vector == 14)
		frame->eip += LENGTH_REFERS;
	else if (frame->vector == VECTOR_PMI)
		take_sample(c, frame);
	else if (frame->vector != VECTOR_BACK + 1)
		fail_on(frame);
	if (frame->vector == VECTOR_PMI)
		*apic(APIC_EOI) = 0;
}

// SDM volume 3B, the table of this processor's events; those that several instructions raise,
// except memory events.
static const uint16_t events[] = {
	INSTRUCTIONS, CYCLES, REFERENCE_CYCLES, BRANCHES, 0x01C4, 0x02C4, 0x00C5, 0x7F88, 0x0188,
	0x4088, LOADS,
	STORES, 0x01C2, 0x02C2, 0x010E, 0x0214, 0x0110, 0x0210, 0x02C0, 0x04C0, 0x01D0, 0x0112,
	0x0106, 0x01CC, 0x02CC,
};

// Events of memory accesses.
static const uint16_t references[] = {
	0x0151, 0x0149, 0x412E, 0x01CB, 0x0126, 0x0340, 0x02CB, 0x10CB, 0xFF24, 0x0280, 0x80F0,
	0x07F1, 0x0FF2, 0x0F41,
};

// Micro-ops issued, fused, executed by ports, retired; stalls; the LSD; the divider; fill buffers;
// loads that wait for a store to another page.
static const uint16_t of_pipeline[] = {
	0x010E, 0x020E, 0x41B1, 0x02B1, 0x80B1, 0x3FB1, 0x01C2, 0x02C2, 0x01A2, 0x04A2, 0x0FD2,
	0x01A8, 0x0114, 0x0148, 0x0248, 0x0107,
};

static uint32_t random_select(struct cpu *c)
{
	static const uint32_t levels[] = {SELECT_USR, SELECT_OS, SELECT_USR | SELECT_OS,
					  SELECT_USR | SELECT_OS};
	uint32_t select = events[random_below(c, sizeof events / sizeof *events)];

	if (own && select == REFERENCE_CYCLES)
		select = CYCLES;
	if (memory ? random_below(c, 4) != 0 : !plain && !random_below(c, 20))
		select = references[random_below(c, sizeof references / sizeof *references)];
	if (pipeline && random_below(c, 4))
		select = of_pipeline[random_below(c, sizeof of_pipeline / sizeof *of_pipeline)];
	select |= levels[random_below(c, 4)] | SELECT_EN;
	if (!random_below(c, memory ? 40 : 8))
		select |= SELECT_ANY;
	if (!plain && !random_below(c, memory ? 40 : 5))
		select |= (1 + random_below(c, 3)) << SELECT_CMASK |
			(random_below(c, 2) ? SELECT_INV : 0) |
			  (random_below(c, 2) ? SELECT_EDGE : 0);
	return select;
}

static uint64_t random_counters(struct cpu *c)
{
	uint32_t control = 0;
	uint64_t enabled = 0;

	for (uint32_t i = 0; i < (own ? COUNTERS - 1u : COUNTERS); i++) {
		c->period[i] = random_below(c, memory ? 60 : 5) < 2 ? random_period(c) : 0;
		if (i < 4 && random_below(c, 4))
			wrmsr(IA32_PERFEVTSEL0 + i,
			      random_select(c) | (c->period[i] ? SELECT_INT : 0));
		else if (i >= 4 && random_below(c, 2))
			control |= ((1 + random_below(c, 3)) | (c->period[i] ? CONTROL_PMI : 0)) <<
				(i - 4) * 4;
		else
			continue;
		if (c->period[i])
			wrmsr(counter_of(i), i < 4 ? (uint64_t)-(int64_t)c->period[i] & 0xFFFFFFFF :
						     (MASK_48 + 1 - c->period[i]));
		enabled |= bit_of(i);
	}
	wrmsr(IA32_FIXED_CTR_CTRL, control);
	if (!plain && !random_below(c, 6)) {
		const uint32_t i = random_below(c, 4), period = random_period(c);

		c->period[i] = 0;
		wrmsr(IA32_PERFEVTSEL0 + i, start_records(c, i, period));
		wrmsr(IA32_PMC0 + i, -period);
		enabled |= 1u << i;
	}
	wrmsr(IA32_DEBUGCTL, DEBUGCTL_UNCORE |
	      (!plain && !random_below(c, 6) ? 1 | (random_below(c, 2) ? 1u << 11 : 0) : 0));
	return enabled;
}

static void session(struct cpu *c)
{
	static const uint8_t ret[] = {0xC3}, back[] = {0xCD, VECTOR_BACK};
	const bool user = count == 1 && random_below(c, 2);
	uint64_t enabled;

	if (user)
		make_code(c, back, sizeof back);
	else
		make_code(c, ret, sizeof ret);
	reset_pmu();
	c->samples = 0;
	enabled = random_counters(c);
	c->counts_package = c == state && !plain && !random_below(c, 8);
	if (c->counts_package)
		wrmsr(UNCORE_GLOBAL_CTRL, start_package(c));
	*apic(APIC_LVTPC) = VECTOR_PMI;
	__asm__ volatile("sti");
	wrmsr(IA32_PERF_GLOBAL_CTRL, enabled);
	if (user)
		at_level_3((const char *)c->code, 0, FLAGS_ON);
	else
		__asm__ volatile("call *%0" : : "r"(c->code)
				 : "eax", "ebx", "ecx", "edx", "esi", "edi", "memory", "cc");
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	if (c->counts_package)
		wrmsr(UNCORE_GLOBAL_CTRL, 0);
	__asm__ volatile("cli");
	note_pmu(c);
	wrmsr(IA32_PEBS_ENABLE, 0);
}

static void print_sum(uint32_t cpu, uint32_t number)
{
	print("# CPU ");
	print_number(cpu);
	print(", sessions until ");
	print_number(number);
	print(": ");
	print_hex(state[cpu].sum);
	print("\n");
}

static void run_sessions(uint32_t cpu)
{
	struct cpu *c = &state[cpu];

	c->random = seed + 1000003 * (cpu + 1);
	if (memory)
		start_paging();
	__asm__ volatile("fninit");
	for (uint32_t i = 1; i <= sessions; i++) {
		session(c);
		if (i % 10 == 0 && !cpu)
			print_sum(0, i);
	}
}

void cpu_main(void)
{
	begin_cpu();
	__asm__ volatile("lock incl %0" : "+m"(come));
	run_sessions(self());
	__asm__ volatile("lock incl %0" : "+m"(done));
	for (;;)
		__asm__ volatile("cli; hlt");
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	const char *word = second_word(information);

	(void)magic;
	count = next_number(&word);
	seed = next_number(&word);
	sessions = next_number(&word);
	plain = has_word(information, "plain");
	own = has_word(information, "own");
	memory = has_word(information, "memory");
	pipeline = has_word(information, "pipeline");
	make_tables();
	called = nothing;
	start_interrupts();
	set_gate(VECTOR_BACK, 3);
	set_gate(VECTOR_BACK + 1, 3);
	*apic(APIC_SPURIOUS) = 0x1FF;
	if (count > 1)
		start_others();
	wait_for(&come, count - 1);
	is("all CPUs have come", come, count - 1);
	run_sessions(0);
	while (done != count - 1)
		relax();
	for (uint32_t cpu = 1; cpu < count; cpu++)
		print_sum(cpu, sessions);
	finish();
}
