/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the Core i7 / Xeon 5500 core driver share: driver.c counts and samples, driver_settings.c has what
 * events need beside their counters, driver_records.c what the processor records for samples, driver_payload.c what
 * that says, driver_shared.c what the uncore's PMU needs. */
#ifndef NEHALEM_DRIVER_H
#define NEHALEM_DRIVER_H

#include "records.h"
#include "settings.h"

/* Changes bits of a register. False: an access faulted. */
static inline bool nehalem_change(uint32_t address, uint64_t clear, uint64_t set)
{
	uint64_t value = 0;

	return reg_read(address, &value) && reg_write(address, (value & ~clear) | set);
}

/* The driver's words of struct pmu_cpu. */
enum nehalem_word { NEHALEM_FIXED_CONTROL, NEHALEM_AREAS, NEHALEM_FIRST_RECORD, NEHALEM_END_OF_RECORDS };

bool nehalem_program_precise(const struct pmu_counter *counters, unsigned count);

/* Gives up what a precise counter waits to record. */
bool nehalem_release_record(const struct pmu_counter *counter);

bool nehalem_reset_recording(void);

extern const struct pmu_settings nehalem_settings;

const char *nehalem_objection(const struct event_request *request);

/* The setting by which the processor writes records of a counter's events. `latency`: of load latency. */
struct pmu_setting nehalem_records_setting(unsigned counter, bool latency);

bool nehalem_listen(bool on);

const char *nehalem_buffer(uint64_t address, uint64_t size);
bool nehalem_take_records(struct pmu_cpu *cpu, unsigned level, uint64_t now);
bool nehalem_end_records(struct pmu_counter *counter, struct pmu_setting *unneeded);
unsigned nehalem_payload(const struct pmu_counter *counter, uint64_t words[PMU_PAYLOAD_WORDS]);
bool nehalem_recorded_save(uint64_t values[PMU_RECORDED]);
bool nehalem_recorded_restore(const uint64_t values[PMU_RECORDED]);

struct pmu_location nehalem_locate(const struct event_request *request, uint64_t ip, const uint64_t *words,
				   unsigned count);
unsigned nehalem_explain_payload(const struct event_request *request, const uint64_t *words, unsigned count,
				 struct payload_part parts[PAYLOAD_PARTS]);

/* IA32_DS_AREA has two management areas to choose from, this far apart: a record interrupts when the buffer is nearly
 * full, or each one does. */
#define NEHALEM_EACH_RECORD	128u

/* A payload's first word: what follows, and how many branches were captured; then the record, then source and target of
 * each branch, oldest first. */
#define NEHALEM_PAYLOAD_RECORD		(1u << 0)
#define NEHALEM_PAYLOAD_BRANCHES	(1u << 1)
#define NEHALEM_PAYLOAD_COUNT_LOW	8

#endif
