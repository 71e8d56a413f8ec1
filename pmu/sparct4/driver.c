// SPDX-License-Identifier: BSD-2-Clause
// The Oracle SPARC T4 as software drives it. Registers and fields are in regs.h.

#include "event.h"
#include "field.h"
#include "hal.h"
#include "pmu.h"
#include "regs.h"
#include "session.h"

extern const struct pmu_event_table pmu_events_sparct4;
extern const struct pmu_metric_table pmu_metrics_sparct4;
extern const struct pmu_driver pmu_driver_sparct4;

static bool sparct4_probe(void)
{
	return false;
}

static bool sparct4_reset(void)
{
	return false;
}

static uint64_t sparct4_choices(const struct event_request *r)
{
	return r->event->counters;
}

static uint64_t sparct4_encode(const struct event_request *r, unsigned counter)
{
	(void)r, (void)counter;
	return 0;
}

static uint32_t sparct4_address(unsigned counter)
{
	return counter;
}

static bool sparct4_program(const struct pmu_counter *c, unsigned count)
{
	(void)c, (void)count;
	return false;
}

static bool sparct4_enable(uint64_t counters)
{
	(void)counters;
	return false;
}

static bool sparct4_freeze(uint64_t *state)
{
	*state = 0;
	return false;
}

static bool sparct4_read(uint32_t address, uint64_t *value)
{
	(void)address;
	*value = 0;
	return false;
}

static bool sparct4_write(uint32_t address, uint64_t value)
{
	(void)address, (void)value;
	return false;
}

static void sparct4_overflow_interrupt(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
}

static enum pmu_error sparct4_start(struct pmu_session *session)
{
	return pmu_session_start(&pmu_driver_sparct4, session);
}

static enum pmu_error sparct4_stop(struct pmu_session *session)
{
	return pmu_session_stop(&pmu_driver_sparct4, session);
}

static const struct pmu_monitor_information information = {0};

const struct pmu_driver pmu_driver_sparct4 = {
	.name = "sparct4",
	.title = "Oracle SPARC T4",
	.events = &pmu_events_sparct4,
	.metrics = &pmu_metrics_sparct4,
	.information = &information,
	.session = "Instr_all,Cycles",
	.counters = SPARCT4_COUNTER_MASK,
	.width = SPARCT4_COUNTER_WIDTH,
	.arm_most = 1ULL << (SPARCT4_COUNTER_WIDTH - 1),
	.probe = sparct4_probe,
	.reset = sparct4_reset,
	.choices = sparct4_choices,
	.encode = sparct4_encode,
	.address = sparct4_address,
	.control = sparct4_address,
	.program = sparct4_program,
	.release = sparct4_program,
	.enable = sparct4_enable,
	.freeze = sparct4_freeze,
	.thaw = sparct4_enable,
	.read = sparct4_read,
	.write = sparct4_write,
	.overflow_status = sparct4_freeze,
	.overflow_clear = sparct4_enable,
	.overflow_interrupt = sparct4_overflow_interrupt,
	.start = sparct4_start,
	.stop = sparct4_stop,
};
