// SPDX-License-Identifier: BSD-2-Clause
// Driver of Intel's architectural performance monitoring: counters, samples, overflows. Registers
// and fields are in regs.h, the driver's other parts in driver.h.

#include "driver.h"

#define FIRST_FIXED	INTEL_FIRST_FIXED

// Bits of the status that report a freeze.
#define FROZEN		(FIELD(IA32_PERF_GLOBAL_STATUS, CTR_Frz) | \
			 FIELD(IA32_PERF_GLOBAL_STATUS, LBR_Frz))

// This CPU's copy of IA32_FIXED_CTR_CTRL, which the fixed counters share.
static inline uint64_t *fixed_control(void)
{
	return &pmu_this_cpu()->driver_word[0];
}

static uint64_t overflow_bits(void)
{
	return intel_shape.counters | (intel_found.streamlined ? FROZEN : 0);
}

PMU_RARE static bool reset_global(void)
{
	bool ok = reg_write(MSR_IA32_FIXED_CTR_CTRL, REGISTER_RESET(IA32_FIXED_CTR_CTRL));

	for (unsigned i = 0; i < INTEL_FIXED_COUNTERS; i++)
		if (intel_shape.fixed >> (FIRST_FIXED + i) & 1)
			ok &= reg_write(MSR_IA32_FIXED_CTR + i, REGISTER_RESET(IA32_FIXED_CTR));
	if (intel_found.freezes)
		ok &= reg_write(MSR_IA32_DEBUGCTL, FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI));
	ok &= intel_reset_branches();
	return reg_write(MSR_IA32_PERF_GLOBAL_STATUS_RESET, overflow_bits()) && ok;
}

PMU_RARE static bool intel_reset(void)
{
	bool ok = !intel_found.global || reg_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);

	for (unsigned i = 0; i < intel_found.general; i++) {
		ok &= reg_write(MSR_IA32_PERFEVTSEL + i, REGISTER_RESET(IA32_PERFEVTSEL));
		ok &= reg_write(MSR_IA32_PMC + i, REGISTER_RESET(IA32_PMC));
	}
	*fixed_control() = REGISTER_RESET(IA32_FIXED_CTR_CTRL);
	return (!intel_found.global || reset_global()) && ok;
}

//
// Counters
//

static uint32_t intel_address(unsigned counter)
{
	if (counter >= FIRST_FIXED)
		return MSR_IA32_FIXED_CTR + (counter - FIRST_FIXED);
	return (intel_found.full_width ? MSR_IA32_A_PMC : MSR_IA32_PMC) + counter;
}

static uint32_t intel_control(unsigned counter)
{
	return counter < FIRST_FIXED ? MSR_IA32_PERFEVTSEL + counter : MSR_IA32_FIXED_CTR_CTRL;
}

static bool intel_read(uint32_t address, uint64_t *value)
{
	*value = 0;
	return reg_read(address, value);
}

static bool intel_write(uint32_t address, uint64_t value)
{
	return reg_write(address, value);
}

// In version 1 a select with EN would start its counter.
static bool intel_program(const struct pmu_counter *c, unsigned count)
{
	const uint64_t starts = intel_found.global ? 0 : FIELD(IA32_PERFEVTSEL, EN);
	uint64_t fixed = 0;
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		ok &= reg_write(c->address, c->start);
		if (c->number < FIRST_FIXED)
			ok &= reg_write(MSR_IA32_PERFEVTSEL + c->number, c->select & ~starts);
		else
			fixed |= c->select;
	}
	if (fixed) {
		*fixed_control() |= fixed;
		ok &= reg_write(MSR_IA32_FIXED_CTR_CTRL, *fixed_control());
	}
	return ok;
}

PMU_RARE static bool intel_release(const struct pmu_counter *c, unsigned count)
{
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++)
		if (c->number < FIRST_FIXED)
			ok &= reg_write(MSR_IA32_PERFEVTSEL + c->number, 0);
		else
			*fixed_control() &= ~c->select;
	return (!intel_found.global ||
		reg_write(MSR_IA32_FIXED_CTR_CTRL, *fixed_control())) && ok;
}

// In versions 2 and 3 the freeze has cleared the bits of global control, and writing them again
// ends it. From version 4 on `overflow_clear` ends it, while global control is 0.
static bool intel_enable(uint64_t counters)
{
	return intel_found.global ? reg_write(MSR_IA32_PERF_GLOBAL_CTRL, counters) :
	       intel_first_enable(counters);
}

static bool intel_overflow_status(uint64_t *overflowed)
{
	bool ok;

	if (!intel_found.global)
		return intel_first_overflowed(overflowed);
	*overflowed = 0;
	ok = reg_read(MSR_IA32_PERF_GLOBAL_STATUS, overflowed);
	*overflowed &= intel_shape.counters;
	return ok;
}

// In version 1 the reload of the counter ends its overflow. Branch records stay frozen until their
// samples have been taken: pmu_resume ends their freeze.
static bool intel_overflow_clear(uint64_t overflowed)
{
	return !intel_found.global ||
	       reg_write(MSR_IA32_PERF_GLOBAL_STATUS_RESET, overflowed | (intel_found.streamlined ?
			 FIELD(IA32_PERF_GLOBAL_STATUS, CTR_Frz) : 0));
}

static bool read_enabled(uint64_t *counters)
{
	return intel_found.global ? reg_read(MSR_IA32_PERF_GLOBAL_CTRL, counters) :
	       intel_first_enabled(counters);
}

// If a counter has overflowed before all were stopped, the caller serves it before counting
// continues, so the saved state is 0.
PMU_RARE static bool intel_freeze(uint64_t *state)
{
	uint64_t overflowed;
	bool ok;

	*state = 0;
	ok = read_enabled(state) && intel_enable(0) && intel_overflow_status(&overflowed);
	if (!ok || overflowed)
		*state = 0;
	return ok;
}

// No counter overflows after the last of these writes. If the interrupt has frozen the counters and
// cleared global control, nothing is left to stop.
static bool intel_hold(bool *more)
{
	*more = false;
	return (intel_found.freezes && !intel_found.streamlined) || intel_enable(0);
}

static struct pmu_records records = {
	.modifiers = EVENT_BRANCHES,
	.payload = intel_payload,
	.explain = intel_explain,
	.stopped = MSR_IA32_PERF_GLOBAL_STATUS_RESET,
	.save = intel_save_branches,
	.restore = intel_restore_branches,
};

PMU_RARE static const char *probe(struct pmu_shape *shape)
{
	const char *why = intel_probe(shape);

	if (!why)
		records.stopped = intel_found.streamlined ? MSR_IA32_PERF_GLOBAL_STATUS_RESET :
			MSR_IA32_DEBUGCTL;
	return why;
}

extern const struct pmu_driver pmu_driver_intel;

static void intel_overflow_interrupt(uint64_t ip, unsigned level)
{
	pmu_overflow(&pmu_driver_intel, ip, level);
}

static enum pmu_error intel_start(struct pmu_session *session)
{
	return pmu_session_start(&pmu_driver_intel, session);
}

static enum pmu_error intel_stop(struct pmu_session *session)
{
	return pmu_session_stop(&pmu_driver_intel, session);
}

static const struct pmu_signal signal = {.interrupt = intel_overflow_interrupt,
					 .hold = intel_hold};

extern const struct pmu_event_table pmu_events_intel;
extern const struct pmu_metric_table pmu_metrics_intel;

const struct pmu_driver pmu_driver_intel = {
	.name = "intel",
	.libpfm = "ix86arch",
	.title = "Intel architectural PMU, versions 1 to 5",
	.events = &pmu_events_intel,
	.metrics = &pmu_metrics_intel,
	.information = &intel_information,
	.session = "INSTRUCTION_RETIRED:period=100000,UNHALTED_CORE_CYCLES",
	.threads = 2,
	.retired = "INSTRUCTION_RETIRED",
	.cycles = "UNHALTED_CORE_CYCLES",
	.shape = &intel_shape,
	.enumerated = &intel_shape,
	.instruction_breakpoints = 4,
	.data_breakpoints = 4,
	.records = &records,
	.settings = &intel_settings,
	.signal = &signal,
	.probe = probe,
	.reset = intel_reset,
	.choices = intel_choices,
	.encode = intel_encode,
	.objection = intel_objection,
	.address = intel_address,
	.control = intel_control,
	.program = intel_program,
	.release = intel_release,
	.enable = intel_enable,
	.freeze = intel_freeze,
	.thaw = intel_enable,
	.read = intel_read,
	.write = intel_write,
	.overflow_status = intel_overflow_status,
	.overflow_clear = intel_overflow_clear,
	.start = intel_start,
	.stop = intel_stop,
};
