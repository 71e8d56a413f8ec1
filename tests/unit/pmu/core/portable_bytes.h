/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts as bytes. */
#ifndef PORTABLE_BYTES_H
#define PORTABLE_BYTES_H

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "overflow.h"
#include "portable.h"

#include "pmu/core/hex.h"
#include "pmu/core/random.h"
#include "pmu/sessions.h"

#define LENGTH(array)	(sizeof array / sizeof *array)
#define SESSIONS	3

static const struct target {
	const char *name;
	const char *events;		// the first event only counts, the others take samples
	const char *stopped;		// events of a stopped session in the same context
} targets[] = {
	{"itanium", "CPU_CYCLES,CPU_CYCLES:period=100,IA64_INST_RETIRED:period=977",
	 "CPU_CYCLES:period=50"},
	{"nehalem", "INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=100,INST_RETIRED.ANY_P:period=977",
	 "INST_RETIRED.ANY_P:period=50"},
};

static inline void begin(const char *target)
{
	assert_true(shim_start(target, ""));
	assert_int_equal(pmu_begin(pmu_driver_find(target), false), PMU_OK);
	allow_all_interrupts();
}

#define GOLDEN "tests/vectors/nehalem-state.hex"

static uint8_t golden[PMU_PORTABLE_MOST];
static size_t golden_size;

static inline int read_golden(void **state)
{
	(void)state;
	golden_size = hex_read(GOLDEN, golden, sizeof golden);
	return golden_size ? 0 : -1;
}

/* Reads bytes into memory, which must not change if they are refused. */
static inline enum pmu_portable_error try(const uint8_t *bytes, size_t size, unsigned room)
{
	static struct pmu_session sessions[PMU_PORTABLE_SESSIONS], before[PMU_PORTABLE_SESSIONS];
	struct pmu_context context, context_before;
	enum pmu_portable_error error;

	memset(sessions, 0xA5, sizeof sessions);
	memset(before, 0xA5, sizeof before);
	memset(&context, 0xA5, sizeof context);
	memset(&context_before, 0xA5, sizeof context);
	error = pmu_portable_read(pmu_driver_find("nehalem"), bytes, size, sessions, room,
				  &context);
	if (error) {
		assert_memory_equal(sessions, before, sizeof sessions);
		assert_memory_equal(&context, &context_before, sizeof context);
		assert_true(*pmu_portable_explain(error));
	} else {
		pmu_portable_forget(&context);
	}
	return error;
}

#endif
