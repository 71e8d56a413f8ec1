/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of the memory controllers' counters under test, and the steps of its tests. Each test
 * starts after a reset. Expected values come from the SPARC T4 Supplement, section 10.5, Tables
 * 10-4 to 10-7; bits, codes and addresses are typed from there, not taken from the model's own
 * regs.h. Signals: regs.h. */
#ifndef STEPS_H
#define STEPS_H

#include "../each_test.h"

/* Physical addresses F80400000408h, 410h, 418h: hal.h. A controller's number is added. */
enum { CTL = 0x80040800, COUNT01 = 0x80041000, COUNT23 = 0x80041800 };

/* Table 10-7. */
enum {
	PORT_READS = 0, PORT_WRITES = 1, PORT_TRANSACTIONS = 2, BANK_BUSY = 3, READ_LATENCY = 4,
	WRITE_LATENCY = 5,
	LATENCY = 6, WRITEBACK_HITS = 7, READS = 8, STARVED = 9, WRITES = 10, CHANNEL0 = 11,
	CHANNEL1 = 12, FIRST_RESERVED = 13,
};

/* Codes of the event signals. */
enum { READ = 0, WRITE = 1, BUSY = 3, QUEUED_READS = 4, QUEUED_WRITES = 5, HIT = 7, STARVES = 9 };
#define FROM(port, channel) ((port) + 4 * (channel))

#define MODULUS		(1ULL << 31)
#define RESERVED	0xFFFFFFFFFFFF0000

/* Tables 10-5 and 10-6: counter 0 is the upper half of its register, 1 the lower; 2 the lower, 3
 * the upper. Includes the sticky bit, bit 31. */
static inline uint64_t counter_of(unsigned controller, unsigned n)
{
	static const struct {
		uint32_t address;
		unsigned low;
	} place[] = {{COUNT01, 32}, {COUNT01, 0}, {COUNT23, 0}, {COUNT23, 32}};

	return get(place[n].address + controller) >> place[n].low & 0xFFFFFFFF;
}

/* Passes `cycles` cycles, each with n of these events in one controller. */
static inline void happens(uint64_t cycles, unsigned controller, uint16_t code, uint16_t sub,
			   uint32_t n)
{
	SIGNALS({.code = code, .sub = sub, .n = n, .served = (uint8_t)controller});
	run(cycles);
	no_signals();
}

static inline int find_model(void **state)
{
	(void)state;
	take_model("sparct4-dram", 1);
	return 0;
}

#endif
