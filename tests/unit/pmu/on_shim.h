/* SPDX-License-Identifier: BSD-2-Clause */
/* A driver on the shim's machine: sessions, and the registers of the calling CPU. */
#ifndef ON_SHIM_H
#define ON_SHIM_H

#include "sessions.h"

static inline uint64_t get(uint32_t address)
{
	uint64_t value = 0;

	assert_true(reg_read(address, &value));
	return value;
}

static inline void put(uint32_t address, uint64_t value)
{
	assert_true(reg_write(address, value));
}

static inline int driver_end(void **state)
{
	(void)state;
	shim_end();
	return 0;
}

#endif
