/* SPDX-License-Identifier: BSD-2-Clause */
/* The knc driver on the shim: a core of four threads. "The guide": Intel Xeon Phi Coprocessor
 * (codename: Knights Corner) Performance Monitoring Units, 327357-001. Addresses and bits are typed
 * from the guide, not taken from the driver's regs.h. */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdio.h>
#include <string.h>

#include "pmu/on_shim.h"

#define THREADS		4
#define COUNTERS	2
#define MODULUS		(1ULL << 40)

/* Table 1-2. */
enum {
	TSC = 0x10, CNTR0 = 0x20, SEL0 = 0x28, SPFLT = 0x2C, STATUS = 0x2D, OVF_CTRL = 0x2E,
	GLOBAL = 0x2F,
};

/* Tables 1-5 and 1-7. */
#define USR		(1U << 16)
#define OS		(1U << 17)
#define EDGE		(1U << 18)
#define INT		(1U << 20)
#define ANY		(1U << 21)
#define EN		(1U << 22)
#define INV		(1U << 23)
#define CMASK_OF(select) ((select) >> 24)
#define USER_PREF	(1ULL << 63)

/* Table 1-6. */
#define INSTRUCTIONS	0x16
#define CYCLES		0x2A

static inline const struct pmu_driver *knc(void)
{
	return pmu_driver_find("knc");
}

/* Sets up the PMU of each thread; later calls come from thread 0. */
static inline int driver_start(void **state)
{
	(void)state;
	if (!shim_start("knc", ""))
		return -1;
	for (unsigned thread = THREADS; thread--;) {
		shim_cpu(thread);
		if (pmu_begin(knc(), false) != PMU_OK)
			return -1;
		allow_all_interrupts();
	}
	return 0;
}

/* Returns the bits that sessions have set in the thread's registers, except global control. */
static inline void assert_no_trace(void)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		assert_int_equal(get(SEL0 + i), 0);
		assert_int_equal(get(CNTR0 + i), 0);
	}
	assert_int_equal(get(SPFLT), 0);
	assert_int_equal(get(STATUS), 0);
}

static inline struct event_request request(const char *text)
{
	return request_of(knc(), text);
}

#endif
