// SPDX-License-Identifier: BSD-2-Clause
// A loop of seven slow loads, three of them from memory: 3/7 of the slow loads, 42.9%. A period
// that is a multiple of seven loads samples the same load every time.
//
// The loads from memory cover MEMORY bytes once, in steps of 65 lines: more than the 2 KB that the
// stride prefetcher covers, and each in another page. The others repeatedly cover NEAR bytes, in
// steps of 37 lines: twice the size of the L1 data cache, so that each of them misses it and hits
// the L2 or the L3 cache. FILLER instructions between two loads are more than the eight cycles
// after an overflow in which no event is recorded.

#include <stdint.h>

#define MEMORY	(16 << 20)
#define NEAR	(64 << 10)
#define LINES	(MEMORY / 64)
#define TURNS	85000		/* 3 * TURNS < LINES */

static uint8_t memory[MEMORY] __attribute__((aligned(4096)));
static uint8_t near[NEAR] __attribute__((aligned(4096)));

_Static_assert(3 * TURNS < LINES, "each line of memory is loaded once");

#define FILLER	".rept 30\n nop\n .endr\n"
#define FAR_LOAD							\
	"mov	(%3, %0), %%al\n"					\
	"add	$65 * 64, %0\n"						\
	"and	%5, %0\n"						\
	FILLER
#define NEAR_LOAD							\
	"mov	(%4, %1), %%al\n"					\
	"add	$37 * 64, %1\n"						\
	"and	%6, %1\n"						\
	FILLER

int workload(void)
{
	uint64_t far_at = 0, near_at = 0, turns = TURNS;

	__asm__ volatile(
		"1:\n"
		FAR_LOAD NEAR_LOAD FAR_LOAD NEAR_LOAD NEAR_LOAD FAR_LOAD NEAR_LOAD
		"dec	%2\n"
		"jnz	1b\n"
		: "+r"(far_at), "+r"(near_at), "+r"(turns)
		: "r"(memory), "r"(near), "i"(MEMORY - 1), "i"(NEAR - 1)
		: "rax", "memory", "cc");
	return 0;
}
