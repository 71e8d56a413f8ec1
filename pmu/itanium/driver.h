/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the Itanium driver share: driver.c counts and samples, driver_request.c says what can be measured
 * and what that needs, driver_records.c takes what the event address registers and the branch trace buffer hold,
 * driver_timer.c samples by the interval timer. */
#ifndef ITANIUM_DRIVER_H
#define ITANIUM_DRIVER_H

#include "regs.h"
#include "pmu_unit.h"

/* Event codes (7.8) whose counter samples what a recorder holds. */
#define DATA_EAR_EVENTS		0x67
#define INSTRUCTION_EAR_EVENTS	0x23
#define BRANCH_EVENT		0x11

/* Without oi an overflow is found when somebody looks: twice before a counter that counts 7 in a cycle can have
 * overflowed twice. */
#define ITANIUM_LOOK_CLOCKS	(1ULL << 28)

/* Recorders, as bits: the event address registers, the branch trace buffer. */
#define RECORDER_DATA		(1u << 0)
#define RECORDER_INSTRUCTION	(1u << 1)
#define RECORDER_BRANCHES	(1u << 2)

/* The recorders that a counter samples beside its event's own: in its select, above what its PMC holds. */
#define SELECT_RECORDERS_LOW	32

/* What the driver knows of each CPU's monitor. */
struct itanium_monitor {
	uint64_t live;			/* counters whose PMC lets them count */
	uint64_t interrupting;		/* those that have been programmed to interrupt */
	uint64_t select[ITANIUM_COUNTERS];
	uint64_t frozen;		/* PMC0 as it is, or is to be when this operation is over; 0: to be read */
	bool interrupted;		/* in the overflow interrupt */
	bool privileged;		/* of the scope: PMC.pm */
	uint8_t levels;			/* and the levels it has */
	uint8_t sampled;		/* recorders that samples have been taken from since the freeze began */

	/* The interval timer as a counter, if a session has it: while it runs, its count is ITC - `origin`. */
	bool timed, timer_runs;
	uint64_t origin;
	uint64_t count;			/* while it does not; and what it was when it was last read */
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
bool itanium_empty_recorders(const struct pmu_counter *counter);	/* those that a counter samples */
bool itanium_release_sampled(struct itanium_monitor *monitor);		/* before they record again */
bool itanium_recorded(const struct pmu_counter *counter);
unsigned itanium_payload(const struct pmu_counter *counter, uint64_t words[PMU_PAYLOAD_WORDS]);
unsigned itanium_explain_payload(const struct event_request *request, const uint64_t *words, unsigned count,
				 struct payload_part parts[PAYLOAD_PARTS]);
struct pmu_location itanium_locate(const struct event_request *request, uint64_t ip, const uint64_t *words,
				   unsigned count);

/* driver_timer.c: the timer's count has 32 bits, and overflows, like a counter's. False: an access faulted. */
bool itanium_timer_program(const struct pmu_counter *counter);
bool itanium_timer_release(void);
bool itanium_timer_enable(bool on);
bool itanium_timer_read(uint64_t *value);
bool itanium_timer_write(uint64_t value);
bool itanium_timer_is_due(void);

#endif
