/* SPDX-License-Identifier: BSD-2-Clause */
/* What the hardware records for samples: payloads, and precise events, whose samples are records of the processor's. */
#ifndef RECORDS_H
#define RECORDS_H

#include "pmu_unit.h"

/* For drivers with precise events: hands the core a record of the processor's, with a sample's address, time and level,
 * and its payload. `named`: the counters whose record it is. If it is not one, nobody knows whose event it was. */
void pmu_take_record(struct pmu_cpu *cpu, uint64_t named, const struct pmu_sample *sample, const uint64_t *words,
		     unsigned count);

/* Takes all records out of the processor's buffer; with `throttle`, their counters go on as ones that only count. The
 * counters are frozen. False: a register access faulted. */
bool pmu_take_records(struct pmu_cpu *cpu, unsigned level, uint64_t now, bool throttle);

/* Lets go on what the hardware stops with an overflow interrupt: what open sessions have set is set again. */
void pmu_resume(struct pmu_cpu *cpu, const struct pmu_driver *driver);

/* The count of a running precise counter. Takes its records first. False: a register access faulted. */
bool pmu_read_precise(struct pmu_cpu *cpu, const struct pmu_driver *driver, const struct pmu_counter *c,
		      uint64_t *count);

#endif
