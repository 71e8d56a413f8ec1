// SPDX-License-Identifier: BSD-2-Clause
// Functions whose callers are known: tests/boot/calls.t lists the possible call chains. Functions
// execute instructions after their calls, so that no call becomes a tail call. Then code that
// destroys the data for unwinding: x86's frame and stack pointer, SPARC's %i6 and %i7, Itanium's
// b0, ar.pfs and stack pointer.

#include <stdint.h>
#include <stdlib.h>

#define KNOWN __attribute__((noipa))	/* neither inlined nor specialized for its callers */

#define DEPTH	20	/* more than any processor's windows or stacked registers */

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

// Calls itself `times` times, and finally `leaf`.
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

// Calls through the C library and a pointer.
KNOWN static void sort(void)
{
	unsigned number[100];

	for (unsigned i = 0; i < 100; i++)
		number[i] = (i * 37) % 101;
	qsort(number, 100, sizeof *number, compare);
	sum += number[0];
}

//
// Code that destroys the data for unwinding for a while
//

#define TURNS	60

static uint64_t own[2], first[2], second[2];

#if defined(__x86_64__)

KNOWN static void spend(uint64_t frame)
{
	uint64_t turns = TURNS;

	__asm__ volatile(
		"push %%rbp; mov %1, %%rbp; 1: dec %0; jnz 1b; pop %%rbp"
			 : "+r"(turns) : "r"(frame));
}

// Also destroys the stack pointer: interrupts have stacks of their own.
KNOWN static void spend_without_stack(uint64_t stack)
{
	uint64_t turns = TURNS;

	__asm__ volatile(
		"mov %%rsp, %%r15; mov %1, %%rsp; 1: dec %0; jnz 1b; mov %%r15, %%rsp"
			 : "+r"(turns) :
			 "r"(stack) : "r15");
}

#elif defined(__sparc__)

KNOWN static void spend(uint64_t frame)
{
	uint64_t turns = TURNS;

	__asm__ volatile("mov %%i7, %%g1; mov %1, %%i7; 1: brnz,pt %0, 1b; sub %0, 1, %0; mov %%g1,"
			 " %%i7" :
			 "+r"(turns) : "r"(frame) : "g1");
}

// %i6 is the caller's stack pointer. A trap that needs its window stores it there; if that is not
// possible, the program faults.
KNOWN static void spend_without_stack(uint64_t stack)
{
	_Alignas(16) volatile uint64_t frame[32] = {0};
	uint64_t turns = TURNS;

	frame[14] = (uintptr_t)frame - 2047;
	frame[15] = stack;
	__asm__ volatile("mov %%i6, %%g1; mov %1, %%i6; 1: brnz,pt %0, 1b; sub %0, 1, %0; mov %%g1,"
			 " %%i6" :
			 "+r"(turns) : "r"(frame[14]) : "g1", "memory");
}

#else

KNOWN static void spend(uint64_t frame)
{
	uint64_t turns = TURNS;

	// 96 registers, with each possible number of locals.
	const uint64_t pfs = 96 | frame % 97 << 7;

	__asm__ volatile("mov r14 = b0; mov r15 = ar.pfs;; mov b0 = %1; mov ar.pfs = %2;;\n"
			 "1: adds %0 = -1, %0;; cmp.ne p6, p0 = 0, %0;; (p6) br.cond.sptk 1b;;\n"
			 "mov b0 = r14; mov ar.pfs = r15;;" : "+r"(turns) : "r"(frame),
			 "r"(pfs) : "r14", "r15", "p6");
}

KNOWN static void spend_without_stack(uint64_t stack)
{
	uint64_t turns = TURNS;

	__asm__ volatile("mov r14 = r12;; mov r12 = %1;;\n"
			 "1: adds %0 = -1, %0;; cmp.ne p6, p0 = 0, %0;; (p6) br.cond.sptk 1b;;\n"
			 "mov r12 = r14;;" : "+r"(turns) : "r"(stack) : "r14", "p6");
}

#endif

// Values that mislead an unwinder: invalid, not canonical, odd, the page below the stack, the
// runtime's memory, the end of the stack; then frames that are their own callers, or each other's.
KNOWN static void destroy(void)
{
	const uint64_t here = (uintptr_t)__builtin_frame_address(0), code = (uintptr_t)workload;
	const uint64_t values[] = {
		0, 1, 8, 0x1000, UINT64_MAX, 1ULL << 63, 1ULL << 47, 0xFFFF800000000000,
		0xDEAD00000000BEEF,
		here, here + 1, here + 8, here & ~0xFFFULL, here | 0xFFF, (here | 0x1FFFFF) - 6,
		(here & ~0x1FFFFFULL),
		(here & ~0x7FFFFULL) + 0x800, code, code & ~0xFFFULL, (uintptr_t)own,
		(uintptr_t)first, 0x100000,
		0x1000000, 0x4000000, 0xFEE00000, 0x1F10000000, 0xFFF0000000,
	};

	own[0] = (uintptr_t)own;
	own[1] = code + 64;
	first[0] = (uintptr_t)second;
	second[0] = (uintptr_t)first;
	first[1] = second[1] = code + 64;
	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		spend(values[i]);
		spend_without_stack(values[i]);
	}
	volatile uint64_t frame[4] = {(uintptr_t)frame, code + 64, (uintptr_t)frame, code + 64};

	spend((uintptr_t)frame);
	spend((uintptr_t)&frame[2]);
}

int workload(void)
{
	for (unsigned i = 0; i < 100; i++) {
		outer(i % 20);
		deep(DEPTH, i % 50);
	}
	sort();
	destroy();
	sum++;
	return 0;
}
