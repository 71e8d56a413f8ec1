// SPDX-License-Identifier: BSD-2-Clause
// A program that valgrind's lackey and the emulated PMU count. It uses no library, so each call
// does the same: it sorts, moves strings, calculates with all kinds of numbers, and contains
// instructions that compilers rarely use: strings by element, exchanges, pushes of memory.

#define COUNT	400

int workload(void);

static unsigned long state;

static unsigned long random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static struct entry {
	unsigned long key;
	short small;
	char text[22];
} entries[COUNT];

static unsigned char copied[sizeof entries];
static float singles[COUNT];
static double doubles[COUNT];
static long double longs[COUNT];

static void fill(void)
{
	state = 88172645463325252;
	for (int i = 0; i < COUNT; i++) {
		entries[i].key = random_number() % 1000;
		entries[i].small = (short)(random_number() & 0x7FFF);
		for (unsigned n = 0; n < sizeof entries[i].text; n++)
			entries[i].text[n] = (char)('a' + random_number() % 26);
	}
}

static void sort(void)
{
	for (int i = 1; i < COUNT; i++) {
		const struct entry moved = entries[i];
		int at = i;

		for (; at && entries[at - 1].key > moved.key; at--)
			entries[at] = entries[at - 1];
		entries[at] = moved;
	}
}

// A function called by a pointer, and a recursive one.
static long sum(int first, int last)
{
	return first == last ? entries[first].small :
	       sum(first, (first + last) / 2) + sum((first + last) / 2 + 1, last);
}
static long (*volatile summing)(int first, int last) = sum;

static void calculate(void)
{
	for (int i = 0; i < COUNT; i++) {
		singles[i] = (float)entries[i].small / 3;
		doubles[i] = (double)entries[i].key * singles[i] + 1;
		longs[i] = (long double)doubles[i] / (i + 1) - longs[i ? i - 1 : 0];
	}
	for (int i = 0; i < COUNT; i++)
		entries[i].small = (short)(entries[i].small * 17 / (1 + (int)entries[i].key) +
					   (longs[i] > 0));
}

static void move_strings(void)
{
	const unsigned char *from = (const unsigned char *)entries;
	unsigned char *to = copied;
	unsigned long size = sizeof copied;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
	to = copied;
	size = 777;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(5) : "memory");
	to = copied;
	size = sizeof copied;
	__asm__ volatile("repe scasb" : "+D"(to), "+c"(size) : "a"(5) : "cc", "memory");
	from = copied;
	size = 100;
	__asm__ volatile("1: lodsb\n stosw\n movsw\n dec %2\n jnz 1b" : "+D"(to), "+S"(from),
			 "+c"(size)
			 : : "rax", "cc", "memory");
}

static void rare(void)
{
	static unsigned long numbers[4];

	for (unsigned long i = 0; i < 100; i++) {
		unsigned long number = i;

		__asm__ volatile(
			"lock; xaddq %0, (%1)\n"
			"xchgq	%0, 8(%1)\n"
			"mov	16(%1), %%rax\n"
			"lock; cmpxchgq %0, 16(%1)\n"
			"push	24(%1)\n pop 24(%1)\n"
			"btsq	$3, 24(%1)\n"
			"cmpq	$5, 8(%1)\n"
			"setz	(%1)\n"
			"movnti	%0, 24(%1)\n"
			"cmovzq	16(%1), %0\n"
			"incq	8(%1)\n notq 8(%1)\n"
			: "+r"(number) : "r"(numbers) : "rax", "cc", "memory");
	}
}

int workload(void)
{
	fill();
	sort();
	calculate();
	move_strings();
	rare();
	return summing(0, COUNT - 1) == 0;
}
