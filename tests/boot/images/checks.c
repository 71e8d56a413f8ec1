// SPDX-License-Identifier: BSD-2-Clause
// Shared by the checks of the image that tests the SPARC T4's PMU.

#include <inttypes.h>
#include <stdio.h>

#include "hal.h"
#include "hyper.h"

static unsigned checks, failed;

unsigned checks_ended(void)
{
	return checks;
}

unsigned checks_failed(void)
{
	return failed;
}

uint32_t instruction_at(uint64_t ip)
{
	return ip ? *(const uint32_t *)(uintptr_t)ip : 0;
}

void check(const char *what, uint64_t number, uint64_t expected, uint64_t found)
{
	if (expected == found)
		return;
	failed++;
	printf("# WRONG: %s, %" PRIu64 ": 0x%" PRIx64 ", not 0x%" PRIx64 "\n", what, number, found,
	       expected);
}

void end_check(const char *what)
{
	static unsigned failed_before;

	printf("%s %u - %s\n", failed == failed_before ? "ok" : "not ok", ++checks, what);
	failed_before = failed;
}

void put(uint32_t address, uint64_t value)
{
	check("a write of", address, true, reg_write(address, value));
}

uint64_t get(uint32_t address)
{
	uint64_t value = 0;

	check("a read of", address, true, reg_read(address, &value));
	return value;
}

void start(unsigned counter, uint64_t count, uint64_t control)
{
	put(PCR0 + counter, 0);
	put(PIC0 + counter, count & (COUNTER_WRAP - 1));
	put(PCR0 + counter, control);
}

uint64_t stop(unsigned counter)
{
	put(PCR0 + counter, get(PCR0 + counter) & (OV | NTC));
	return get(PIC0 + counter);
}

//
// Overflow traps
//

struct trap trap;

void take_trap(uint64_t ip, unsigned level)
{
	bool ntc = false;

	trap.taken++;
	trap.precise = hal_pmi_precise();
	trap.ip = ip;
	trap.level = level;
	for (unsigned i = 0; i < COUNTERS; i++)
		reg_read(PCR0 + i, &trap.control[i]);
	for (unsigned i = 0; i < COUNTERS; i++) {
		ntc |= trap.control[i] & NTC;
		if (trap.taken > trap.leave)
			reg_write(PCR0 + i, trap.control[i] & ~(OV | NTC));
	}
	trap.executed = ntc;
	if (ntc && trap.precise)
		hal_pmi_skip();
}

void expect_traps(unsigned leave)
{
	trap = (struct trap){.leave = leave};
}

uint64_t call_user(sparc64_user_function *function, uint64_t argument)
{
	return sparc64_call_user(function, argument);
}
