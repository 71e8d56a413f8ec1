// SPDX-License-Identifier: BSD-2-Clause
// Counts every event of Knights Corner's table that occurs here. A thread of each of two cores
// executes pairs of instructions, branches, vector instructions and prefetches, and accesses lines
// that the other core left in each state. Prints the sum of both threads' counts of each event. Run
// with one event.

#include <string.h>

#include "backend.h"
#include "cpus.h"
#include "event.h"
#include "every-event.h"
#include "knc.h"
#include "pmu_driver.h"

#define ELSEWHERE	2	/* the other core's first thread */

// The L2 cache's sets repeat every 64 KB.
static void lose_l2(uint8_t *at)
{
	for (size_t i = 1; i <= 9; i++)
		load(*memory + ((size_t)(at - *memory) + i * 64 * 1024) % sizeof memory);
}

// Accesses of this core (capitals), and evictions.
static void (*const verbs[])(uint8_t *) = {
	['L'] = load, ['S'] = store, ['K'] = lock, ['F'] = fetch, ['1'] = lose_l1, ['2'] = lose_l2,
	['l'] = load, ['s'] = store, ['f'] = fetch,
};
static const char *const steps[] = {
	"L", "S", "K", "F", "L1L", "S1L", "L1S", "L1K", "S2", "l", "lL", "lS", "lF", "sL", "sS",
	"sF", "lL1L", "lF1S",
	"fL", "fF", "Ll", "Ls", "Lf", "Sl", "Ss", "Sf", "F1L", "S1F", "L1F", "lL1F",
};
static uint8_t *lines;

static void refer(void *verb)
{
	for (unsigned i = 0; i < LINES; i++)
		verbs[*(const unsigned char *)verb](lines + i * LINE);
}

static void refer_elsewhere(void *verb)
{
	hal_cpu_call(ELSEWHERE, refer, verb);
	require(hal_cpus_wait(1u << ELSEWHERE, PATIENCE));
}

static void refer_in_turn(void)
{
	for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
		lines = take_lines();
		for (const char *step = steps[i]; *step; step++)
			(*step >= 'a' ? refer_elsewhere : refer)((void *)step);
	}
}

// Vector instructions and prefetches of lines in no cache, as bytes (327364): vmovaps (%rsi),
// %zmm1; vmovaps %zmm1, (%rsi); vaddps %zmm1, %zmm2, %zmm3, which waits; vprefetch0 and vprefetch1
// (%rsi).
#define BYTES(...)	".byte " #__VA_ARGS__ "\n"
#define VECTOR_LOAD	BYTES(0x62, 0xF1, 0x78, 0x08, 0x28, 0x0E)
#define VECTOR_STORE	BYTES(0x62, 0xF1, 0x78, 0x08, 0x29, 0x0E)
#define VECTOR_ADD	BYTES(0x62, 0xF1, 0x68, 0x08, 0x58, 0xD9)
#define VPREFETCH0	BYTES(0xC5, 0xF8, 0x18, 0x0E)
#define VPREFETCH1	BYTES(0xC5, 0xF8, 0x18, 0x16)

#define AT(line, code)	__asm__ volatile(code : : "S"(line) : "rax", "rbx", "rcx", "memory", "cc")

static void execute(void)
{
	uint8_t *const line = take_lines();

	AT(line, VECTOR_LOAD VECTOR_ADD VECTOR_STORE);
	AT(line + 1 * LINE, VECTOR_STORE);
	AT(line + 2 * LINE, VPREFETCH0 VPREFETCH0 "mov (%%rsi), %%eax\n");
	AT(line + 3 * LINE, VPREFETCH1 "mov (%%rsi), %%eax\n");
	// Pairs: both access memory, both access one bank, an address written just before.
	AT(line + 4 * LINE, "nop\n nop\n mov (%%rsi), %%eax\n mov 8(%%rsi), %%ecx\n"
			    "mov (%%rsi), %%eax\n mov 4(%%rsi), %%ecx\n mov %%rsi, %%rbx\n mov "
			    "(%%rbx), %%eax\n");
}

//
// Counters
//

static const struct pmu_event *counted[COUNTERS];
static uint64_t counts[COUNTERS];

static void start(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < COUNTERS; i++) {
		const struct pmu_event *e = counted[i];

		put(SELECT(i), e ? e->code | (uint64_t)e->umask << 8 | USR | OS | EN : 0);
		put(COUNTER(i), 0);
	}
	put(ENABLE, BOTH);
}

static void add(void *unused)
{
	(void)unused;
	put(ENABLE, 0);
	for (unsigned i = 0; i < COUNTERS; i++)
		counts[i] += get(COUNTER(i));
}

// Assigns the next events to counters, as many as fit. Returns false after the last event.
static bool choose(const struct pmu_event_table *table, size_t *next)
{
	memset(counted, 0, sizeof counted);
	memset(counts, 0, sizeof counts);
	for (; *next < table->count; ++*next) {
		const struct pmu_event *e = &table->event[*next];
		unsigned i = 0;

		if (!hal_event_happens(false, e->code, e->umask)) {
			printf("event %s: not counted\n", e->name);
			continue;
		}
		while (i < COUNTERS && (counted[i] || !(e->counters >> i & 1)))
			i++;
		if (i == COUNTERS)
			break;
		counted[i] = e;
	}
	return counted[0] || counted[1];
}

int workload(void)
{
	size_t next = 0;

	require(hal_cpus_start() == CPUS && arrange_pages());
	while (choose(pmu_drivers[0]->events, &next)) {
		start(NULL);
		on(ELSEWHERE, start);
		execute();
		branch();
		walk();
		refer_in_turn();
		add(NULL);
		on(ELSEWHERE, add);
		for (unsigned i = 0; i < COUNTERS; i++)
			if (counted[i])
				printf("event %s: %" PRIu64 "\n", counted[i]->name, counts[i]);
	}
	clear(NULL);
	return failed != 0;
}
