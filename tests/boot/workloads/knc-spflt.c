// SPDX-License-Identifier: BSD-2-Clause
// A program at level 3 that enables counting with SPFLT and reads its counters with RDPMC (Knights
// Corner's guide, 1.4.2). It controls counter 0 (modifier spflt) but not counter 1. Both count
// instructions at level 3.

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "hal.h"
#include "stimulus.h"

int workload(void);

#define TURNS "100000"

// SPFLT EAX. Counted between the two: MOV, two instructions per iteration, MOV, and the second
// SPFLT.
#define SPFLT		".byte 0xC5, 0xFB, 0xAE, 0xF0\n\t"
#define OF_PREFERRED	(2 * 100000 + 3)

static void count_known_code(void)
{
	__asm__ volatile("mov $1, %%eax\n\t" SPFLT "mov $" TURNS ", %%ecx\n1:\tdec %%ecx\n\tjne "
								 "1b\n\t"
			 "xor %%eax, %%eax\n\t" SPFLT : : : "eax", "ecx", "cc");
}

static int wrong;

static void expect(const char *what, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s: %" PRIu64 ", not %" PRIu64 "\n", what, found, expected);
		wrong++;
	}
}

static uint64_t read_counter(uint32_t counter)
{
	uint64_t value = 0;

	expect("RDPMC", true, reg_read_counter(counter, &value));
	return value;
}

int workload(void)
{
	uint64_t before, after;

	expect("RDPMC of a counter that there is not", false, reg_read_counter(2, &after));
	expect("while the user filter is off", 0, read_counter(0));
	count_known_code();
	expect("known code", OF_PREFERRED, read_counter(0));
	hal_execute(1000);
	count_known_code();
	expect("known code once more", 2 * OF_PREFERRED, read_counter(0));

	expect("hal_spflt(true)", true, hal_spflt(true));
	before = read_counter(0);
	hal_execute(1000);
	after = read_counter(0);
	expect("hal_spflt(false)", true, hal_spflt(false));
	expect("it counts while the user filter is on", true, after - before >= 1000 &&
	       after - before < 1100);

	before = read_counter(1);
	hal_execute(1000);
	after = read_counter(1);
	expect("the other one counts always", true, after - before >= 1000 &&
	       after - before < 1100);
	printf("knc-spflt: %d wrong, %" PRIu64 " instructions with the filter on\n", wrong,
	       read_counter(0));
	return wrong;
}
