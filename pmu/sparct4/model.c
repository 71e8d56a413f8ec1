// SPDX-License-Identifier: BSD-2-Clause
// The Oracle SPARC T4 as hardware: registers and fields are in regs.h.

#include "model.h"
#include "regs.h"

struct sparct4_state {
	struct model_outputs outputs;
};

static void sparct4_reset(void *state, int fault, uint64_t seed)
{
	(void)fault, (void)seed;
	*(struct sparct4_state *)state = (struct sparct4_state){.outputs = {.quiet = MODEL_FAR}};
}

static bool sparct4_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	(void)state, (void)thread, (void)address;
	*value = 0;
	return false;
}

static bool sparct4_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	(void)state, (void)thread, (void)address, (void)value, (void)cycles;
	return false;
}

static bool sparct4_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	(void)state, (void)thread, (void)index;
	*value = 0;
	return false;
}

static void sparct4_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	(void)leaf, (void)subleaf, (void)registers;
}

static void sparct4_wires(void *state, const struct occurrence *occurrences, size_t count)
{
	(void)state, (void)occurrences, (void)count;
}

static void sparct4_run(void *state, uint64_t cycles)
{
	(void)state, (void)cycles;
}

static const struct occurrence *sparct4_clock(unsigned thread, unsigned level, size_t *count)
{
	(void)thread, (void)level;
	*count = 0;
	return NULL;
}

static const char *const fault_names[] = {NULL};

const struct pmu_model pmu_model_sparct4 = {
	.name = "sparct4",
	.size = sizeof(struct sparct4_state),
	.threads = 1,
	.faults = fault_names,
	.reset = sparct4_reset,
	.read = sparct4_read,
	.write = sparct4_write,
	.read_counter = sparct4_read_counter,
	.identify = sparct4_identify,
	.wires = sparct4_wires,
	.run = sparct4_run,
	.clock = sparct4_clock,
};
