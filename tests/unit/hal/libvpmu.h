/* SPDX-License-Identifier: BSD-2-Clause */
/* One vPMU of libvpmu and accesses to its registers. Its memory is filled with 0xDB first, so that
 * the tests find reads of uninitialized fields. */
#ifndef LIBVPMU_H
#define LIBVPMU_H

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "palmon/vpmu.h"

#define LENGTH(array)	(sizeof array / sizeof *array)

static struct vpmu_core *core;

static inline struct vpmu_core *make(const char *target, const struct vpmu_features *features)
{
	const size_t size = vpmu_core_size(target);
	void *memory = aligned_alloc(VPMU_ALIGNMENT, size);

	assert_non_null(memory);
	memset(memory, 0xDB, size);
	assert_int_equal(vpmu_core_create(&core, memory, size, target, features, 0), VPMU_OK);
	return core;
}

static inline int end(void **state)
{
	(void)state;
	free(core);
	core = NULL;
	return 0;
}

static inline uint64_t get(unsigned thread, uint32_t address)
{
	uint64_t value;

	assert_int_equal(vpmu_core_read(core, thread, address, &value), VPMU_DONE);
	return value;
}

static inline void put(unsigned thread, uint32_t address, uint64_t value)
{
	assert_int_equal(vpmu_core_write(core, thread, address, value, 0), VPMU_DONE);
}

/* A guest whose memory accesses all fail (struct vpmu_guest). */
static inline bool no_read(void *context, uint64_t address, void *to, size_t size)
{
	(void)context, (void)address, (void)to, (void)size;
	return false;
}

static inline bool no_write(void *context, uint64_t address, const void *from, size_t size)
{
	(void)context, (void)address, (void)from, (void)size;
	return false;
}

static inline void no_registers(void *context, unsigned thread, uint64_t registers[VPMU_REGISTERS])
{
	(void)context, (void)thread, (void)registers;
}

#endif
