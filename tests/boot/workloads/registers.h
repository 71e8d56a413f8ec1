/* SPDX-License-Identifier: BSD-2-Clause */
/* Workloads that access registers directly. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include "hal.h"

static bool ok = true;		/* no access has failed */

static inline void put(uint32_t address, uint64_t value)
{
	ok &= reg_write(address, value);
}

static inline uint64_t get(uint32_t address)
{
	uint64_t value = 0;

	ok &= reg_read(address, &value);
	return value;
}

#endif
