// SPDX-License-Identifier: BSD-2-Clause
// Occurrences per second that a model takes, one (or two) in each cycle: signals, then a run of one
// cycle. For each kind of monitoring, the best of a few rounds. Each cycle's signals add the same
// to the counters as the previous ones.
//
// make bench-host

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model.h"

#define TURNS		5
#define PER_TURN	4000000
#define DIFFERENT	64		// consecutive occurrences

// Register numbers as in pmu/itanium/regs.h, and values of its fields.
#define PMC(n)		(n)
#define PMD(n)		(0x100 + (n))
#define IBR(n)		(0x200 + (n))
#define DBR(n)		(0x300 + (n))
#define PSR		0x500
#define ALL_LEVELS	0xFULL
#define OI		(1ULL << 5)
#define EVENT(es)	((uint64_t)(es) << 8)
#define ALL_MATCH	0xF00000003FFFFFF8ULL
#define PASS_TAGS	(1ULL << 28)
#define PSR_UP		(1ULL << 2)
#define LOADS_RETIRED	0x6C
#define CPU_CYCLES	0x12
#define INST_RETIRED	0x08

// The same from pmu/sparct4/regs.h.
#define PCR(n)		(0x6400 + (n))
#define PIC(n)		(0xB000 + (n))
#define ALL_MODES	0x1CULL
#define TOE		(1ULL << 1)
#define SL_CYCLES	26

// The same from pmu/knc/regs.h.
#define CNTR(n)		(0x20 + (n))
#define SEL(n)		(0x28 + (n))
#define GLOBAL_CTRL	0x2F
#define KNC_ON		(1ULL << 22 | 3ULL << 16)	// EN, OS, USR
#define KNC_INT		(1ULL << 20)
#define KNC_ANY		(1ULL << 21)
#define KNC_CYCLES	0x2A

// The same from pmu/nehalem/regs.h.
#define PMC0		0xC1
#define PERFEVTSEL(n)	(0x186 + (n))
#define NEHALEM_CYCLES	0x3C

// The same from pmu/nehalem-uncore/regs.h.
#define UNCORE_CTRL	0x391
#define UNCORE_PMC0	0x3B0
#define UNCORE_SEL(n)	(0x3C0 + (n))
#define UNCORE_ON	(1ULL << 22)	// EN
#define UNCORE_PMI	(1ULL << 20)
#define UNCORE_CORES	(0xFULL << 48)
#define LINES_IN	0x0A
#define GQ_OCCUPANCY	0x02
#define GQ_ALLOC	0x03

extern const struct pmu_model pmu_model_itanium, pmu_model_sparct4, pmu_model_knc,
pmu_model_nehalem,
	pmu_model_nehalem_uncore;
static const struct pmu_model *model;

static void put(void *state, uint32_t address, uint64_t value)
{
	if (!model->write(state, 0, address, value, 0))
		abort();
}

static void set_up(void *state, unsigned event, uint64_t control)
{
	model->reset(model, state, -1, 1);
	put(state, PMC(10), 0);
	put(state, PMC(11), PASS_TAGS);
	put(state, PMC(12), 0);
	for (unsigned counter = 4; counter < 8; counter++) {
		put(state, PMD(counter), 0);
		put(state, PMC(counter), ALL_LEVELS | EVENT(event) | control);
	}
	put(state, PSR, PSR_UP);
	put(state, PMC(0), 0);
}

static void set_up_cycles(void *state)
{
	set_up(state, CPU_CYCLES, 0);
}

static void set_up_retired(void *state)
{
	set_up(state, INST_RETIRED, 0);
}

static void set_up_interrupts(void *state)
{
	set_up(state, CPU_CYCLES, OI);
}

// All ranges and the opcode matcher are on, and everything matches.
static void set_up_qualified(void *state)
{
	set_up(state, LOADS_RETIRED, 0);
	for (unsigned i = 0; i < 8; i += 2) {
		put(state, IBR(i), i == 6 ? 0x4000000000000000ULL : 0);
		put(state, IBR(i + 1), 0x0FFFFFFFFFF00000ULL);
		put(state, DBR(i), i == 6 ? 0x6000000000000000ULL : 0);
		put(state, DBR(i + 1), 0x0FFFFFFFFFF00000ULL);
	}
	put(state, PMC(13), 0);
	put(state, PMC(11), 0);
	put(state, PMC(8), 0x8ULL << 60 | (ALL_MATCH & 0x7FFULL << 3));
}

static void set_up_sparct4(void *state, uint64_t control)
{
	model->reset(model, state, -1, 1);
	for (unsigned counter = 0; counter < 4; counter++)
		put(state, PCR(counter), ALL_MODES | control | SL_CYCLES << 11);
}

static void set_up_sparct4_cycles(void *state)
{
	set_up_sparct4(state, 0);
}

static void set_up_sparct4_traps(void *state)
{
	set_up_sparct4(state, TOE);
}

static void set_up_knc(void *state, unsigned threads, uint64_t control)
{
	model->reset(model, state, -1, 1);
	for (unsigned thread = 0; thread < threads; thread++) {
		for (unsigned counter = 0; counter < 2; counter++)
			if (!model->write(state, thread, SEL(counter),
					  KNC_ON | control | KNC_CYCLES, 0))
				abort();
		if (!model->write(state, thread, GLOBAL_CTRL, 3, 0))
			abort();
	}
}

static void set_up_knc_cycles(void *state)
{
	set_up_knc(state, 1, 0);
}

static void set_up_knc_interrupts(void *state)
{
	set_up_knc(state, 1, KNC_INT);
}

static void set_up_knc_threads(void *state)
{
	set_up_knc(state, 4, KNC_ANY | KNC_INT);
}

static void set_up_nehalem(void *state, uint64_t control)
{
	model->reset(model, state, -1, 1);
	for (unsigned counter = 0; counter < 4; counter++)
		put(state, PERFEVTSEL(counter), KNC_ON | control | NEHALEM_CYCLES);
}

static void set_up_nehalem_cycles(void *state)
{
	set_up_nehalem(state, 0);
}

static void set_up_nehalem_interrupts(void *state)
{
	set_up_nehalem(state, KNC_INT);
}

static void set_up_uncore(void *state, unsigned event, uint64_t control)
{
	model->reset(model, state, -1, 1);
	for (unsigned counter = 0; counter < 4; counter++)
		put(state, UNCORE_SEL(counter), UNCORE_ON | control | 1 << 8 | event);
	put(state, UNCORE_CTRL, UNCORE_CORES | 0xF);
}

static void set_up_uncore_lines(void *state)
{
	set_up_uncore(state, LINES_IN, 0);
}

static void set_up_uncore_interrupts(void *state)
{
	set_up_uncore(state, LINES_IN, UNCORE_PMI);
}

// Two counters of requests, two of the queue that these requests enter.
static void set_up_uncore_queue(void *state)
{
	set_up_uncore(state, GQ_ALLOC, UNCORE_PMI);
	for (unsigned counter = 2; counter < 4; counter++)
		put(state, UNCORE_SEL(counter), UNCORE_ON | UNCORE_PMI | 1 << 8 | GQ_OCCUPANCY);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define ITANIUM_CYCLE	{.code = CPU_CYCLES, .n = 1}
#define SPARCT4_CYCLE	{.code = SL_CYCLES, .n = 1}
#define ITANIUM_RETIRED	{.code = INST_RETIRED, .n = 1}
#define KNC_CYCLE	{.code = KNC_CYCLES, .n = 1}
#define NEHALEM_CYCLE	{.code = NEHALEM_CYCLES, .n = 1}
#define UNCORE_LINE	{.code = LINES_IN, .sub = 1, .n = 1}
#define UNCORE_REQUEST	{.code = GQ_ALLOC, .sub = 1, .n = 1}

static const struct kind {
	const char *name, *least;	// least: required millions per second
	const struct pmu_model *model;
	void (*begin)(void *state);
	struct occurrence pattern;
	unsigned together;		// occurrences in each cycle
	uint32_t counter;		// the address of a counter that counts all of them
} kinds[] = {
	{"4 counters", "50", &pmu_model_itanium, set_up_cycles, ITANIUM_CYCLE, 1, PMD(7)},
	{"4 counters, 2 a cycle", "50", &pmu_model_itanium, set_up_retired, ITANIUM_RETIRED, 2,
	 PMD(7)},
	{"4 counters that interrupt", "50", &pmu_model_itanium, set_up_interrupts, ITANIUM_CYCLE, 1,
	 PMD(7)},
	{"all qualifications", "10", &pmu_model_itanium, set_up_qualified,
	 {.code = LOADS_RETIRED, .n = 1, .type = OCCURRENCE_TYPE_M, .data = 1,
	  .ip = 0x4000000000001000ULL,
	  .address = 0x6000000000002000ULL}, 1, PMD(7)},
	{"SPARC T4, 4 counters", "50", &pmu_model_sparct4, set_up_sparct4_cycles, SPARCT4_CYCLE, 1,
	 PIC(3)},
	{"SPARC T4, 4 counters that trap", "50", &pmu_model_sparct4, set_up_sparct4_traps,
	 SPARCT4_CYCLE, 1, PIC(3)},
	{"Nehalem, 4 counters", "50", &pmu_model_nehalem, set_up_nehalem_cycles, NEHALEM_CYCLE, 1,
	 PMC0},
	{"Nehalem, 4 counters that interrupt", "50", &pmu_model_nehalem, set_up_nehalem_interrupts,
	 NEHALEM_CYCLE, 1, PMC0},
	{"Nehalem uncore, 4 counters", "50", &pmu_model_nehalem_uncore, set_up_uncore_lines,
	 UNCORE_LINE, 1, UNCORE_PMC0},
	{"Nehalem uncore, 4 counters that interrupt", "50", &pmu_model_nehalem_uncore,
	 set_up_uncore_interrupts, UNCORE_LINE, 1, UNCORE_PMC0},
	{"Nehalem uncore, 4 counters, 2 of a queue", "50", &pmu_model_nehalem_uncore,
	 set_up_uncore_queue, UNCORE_REQUEST, 1, UNCORE_PMC0},
	{"Knights Corner, 2 counters", "50", &pmu_model_knc, set_up_knc_cycles, KNC_CYCLE, 1,
	 CNTR(1)},
	{"Knights Corner, 2 counters that interrupt", "50", &pmu_model_knc, set_up_knc_interrupts,
	 KNC_CYCLE, 1, CNTR(1)},
	{"Knights Corner, 8 counters of any thread", "50", &pmu_model_knc, set_up_knc_threads,
	 KNC_CYCLE, 1, CNTR(1)},
};

#define KINDS (sizeof kinds / sizeof *kinds)

static void measure(const struct kind *kind, void *state)
{
	struct occurrence signals[DIFFERENT];
	double best = 0;

	model = kind->model;
	for (unsigned i = 0; i < DIFFERENT; i++) {
		signals[i] = kind->pattern;
		signals[i].ip += 16 * i;
		signals[i].address += 8 * i;
	}
	for (unsigned turn = 0; turn < TURNS; turn++) {
		uint64_t counted;
		double start, rate;

		kind->begin(state);
		start = seconds();
		for (unsigned i = 0; i < PER_TURN; i += kind->together) {
			model->advance(state, 1, &signals[i % DIFFERENT], kind->together);
		}
		rate = PER_TURN / (seconds() - start);
		best = rate > best ? rate : best;
		if (!model->read(state, 0, kind->counter, &counted) || counted != PER_TURN) {
			fprintf(stderr, "model: counted %llu of %u\n", (unsigned long long)counted,
				PER_TURN);
			exit(1);
		}
	}
	printf("model, %s\t%.1f\tmillion occurrences/s\t%s\n", kind->name, best / 1e6, kind->least);
}

static void *new_state(const struct pmu_model *of)
{
	return aligned_alloc(MODEL_ALIGNMENT, (of->size + MODEL_ALIGNMENT - 1) & -MODEL_ALIGNMENT);
}

int main(void)
{
	for (unsigned i = 0; i < KINDS; i++) {
		void *state = new_state(kinds[i].model);

		if (!state)
			return 1;
		measure(&kinds[i], state);
		free(state);
	}
	return 0;
}
