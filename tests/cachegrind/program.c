// SPDX-License-Identifier: BSD-2-Clause
// A program that cachegrind and the machine model count, without a library, so that each run does
// the same: chases and strides of working sets below and above each cache's size, a product of
// matrices, stores that cross lines.

#define LINE	64
#define BYTES	(1u << 20)

static unsigned char memory[BYTES] __attribute__((aligned(4096)));
static double a[48][48], b[48][48], c[48][48];

static unsigned long random_number(void)
{
	static unsigned long state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

// A ring through all lines of a working set, in random order.
static void *chase(unsigned bytes, unsigned turns)
{
	const unsigned lines = bytes / LINE;
	void **at = (void **)memory;

	for (unsigned i = 0; i < lines; i++)
		*(void **)(memory + i * LINE) = memory + i * LINE;
	for (unsigned i = lines - 1; i; i--) {
		void **one = (void **)(memory + i * LINE),
			**other = (void **)(memory + random_number() % i * LINE);
		void *kept = *one;

		*one = *other;
		*other = kept;
	}
	for (unsigned i = 0; i < turns * lines; i++)
		at = *at;
	return at;
}

static void stride(unsigned bytes, unsigned distance, unsigned turns)
{
	for (unsigned turn = 0; turn < turns; turn++)
		for (unsigned i = 0; i < bytes; i += distance)
			memory[i]++;
}

static void multiply(void)
{
	for (int i = 0; i < 48; i++)
		for (int j = 0; j < 48; j++)
			for (int k = 0; k < 48; k++)
				c[i][j] += a[i][k] * b[k][j];
}

static void cross(void)
{
	for (unsigned i = LINE - 4; i < 64 * 1024; i += 3 * LINE)
		*(volatile unsigned long *)(void *)(memory + i) = i;
}

__attribute__((noreturn)) void program(void)
{
	void *volatile end;

	for (unsigned bytes = 16 * 1024; bytes <= BYTES; bytes *= 2)
		end = chase(bytes, 3);
	(void)end;
	for (unsigned distance = 8; distance <= 4096; distance *= 8)
		stride(BYTES / 2, distance, 2);
	multiply();
	cross();
	__asm__ volatile("syscall" :: "a"(60), "D"(0));
	__builtin_unreachable();
}

__asm__(".globl _start\n_start: xor %ebp, %ebp\n and $-16, %rsp\n call program\n");
