/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps for tests of any target's model: the model under test, its registers and its event signals.
 * Without a thread argument they act on thread 0. */
#ifndef DEVICE_H
#define DEVICE_H

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "vpmu.h"

static const struct pmu_model *model;
static void *pmu;

/* The model's inputs: set_inputs. */
static const struct occurrence *connected;
static size_t connected_count;

static inline void *new_state(void)
{
	size_t size = (vpmu_state_size(model) + MODEL_ALIGNMENT - 1) / MODEL_ALIGNMENT *
		MODEL_ALIGNMENT;
	void *state = aligned_alloc(MODEL_ALIGNMENT, size);

	assert_non_null(state);
	return state;
}

static inline void take_model(const char *name, unsigned threads)
{
	model = pmu_model_find(name);
	assert_non_null(model);
	assert_int_equal(model->threads, threads);
	pmu = new_state();
}

static inline int release_model(void **state)
{
	(void)state;
	free(pmu);
	return 0;
}

/* Resets the processor. The previous contents of the state's memory must not matter (model.h). A
 * fault selects the defective model. */
static inline void reset_with(int fault, uint64_t seed)
{
	model = pmu_model_find(model->name);
	if (fault >= 0)
		model = vpmu_with_defects(model);
	memset(pmu, 0xA5, model->size);
	model->reset(model, pmu, fault, seed);
	connected_count = 0;
}

static inline void reset(int fault)
{
	reset_with(fault, 0);
}

static inline int fault_number(const char *name)
{
	for (int i = 0; vpmu_faults(model)[i]; i++)
		if (!strcmp(vpmu_faults(model)[i], name))
			return i;
	fail_msg("there is no fault %s", name);
	return -1;
}

static inline struct model_outputs *outputs(void)
{
	return pmu;
}

static inline void put_of(unsigned thread, uint32_t address, uint64_t value)
{
	if (!model->write(pmu, thread, address, value, 0))
		fail_msg("writing %#llx to %#x faults", (unsigned long long)value, address);
}

static inline uint64_t get_of(unsigned thread, uint32_t address)
{
	uint64_t value = 0;

	if (!model->read(pmu, thread, address, &value))
		fail_msg("reading %#x faults", address);
	return value;
}

static inline void put(uint32_t address, uint64_t value)
{
	put_of(0, address, value);
}

static inline uint64_t get(uint32_t address)
{
	return get_of(0, address);
}

#include "signals.h"

#endif
