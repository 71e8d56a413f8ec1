/* SPDX-License-Identifier: BSD-2-Clause */
/* The sparct4 driver on the shim. "The manual": SPARC T4 Supplement to Oracle SPARC Architecture
 * 2011, draft D0.4. Addresses and bits are typed from it, not taken from the driver's own regs.h.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/on_shim.h"

/* Tables 10-1 and 10-3: ASI 64h and B0h (times 256, see hal.h); each register has 8 bytes. */
#define PCR(n)	(0x6400u + (n))
#define PIC(n)	(0xB000u + (n))

#define PCR_OV		(1ULL << 0)
#define PCR_TOE		(1ULL << 1)
#define PCR_UT		(1ULL << 2)
#define PCR_ST		(1ULL << 3)
#define PCR_HT		(1ULL << 4)
#define PCR_MODES	(7ULL << 2)
#define PCR_MASK(m)	((uint64_t)(m) << 5)
#define PCR_SL(s)	((uint64_t)(s) << 11)
#define PCR_CLOSED	(3ULL << 16)		/* picnpt, picnht */
#define PCR_NTC		(1ULL << 18)

#define HYPERPRIVILEGED	0
#define PRIVILEGED	1
#define USER		3

static inline const struct pmu_driver *sparct4(void)
{
	return pmu_driver_find("sparct4");
}

static inline int driver_start(void **state)
{
	(void)state;
	if (!shim_start("sparct4", "") || pmu_begin(sparct4(), false) != PMU_OK)
		return -1;
	allow_all_interrupts();
	return 0;
}

static inline struct event_request request(const char *text)
{
	return request_of(sparct4(), text);
}

#define NOT_EXECUTED	0
#define EXECUTED	OCCURRENCE_TYPE_COMMIT

/* Passes `cycles` cycles at a level. An instruction at `ip` executes in each. */
static inline void instructions(unsigned level, uint64_t ip, uint8_t type, uint64_t cycles)
{
	struct occurrence signals[] = {
		{.code = 3, .sub = 0x20, .n = 1, .level = (uint8_t)level, .ip = ip, .type = type},
		{.code = 26, .n = 1, .level = (uint8_t)level, .ip = ip, .type = type},
	};

	while (cycles)
		cycles -= shim_deliver(signals, sizeof signals / sizeof *signals, cycles);
	shim_deliver(NULL, 0, 0);
}

#endif
