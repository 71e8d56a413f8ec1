// SPDX-License-Identifier: BSD-2-Clause
// Random programs on the nehalem model.

#include "steps.h"

#include "machine.h"

#include "../random_programs.h"

#define LOADS		0x0B
#define OFFCORE		0xB7
#define BRANCH		0xC4

// Each thread's management area and the buffer after it; each state has its own memory.
#define AREA_OF(thread)		(MEMORY + (thread) * 0x800)
#define BUFFER_OF(thread)	(AREA_OF(thread) + 0x80)

static struct machine other_machine;
static unsigned looks;

static void look(void *context, unsigned thread, uint64_t registers[MODEL_REGISTERS])
{
	looks++;
	machine_registers(context, thread, registers);
}

static void attach_to(void *state, struct machine *m, struct model_processor *processor)
{
	memset(m, 0, sizeof *m);
	*processor = (struct model_processor){m, machine_read, machine_write, look};
	model->records->attach(state, processor);
	for (unsigned thread = 0; thread < THREADS; thread++)
		assert_true(model->write(state, thread, DS_AREA, AREA_OF(thread), 0));
}

static void begin(void *whole, void *pieces)
{
	static struct model_processor processors[2];

	attach_to(whole, &machine, &processors[0]);
	if (pieces)
		attach_to(pieces, &other_machine, &processors[1]);
}

// Software's accesses to a buffer: it empties it, and sets size, threshold and periods.
static void set_random_area(void)
{
	const unsigned thread = (unsigned)random_below(THREADS);
	const uint64_t base = BUFFER_OF(thread), size = random_below(9) * RECORD;
	const uint64_t area[12] = {
		[PEBS_BASE] = base, base, base + size, base + random_below(9) * RECORD,
		-random_below(40), -random_below(40), -random_below(40), random_below(UINT64_MAX),
	};

	memcpy(machine.memory + (AREA_OF(thread) - MEMORY), area, sizeof area);
	memcpy(other_machine.memory, machine.memory, MEMORY_SIZE);
}

static void assert_same_memory(void)
{
	assert_memory_equal(machine.memory, other_machine.memory, MEMORY_SIZE);
}

static const struct random_programs programs = {
	.codes = {RETIRED, RETIRED, UOPS, UOPS, CYCLES, REFERENCE, LOADS, OFFCORE, BRANCH},
	.code_count = 9,
	.subs = {1, 1, 2, 3, 4, 4, 7, 0x10, 0x11}, .sub_count = 9,
	.often = {{GLOBAL_CTRL, ALL_BITS}, {GLOBAL_CTRL, ALL_BITS}, {PEBS_ENABLE, 0x100000001},
		  {PEBS_ENABLE, 0},
		  {DS_AREA, AREA_OF(0)}, {LD_LAT, 4}, {DEBUGCTL, 1}},
	.often_count = 7, .write_cycles = 100,
	.begin = begin, .happen = set_random_area, .check = assert_same_memory, .looks = &looks,
};

int main(void)
{
	const struct CMUnitTest tests[] = {RANDOM_PROGRAMS};

	return cmocka_run_group_tests_name("nehalem model: random programs", tests, find_model,
					   release_model);
}
