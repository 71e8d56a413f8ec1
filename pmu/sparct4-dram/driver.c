// SPDX-License-Identifier: BSD-2-Clause
// The Oracle SPARC T4 memory controllers as software drives it. Registers and fields are in regs.h.

#include "event.h"
#include "field.h"
#include "hal.h"
#include "pmu.h"
#include "regs.h"
#include "session.h"

extern const struct pmu_event_table pmu_events_sparct4_dram;
extern const struct pmu_metric_table pmu_metrics_sparct4_dram;
extern const struct pmu_driver pmu_driver_sparct4_dram;

static bool sparct4_dram_probe(void)
{
	return false;
}

static bool sparct4_dram_reset(void)
{
	return false;
}

static uint64_t sparct4_dram_choices(const struct event_request *r)
{
	return r->event->counters;
}

static uint64_t sparct4_dram_encode(const struct event_request *r, unsigned counter)
{
	(void)r, (void)counter;
	return 0;
}

static uint32_t sparct4_dram_address(unsigned counter)
{
	return counter;
}

static bool sparct4_dram_program(const struct pmu_counter *c, unsigned count)
{
	(void)c, (void)count;
	return false;
}

static bool sparct4_dram_enable(uint64_t counters)
{
	(void)counters;
	return false;
}

static bool sparct4_dram_freeze(uint64_t *state)
{
	*state = 0;
	return false;
}

static bool sparct4_dram_read(uint32_t address, uint64_t *value)
{
	(void)address;
	*value = 0;
	return false;
}

static bool sparct4_dram_write(uint32_t address, uint64_t value)
{
	(void)address, (void)value;
	return false;
}

static void sparct4_dram_overflow_interrupt(uint64_t ip, unsigned level)
{
	(void)ip, (void)level;
}

static enum pmu_error sparct4_dram_start(struct pmu_session *session)
{
	return pmu_session_start(&pmu_driver_sparct4_dram, session);
}

static enum pmu_error sparct4_dram_stop(struct pmu_session *session)
{
	return pmu_session_stop(&pmu_driver_sparct4_dram, session);
}

static const struct pmu_monitor_information information = {0};

const struct pmu_driver pmu_driver_sparct4_dram = {
	.name = "sparct4-dram",
	.title = "Oracle SPARC T4 memory controllers",
	.events = &pmu_events_sparct4_dram,
	.metrics = &pmu_metrics_sparct4_dram,
	.information = &information,
	.session = "READS",
	.counters = 0xFFFF,
	.width = DRAM_COUNTER_WIDTH,
	.arm_least = PMU_ARM_LEAST,
	.arm_most = 1ULL << (DRAM_COUNTER_WIDTH - 1),
	.probe = sparct4_dram_probe,
	.reset = sparct4_dram_reset,
	.choices = sparct4_dram_choices,
	.encode = sparct4_dram_encode,
	.address = sparct4_dram_address,
	.control = sparct4_dram_address,
	.program = sparct4_dram_program,
	.release = sparct4_dram_program,
	.enable = sparct4_dram_enable,
	.freeze = sparct4_dram_freeze,
	.thaw = sparct4_dram_enable,
	.read = sparct4_dram_read,
	.write = sparct4_dram_write,
	.overflow_status = sparct4_dram_freeze,
	.overflow_clear = sparct4_dram_enable,
	.overflow_interrupt = sparct4_dram_overflow_interrupt,
	.start = sparct4_dram_start,
	.stop = sparct4_dram_stop,
};
