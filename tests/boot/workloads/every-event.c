// SPDX-License-Identifier: BSD-2-Clause
// Counts every event of the cores' and the packages' tables that occurs here. Four CPUs of two
// packages execute each kind of instruction and of branch, and access lines that each other CPU
// left in each state. Prints each event's count on all CPUs, or both packages. Run with
// events=CPU_CLK_UNHALTED.REF: the workload programs all other counters.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "cpus.h"
#include "event.h"
#include "pmu_driver.h"
#include "every-event.h"
#include "registers.h"

int workload(void);

#define CPUS		4
#define HALF		(32u << 20)	/* of the machine's memory: a package's */
#define WARMING		10	/* repetitions before counting, which fill the caches */
#define PATIENCE	1000000000	/* clocks */

static void stream(uint8_t *at)
{
	for (unsigned i = 0; i < LINE; i += 8)
		__asm__ volatile("movnti %0, (%1)" : : "r"(RETURN * 0x0101010101010101ULL),
				 "r"(at + i) : "memory");
}

static void stream_part(uint8_t *at)
{
	__asm__ volatile("movnti %0, (%1)" : : "r"(RETURN * 0x0101010101010101ULL),
			 "r"(at) : "memory");
}

// The L2 cache's sets repeat each 32 KB, the L3 cache's each 512 KB.
static void lose_l2(uint8_t *at)
{
	for (unsigned i = 0; i < 9; i++)
		load(others + (uintptr_t)at % (32 * 1024) + i * 32 * 1024);
}

static void lose_l3(uint8_t *at)
{
	const size_t offset = (size_t)(at - *memory);

	for (size_t i = 1; i <= 17; i++)
		load(*memory + (offset + i * 512 * 1024) % sizeof memory);
}

static void (*const verbs[])(uint8_t *) = {
	['L'] = load, ['S'] = store, ['K'] = lock, ['F'] = fetch, ['N'] = stream,
	['P'] = stream_part,
	['1'] = lose_l1, ['2'] = lose_l2, ['3'] = lose_l3,
};

// Earlier users of the lines, before CPU 0's last access (CPU and verb, CPU and verb ...); then the
// caches from which CPU 0 evicts them, and its last accesses.
static const char *const before[] = {
	"", "0L", "0S", "0F", "1L", "1S", "1F", "2L", "2S", "2F", "2L3L", "0L2L", "1L2L", "0L1L",
	"2N", "2P",
};
static const char last[] = {'L', 'S', 'K', 'F', 'N', 'P'}, lost[] = {0, '1', '2'};

#define COUNT(of)	(sizeof(of) / sizeof *(of))
static uint8_t *taken[COUNT(last)][COUNT(lost)];

static void refer(uint8_t *at, char verb)
{
	for (unsigned i = 0; verb && i < LINES; i++)
		verbs[(unsigned char)verb](at + i * LINE);
}

// A package reads lines again that it has forwarded and then evicted.
static uint8_t *forwarded;
static const char *const forward[] = {"2L0L232L", "0L2L030L"};
#define FORWARDED 16	/* pages of both packages */

static void refer_to_forwarded(void *verb)
{
	refer(forwarded, *(const char *)verb);
}

// One line of a page: no prefetcher requests it first.
static uint8_t *single[FORWARDED];

static void refer_to_single(void *verb)
{
	for (unsigned i = 0; i < FORWARDED; i++)
		verbs[*(const unsigned char *)verb](single[i]);
}

static void refer_to_all(void *verb)
{
	for (unsigned i = 0; i < COUNT(last); i++)
		for (unsigned j = 0; j < COUNT(lost); j++)
			refer(taken[i][j], *(const char *)verb);
}

static void on(unsigned cpu, void (*function)(void *), void *argument)
{
	if (!cpu)
		function(argument);
	else
		hal_cpu_call(cpu, function, argument);
	ok &= !cpu || hal_cpus_wait(1u << cpu, PATIENCE);
}

static void refer_in_turn(void)
{
	for (unsigned b = 0; b < COUNT(before); b++) {
		for (unsigned i = 0; i < COUNT(last); i++)
			for (unsigned j = 0; j < COUNT(lost); j++)
				taken[i][j] = take_lines();
		for (const char *step = before[b]; *step; step += 2)
			on((unsigned)(step[0] - '0'), refer_to_all, (void *)&step[1]);
		for (unsigned i = 0; i < COUNT(last); i++)
			for (unsigned j = 0; j < COUNT(lost); j++) {
				refer(taken[i][j], lost[j]);
				refer(taken[i][j], last[i]);
			}
		__asm__ volatile("sfence" : : : "memory");
	}
	for (unsigned i = 0; i < FORWARDED; i++)
		single[i] = take_lines();
	for (const char *step = "2L3L0F"; *step; step += 2)
		on((unsigned)(step[0] - '0'), refer_to_single, (void *)&step[1]);
	for (unsigned i = 0; i < FORWARDED; i++) {
		forwarded = take_lines();
		for (const char *step = forward[i % COUNT(forward)]; *step; step += 2)
			on((unsigned)(step[0] - '0'), refer_to_forwarded, (void *)&step[1]);
	}
}

//
// Instructions
//

static void execute(void)
{
	static uint8_t data[2 * LINE] __attribute__((aligned(LINE)));

	// Arithmetic of each kind; switches from MMX to x87 and back; a prefix that changes an
	// instruction's length.
	__asm__ volatile("mov $7, %%eax; xor %%edx, %%edx; mov $3, %%ecx; div %%ecx; imul %%ecx, "
			 "%%eax\n"
			 "emms; fld1; fstp %%st; pxor %%mm0, %%mm0; emms; fld1; fstp %%st\n"
			 "addss %%xmm0, %%xmm0; addps %%xmm0, %%xmm0; addsd %%xmm0, %%xmm0; addpd "
			 "%%xmm0, %%xmm0\n"
			 "paddd %%xmm0, %%xmm0; .byte 0x66, 0x05, 1, 0\n"
			 : : : "rax", "rcx", "rdx", "xmm0", "st", "mm0", "cc");
	// Integer operations in XMM and MMX registers, named as in SIMD_INT_128 and SIMD_INT_64.
	__asm__ volatile("pmullw %%xmm0, %%xmm0; pslld $1, %%xmm0; packsswb %%xmm0, %%xmm0; "
			 "punpcklbw %%xmm0, %%xmm0\n"
			 "pand %%xmm0, %%xmm0; paddb %%xmm0, %%xmm0\n"
			 "pmullw %%mm0, %%mm0; pslld $1, %%mm0; packsswb %%mm0, %%mm0; punpcklbw "
			 "%%mm0, %%mm0\n"
			 "pand %%mm0, %%mm0; paddb %%mm0, %%mm0; emms\n"
			 : : : "xmm0", "mm0");
	// Across two lines.
	__asm__ volatile("mov 60(%0), %%rax; mov %%rax, 60(%0); lock; orq $0, 60(%0)"
			 : : "r"(data) : "rax", "memory", "cc");
}

// Accesses the I/O interrupt controller's registers.
static void refer_to_device(void)
{
	volatile uint32_t *io_apic = (volatile uint32_t *)0xFEC00000;

	(void)*io_apic;
	*io_apic = 0;
}

static void do_everything(void)
{
	execute();
	branch();
	refer_to_device();
	walk();
	refer_in_turn();
}

//
// Counters: SDM volume 3B
//

enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, FIXED0 = 0x309, FIXED_CTRL = 0x38D, GLOBAL_CTRL = 0x38F,
	UNC_PMC0 = 0x3B0, UNC_PERFEVTSEL0 = 0x3C0, UNC_FIXED = 0x394, UNC_FIXED_CTRL = 0x395,
	UNC_GLOBAL_CTRL = 0x391, PEBS_ENABLE = 0x3F1, LD_LAT = 0x3F6,
};

#define COUNTERS	9	/* the most that a package has */
#define GENERAL(unit)	((unit) ? 8u : 4u)
#define ALL_LEVELS	(3u << 16)
#define EDGE		(1u << 18)
#define ANY		(1u << 21)
#define EN		(1u << 22)
#define INV		(1u << 23)

// For the cores [0] and the packages [1]: the events in each counter, and the sums of their counts.
static const struct pmu_event *counted[2][COUNTERS];
static uint64_t counts[2][COUNTERS];

static uint64_t selection(unsigned unit, const struct pmu_event *e)
{
	return e->code | (uint64_t)e->umask << 8 | (unit ? 0 : ALL_LEVELS) | EN |
	       (uint64_t)e->cmask << 24 |
	       (e->modifiers & EVENT_EDGE ? EDGE : 0) | (e->modifiers & EVENT_INV ? INV : 0) |
	       (!unit && e->modifiers & EVENT_ANY ? ANY : 0);
}

// A fixed counter's number is 32 or more.
static bool can_count(unsigned unit, unsigned counter, const struct pmu_event *e)
{
	return e->counters >> (counter < GENERAL(unit) ? counter : 32 + counter - GENERAL(unit)) &
	       1;
}

static uint32_t count_address(unsigned unit, unsigned counter)
{
	const uint32_t general = unit ? UNC_PMC0 : PMC0, fixed = unit ? UNC_FIXED : FIXED0;

	return counter < GENERAL(unit) ? general + counter : fixed + counter - GENERAL(unit);
}

// Each CPU starts its own counters; one CPU of each package starts the package's.
static void start(unsigned unit)
{
	for (unsigned c = 0; c < COUNTERS; c++) {
		const struct pmu_event *e = counted[unit][c];

		if (c < GENERAL(unit))
			put((unit ? UNC_PERFEVTSEL0 : PERFEVTSEL0) + c, e ? selection(unit, e) : 0);
		if (e && e->setting_address)
			put(e->setting_address, e->setting_value);
		// records are counted; the buffer is never full
		if (e && e->setting_address == LD_LAT)
			put(PEBS_ENABLE, (1ULL << 32 | 1) << c);
		if (e)
			put(count_address(unit, c), 0);
	}
	put(unit ? UNC_FIXED_CTRL : FIXED_CTRL, unit ? 1 : 0x333);
	put(unit ? UNC_GLOBAL_CTRL : GLOBAL_CTRL, unit ? 0x1000000FF : 0x70000000F);
}

static void add(unsigned unit)
{
	for (unsigned c = 0; c < COUNTERS; c++)
		if (counted[unit][c])
			counts[unit][c] += get(count_address(unit, c));
}

static void start_here(void *unused)
{
	(void)unused;
	start(0);
	if (hal_cpu() % 2 == 0)
		start(1);
}

static void add_here(void *unused)
{
	(void)unused;
	add(0);
	if (hal_cpu() % 2 == 0)
		add(1);
}

// Assigns the next events to counters, as many as fit; they do not set a shared register to
// different values. Returns false after the last event.
static bool choose(unsigned unit, const struct pmu_event_table *table, size_t *next)
{
	const struct pmu_event *setting = NULL;

	memset(counted[unit], 0, sizeof counted[unit]);
	memset(counts[unit], 0, sizeof counts[unit]);
	for (; *next < table->count; ++*next) {
		const struct pmu_event *e = &table->event[*next];
		unsigned c = 0;

		if (e->setting_address && setting)
			break;
		if (e->setting_address)
			put(e->setting_address, e->setting_value);
		if (!hal_event_happens(unit, e->code, e->umask)) {
			printf("event %s: not counted\n", e->name);
			continue;
		}
		while (c < COUNTERS && (counted[unit][c] || !can_count(unit, c, e)))
			c++;
		if (c == COUNTERS)
			break;
		counted[unit][c] = e;
		if (e->setting_address)
			setting = e;
	}
	for (unsigned c = 0; c < COUNTERS; c++)
		if (counted[unit][c])
			return true;
	return false;
}

int workload(void)
{
	const struct pmu_driver *core = pmu_drivers[0], *package = pmu_drivers[1];
	size_t next[2] = {0};

	if (hal_packages_start() != CPUS) {
		printf("WRONG: CPUs: not %u\n", CPUS);
		return 1;
	}
	if ((uintptr_t)*memory >= HALF || (uintptr_t)(memory + PAGES) <= HALF) {
		printf("WRONG: all lines belong to one package's memory\n");
		return 1;
	}
	ok &= arrange_pages();
	for (unsigned i = 0; i < WARMING; i++)
		do_everything();
	for (;;) {
		const bool of_cores = choose(0, core->events, &next[0]);
		const bool of_packages = choose(1, package->events, &next[1]);

		if (!of_cores && !of_packages)
			break;
		for (unsigned cpu = 0; cpu < CPUS; cpu++)
			on(cpu, start_here, NULL);
		do_everything();
		for (unsigned cpu = 0; cpu < CPUS; cpu++)
			on(cpu, add_here, NULL);
		for (unsigned unit = 0; unit < 2; unit++)
			for (unsigned c = 0; c < COUNTERS; c++)
				if (counted[unit][c])
					printf("event %s: %" PRIu64 "\n", counted[unit][c]->name,
					       counts[unit][c]);
	}
	return !ok;
}
