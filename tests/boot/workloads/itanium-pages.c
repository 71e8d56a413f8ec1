// SPDX-License-Identifier: BSD-2-Clause
// References to pages of 16 KB, in twenty rounds each: to 128 pages in turn, more than the data
// TLB's 96 entries (3.5), and to 8.

#include <stdint.h>

#define PAGE	16384
#define MANY	128
#define FEW	8
#define ROUNDS	20

void walk_many(void);
void walk_few(void);
int workload(void);

static _Alignas(PAGE) volatile uint8_t pages[MANY][PAGE];

__attribute__((noipa)) void walk_many(void)
{
	for (unsigned i = 0; i < ROUNDS * MANY; i++)
		pages[i % MANY][0];
}

__attribute__((noipa)) void walk_few(void)
{
	for (unsigned i = 0; i < ROUNDS * FEW; i++)
		pages[i % FEW][0];
}

int workload(void)
{
	walk_many();
	walk_few();
	return 0;
}
