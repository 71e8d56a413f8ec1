// SPDX-License-Identifier: BSD-2-Clause
// Functions of which it is known who calls them: tests/boot/callers.t lists the chains that there can be. Those that
// have a caller go on behind their calls, so that none is a last jump.

#include <stdlib.h>

#define KNOWN __attribute__((noipa))	/* neither inlined nor changed by what is known of its callers */

#define DEPTH	20	/* more than the windows or stacked registers of any processor */

int workload(void);

static volatile unsigned sum;

KNOWN static void leaf(unsigned turns)
{
	for (unsigned i = 0; i < turns; i++)
		sum += i;
}

KNOWN static void middle(unsigned turns)
{
	leaf(turns);
	sum++;
	leaf(turns + 1);
	sum++;
}

KNOWN static void outer(unsigned turns)
{
	middle(turns);
	leaf(turns);
	sum++;
}

// Calls itself so many times, and at the end `leaf`.
KNOWN static void deep(unsigned times, unsigned turns)
{
	if (times)
		deep(times - 1, turns);
	else
		leaf(turns);
	sum++;
}

KNOWN static int compare(const void *a, const void *b)
{
	const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

// By way of the C library, and a pointer.
KNOWN static void sort(void)
{
	unsigned number[100];

	for (unsigned i = 0; i < 100; i++)
		number[i] = (i * 37) % 101;
	qsort(number, 100, sizeof *number, compare);
	sum += number[0];
}

int workload(void)
{
	for (unsigned i = 0; i < 100; i++) {
		outer(i % 20);
		deep(DEPTH, i % 50);
	}
	sort();
	sum++;
	return 0;
}
