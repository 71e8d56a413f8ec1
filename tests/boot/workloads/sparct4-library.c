// SPDX-License-Identifier: BSD-2-Clause
// The C library in user mode: each printed line is known.

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int workload(void);

#define NUMBERS	500
#define MIB	0x100000

static unsigned calls;

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	calls++;
	return (x > y) - (x < y);
}

// 0.5, 1.5, ... in another order: 7 and 500 have no common factor.
static double sorted_wrong(void)
{
	double numbers[NUMBERS], wrong = 0;

	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = i * 7 % NUMBERS + 0.5;
	qsort(numbers, NUMBERS, sizeof *numbers, compare);
	for (int i = 0; i < NUMBERS; i++)
		wrong += numbers[i] != i + 0.5;
	return wrong;
}

// The differences between harmonic numbers and logarithms approach Euler's constant,
// 0.5772156649...; the correction term has the magnitude of the omitted terms.
static long double euler(void)
{
	volatile float half = 0.5f;
	long double sum = 0;
	int n = 100;

	for (int i = 1; i <= n; i++)
		sum += 1.0L / i;
	return sum - (long double)log(n) - (long double)half / n + 1.0L / (12.0L * n * n);
}

static unsigned heap_of_mib(void)
{
	unsigned count = 0;
	char *block;

	for (; (block = malloc(MIB)); count++)
		memset(block, (int)count, MIB);
	return count;
}

int workload(void)
{
	long long most = 0;
	double half = 0;
	unsigned mib;
	int found;

	printf("numbers: %.3f %e %g %lld %llx\n", 3.14159, -1e-300, 1e22,
	       -9223372036854775807LL - 1, 0xFEDCBA9876543210ULL);
	printf("functions: %.9f %.9f %.1f\n", sqrt(2), exp(1), fmod(10.5, 3));
	printf("sorted: %g wrong, %d calls\n", sorted_wrong(), calls > NUMBERS);
	found = sscanf("9223372036854775807 -0.5 x", "%lld %lf", &most, &half);
	printf("read: %d, %lld %g\n", found, most, half);
	printf("long double: %.7Lf %.1f %d\n", euler(), (double)(float)-1.5L, (int)(euler() * 100));
	mib = heap_of_mib();
	printf("heap: %d, error %d\n", mib > 40 && mib < 60, errno == ENOMEM);
	printf("end of transmission: \0040\n");
	return 0;
}
