/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the parts of the Core i7 / Xeon 5500 core driver: driver.c (counting and sampling),
 * driver_settings.c (registers that events need in addition to counters), driver_records.c (precise
 * and branch records), driver_payload.c (meaning of payloads), driver_shared.c (interrupts of the
 * uncore's PMU). */
#ifndef NEHALEM_DRIVER_H
#define NEHALEM_DRIVER_H

#include "records.h"
#include "settings.h"

/* Changes bits of a register. Returns false if an access faulted. */
static inline bool nehalem_change(uint32_t address, uint64_t clear, uint64_t set)
{
	uint64_t value = 0;

	return reg_read(address, &value) && reg_write(address, (value & ~clear) | set);
}

/* Words of this driver in struct pmu_cpu. */
enum nehalem_word { NEHALEM_FIXED_CONTROL, NEHALEM_AREAS, NEHALEM_FIRST_RECORD,
		   NEHALEM_END_OF_RECORDS };

bool nehalem_program_precise(const struct pmu_counter *counters, unsigned count);

/* Discards the record that a precise counter waits for. */
bool nehalem_release_record(const struct pmu_counter *counter);

bool nehalem_reset_recording(void);

extern const struct pmu_settings nehalem_settings;

const char *nehalem_objection(const struct event_request *request);

/* Returns the setting that enables records for a counter. `latency`: records of load latency. */
struct pmu_setting nehalem_records_setting(unsigned counter, bool latency);

bool nehalem_listen(bool on);

const char *nehalem_buffer(uint64_t address, uint64_t size);
bool nehalem_take_records(struct pmu_cpu *cpu, unsigned level, uint64_t now);
bool nehalem_end_records(struct pmu_counter *counter, struct pmu_setting *unneeded);
unsigned nehalem_payload(const struct pmu_counter *counter, uint64_t words[PMU_PAYLOAD_WORDS]);
bool nehalem_recorded_save(uint64_t values[PMU_RECORDED]);
bool nehalem_recorded_restore(const uint64_t values[PMU_RECORDED]);

struct pmu_location nehalem_locate(const struct event_request *request, uint64_t ip,
				   const uint64_t *words, unsigned count);
unsigned nehalem_explain_payload(const struct event_request *request, const uint64_t *words,
				 unsigned count, struct payload_part parts[PAYLOAD_PARTS]);

/* IA32_DS_AREA selects one of two management areas, this many bytes apart. The first interrupts
 * when the buffer is nearly full, the second with each record. */
#define NEHALEM_EACH_RECORD	128u

/* First word of a payload: the parts that follow, and the number of branches. Then come the record,
 * and source and target of each branch, oldest first. */
#define NEHALEM_PAYLOAD_RECORD		(1u << 0)
#define NEHALEM_PAYLOAD_BRANCHES	(1u << 1)
#define NEHALEM_PAYLOAD_COUNT_LOW	8

#endif
