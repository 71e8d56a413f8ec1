// SPDX-License-Identifier: BSD-2-Clause
// A working set of 24 pages: TURNS times, a load from a line of each of 17 pages and a store to a
// line of each of 7 others. Between two of them are more instructions than the eight cycles after
// an overflow in which no event is recorded.

int workload(void);

#define TURNS	20000
#define FILLER	"	.rept	8\n	nop\n	.endr\n"

static char read[17 * 4096] __attribute__((aligned(4096)));
static char written[7 * 4096] __attribute__((aligned(4096)));

int workload(void)
{
	unsigned long turns = TURNS, at = 0;

	__asm__ volatile("1:	mov	(%2, %0), %%rax\n" FILLER
			 "	add	$4096, %0\n"
			 "	cmp	%4, %0\n"
			 "	jne	1b\n"
			 "	xor	%0, %0\n"
			 "2:	mov	%%rax, (%3, %0)\n" FILLER
			 "	add	$4096, %0\n"
			 "	cmp	%5, %0\n"
			 "	jne	2b\n"
			 "	xor	%0, %0\n"
			 "	dec	%1\n"
			 "	jnz	1b\n"
			 : "+r"(at), "+r"(turns)
			 : "r"(read), "r"(written), "i"(sizeof read), "i"(sizeof written)
			 : "rax", "memory", "cc");
	return 0;
}
