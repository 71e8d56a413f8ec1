// SPDX-License-Identifier: BSD-2-Clause
// Cost of counting, for the benchmark (tests/bench/guests): each CPU sorts, searches and copies for
// the given number of rounds while its PMU counts. On a machine without a PMU it does the same and
// counts nothing.
//
// Words of the command line: number of CPUs, rounds, counted events.

#include "cpus.h"
#include "pmu.h"

#define VECTOR_PMI	0x51
#define WORDS		1024
#define RECORDS		1u

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

// SDM volume 3B, the table of this processor's events.
static const struct {
	const char *name;
	uint16_t events[4];
	uint32_t period;		// sampling period of the first event; 0: none
	bool fixed, records;
	bool levels;			// the second event counts at level 3
} kinds[] = {
	{.name = "nothing"},
	{.name = "instructions", .fixed = true},
	{.name = "levels", .fixed = true, .events = {INSTRUCTIONS, INSTRUCTIONS}, .levels = true},
	{.name = "exact", .events = {INSTRUCTIONS, BRANCHES, LOADS, STORES}},
	{.name = "sampled", .events = {INSTRUCTIONS}, .period = 100000},
	{.name = "branches", .events = {BRANCHES}, .period = 100000},
	{.name = "loads", .events = {LOADS}, .period = 100000},
	{.name = "records", .events = {INSTRUCTIONS}, .period = 10000000, .records = true},
	// L1D.REPL, DTLB_MISSES.ANY, LLC, mispredicted
	{.name = "caches", .events = {0x0151, 0x0149, 0x412E, 0x00C5}},
};

static uint32_t count, rounds, kind;
static bool has_pmu;
static volatile uint32_t come, done;

static void set_counter(uint32_t period)
{
	wrmsr(IA32_PMC0, period ? (uint32_t)-period : 0);
}

void guest_interrupt(struct frame *frame)
{
	if (frame->vector != VECTOR_PMI)
		fail_on(frame);
	set_counter(kinds[kind].period);
	wrmsr(IA32_PERF_GLOBAL_OVF_CTRL, 1);
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(IA32_DEBUGCTL, kinds[kind].records ? RECORDS : 0);
	*apic(APIC_EOI) = 0;
}

static void start_counting(void)
{
	uint64_t enabled = kinds[kind].fixed ? FIXED0 | FIXED1 : 0;

	if (!has_pmu || !kind)
		return;
	for (uint32_t i = 0; i < 4; i++)
		if (kinds[kind].events[i]) {
			wrmsr(IA32_PERFEVTSEL0 + i, kinds[kind].events[i] | SELECT_EN |
			      (kinds[kind].levels && i ? SELECT_USR : SELECT_OS) |
			      (kinds[kind].period && !i ? SELECT_INT : 0));
			enabled |= 1u << i;
		}
	wrmsr(IA32_FIXED_CTR_CTRL, CONTROL_OS | CONTROL_OS << 4);
	set_counter(kinds[kind].period);
	*apic(APIC_LVTPC) = VECTOR_PMI;
	wrmsr(IA32_DEBUGCTL, kinds[kind].records ? RECORDS : 0);
	wrmsr(IA32_PERF_GLOBAL_CTRL, enabled);
	__asm__ volatile("sti");
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

// About a million instructions.
static uint32_t work(uint32_t words[2 * WORDS], uint32_t *state)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = next_random(state);
	for (uint32_t gap = WORDS / 2; gap; gap /= 2)
		for (uint32_t i = gap; i < WORDS; i++) {
			const uint32_t word = words[i];
			uint32_t at = i;

			for (; at >= gap && words[at - gap] > word; at -= gap)
				words[at] = words[at - gap];
			words[at] = word;
		}
	for (uint32_t i = 0; i < 8 * WORDS; i++) {
		const uint32_t wanted = next_random(state);
		uint32_t low = 0, high = WORDS;

		while (low < high) {
			const uint32_t middle = (low + high) / 2;

			if (words[middle] < wanted)
				low = middle + 1;
			else
				high = middle;
		}
		found += low;
	}
	for (uint32_t i = 0; i < 8; i++)
		__builtin_memcpy(words + WORDS, words, WORDS * sizeof *words);
	return found;
}

static void work_all(uint32_t cpu)
{
	static uint32_t words[MOST][2 * WORDS];
	uint32_t state = cpu + 1, found = 0;

	start_counting();
	for (uint32_t i = 0; i < rounds; i++)
		found += work(words[cpu], &state);
	__asm__ volatile("cli" : : "r"(found));
	if (has_pmu)
		wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
}

void cpu_main(void)
{
	begin_cpu();
	__asm__ volatile("lock incl %0" : "+m"(come));
	work_all(self());
	__asm__ volatile("lock incl %0" : "+m"(done));
	for (;;)
		__asm__ volatile("cli; hlt");
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	const char *word = second_word(information);
	uint32_t r[4];

	(void)magic;
	count = next_number(&word);
	rounds = next_number(&word);
	for (kind = 0;
	     kind < sizeof kinds / sizeof *kinds && !has_word(information, kinds[kind].name);)
		kind++;
	cpuid(10, 0, r);
	has_pmu = r[0] & 0xFF;
	start_interrupts();
	*apic(APIC_SPURIOUS) = 0x1FF;
	is("the counted events are known", kind < sizeof kinds / sizeof *kinds, 1);
	if (kind == sizeof kinds / sizeof *kinds)
		finish();
	if (count > 1)
		start_others();
	wait_for(&come, count - 1);
	is("all CPUs have come", come, count - 1);
	work_all(0);
	while (done != count - 1)
		relax();
	finish();
}
