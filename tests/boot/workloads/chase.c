// SPDX-License-Identifier: BSD-2-Clause
// Chases a ring of pointers, one per line, through KILOBYTES of memory, TURNS times. Each step is
// one load, which loads the address of the next step. tests/boot/caches.t changes these words.

#include <stddef.h>

#define KILOBYTES	64
#define TURNS		100
#define LINE		64
#define STEP		"mov (%0), %0"
#define LINES		(KILOBYTES * 1024 / LINE)

static struct line {
	struct line *next;
	char rest[LINE - sizeof(struct line *)];
} ring[LINES] __attribute__((aligned(4096)));

// In the order of addresses, then back to the first.
int workload(void)
{
	const struct line *at = ring;
	unsigned long steps = (unsigned long)TURNS * LINES;

	for (size_t i = 0; i < LINES; i++)
		ring[i].next = &ring[(i + 1) % LINES];
	__asm__ volatile("1: " STEP "\n dec %1\n jnz 1b" : "+r"(at), "+r"(steps)
			 : : "memory", "cc");
	return at != ring;
}
