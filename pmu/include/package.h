/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU that the cores of a package share. pmu/README.md describes the protocol. */
#ifndef PACKAGE_H
#define PACKAGE_H

#include "pmu_unit.h"

/* State that all CPUs write. */
struct pmu_shared {
	bool locked;
	uint32_t cpus;		/* bit mask of participating CPUs */
	uint32_t inside;	/* bit mask of CPUs that access its counters without the lock */
	uint64_t round;		/* the current round: number, CPUs that have arrived, closed or open
				 * (package.c) */
	bool throttle;		/* the handler took too much of some CPU's time: throttle the next
				 * overflows */
};

HAL_STATE(struct pmu_shared, pmu_shared)

/* Makes this CPU participate in the PMU of this driver. This CPU's own PMU must have begun. `anew`:
 * the CPU participated before. */
enum pmu_error pmu_shared_begin(const struct pmu_driver *driver, bool anew);

/* Ends this CPU's participation, because its own PMU begins again. */
void pmu_shared_leave(void);

/* Returns the participating CPUs, as a bit mask. */
uint32_t pmu_shared_cpus(void);

/* Disables interrupts and takes the lock. False: another CPU held it too long; interrupts are
 * unchanged. */
bool pmu_shared_lock(bool *interrupts);
void pmu_shared_unlock(bool interrupts);

/* With the lock held, for a PMU that signals: pmu_shared_halt stops all counters, serves their
 * overflows (with a sample of this CPU at `ip`, if it has none yet), and waits until no interrupt
 * accesses counters. None does until pmu_shared_go_on, which ends the round and starts the enabled
 * counters. False: a register access faulted, or another CPU took too long. */
bool pmu_shared_halt(const struct pmu_driver *driver, uint64_t ip);
bool pmu_shared_go_on(const struct pmu_driver *driver);

/* Stops a session. The caller holds the lock. */
enum pmu_error pmu_shared_stop_locked(const struct pmu_driver *driver, struct pmu_session *session,
				      uint64_t ip);

/* The operations `start` and `stop` of drivers of shared PMUs. */
enum pmu_error pmu_shared_start(const struct pmu_driver *driver, struct pmu_session *session);
enum pmu_error pmu_shared_stop(const struct pmu_driver *driver, struct pmu_session *session);

void pmu_shared_statistics(struct pmu_statistics *statistics);

/* Reads the running counters, for a driver that adds up their differences. Call in an interrupt, or
 * with interrupts disabled. Does nothing while another CPU has the lock. */
void pmu_shared_look(void);

#endif
