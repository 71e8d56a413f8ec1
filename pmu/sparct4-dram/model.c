// SPDX-License-Identifier: BSD-2-Clause
// The Oracle SPARC T4 memory controllers as hardware: registers and fields are in regs.h.

#include "model.h"
#include "regs.h"

struct sparct4_dram_state {
	struct model_outputs outputs;
};

static void sparct4_dram_reset(void *state, int fault, uint64_t seed)
{
	(void)fault, (void)seed;
	*(struct sparct4_dram_state *)state = (struct sparct4_dram_state){.outputs = {.quiet = MODEL_FAR}};
}

static bool sparct4_dram_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	(void)state, (void)thread, (void)address;
	*value = 0;
	return false;
}

static bool sparct4_dram_write(void *state, unsigned thread, uint32_t address, uint64_t value, uint64_t cycles)
{
	(void)state, (void)thread, (void)address, (void)value, (void)cycles;
	return false;
}

static bool sparct4_dram_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	(void)state, (void)thread, (void)index;
	*value = 0;
	return false;
}

static void sparct4_dram_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	(void)leaf, (void)subleaf, (void)registers;
}

static void sparct4_dram_wires(void *state, const struct occurrence *occurrences, size_t count)
{
	(void)state, (void)occurrences, (void)count;
}

static void sparct4_dram_run(void *state, uint64_t cycles)
{
	(void)state, (void)cycles;
}

static const struct occurrence *sparct4_dram_clock(unsigned thread, unsigned level, size_t *count)
{
	(void)thread, (void)level;
	*count = 0;
	return NULL;
}

static const char *const fault_names[] = {NULL};

const struct pmu_model pmu_model_sparct4_dram = {
	.name = "sparct4-dram",
	.size = sizeof(struct sparct4_dram_state),
	.threads = 1,
	.faults = fault_names,
	.reset = sparct4_dram_reset,
	.read = sparct4_dram_read,
	.write = sparct4_dram_write,
	.read_counter = sparct4_dram_read_counter,
	.identify = sparct4_dram_identify,
	.wires = sparct4_dram_wires,
	.run = sparct4_dram_run,
	.clock = sparct4_dram_clock,
};
