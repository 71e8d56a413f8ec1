/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU that the cores of a package share: pmu/README.md has the protocol. */
#ifndef PACKAGE_H
#define PACKAGE_H

#include "pmu_unit.h"

/* State that all CPUs write. */
struct pmu_shared {
	bool locked;
	uint32_t cpus;		/* CPUs that take part */
	uint32_t inside;	/* CPUs that access the counters of its sessions without the lock */
	uint64_t round;		/* the present one */
	bool throttle;		/* its handler took too much of some CPU's time: throttle the next overflows */
};

HAL_STATE(struct pmu_shared, pmu_shared)

/* This CPU takes part in the PMU of this driver from now on, after its own PMU has begun. `anew`: it took part before.
 * */
enum pmu_error pmu_shared_begin(const struct pmu_driver *driver, bool anew);

/* This CPU no longer takes part, because its own PMU begins again. */
void pmu_shared_leave(void);

/* CPUs that take part, as bits. */
uint32_t pmu_shared_cpus(void);

/* Disables interrupts and takes the lock. False: another CPU held it too long; interrupts are unchanged. */
bool pmu_shared_lock(bool *interrupts);
void pmu_shared_unlock(bool interrupts);

/* With the lock: stops all counters of a PMU that signals, serves their overflows, with a sample of this CPU at `ip` if
 * it has none yet, and waits until no interrupt accesses counters; none does until pmu_shared_go_on, which ends the
 * round and starts enabled counters. False: a register access faulted, or another CPU took too long. */
bool pmu_shared_halt(const struct pmu_driver *driver, uint64_t ip);
bool pmu_shared_go_on(const struct pmu_driver *driver);

/* Stops a session, with the lock. */
enum pmu_error pmu_shared_stop_locked(const struct pmu_driver *driver, struct pmu_session *session, uint64_t ip);

/* `start` and `stop` of drivers of shared PMUs. */
enum pmu_error pmu_shared_start(const struct pmu_driver *driver, struct pmu_session *session);
enum pmu_error pmu_shared_stop(const struct pmu_driver *driver, struct pmu_session *session);

void pmu_shared_statistics(struct pmu_statistics *statistics);

/* Reads the running counters, for a driver that adds up their differences. In an interrupt, or with interrupts off;
 * does nothing if another CPU has the lock. */
void pmu_shared_look(void);

#endif
