/* SPDX-License-Identifier: BSD-2-Clause */
/* Hardware records attached to samples: payloads, and precise events, whose samples are records of
 * the processor. */
#ifndef RECORDS_H
#define RECORDS_H

#include "sample.h"

/* For drivers with precise events: accounts for one record. `named`: bit mask of the counters that
 * the record names. Returns the counter whose sample it is, for pmu_place_payload. NULL: it names
 * none, or several. */
const struct pmu_counter *pmu_take_record(struct pmu_cpu *cpu, uint64_t named);

/* For drivers with precise events, after all records have been taken: chooses the period that the
 * processor starts with the next record of a counter with random periods. */
void pmu_choose_reload(struct pmu_counter *c);

/* Takes all records from the processor's buffer. `throttle`: their counters take no more samples.
 * The counters must be frozen. False: a register access faulted. */
bool pmu_take_records(struct pmu_cpu *cpu, unsigned level, uint64_t now, bool throttle);

/* Resumes recording, which the overflow interrupt has stopped (pmu_records.stopped). */
void pmu_resume(struct pmu_cpu *cpu, const struct pmu_driver *driver);

/* Reads the count of a running precise counter, after taking its records. False: a register access
 * faulted. */
bool pmu_read_precise(struct pmu_cpu *cpu, const struct pmu_driver *driver,
		      const struct pmu_counter *c, uint64_t *count);

#endif
