/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files of the Itanium driver. driver.c counts and samples.
 * driver_request.c checks requests and computes their registers. driver_records.c reads the event
 * address registers and the branch trace buffer. driver_timer.c samples by the interval timer. */
#ifndef ITANIUM_DRIVER_H
#define ITANIUM_DRIVER_H

#include "regs.h"
#include "pmu_unit.h"

/* Event codes (7.8) whose samples carry the contents of a recorder. */
#define DATA_EAR_EVENTS		0x67
#define INSTRUCTION_EAR_EVENTS	0x23
#define BRANCH_EVENT		0x11

/* Clocks between polls of counters without oi: half the time in which a counter that adds 7 per
 * cycle could overflow twice. */
#define ITANIUM_LOOK_CLOCKS	(1ULL << 28)

/* Recorders, as bits: the event address registers, the branch trace buffer. */
#define RECORDER_DATA		(1u << 0)
#define RECORDER_INSTRUCTION	(1u << 1)
#define RECORDER_BRANCHES	(1u << 2)

/* Bits of `select` above those of the PMC: recorders that samples carry in addition to the event's
 * own. */
#define SELECT_RECORDERS_LOW	32

/* State of each CPU's monitor. */
struct itanium_monitor {
	uint64_t live;			/* bit mask: counters that may count once the freeze ends */
	uint64_t interrupting;		/* bit mask: counters programmed with oi */
	uint64_t select[ITANIUM_COUNTERS];
	uint64_t frozen;		/* PMC0, current or to be written at the end of this
					 * operation; 0: unknown, to be read */
	bool interrupted;		/* the overflow interrupt is being handled */
	bool privileged;		/* the scope: PMC.pm */
	uint8_t levels;			/* the scope: privilege levels */
	uint8_t sampled;		/* RECORDER_*: sampled since the freeze began */

	/* The interval timer as a counter, if a session uses it. While it runs, its count is ITC -
	 * `origin`. */
	bool timed, timer_runs;
	uint64_t origin;
	uint64_t count;			/* the count when stopped, or when last read */
};

extern struct itanium_monitor itanium_monitors[HAL_CPUS];

static inline struct itanium_monitor *itanium_monitor(void)
{
	return &itanium_monitors[hal_cpu()];
}

/* driver_request.c */
unsigned itanium_recorders(const struct event_request *request);
uint64_t itanium_choices(const struct event_request *request);
uint64_t itanium_encode(const struct event_request *request, unsigned counter);
const char *itanium_objection(const struct event_request *request);
bool itanium_polled(const struct event_request *request);
unsigned itanium_settings(const struct event_request *request, unsigned counter,
			  struct pmu_setting settings[PMU_EVENT_SETTINGS]);
bool itanium_available(const struct event_request *request);

/* driver_records.c */
bool itanium_empty_recorders(const struct pmu_counter *counter);	/* that it samples */
bool itanium_release_sampled(struct itanium_monitor *monitor);		/* clears valid bits */
bool itanium_recorded(const struct pmu_counter *counter);
unsigned itanium_payload(const struct pmu_counter *counter, uint64_t words[PMU_PAYLOAD_WORDS]);
unsigned itanium_explain_payload(const struct event_request *request, const uint64_t *words,
				 unsigned count, struct payload_part parts[PAYLOAD_PARTS]);
struct pmu_location itanium_locate(const struct event_request *request, uint64_t ip,
				   const uint64_t *words, unsigned count);

/* driver_timer.c: the timer as a counter of 32 bits that overflows. The functions return false if a
 * register access faulted. */
bool itanium_timer_program(const struct pmu_counter *counter);
bool itanium_timer_release(void);
bool itanium_timer_enable(bool on);
bool itanium_timer_read(uint64_t *value);
bool itanium_timer_write(uint64_t value);
bool itanium_timer_is_due(void);

#endif
