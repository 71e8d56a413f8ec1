/* SPDX-License-Identifier: BSD-2-Clause */
/* Performance counters of the SPARC T4's memory controllers: SPARC T4 Supplement to Oracle SPARC
 * Architecture 2011, draft D0.4, section 10.5. Addresses: hal.h. */
#ifndef SPARCT4_DRAM_REGS_H
#define SPARCT4_DRAM_REGS_H

#include "field.h"

#define DRAM_CONTROLLERS	4
#define DRAM_COUNTERS		4	/* per controller; counter n of controller c has number 4 *
					 * c + n */
#define DRAM_COUNTER_WIDTH	31

/* Table 10-4. */
#define DRAM_PERF_CTL_REG(F, R)		\
	F(R, sel0, 0, 4, RW, 0)		\
	F(R, sel1, 4, 4, RW, 0)		\
	F(R, sel2, 8, 4, RW, 0)		\
	F(R, sel3, 12, 4, RW, 0)	\
	F(R, RESERVED_16, 16, 48, RO, UNDEFINED)
REGISTER_FIELDS(DRAM_PERF_CTL_REG)

/* Tables 10-5 and 10-6. */
#define DRAM_PERF_COUNT01_REG(F, R)	\
	F(R, counter1, 0, 31, RW, 0)	\
	F(R, sticky1, 31, 1, RW, 0)	\
	F(R, counter0, 32, 31, RW, 0)	\
	F(R, sticky0, 63, 1, RW, 0)
REGISTER_FIELDS(DRAM_PERF_COUNT01_REG)

#define DRAM_PERF_COUNT23_REG(F, R)	\
	F(R, counter2, 0, 31, RW, 0)	\
	F(R, sticky2, 31, 1, RW, 0)	\
	F(R, counter3, 32, 31, RW, 0)	\
	F(R, sticky3, 63, 1, RW, 0)
REGISTER_FIELDS(DRAM_PERF_COUNT23_REG)

/* G(register, address of controller 0's, number of registers, one per controller). Physical
 * addresses F80400000408h, 410h, 418h, step 1000h. */
#define DRAM_REGISTERS(G)					\
	G(DRAM_PERF_CTL_REG, 0x80040800, DRAM_CONTROLLERS)	\
	G(DRAM_PERF_COUNT01_REG, 0x80041000, DRAM_CONTROLLERS)	\
	G(DRAM_PERF_COUNT23_REG, 0x80041800, DRAM_CONTROLLERS)

#define DRAM_ADDRESS(R, address, count) ADDRESS_##R = (address),
enum { DRAM_REGISTERS(DRAM_ADDRESS) };

/* Bit n: counter n of a controller. The manual gives two counters to one owner, and two to another
 * one. */
#define DRAM_COUNT01		0x3
#define DRAM_COUNT23		0xC

/* The counters of all controllers, as bits: `counters` of each. */
#define DRAM_OF_ALL(counters)	((counters) * 0x1111ULL)

/* Position of the select of a controller's counter n in DRAM_PERF_CTL_REG. */
#define DRAM_SELECT_LOW(n)	(DRAM_PERF_CTL_REG_sel0_WIDTH * (n))
#define DRAM_SELECT(n)		(FIELD(DRAM_PERF_CTL_REG, sel0) << DRAM_SELECT_LOW(n))

/* Position of a count in its register; the sticky bit is above it. Counters 0 and 3 have the upper
 * half. */
#define DRAM_COUNT_LOW(n)	((n) == 0 || (n) == 3 ? DRAM_PERF_COUNT01_REG_counter0_LOW : 0)
#define DRAM_STICKY		(1ULL << DRAM_COUNTER_WIDTH)
#define DRAM_COUNT_MASK		(DRAM_STICKY - 1)

/* Table 10-7: select codes. */
#define DRAM_READS_OF_PORT		0x0
#define DRAM_WRITES_OF_PORT		0x1
#define DRAM_TRANSACTIONS_OF_PORT	0x2
#define DRAM_BANK_BUSY			0x3
#define DRAM_READ_LATENCY		0x4
#define DRAM_WRITE_LATENCY		0x5
#define DRAM_LATENCY			0x6
#define DRAM_WRITEBACK_HITS		0x7
#define DRAM_READS			0x8
#define DRAM_WRITES_STARVED		0x9
#define DRAM_WRITES			0xA
#define DRAM_CHANNEL0			0xB
#define DRAM_CHANNEL1			0xC
#define DRAM_SELECTS			0xD	/* this code and those above are reserved */

/* On the event signals: `served` is the controller, `code` is one of
 *
 *	0, 1	a read, a write; `sub` is its COU port (0-3: the counter's number) +
 *		4 * its memory channel (0-1)
 *	3	requests are queued, and bank conflicts prevent all of them from being issued
 *	4, 5	reads, writes in the queue: `n` of them
 *	7	a read is deferred, because it conflicts with a queued write
 *	9	a write starves
 *
 * and `sub` is 0 unless stated. Other values are not events. */
#define DRAM_CHANNELS			2	/* of a controller */
#define DRAM_LINE			64	/* bytes, of memory in a transaction */
#define DRAM_SIGNAL_SUBS(code)		((code) <= DRAM_WRITES_OF_PORT ? \
					 DRAM_CHANNELS * DRAM_COUNTERS : 1)
#define DRAM_SIGNAL_PORT(sub)		((sub) % DRAM_COUNTERS)
#define DRAM_SIGNAL_CHANNEL(sub)		((sub) / DRAM_COUNTERS)

#endif
