// SPDX-License-Identifier: BSD-2-Clause
// How many occurrences a second a model takes, one (or two) in each cycle: wires, then run of one cycle. For each kind
// of monitoring, the best of a few turns.
//
//	gcc -std=gnu17 -O2 -Ipmu/include -o model tests/bench/model.c pmu/itanium/model.c && ./model

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model.h"

#define TURNS		5
#define PER_TURN	4000000
#define DIFFERENT	64		// occurrences in a row

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

extern const struct pmu_model pmu_model_itanium;
static const struct pmu_model *const model = &pmu_model_itanium;

static void put(void *state, uint32_t address, uint64_t value)
{
	if (!model->write(state, 0, address, value, 0))
		abort();
}

static void set_up(void *state, unsigned event, uint64_t control)
{
	model->reset(state, -1, 1);
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

static void set_up_interrupts(void *state)
{
	set_up(state, CPU_CYCLES, OI);
}

// All ranges and the opcode matcher compare, and all that is compared matches.
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

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// `together` of the occurrences happen in each cycle. `least`: how many millions a second are to be reached.
static void measure(const char *name, const char *least, void *state, void begin(void *state),
		    const struct occurrence *pattern, unsigned together)
{
	struct occurrence wires[DIFFERENT];
	double best = 0;

	for (unsigned i = 0; i < DIFFERENT; i++) {
		wires[i] = *pattern;
		wires[i].ip += 16 * i;
		wires[i].address += 8 * i;
	}
	for (unsigned turn = 0; turn < TURNS; turn++) {
		uint64_t counted;
		double start, rate;

		begin(state);
		start = seconds();
		for (unsigned i = 0; i < PER_TURN; i += together) {
			model->wires(state, &wires[i % DIFFERENT], together);
			model->run(state, 1);
		}
		rate = PER_TURN / (seconds() - start);
		best = rate > best ? rate : best;
		if (!model->read(state, 0, PMD(7), &counted) || counted != PER_TURN) {
			fprintf(stderr, "model: counted %llu of %u\n", (unsigned long long)counted, PER_TURN);
			exit(1);
		}
	}
	printf("model, %s\t%.1f\tmillion occurrences/s\t%s\n", name, best / 1e6, least);
}

int main(void)
{
	void *state = aligned_alloc(MODEL_ALIGNMENT, (model->size + MODEL_ALIGNMENT - 1) & -MODEL_ALIGNMENT);
	const struct occurrence cycle = {.code = CPU_CYCLES, .n = 1};
	const struct occurrence load = {
		.code = LOADS_RETIRED, .n = 1, .type = OCCURRENCE_TYPE_M, .data = 1,
		.ip = 0x4000000000001000ULL, .address = 0x6000000000002000ULL,
	};

	if (!state)
		return 1;
	measure("4 counters", "50", state, set_up_cycles, &cycle, 1);
	measure("4 counters, 2 a cycle", "", state, set_up_cycles, &cycle, 2);
	measure("4 counters that interrupt", "", state, set_up_interrupts, &cycle, 1);
	measure("all qualifications", "10", state, set_up_qualified, &load, 1);
	free(state);
	return 0;
}
