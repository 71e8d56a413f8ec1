/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of a plain model: of a PMU with one thread and no instruction of its own that reads counters. Its state
 * is struct NAME_state. */
#ifndef PLAIN_MODEL_H
#define PLAIN_MODEL_H

#include "engine.h"

/* Reading, and what happens; `registers` is the model's table, `sum` the one of its rules. */
#define ENGINE_PLAIN_ACCESS(name, registers, sum)							\
	static bool name##_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)	\
	{												\
		(void)state, (void)thread, (void)index;							\
		*value = 0;										\
		return false;										\
	}												\
													\
	static bool name##_read(void *state, unsigned thread, uint32_t address, uint64_t *value)	\
	{												\
		return engine_read(&(registers), state, thread, address, value);			\
	}												\
													\
	static void name##_connect(void *state, const struct occurrence *occurrences, size_t count)	\
	{												\
		engine_connect(state, occurrences, count, sum);						\
	}

/* All of them, where nothing counts at reset; `rules` is the model's table, `retired` and `cycle` are the events of a
 * retired instruction and of a cycle. */
#define ENGINE_PLAIN_MODEL(name, width, registers, rules, sum, retired, cycle)				\
	ENGINE_PLAIN_ACCESS(name, registers, sum)							\
													\
	static void name##_reset(void *state, int fault, uint64_t seed)					\
	{												\
		(void)fault;										\
		*(struct name##_state *)state = (struct name##_state){0};				\
		engine_reset(state, &(rules), width);							\
		engine_reset_registers(&(registers), state, seed);					\
		engine_derive(state);									\
	}												\
													\
	static const struct occurrence *name##_clock(unsigned thread, unsigned level, size_t *count)	\
	{												\
		static const struct occurrence clock[4][2] = {						\
			ENGINE_CLOCK(retired, cycle, 0), ENGINE_CLOCK(retired, cycle, 1),		\
			ENGINE_CLOCK(retired, cycle, 2), ENGINE_CLOCK(retired, cycle, 3),		\
		};											\
													\
		(void)thread;										\
		*count = 2;										\
		return clock[level];									\
	}
#define ENGINE_CLOCK(retired, cycle, at) \
	{{.code = (retired), .n = 1, .level = (at)}, {.code = (cycle), .n = 1, .level = (at)}}

/* The members of struct pmu_model that they are. */
#define ENGINE_PLAIN_MEMBERS(name)									\
	.size = sizeof(struct name##_state), .threads = 1,						\
	.registers = descriptions, .register_count = KINDS, .faults = engine_no_faults,			\
	.reset = name##_reset, .read = name##_read, .write = engine_model_write,			\
	.read_counter = name##_read_counter,								\
	.headroom = engine_headroom, .connect = name##_connect, .run = engine_model_run,			\
	.clock = name##_clock

#endif
