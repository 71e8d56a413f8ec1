/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of the example PMU. Replace them by the manual's: names, fields, access kinds, reset
 * values. */
#ifndef EXAMPLE_REGS_H
#define EXAMPLE_REGS_H

#include "field.h"

#define EXAMPLE_COUNTERS	4	/* 1 to 32: pmu/engine */
#define EXAMPLE_WIDTH		40	/* bits, 16 to 63 */

#define COUNTER(F, R)						\
	F(R, COUNT, 0, EXAMPLE_WIDTH, RW, 0)			\
	F(R, RESERVED, EXAMPLE_WIDTH, 64 - EXAMPLE_WIDTH, RSVD, 0)
REGISTER_FIELDS(COUNTER)

#define SELECT(F, R)						\
	F(R, EVENT, 0, 8, RW, 0)				\
	F(R, USR, 8, 1, RW, 0)					\
	F(R, OS, 9, 1, RW, 0)					\
	F(R, INT, 10, 1, RW, 0)					\
	F(R, RESERVED_11, 11, 53, RSVD, 0)
REGISTER_FIELDS(SELECT)

#define ENABLE(F, R)						\
	F(R, EN, 0, EXAMPLE_COUNTERS, RW, 0)			\
	F(R, RESERVED, EXAMPLE_COUNTERS, 64 - EXAMPLE_COUNTERS, RSVD, 0)
REGISTER_FIELDS(ENABLE)

#define STATUS(F, R)						\
	F(R, OVF, 0, EXAMPLE_COUNTERS, RO, 0)			\
	F(R, ZERO, EXAMPLE_COUNTERS, 64 - EXAMPLE_COUNTERS, IGN, 0)
REGISTER_FIELDS(STATUS)

/* Write-only: clears bits of STATUS. */
#define CLEAR(F, R)						\
	F(R, OVF, 0, EXAMPLE_COUNTERS, W1C, 0)			\
	F(R, RESERVED, EXAMPLE_COUNTERS, 64 - EXAMPLE_COUNTERS, RSVD, 0)
REGISTER_FIELDS(CLEAR)

/* G(register, first address, count); COUNTER: the registers count. */
#define EXAMPLE_REGISTERS(G)					\
	G(COUNTER, 0x100, EXAMPLE_COUNTERS, COUNTER)		\
	G(SELECT, 0x140, EXAMPLE_COUNTERS)			\
	G(ENABLE, 0x180, 1)					\
	G(STATUS, 0x181, 1)					\
	G(CLEAR, 0x182, 1)

/* Addresses; counter n's register is at + n. */
#define EXAMPLE_ADDRESS(R, address, count, ...) ADDRESS_##R = (address),
enum { EXAMPLE_REGISTERS(EXAMPLE_ADDRESS) };

/* Events that C code refers to. */
#define EXAMPLE_EVENT_CYCLES	0x01
#define EXAMPLE_EVENT_RETIRED	0x02

#endif
