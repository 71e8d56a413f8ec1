/* SPDX-License-Identifier: BSD-2-Clause */
/* The itanium driver on the shim. "The manual": Intel Itanium Processor Reference Manual for
 * Software Development. Addresses and bits are typed from it, not taken from the driver's own
 * regs.h. */
#ifndef DRIVER_H
#define DRIVER_H

#include <string.h>

#include "pmu/on_shim.h"

#define LENGTH(array) (sizeof array / sizeof *array)

/* Register files, as pmu/itanium addresses them. */
#define PMC(n)	(0x000u + (n))
#define PMD(n)	(0x100u + (n))
#define IBR(n)	(0x200u + (n))
#define DBR(n)	(0x300u + (n))
#define REG_DCR	0x400u
#define REG_PMV	(0x400u + 73)
#define REG_PSR	0x500u

#define PSR_UP	(1ULL << 2)
#define PSR_SP	(1ULL << 20)
#define PSR_PP	(1ULL << 21)
#define PSR_DB	(1ULL << 24)
#define DCR_PP	(1ULL << 0)
#define PMC0_FR	(1ULL << 0)

static inline const struct pmu_driver *itanium(void)
{
	return pmu_driver_find("itanium");
}

static inline int driver_start(void **state)
{
	(void)state;
	return shim_start("itanium", "") && pmu_begin(itanium(), false) == PMU_OK ? 0 : -1;
}

static inline struct event_request request(const char *text)
{
	return request_of(itanium(), text);
}

/* Passes `cycles` cycles with these signals. The code of hal_execute has branches of its own. */
static inline void deliver(const struct occurrence *signals, size_t count, uint64_t cycles)
{
	static struct occurrence copies[2][8];
	static unsigned turn;

	turn = !turn;
	assert_true(count <= 8);
	if (count)
		memcpy(copies[turn], signals, count * sizeof *signals);
	while (cycles)
		cycles -= shim_deliver(copies[turn], count, cycles);
}

#endif
