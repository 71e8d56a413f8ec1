/* SPDX-License-Identifier: BSD-2-Clause */
/* Workloads on the threads of a Knights Corner core: registers, and execution on each thread. */
#ifndef KNC_H
#define KNC_H

#include <inttypes.h>
#include <stdio.h>

#include "cpus.h"
#include "hal.h"
#include "pmu.h"
#include "stimulus.h"

int workload(void);

#define CPUS		4
#define OTHERS		((1u << CPUS) - 2)
#define PATIENCE	100000000	/* clocks */

/* The guide (327357-001), 1.4.3. */
#define CLOCK		0x10
#define COUNTERS	2
#define COUNTER(n)	(0x20 + (n))
#define SELECT(n)	(0x28 + (n))
#define SPFLT		0x2C
#define STATUS		0x2D
#define CLEAR		0x2E
#define ENABLE		0x2F
#define BOTH		3

#define EXECUTED	0x16		/* INSTRUCTIONS_EXECUTED */
#define UNHALTED	0x2A		/* CPU_CLK_UNHALTED */
#define USR		(1u << 16)
#define OS		(1u << 17)
#define INT		(1u << 20)
#define ALL_THREADS	(1u << 21)	/* thread count mode */
#define EN		(1u << 22)
#define WIDTH_MASK	((1ULL << 40) - 1)

/*
 * arch/x86/execute.S: level 3 executes n instructions, one before them, and two that test whether n
 * is odd and return.
 */
#define OF_USER(n)	((n) + 3)

/*
 * Defines the function piece_NAME. It writes `enable` to ENABLE, executes the code with its
 * argument in RSI, and writes 0 to ENABLE. These writes change RAX, RCX and RDX.
 */
#define PIECE(name, code)								\
	void piece_##name(uint64_t enable, uint64_t argument);				\
	__asm__(".text\n"								\
		"piece_" #name ":	push	%rbx\n"					\
		"	mov	$0x2F, %ecx\n	xor	%edx, %edx\n	mov	%edi, %eax\n"	\
		"	wrmsr\n"							\
		code									\
		"	mov	$0x2F, %ecx\n	xor	%edx, %edx\n	xor	%eax, %eax\n"	\
		"	wrmsr\n"							\
		"	pop	%rbx\n	ret\n");

static int wrong;
static volatile unsigned failed;	/* failed register accesses and calls, on any thread */

static inline void expect(const char *what, unsigned cpu, uint64_t expected, uint64_t found)
{
	if (expected != found) {
		printf("WRONG: %s, CPU %u: 0x%" PRIx64 ", not 0x%" PRIx64 "\n", what, cpu, found,
		       expected);
		wrong++;
	}
}

static inline void require(bool ok)
{
	if (!ok)
		__atomic_fetch_add(&failed, 1, __ATOMIC_SEQ_CST);
}

static inline void put(uint32_t address, uint64_t value)
{
	require(reg_write(address, value));
}

static inline uint64_t get(uint32_t address)
{
	uint64_t value = 0;

	require(reg_read(address, &value));
	return value;
}

/* Calls a function on all threads at once, this one included. */
static inline void everywhere(void (*function)(void *), void *argument)
{
	for (unsigned cpu = 1; cpu < CPUS; cpu++)
		hal_cpu_call(cpu, function, argument);
	function(argument);
	require(hal_cpus_wait(OTHERS, PATIENCE));
}

static inline void on(unsigned cpu, void (*function)(void *))
{
	if (!cpu) {
		function(NULL);
		return;
	}
	hal_cpu_call(cpu, function, NULL);
	require(hal_cpus_wait(1u << cpu, PATIENCE));
}

static const uint32_t registers[6] = {COUNTER(0), COUNTER(1), SELECT(0), SELECT(1), SPFLT, ENABLE};

static inline void clear(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 6; i++)
		put(registers[i], 0);
	put(CLEAR, 3);
}

/* Initializes a thread's PMU, for sessions and PAL's halts. */
static inline void begin(void *unused)
{
	(void)unused;
	require(pmu_begin(pmu_drivers[0], false) == PMU_OK);
}

#endif
