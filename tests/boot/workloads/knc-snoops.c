// SPDX-License-Identifier: BSD-2-Clause
// Snoops between the two cores of a machine with two threads per core: the other core's requests to
// the first core's L2 cache. Counts must grow in proportion to the number of lines. Run with one
// event.

#include "cpus.h"
#include "knc.h"
#include "stimulus.h"

#define SNP_HIT_L2	0x10E6
#define SNP_HITM_L2	0x10E7
#define ELSEWHERE	2	/* the other core's first thread */
#define LINE		64
#define FEW		100
#define SETTLED		10000	/* instructions until the other core halts */

static char lines[4 * FEW * LINE] __attribute__((aligned(4096)));
static unsigned count;

static void load_lines(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < count; i++)
		(void)*(volatile char *)&lines[i * LINE];
}

static void store_lines(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < count; i++)
		*(volatile char *)&lines[i * LINE] = 1;
}

// At the end of a call both cores use the same lines of the runtime, and the number of modified
// lines among them depends on their timing. Therefore the first core waits here without storing,
// and the other core stays here until the count is read.
static struct __attribute__((aligned(LINE))) {
	volatile bool done, counted;
	char rest[LINE - 2];
} handover;
static void (*work)(void *);

static void work_and_stay(void *unused)
{
	work(unused);
	handover.done = true;
	while (!handover.counted)
		hal_relax();
}

static void call_and_count(void (*there)(void *))
{
	handover.done = handover.counted = false;
	work = there;
	hal_cpu_call(ELSEWHERE, work_and_stay, NULL);
	while (!handover.done)
		hal_relax();
	put(ENABLE, 0);
	handover.counted = true;
	require(hal_cpus_wait(1u << ELSEWHERE, PATIENCE));
}

// Counts snoops of lines that the first core has modified; `shared`: and that the other one has
// then read.
static uint64_t counted(unsigned event, unsigned first, bool shared, void (*there)(void *))
{
	clear(NULL);
	put(SELECT(0), event | OS | EN);
	put(ENABLE, 1);
	count = first;
	store_lines(NULL);
	if (shared) {
		on(ELSEWHERE, load_lines);
		hal_execute(SETTLED);
	}
	put(COUNTER(0), 0);
	call_and_count(there);
	return get(COUNTER(0));
}

static void grows(const char *what, uint64_t by, unsigned event, bool shared, void (*there)(void *))
{
	uint64_t once, twice;

	counted(event, FEW, shared, there);
	once = counted(event, FEW, shared, there);
	twice = counted(event, 2 * FEW, shared, there);
	expect(what, 0, by, twice - once);
}

int workload(void)
{
	require(hal_cpus_start() == CPUS);
	grows("modified lines that the other core loads", FEW, SNP_HITM_L2, false, load_lines);
	grows("modified lines that the other core stores to", FEW, SNP_HITM_L2, false, store_lines);
	grows("modified lines are no clean ones", 0, SNP_HIT_L2, false, load_lines);
	grows("shared lines that the other core stores to", FEW, SNP_HIT_L2, true, store_lines);
	grows("shared lines are not modified", 0, SNP_HITM_L2, true, store_lines);
	grows("lines that both hold are not snooped", 0, SNP_HIT_L2, true, load_lines);
	clear(NULL);
	wrong += failed != 0;
	printf("knc-snoops: %d wrong\n", wrong);
	return wrong != 0;
}
