// SPDX-License-Identifier: BSD-2-Clause
// Loads whose latency and source are known, on CPU 1, each compared with the record that the PMU
// writes of it: load latency (the performance analysis guide, "Precise Memory Access Events",
// tables 4 and 5; SDM volume 3B, "Load Latency Performance Monitoring Facility"). Latencies are
// those of hal/emu/model/nehalem.machine: 4, 10, 40, 65 and 75 cycles, 160 for memory. Sixteen
// other lines of its set, 32 KB apart, evict a line from the L1 and L2 caches, which have eight
// ways each.

#include <inttypes.h>
#include <stdio.h>

#include "cpus.h"
#include "registers.h"

int workload(void);

enum {
	PMC0 = 0xC1, PERFEVTSEL0 = 0x186, GLOBAL_STATUS = 0x38E, GLOBAL_CTRL = 0x38F,
	GLOBAL_OVF_CTRL = 0x390, PEBS_ENABLE = 0x3F1, LD_LAT = 0x3F6, DS_AREA = 0x600,
};

#define SLOW		(3 << 16 | 1 << 22 | 0x100B) /* MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD */
#define LOAD_LATENCY	(1 | 1ULL << 32)
#define RECORD_WORDS	22

enum { RIP = 1, RAX = 2, RSI = 6, ADDRESS = 19, SOURCE, LATENCY };	// words of a record

static struct {
	uint64_t trace[4];
	uint64_t base, index, maximum, threshold, reset[4];
} area;

static uint64_t records[4][RECORD_WORDS];
static int wrong;

#define SET		32768
#define LINES		20
static volatile uint64_t memory[LINES * SET / 8] __attribute__((aligned(2 << 20)));
static volatile uint64_t *const line = &memory[8];
// HPET: reads do nothing
static volatile uint64_t *const device = (volatile uint64_t *)0xFED00000;

// Two slow loads, from the lines of `arm` and `line`. The first one makes the counter overflow; the
// second one comes after the eight cycles in which nothing is recorded. The loads between them are
// not slow. RAX holds the loaded value.
extern const char behind_first[], behind_load[], behind_pair[], behind_copy[];
#define LOAD_AT(fast, code, label)							\
	__asm__ volatile(								\
		"mov	$0x38F, %%ecx\n"						\
		"xor	%%edx, %%edx\n"							\
		"mov	$1, %%eax\n"							\
		"wrmsr\n"								\
		"mov	(%0), %%rax\n"							\
		".rept	12\n"								\
		fast									\
		".endr\n"								\
		code									\
		label ":	nop\n"							\
		"mov	$0x38F, %%ecx\n"						\
		"xor	%%edx, %%edx\n"							\
		"xor	%%eax, %%eax\n"							\
		"wrmsr\n"								\
		: : "r"(arm), "S"(at), "D"(other)					\
		: "rax", "rcx", "rdx", "r8", "memory")

typedef void load(volatile uint64_t *arm, volatile uint64_t *at, volatile uint64_t *other);

#define FAST "mov	(%%rsp), %%r8\n"

__attribute__((noipa)) static void load_first(volatile uint64_t *arm, volatile uint64_t *at,
					      volatile uint64_t *other)
{
	LOAD_AT("nop\n", "mov	(%%rsi), %%rax\n", "behind_first");
}

__attribute__((noipa)) static void load_one(volatile uint64_t *arm, volatile uint64_t *at,
					    volatile uint64_t *other)
{
	LOAD_AT(FAST, "mov	(%%rsi), %%rax\n", "behind_load");
}

// One instruction that loads twice: a fast load, and the slow one.
__attribute__((noipa)) static void load_pair(volatile uint64_t *arm, volatile uint64_t *at,
					     volatile uint64_t *other)
{
	LOAD_AT(FAST, "cmpsq\n", "behind_pair");
}

// A repeated string, which counts as one load.
__attribute__((noipa)) static void load_copy(volatile uint64_t *arm, volatile uint64_t *at,
					     volatile uint64_t *other)
{
	LOAD_AT(FAST, "mov	$4, %%ecx\n	rep lodsq\n", "behind_copy");
}

//
// Places of the line
//

static void touch(volatile uint64_t *at)
{
	(void)*at;
}

static void evict(void)
{
	for (unsigned i = 1; i <= 16; i++)
		touch(line + i * SET / 8);
}

static void in_l1(void)
{
	touch(line);
	touch(line);
}

// Lines 4 KB apart share a set of the L1 data cache, but use eight sets of the L2 cache.
static void in_l2(void)
{
	touch(line);
	for (unsigned i = 1; i <= 16; i++)
		touch(line + i * 4096 / 8 + SET / 8);
}

static void in_l3(void)
{
	touch(line);
	evict();
}

// Afterwards only this CPU holds the line.
static void write_elsewhere(void *unused)
{
	(void)unused;
	*line = 1;
}

// Afterwards the line has been in the L3 cache and is back, unmodified.
static void clean_elsewhere(void *unused)
{
	write_elsewhere(unused);
	evict();
	touch(line);
}

//
// Cases
//

static const struct sample {
	const char *name;
	load *load;
	const char *behind;
	void (*prepare)(void);
	void (*elsewhere)(void *unused);
	bool from_device;
	unsigned above;
	unsigned records, latency, source;	// source: table 5
	unsigned moved;				// bytes by which the load advances RSI
} samples[] = {
	{"L1", load_first, behind_first, in_l1, NULL, false, 3, 1, 4, 0x1, 0},
	{"L2", load_one, behind_load, in_l2, NULL, false, 9, 1, 10, 0x3, 0},
	{"L2, threshold 10", load_one, behind_load, in_l2, NULL, false, 10, 0, 0, 0, 0},
	{"L3", load_one, behind_load, in_l3, NULL, false, 39, 1, 40, 0x4, 0},
	{"L3, threshold 40", load_one, behind_load, in_l3, NULL, false, 40, 0, 0, 0, 0},
	{"device", load_one, behind_load, in_l1, NULL, true, 39, 1, 160, 0xF, 0},
	{"one of two loads", load_pair, behind_pair, in_l3, NULL, false, 39, 1, 40, 0x4, 8},
	{"a repeated string", load_copy, behind_copy, in_l3, NULL, false, 39, 1, 40, 0x4, 32},
	{"another core had it", load_one, behind_load, NULL, clean_elsewhere, false, 64, 1, 65, 0x5,
	 0},
	{"another core has written it", load_one, behind_load, NULL, write_elsewhere, false, 74, 1,
	 75, 0x6, 0},
};

static void expect(const struct sample *s, const char *what, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s: %s: 0x%" PRIx64 ", not 0x%" PRIx64 "\n", s->name, what, found,
		       expected);
		wrong++;
	}
}

static void measure(void *sample)
{
	const struct sample *s = sample;
	volatile uint64_t *const arm = device, *const at = s->from_device ? device : line;

	area.base = area.index = (uintptr_t)records;
	area.maximum = area.base + sizeof records;
	area.threshold = area.maximum + 1;
	area.reset[0] = -(uint64_t)1000000;
	put(GLOBAL_CTRL, 0);
	put(DS_AREA, (uintptr_t)&area);
	put(LD_LAT, s->above);
	put(PERFEVTSEL0, SLOW);
	put(PMC0, -(uint64_t)1);
	put(PEBS_ENABLE, LOAD_LATENCY);
	touch(memory);
	touch((volatile uint64_t *)__builtin_frame_address(0));
	if (s->prepare)
		s->prepare();
	s->load(arm, at, memory);
	put(PEBS_ENABLE, 0);
}

static void check_sample(const struct sample *s)
{
	if (s->elsewhere) {
		hal_cpu_call(2, s->elsewhere, NULL);
		ok &= hal_cpus_wait(1u << 2, 1000000000);
	}
	hal_cpu_call(1, measure, (void *)(uintptr_t)s);
	ok &= hal_cpus_wait(1u << 1, 1000000000);
	expect(s, "records", s->records, (area.index - area.base) / sizeof records[0]);
	if (!s->records)
		return;
	expect(s, "address of the next instruction", (uintptr_t)s->behind, records[0][RIP]);
	expect(s, "data address", (uintptr_t)(s->from_device ? device : line), records[0][ADDRESS]);
	expect(s, "latency", s->latency, records[0][LATENCY]);
	expect(s, "source", s->source, records[0][SOURCE]);
	expect(s, "RSI", records[0][ADDRESS] + s->moved, records[0][RSI]);
}

int workload(void)
{
	if (hal_cpus_start() < 3)
		return 1;
	for (const struct sample *s = samples; s < samples + sizeof samples / sizeof *samples; s++)
		check_sample(s);
	wrong += !ok;
	printf("latency: %d wrong\n", wrong);
	return wrong != 0;
}
