// SPDX-License-Identifier: BSD-2-Clause
// Driver of the core PMU of AMD processors: counters, samples, overflows. Registers and fields are
// in regs.h, the driver's other parts in driver.h.

#include "driver.h"

extern const struct pmu_driver pmu_driver_amd;

#define EN		FIELD(PERF_CTL, EN)

// Bits of the status that report a freeze.
#define FROZEN		(FIELD(PerfCntrGlobalStatus, PmcFreeze) | \
			 FIELD(PerfCntrGlobalStatus, LbrFreeze))

static uint64_t status_bits(uint64_t overflowed)
{
	return overflowed | (amd_found.freezes ? FROZEN : 0);
}

//
// Counters
//

static uint32_t amd_address(unsigned counter)
{
	return amd_found.extended ? MSR_PERF_CTR0 + counter * AMD_DISTANCE : MSR_PerfCtr + counter;
}

static uint32_t amd_control(unsigned counter)
{
	return amd_found.extended ? MSR_PERF_CTL0 + counter * AMD_DISTANCE :
	       MSR_PerfEvtSel + counter;
}

PMU_RARE static bool reset_global(void)
{
	const bool ok = !amd_found.freezes ||
		reg_write(MSR_DebugCtl, FIELD(DebugCtl, FREEZE_PERFMON_ON_PMI));

	return reg_write(MSR_PerfCntrGlobalStatusClr, status_bits(amd_shape.counters)) && ok;
}

PMU_RARE static bool amd_reset(void)
{
	bool ok = !amd_found.global || reg_write(MSR_PerfCntrGlobalCtl, 0);

	for (uint64_t rest = amd_shape.counters; rest; rest &= rest - 1) {
		const unsigned n = (unsigned)__builtin_ctzll(rest);

		ok &= reg_write(amd_control(n), REGISTER_RESET(PERF_CTL));
		ok &= reg_write(amd_address(n), REGISTER_RESET(PERF_CTR));
	}
	return (!amd_found.global || reset_global()) && ok;
}

// Without global registers a control register with EN would start its counter.
static bool amd_program(const struct pmu_counter *c, unsigned count)
{
	const uint64_t starts = amd_found.global ? 0 : EN;
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		ok &= reg_write(c->address, c->start);
		ok &= reg_write(amd_control(c->number), c->select & ~starts);
	}
	return ok;
}

PMU_RARE static bool amd_release(const struct pmu_counter *c, unsigned count)
{
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		ok &= reg_write(amd_control(c->number), 0);
		ok &= reg_write(c->address, 0);
	}
	return ok;
}

// `overflow_clear` ends a freeze, while global control is 0.
static bool amd_enable(uint64_t counters)
{
	return amd_found.global ? reg_write(MSR_PerfCntrGlobalCtl, counters) :
	       pmu_enable_by_select(&pmu_driver_amd, EN, counters);
}

static bool amd_overflow_status(uint64_t *overflowed)
{
	bool ok;

	if (!amd_found.global)
		return pmu_overflowed_by_value(&pmu_driver_amd, overflowed);
	ok = plain_read(MSR_PerfCntrGlobalStatus, overflowed);
	*overflowed &= amd_shape.counters;
	return ok;
}

// Without global registers the reload of the counter ends its overflow.
static bool amd_overflow_clear(uint64_t overflowed)
{
	return !amd_found.global ||
	       reg_write(MSR_PerfCntrGlobalStatusClr, status_bits(overflowed));
}

static bool read_enabled(uint64_t *counters)
{
	return amd_found.global ? plain_read(MSR_PerfCntrGlobalCtl, counters) :
	       pmu_enabled_by_select(&pmu_driver_amd, EN, counters);
}

// If a counter has overflowed before all were stopped, the caller serves it before counting
// continues, so the saved state is 0.
PMU_RARE static bool amd_freeze(uint64_t *state)
{
	uint64_t overflowed;
	bool ok;

	*state = 0;
	ok = read_enabled(state) && amd_enable(0) && amd_overflow_status(&overflowed);
	if (!ok || overflowed)
		*state = 0;
	return ok;
}

// No counter overflows after the last of these writes.
static bool amd_hold(bool *more)
{
	*more = false;
	return amd_enable(0);
}

static void amd_overflow_interrupt(uint64_t ip, unsigned level)
{
	pmu_overflow(&pmu_driver_amd, ip, level);
}

static enum pmu_error amd_start(struct pmu_session *session)
{
	return pmu_session_start(&pmu_driver_amd, session);
}

static enum pmu_error amd_stop(struct pmu_session *session)
{
	return pmu_session_stop(&pmu_driver_amd, session);
}

static const struct pmu_signal signal = {.interrupt = amd_overflow_interrupt, .hold = amd_hold};

extern const struct pmu_event_table pmu_events_amd;
extern const struct pmu_metric_table pmu_metrics_amd;

const struct pmu_driver pmu_driver_amd = {
	.name = "amd",
	.title = "AMD processors, families 0Fh to 19h, core PMU",
	.events = &pmu_events_amd,
	.metrics = &pmu_metrics_amd,
	.information = &amd_information,
	.session = "RETIRED_INSTRUCTIONS:period=100000,CPU_CLK_UNHALTED",
	.threads = 2,
	.retired = "RETIRED_INSTRUCTIONS",
	.cycles = "CPU_CLK_UNHALTED",
	.shape = &amd_shape,
	.enumerated = &amd_shape,
	.instruction_breakpoints = 4,
	.data_breakpoints = 4,
	.signal = &signal,
	.probe = amd_probe,
	.reset = amd_reset,
	.choices = amd_choices,
	.encode = amd_encode,
	.objection = amd_objection,
	.address = amd_address,
	.control = amd_control,
	.program = amd_program,
	.release = amd_release,
	.enable = amd_enable,
	.freeze = amd_freeze,
	.thaw = amd_enable,
	.read = plain_read,
	.write = plain_write,
	.overflow_status = amd_overflow_status,
	.overflow_clear = amd_overflow_clear,
	.start = amd_start,
	.stop = amd_stop,
};
