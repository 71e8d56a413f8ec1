// SPDX-License-Identifier: BSD-2-Clause
// Register windows, the FPU and the C library in user mode: known results, whatever traps occur.

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int workload(void);

#define DEPTH	60	/* many times the number of register windows */

static jmp_buf place;

// 1 + 2 + ... + n, with one window per step.
__attribute__((noinline)) static int sum(int n)
{
	return n ? sum(n - 1) + n : 0;
}

__attribute__((noinline)) static int jump_from(int n)
{
	if (!n)
		longjmp(place, 7);
	return jump_from(n - 1) + 1;
}

static int jumps(void)
{
	int value = setjmp(place);

	return value ? value : jump_from(DEPTH);
}

int workload(void)
{
	double harmonic = 0;
	char text[32];
	int wrong = 0;

	for (int i = 1; i <= 200; i++) {
		char *copy;

		wrong += sum(i % DEPTH) != i % DEPTH * (i % DEPTH + 1) / 2;
		harmonic += 1.0 / i;
		snprintf(text, sizeof text, "%.9f", harmonic);
		wrong += fabs(strtod(text, NULL) - harmonic) > 1e-9;
		copy = malloc(sizeof text);
		wrong += !copy || strcmp(strcpy(copy, text), text);
		free(copy);
	}
	// The 200th harmonic number is 5.878030948121...
	printf("windows: %d wrong, %s, jump %d, quad %.3Lf\n", wrong, text, jumps(), -1.625L);
	return wrong;
}
