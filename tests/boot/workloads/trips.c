// SPDX-License-Identifier: BSD-2-Clause
// A loop of 1000 iterations, many times: ax goes from 1 to 1000, cx holds the trip count. After its
// increment, ax has the average 500.5 and the root mean square 577.8, the root of 1001 * 2001 / 6.

int workload(void);

int workload(void)
{
	for (int i = 0; i < 2000; i++)
		__asm__ volatile(
			"mov	$1000, %%ecx\n"
			"xor	%%eax, %%eax\n"
			"1:	inc	%%rax\n"
			"cmp	%%rcx, %%rax\n"
			"jne	1b\n"
			: : : "rax", "rcx", "cc");
	return 0;
}
