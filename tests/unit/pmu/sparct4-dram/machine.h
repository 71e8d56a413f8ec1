/* SPDX-License-Identifier: BSD-2-Clause */
/* The shim's machine with the memory controllers' PMU initialized, and traffic. steps.h names the
 * sources of addresses and signals. */
#ifndef MACHINE_H
#define MACHINE_H

#include "package.h"
#include "pmu/sessions.h"

enum { CTL = 0x80040800, COUNT01 = 0x80041000, COUNT23 = 0x80041800 };
enum { READ = 0, WRITE = 1, QUEUED_READS = 4, STARVES = 9 };

#define MODULUS		(1ULL << 31)
#define RESERVED	0xFFFFFFFFFFFF0000

static const struct pmu_driver *dram;

static inline int start(void **state)
{
	(void)state;
	dram = pmu_driver_find("sparct4-dram");
	if (!shim_start("sparct4-dram", "") || pmu_begin(dram, false) != PMU_OK)
		return -1;
	return 0;
}

static inline int end(void **state)
{
	(void)state;
	shim_end();
	return 0;
}

/* Access registers without the driver. */
static inline uint64_t peek(uint32_t address)
{
	uint64_t value = 0;

	assert_true(vpmu_read(shim_vpmu(), address, &value));
	return value;
}

static inline void poke(uint32_t address, uint64_t value)
{
	assert_true(vpmu_write(shim_vpmu(), address, value, 0));
}

/* Passes `cycles` cycles, each with n of these events in a controller. */
static inline void happens(uint64_t cycles, unsigned controller, uint16_t code, uint16_t sub,
			   uint32_t n)
{
	const struct occurrence o = {.code = code, .sub = sub, .n = n,
				     .served = (uint8_t)controller};

	while (cycles)
		cycles -= shim_deliver(&o, 1, cycles);
	shim_deliver(NULL, 0, 0);
}

static inline void pass(uint64_t cycles)
{
	while (cycles)
		cycles -= shim_deliver(NULL, 0, cycles);
}

#endif
