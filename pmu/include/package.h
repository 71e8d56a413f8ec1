/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU that the cores of a package share: pmu/README.md has the protocol. */
#ifndef PACKAGE_H
#define PACKAGE_H

#include "pmu_unit.h"

/* What all CPUs write. */
struct pmu_shared {
	bool locked;
	uint32_t cpus;		/* that take part */
	uint32_t inside;	/* that look at the counters of its sessions without the lock */
	uint64_t round;		/* the present one */
	bool throttle;		/* its handler had too much of some CPU's time: what overflows next is throttled */
};

HAL_STATE(struct pmu_shared, pmu_shared)

/* This CPU takes part in the PMU of this driver from now on. Its own PMU has begun; `anew`: so had the package's, which
 * this CPU took part in. */
enum pmu_error pmu_shared_begin(const struct pmu_driver *driver, bool anew);

/* This CPU takes part no longer: it begins anew with its own PMU. */
void pmu_shared_leave(void);

/* CPUs that take part, as bits. */
uint32_t pmu_shared_cpus(void);

/* Turns interrupts off and keeps other CPUs away. False: one has stayed too long, and interrupts are as they were. */
bool pmu_shared_lock(bool *interrupts);
void pmu_shared_unlock(bool interrupts);

/* With the lock: stops all counters of a PMU that signals, serves what has overflowed until then, with a sample of this
 * CPU's at `ip` if it has none yet, and waits until no interrupt looks at counters; none does until pmu_shared_go_on,
 * which ends the round and lets those that are enabled count. False: a register access faulted, or another CPU has
 * stayed too long. */
bool pmu_shared_halt(const struct pmu_driver *driver, uint64_t ip);
bool pmu_shared_go_on(const struct pmu_driver *driver);

/* Stops a session, with the lock. */
enum pmu_error pmu_shared_stop_locked(const struct pmu_driver *driver, struct pmu_session *session, uint64_t ip);

/* The start and stop of its drivers. */
enum pmu_error pmu_shared_start(const struct pmu_driver *driver, struct pmu_session *session);
enum pmu_error pmu_shared_stop(const struct pmu_driver *driver, struct pmu_session *session);

void pmu_shared_statistics(struct pmu_statistics *statistics);

/* Reads its counters that count, for a driver that adds up what they have counted since the last time. In an interrupt,
 * or with interrupts off: not if another CPU is at them. */
void pmu_shared_look(void);

#endif
