/* SPDX-License-Identifier: BSD-2-Clause */
/* A virtual PMU: a model, one of its hardware threads, and the instruction clock that feeds it. For carriers
 * that execute real instructions and can count them: the emulator's monitor, the host shim. */
#ifndef VPMU_H
#define VPMU_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

struct vpmu {
	const struct pmu_model *model;
	void *state;		/* model->size bytes, aligned to MODEL_ALIGNMENT, the caller's */
	unsigned thread;	/* which of the model's hardware threads this is */
	unsigned level;		/* privilege level the instructions are at */
	bool halted;

	/* A bit of one register that always reads as it is in stuck_value; stuck_mask 0: none. */
	uint32_t stuck_address;
	uint64_t stuck_mask, stuck_value;
};

/* Puts model and state together and resets the PMU. `fault` is NULL or "" for none, a name from model->faults,
 * or "stuck:ADDRESS:BIT:VALUE": bit BIT (0-63) of the register at ADDRESS reads VALUE (0 or 1). False: the fault
 * is none of these; the PMU is reset and has no fault. `seed`: of what is undefined. */
bool vpmu_start(struct vpmu *v, const struct pmu_model *model, void *state, unsigned thread, const char *fault,
		uint64_t seed);

/* Register access with the privilege of the thread's most privileged software. False: it faults. A write takes
 * effect after `instructions` more: 1 where the access is an executed instruction, 0 where it is a call. */
static inline bool vpmu_read(struct vpmu *v, uint32_t address, uint64_t *value)
{
	if (!v->model->read(v->state, v->thread, address, value))
		return false;
	if (address == v->stuck_address)
		*value = (*value & ~v->stuck_mask) | v->stuck_value;
	return true;
}

static inline bool vpmu_write(struct vpmu *v, uint32_t address, uint64_t value, uint64_t instructions)
{
	return v->model->write(v->state, v->thread, address, value, instructions);
}

static inline bool vpmu_read_counter(struct vpmu *v, uint32_t index, uint64_t *value)
{
	return v->model->read_counter(v->state, v->thread, index, value);
}

/* From here on instructions execute at this privilege level (0-3). */
void vpmu_set_level(struct vpmu *v, unsigned level);

/* From here on the processor is halted: no instruction executes, nothing counts but cycles without events. */
void vpmu_set_halted(struct vpmu *v, bool halted);

/* So many cycles have passed, with one instruction executed in each unless halted. */
static inline void vpmu_run(struct vpmu *v, uint64_t cycles)
{
	v->model->run(v->state, cycles);
}

static inline struct model_outputs *vpmu_outputs(const struct vpmu *v)
{
	return v->state;
}

/* Cycles until the next overflow raises the line, if they pass like that: 1 is the next one. */
static inline uint64_t vpmu_headroom(const struct vpmu *v)
{
	uint64_t quiet = vpmu_outputs(v)->quiet;

	return quiet >= MODEL_FAR ? MODEL_FAR : quiet + 1;
}

/* Whether counts depend on the level that vpmu_set_level sets. */
static inline bool vpmu_level_matters(const struct vpmu *v)
{
	return vpmu_outputs(v)->level_matters;
}

/* Whether the instruction clock ever raises this event (code and unit mask as a counter selects it). */
bool vpmu_event_happens(const struct vpmu *v, uint16_t code, uint8_t umask);

/* Whether the line has risen since the last call. */
static inline bool vpmu_take_request(struct vpmu *v)
{
	struct model_outputs *outputs = vpmu_outputs(v);
	bool risen = outputs->requests >> v->thread & 1;

	outputs->requests &= ~(1u << v->thread);
	return risen;
}

#endif
