// SPDX-License-Identifier: BSD-2-Clause
// The defects of the model of the memory controllers' counters.

#include "steps.h"

#include "../faults.h"

// Returns the reserved bits that a write with inverted values changes: none.
static uint64_t flip_reserved_bits(const struct step *s)
{
	const uint64_t before = get(s->address);

	put(s->address, ~before & RESERVED);
	return get(s->address) ^ before;
}

#define FLIPS_RESERVED(at)	{flip_reserved_bits, .address = (at)}

// Counter 0 is the upper half (Table 10-5): its count after a read from port 1 to channel 1, and a
// queue of 6.
#define COUNTER_0		BITS(COUNT01, 0xFFFFFFFF00000000)
#define COUNTED(select)										\
	PUT(CTL, select), PUT(COUNT01, 0), EVENTS(9, {.code = READ, .sub = FROM(1, 1), .n = 1}), \
	EVENTS(9, {.code = QUEUED_READS, .n = 6}), COUNTER_0

static const struct fault_row rows[] = {
	{"reset-value", {BITS(CTL + 3, ~RESERVED)}, 0},
	{"select-stuck", {PUT(CTL + 1, 0x1010), BITS(CTL + 1, ~RESERVED)}, 0x1010},
	{"control-writable", {FLIPS_RESERVED(CTL)}, 0},
	{"counter-stuck", {PUT(COUNT01 + 2, 0), GET(COUNT01 + 2)}, 0},
	{"reads-ones", {PUT(COUNT01 + 0, 0), GET(COUNT01 + 0)}, 0},
	{"writes-lost", {PUT(COUNT01 + 0, 5), GET(COUNT01 + 0)}, 5},
	{"counter-narrow", {PUT(COUNT23, 0x4000000040000000), GET(COUNT23)}, 0x4000000040000000},
	{"controllers-mixed", {PUT(COUNT01 + 0, 1), PUT(COUNT01 + 1, 2), GET(COUNT01 + 0)}, 1},
	{"halves-mixed", {PUT(COUNT23, 0x123), PUT(COUNT01, 0x456), GET(COUNT23)}, 0x123},
	{"selects-mixed", {PUT(CTL, 0x1234), BITS(CTL, ~RESERVED)}, 0x1234},
	{"counter-read-only", {PUT(COUNT01, 0x456), GET(COUNT01)}, 0x456},
	{"sticky-stuck", {PUT(COUNT01, 0x8000000080000000), PUT(COUNT01, 0), GET(COUNT01)}, 0},
	{"sticky-lost", {PUT(CTL, READS), PUT(COUNT01, (MODULUS - 1) << 32),
			 EVENTS(1, {.code = READ, .n = 1}), GET(COUNT01)}, MODULUS << 32},
	{"port-ignored", {EVENTS(9, {.code = READ, .sub = FROM(1, 0), .n = 1}), COUNTER_0}, 0},
	{"total-of-port", {COUNTED(READS)}, 9ULL << 32},
	{"total-of-channel", {COUNTED(READS)}, 9ULL << 32},
	{"swapped-channels", {COUNTED(CHANNEL0)}, 0},
	{"latency-of-cycles", {COUNTED(READ_LATENCY)}, 54ULL << 32},
	{"reserved-counts", {COUNTED(FIRST_RESERVED)}, 0},
};

static const struct fault_table table = {.row = rows, .count = sizeof rows / sizeof *rows,
					 .seed = 1};

int main(void)
{
	const struct CMUnitTest tests[] = {FAULT_TESTS};

	return cmocka_run_group_tests_name("sparct4-dram model: faults", tests, find_model,
					   release_model);
}
