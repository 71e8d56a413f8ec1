// SPDX-License-Identifier: BSD-2-Clause
// Driver of Knights Corner's core PMU: each thread has its own two counters. Registers and fields
// are in regs.h, which names "the guide".

#include "plain_driver.h"
#include "regs.h"

#define FAMILY		0xB
#define MODEL		1
#define COUNTER_MASK	FIELD_MASK(0, KNC_COUNTERS)

static const struct pmu_shape shape = {
	.counters = COUNTER_MASK,
	.width = KNC_COUNTER_WIDTH,
	.arm_least = PMU_ARM_LEAST,
	.arm_most = 1ULL << (KNC_COUNTER_WIDTH - 1),
	.features = PMU_FEATURE_GLOBAL | PMU_FEATURE_USER_READ | PMU_FEATURE_THRESHOLD |
		PMU_FEATURE_ANY_THREAD,
};

// No CPUID leaf describes the PMU, and an emulator without a PMU reports the same processor. RDPMC
// of counter 0 tells them apart without changing anything: without the counter it raises #UD or
// #GP.
PMU_RARE static const char *knc_probe(struct pmu_shape *found)
{
	uint32_t leaf[4];
	uint64_t value;

	hal_identify(1, 0, leaf);
	if ((leaf[0] >> 8 & 0xF) != FAMILY || (leaf[0] >> 4 & 0xF) != MODEL)
		return "CPUID.01H reports another processor than family BH, model 1";
	if (!reg_read_counter(0, &value))
		return "RDPMC of counter 0 faults";
	*found = shape;
	return NULL;
}

// Resets the thread's registers, but not the time-stamp counter, which all threads of the core
// share.
PMU_RARE static bool knc_reset(void)
{
	bool ok = reg_write(MSR_IA32_PERF_GLOBAL_CTRL, REGISTER_RESET(IA32_PERF_GLOBAL_CTRL));

	for (unsigned i = 0; i < KNC_COUNTERS; i++) {
		ok &= reg_write(MSR_IA32_PERFEVTSEL + i, REGISTER_RESET(IA32_PERFEVTSEL));
		ok &= reg_write(MSR_IA32_PERFCNTR + i, REGISTER_RESET(IA32_PERFCNTR));
	}
	ok &= reg_write(MSR_PERF_SPFLT_CONTROL, REGISTER_RESET(PERF_SPFLT_CONTROL));
	ok &= reg_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL,
			REGISTER_BITS(IA32_PERF_GLOBAL_OVF_CTRL, W1C));
	return ok;
}

//
// Requests
//

// USR means levels 1 to 3, of which systems use 3. E needs no threshold: that the event occurs at
// all is also a condition (Table 1-5).
#define LOWER_LEVELS	0xE
#define LOWEST_LEVEL	0x8

static const char *object_to_condition(const struct event_request *r)
{
	const unsigned lower = r->levels & LOWER_LEVELS;

	if (lower && lower != LOWEST_LEVEL && lower != LOWER_LEVELS)
		return "levels 1 to 3 are counted together (USR): not 1 or 2 without 3";
	if (r->modifiers & EVENT_INV && !r->cmask)
		return "inversion turns a comparison with the threshold around: it needs a "
		       "threshold (c)";
	if (r->counter >= KNC_COUNTERS)
		return "a thread has the counters 0 and 1";
	return NULL;
}

PMU_RARE static const char *knc_objection(const struct event_request *r)
{
	if (r->modifiers & EVENT_PRECISE)
		return "the processor writes no records: its events are not precise";
	if (r->modifiers & EVENT_BRANCHES || r->branches)
		return "the processor records no branches";
	if (r->latency || r->tlb)
		return "the processor samples no addresses and no latencies";
	if (r->modifiers & EVENT_MONITORS)
		return "this PMU has no pins and no event address registers (ev, oi, dear, iear)";
	if (r->code_range.given || r->data_range.given || r->opcode.given)
		return "neither addresses nor opcodes qualify events";
	if (r->sets)
		return "there is one instruction set";
	if (r->extra)
		return "no register goes with this event: it has no msr";
	return object_to_condition(r);
}

PMU_RARE static uint64_t knc_choices(const struct event_request *r)
{
	const uint64_t choices = knc_objection(r) ? 0 : event_counters(r);

	return r->counter == EVENT_ANY_COUNTER ? choices : choices & 1ULL << r->counter;
}

PMU_RARE static uint64_t knc_encode(const struct event_request *r, unsigned counter)
{
	(void)counter;
	return FIELD_PUT(IA32_PERFEVTSEL, EVENT, event_code(r)) |
	       FIELD_PUT(IA32_PERFEVTSEL, UMASK, r->umask) |
	       FIELD_PUT(IA32_PERFEVTSEL, USR, !!(r->modifiers & EVENT_USER)) |
	       FIELD_PUT(IA32_PERFEVTSEL, OS, !!(r->modifiers & EVENT_OS)) |
	       FIELD_PUT(IA32_PERFEVTSEL, E, !!(r->modifiers & EVENT_EDGE)) |
	       FIELD_PUT(IA32_PERFEVTSEL, THREAD_COUNT_MODE, !!(r->modifiers & EVENT_ANY)) |
	       FIELD_PUT(IA32_PERFEVTSEL, INV, !!(r->modifiers & EVENT_INV)) |
	       FIELD_PUT(IA32_PERFEVTSEL, CMASK, r->cmask) |
	       FIELD(IA32_PERFEVTSEL, INT) | FIELD(IA32_PERFEVTSEL, EN);
}

// SPFLT_ENABLE has a bit for each counter, so two requests never need different values of one bit.
PMU_RARE static unsigned needed_settings(const struct event_request *r, unsigned counter,
					 struct pmu_setting settings[PMU_EVENT_SETTINGS])
{
	const uint64_t bit = FIELD_PUT(PERF_SPFLT_CONTROL, SPFLT_ENABLE, 1U << counter);

	if (!(r->modifiers & EVENT_PREFERRED))
		return 0;
	settings[0] = (struct pmu_setting){.address = MSR_PERF_SPFLT_CONTROL, .mask = bit,
					   .value = bit};
	return 1;
}

//
// The user filter: part of the program's context, like one of its registers
//

#define USER_FILTER FIELD(PERF_SPFLT_CONTROL, USER_PREF)

PMU_RARE static bool save_preference(uint64_t values[PMU_RECORDED])
{
	const bool ok = reg_read(MSR_PERF_SPFLT_CONTROL, &values[0]);

	values[0] &= ok ? USER_FILTER : 0;
	return ok;
}

PMU_RARE static bool restore_preference(const uint64_t values[PMU_RECORDED])
{
	uint64_t control;

	return reg_read(MSR_PERF_SPFLT_CONTROL, &control) &&
	       reg_write(MSR_PERF_SPFLT_CONTROL,
			 (control & ~USER_FILTER) | (values[0] & USER_FILTER));
}

static const struct pmu_records records = {.save = save_preference, .restore = restore_preference};
static const struct pmu_settings settings = {.needed = needed_settings};

//
// Operations on counters
//

static const struct plain_registers registers = {
	.counter = MSR_IA32_PERFCNTR,
	.select = MSR_IA32_PERFEVTSEL,
	.enable = MSR_IA32_PERF_GLOBAL_CTRL,
	.status = MSR_IA32_PERF_GLOBAL_STATUS,
	.clear = MSR_IA32_PERF_GLOBAL_OVF_CTRL,
	.count = KNC_COUNTERS,
};

static uint32_t knc_address(unsigned counter)
{
	return registers.counter + counter;
}

static uint32_t knc_control(unsigned counter)
{
	return registers.select + counter;
}

static bool knc_program(const struct pmu_counter *counters, unsigned count)
{
	return plain_program(&registers, counters, count);
}

PMU_RARE static bool knc_release(const struct pmu_counter *counters, unsigned count)
{
	return plain_release(&registers, counters, count);
}

static bool knc_enable(uint64_t counters)
{
	return reg_write(registers.enable, counters);
}

PMU_RARE static bool knc_freeze(uint64_t *state)
{
	return plain_freeze(&registers, state);
}

static bool knc_overflow_status(uint64_t *overflowed)
{
	return plain_read(registers.status, overflowed);
}

static bool knc_overflow_clear(uint64_t overflowed)
{
	return reg_write(registers.clear, overflowed);
}

// No counter overflows after the write that stops all counters.
static bool knc_hold(bool *more)
{
	*more = false;
	return knc_enable(0);
}

extern const struct pmu_driver pmu_driver_knc;

static void knc_overflow_interrupt(uint64_t ip, unsigned level)
{
	pmu_overflow(&pmu_driver_knc, ip, level);
}

static enum pmu_error knc_start(struct pmu_session *session)
{
	return pmu_session_start(&pmu_driver_knc, session);
}

static enum pmu_error knc_stop(struct pmu_session *session)
{
	return pmu_session_stop(&pmu_driver_knc, session);
}

static const struct pmu_signal signal = {.interrupt = knc_overflow_interrupt, .hold = knc_hold};

//
// PAL
//

// Register numbers in the masks of PAL_PERF_MON_INFO (README.md): control registers 0 and 1 are
// IA32_PerfEvtSel0 and 1, 2 PERF_SPFLT_CONTROL, 3 IA32_PERF_GLOBAL_CTRL, 4
// IA32_PERF_GLOBAL_OVF_CTRL; data registers 0 and 1 are IA32_PerfCntr0 and 1, 2
// IA32_PERF_GLOBAL_STATUS.
static const struct pmu_monitor_information information = {
	.summary = PMU_SUMMARY(KNC_COUNTERS, KNC_COUNTER_WIDTH, KNC_EVENT_CYCLES,
			       KNC_EVENT_RETIRED),
	.control_mask = 0x1F,
	.data_mask = 0x7,
	.cycles_mask = COUNTER_MASK,
	.retired_mask = COUNTER_MASK,
};

extern const struct pmu_event_table pmu_events_knc;
extern const struct pmu_metric_table pmu_metrics_knc;
extern const struct pmu_profile_table pmu_profiles_knc;

const struct pmu_driver pmu_driver_knc = {
	.name = "knc",
	.libpfm = "knc",
	.title = "Intel Xeon Phi (Knights Corner)",
	.events = &pmu_events_knc,
	.metrics = &pmu_metrics_knc,
	.profiles = &pmu_profiles_knc,
	.information = &information,
	.session = "INSTRUCTIONS_EXECUTED:u:period=100000,INSTRUCTIONS_EXECUTED:u:t",
	.threads = 4,
	.retired = "INSTRUCTIONS_EXECUTED",
	.cycles = "CPU_CLK_UNHALTED",
	.shape = &shape,
	.instruction_breakpoints = 4,
	.data_breakpoints = 4,
	.records = &records,
	.settings = &settings,
	.probe = knc_probe,
	.reset = knc_reset,
	.choices = knc_choices,
	.encode = knc_encode,
	.objection = knc_objection,
	.signal = &signal,
	.address = knc_address,
	.control = knc_control,
	.program = knc_program,
	.release = knc_release,
	.enable = knc_enable,
	.freeze = knc_freeze,
	.thaw = knc_enable,
	.read = plain_read,
	.write = plain_write,
	.overflow_status = knc_overflow_status,
	.overflow_clear = knc_overflow_clear,
	.start = knc_start,
	.stop = knc_stop,
};
