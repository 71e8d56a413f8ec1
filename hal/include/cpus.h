/* SPDX-License-Identifier: BSD-2-Clause */
/* Further CPUs: their number, work for them. hal_topology (hal.h) is part of each backend. */
#ifndef CPUS_H
#define CPUS_H

#include <stdbool.h>
#include <stdint.h>

/* The machine's list of CPUs. */
struct hal_processors {
	unsigned count, off;		/* CPUs that are on; CPUs that are off */
	unsigned out_of_reach;		/* of `count`: CPUs that hal_cpus_start cannot address; they
					 * are in no package */
	unsigned packages;
	unsigned in_package, cores;	/* CPUs and cores of this CPU's package */
	unsigned used;			/* of these CPUs: the most that hal_cpus_start uses; it
					 * stops the others */
};

/* False: the machine has no list. */
bool hal_find_processors(struct hal_processors *found);

/* Starts the other CPUs of this CPU's package, if they do not run yet. Each takes its interrupts,
 * has a PMU if this one has, and waits for work. Returns their number, including this CPU. Call
 * with interrupts on. */
unsigned hal_cpus_start(void);

/* x86: also starts the CPUs of the other packages, for programs that access registers themselves:
 * the runtime uses the first package's shared PMU. Returns the number of all CPUs. */
unsigned hal_packages_start(void);

/* Calls `function(argument)` on another CPU, with interrupts on, while this CPU continues. A CPU
 * executes one call at a time. */
void hal_cpu_call(unsigned cpu, void (*function)(void *argument), void *argument);

/* Waits until these CPUs (bits) are idle. False: one is busy after `clocks`. */
bool hal_cpus_wait(uint32_t cpus, uint64_t clocks);

/* x86: resets an idle CPU other than the first by INIT, which a PMU's registers may survive (see
 * its manual), and starts it again, without its overflow interrupt. False: there is no such CPU, it
 * is this CPU or busy, or it does not start again. Call with interrupts on. */
bool hal_cpu_init(unsigned cpu);

#endif
