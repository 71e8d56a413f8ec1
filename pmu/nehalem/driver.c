// SPDX-License-Identifier: BSD-2-Clause
// Driver of the Core i7 / Xeon 5500 core PMU: counters, samples, overflows. Registers and fields
// are in regs.h, the driver's other parts in driver.h.

#include "driver.h"
#include "event.h"
#include "field.h"
#include "hal.h"
#include "path.h"
#include "pmu_driver.h"
#include "regs.h"

#define FIRST_FIXED	NEHALEM_FIRST_FIXED
#define ALL_COUNTERS	(NEHALEM_GENERAL_MASK | NEHALEM_FIXED_MASK)

// This CPU's copy of IA32_FIXED_CTR_CTRL, which three counters share.
static inline uint64_t *fixed_control(void)
{
	return &pmu_this_cpu()->driver_word[NEHALEM_FIXED_CONTROL];
}

static unsigned fixed_shift(unsigned counter)
{
	return (counter - FIRST_FIXED) * NEHALEM_FIXED_CONTROL_BITS;
}

static const struct pmu_shape shape = {
	.counters = ALL_COUNTERS,
	.fixed = NEHALEM_FIXED_MASK,
	.width = NEHALEM_COUNTER_WIDTH,
	.arm_least = PMU_ARM_LEAST,
	.arm_most = 1ULL << 31,
	.features = PMU_FEATURE_FREEZE | PMU_FEATURE_GLOBAL | PMU_FEATURE_USER_READ |
		PMU_FEATURE_THRESHOLD |
		    PMU_FEATURE_ANY_THREAD,
};

#define VERSION(leaf)		((leaf)[0] & 0xFF)
#define GENERAL(leaf)		((leaf)[0] >> 8 & 0xFF)
#define GENERAL_WIDTH(leaf)	((leaf)[0] >> 16 & 0xFF)
#define FIXED(leaf)		((leaf)[3] & 0x1F)
#define FIXED_WIDTH(leaf)	((leaf)[3] >> 5 & 0xFF)

// Family 6, models 1AH (Core i7, Xeon 5500), 1EH and 1FH (Lynnfield, Havendale), 2EH (Xeon 7500).
PMU_RARE static bool is_nehalem(void)
{
	static const uint8_t models[] = {0x1A, 0x1E, 0x1F, 0x2E};
	uint32_t leaf[4];

	hal_identify(1, 0, leaf);
	for (unsigned i = 0; i < sizeof models; i++)
		if ((leaf[0] >> 8 & 0xF) == 6 &&
		    ((leaf[0] >> 4 & 0xF) | (leaf[0] >> 12 & 0xF0)) == models[i])
			return true;
	return false;
}

// Compares CPUID leaf 0AH (SDM volume 3B, "Architectural Performance Monitoring") with the shape.
PMU_RARE static const char *other_shape(void)
{
	static const char *const versions[NEHALEM_CPUID_VERSION] = {
		"CPUID.0AH reports version 0, so no counters; this driver needs version 3",
		"CPUID.0AH reports version 1; this driver needs version 3",
		"CPUID.0AH reports version 2; this driver needs version 3",
	};
	static const char *const counters[NEHALEM_GENERAL_COUNTERS] = {
		"CPUID.0AH reports 0 general counters; this driver needs 4",
		"CPUID.0AH reports 1 general counter; this driver needs 4",
		"CPUID.0AH reports 2 general counters; this driver needs 4",
		"CPUID.0AH reports 3 general counters; this driver needs 4",
	};
	static const char *const fixed[NEHALEM_FIXED_COUNTERS] = {
		"CPUID.0AH reports 0 fixed counters; this driver needs 3",
		"CPUID.0AH reports 1 fixed counter; this driver needs 3",
		"CPUID.0AH reports 2 fixed counters; this driver needs 3",
	};
	uint32_t leaf[4];

	hal_identify(NEHALEM_CPUID_LEAF, 0, leaf);
	if (VERSION(leaf) < NEHALEM_CPUID_VERSION)
		return versions[VERSION(leaf)];
	if (GENERAL(leaf) < NEHALEM_GENERAL_COUNTERS)
		return counters[GENERAL(leaf)];
	if (GENERAL(leaf) > NEHALEM_GENERAL_COUNTERS)
		return "CPUID.0AH reports more than 4 general counters; this driver needs 4";
	if (GENERAL_WIDTH(leaf) != NEHALEM_COUNTER_WIDTH)
		return GENERAL_WIDTH(leaf) == 40 ?
			       "CPUID.0AH reports general counters of 40 bits; this driver needs "
			       "48" :
			       "CPUID.0AH reports general counters of other than 48 bits";
	if (FIXED(leaf) < NEHALEM_FIXED_COUNTERS)
		return fixed[FIXED(leaf)];
	if (FIXED(leaf) > NEHALEM_FIXED_COUNTERS)
		return "CPUID.0AH reports more than 3 fixed counters; this driver needs 3";
	return FIXED_WIDTH(leaf) == NEHALEM_COUNTER_WIDTH ? NULL :
							    "CPUID.0AH reports fixed counters of "
							    "other than 48 bits";
}

PMU_RARE static const char *nehalem_probe(struct pmu_shape *found)
{
	if (!is_nehalem())
		return "CPUID.01H reports another processor than family 6, model 1AH, 1EH, 1FH or "
		       "2EH";
	*found = shape;
	return other_shape();
}

PMU_RARE static bool nehalem_reset(void)
{
	const uint64_t all_overflows = REGISTER_BITS(IA32_PERF_GLOBAL_OVF_CTRL, W1C);
	bool ok = reg_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);

	for (unsigned i = 0; i < NEHALEM_GENERAL_COUNTERS; i++) {
		ok &= reg_write(MSR_IA32_PERFEVTSEL + i, REGISTER_RESET(IA32_PERFEVTSEL));
		ok &= reg_write(MSR_IA32_PMC + i, REGISTER_RESET(IA32_PMC));
	}
	ok &= reg_write(MSR_IA32_FIXED_CTR_CTRL, REGISTER_RESET(IA32_FIXED_CTR_CTRL));
	for (unsigned i = 0; i < NEHALEM_FIXED_COUNTERS; i++)
		ok &= reg_write(MSR_IA32_FIXED_CTR + i, REGISTER_RESET(IA32_FIXED_CTR));
	ok &= reg_write(MSR_IA32_DEBUGCTL, FIELD(IA32_DEBUGCTL, FREEZE_PERFMON_ON_PMI));
	ok &= nehalem_reset_recording();
	ok &= reg_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, all_overflows);
	*fixed_control() = REGISTER_RESET(IA32_FIXED_CTR_CTRL);
	return ok;
}

//
// Requests
//

// Only privilege levels qualify events of this PMU.
PMU_RARE static bool is_qualified(const struct event_request *r)
{
	return r->sets | r->code_range.given | r->data_range.given | r->opcode.given | r->tlb;
}

PMU_RARE static uint64_t nehalem_choices(const struct event_request *r)
{
	uint64_t choices = !is_qualified(r) && !nehalem_objection(r) ? event_counters(r) : 0;

	// A fixed counter has no threshold, so neither inversion nor edge detection. Edge detection
	// needs a threshold (the guide, text at Table 1).
	if (r->cmask || r->modifiers & (EVENT_INV | EVENT_EDGE))
		choices &= ~NEHALEM_FIXED_MASK;
	if (r->modifiers & (EVENT_INV | EVENT_EDGE) && !r->cmask)
		choices = 0;
	if (r->modifiers & EVENT_PRECISE)
		choices &= NEHALEM_GENERAL_MASK;
	if (r->counter != EVENT_ANY_COUNTER)
		choices &= 1ULL << r->counter;
	return choices;
}

PMU_RARE static uint64_t encode_fixed(const struct event_request *r, unsigned counter)
{
	uint64_t control = FIELD_PUT(IA32_FIXED_CTR_CTRL, EN0_OS, !!(r->modifiers & EVENT_OS)) |
			   FIELD_PUT(IA32_FIXED_CTR_CTRL, EN0_USR, !!(r->modifiers & EVENT_USER)) |
			   FIELD_PUT(IA32_FIXED_CTR_CTRL, AnyThr0, !!(r->modifiers & EVENT_ANY)) |
			   FIELD(IA32_FIXED_CTR_CTRL, PMI0);

	return control << fixed_shift(counter);
}

PMU_RARE static uint64_t nehalem_encode(const struct event_request *r, unsigned counter)
{
	if (counter >= FIRST_FIXED)
		return encode_fixed(r, counter);
	return FIELD_PUT(IA32_PERFEVTSEL, EVTSEL, event_code(r)) |
	       FIELD_PUT(IA32_PERFEVTSEL, EVTMSK, r->umask) |
	       FIELD_PUT(IA32_PERFEVTSEL, USR, !!(r->modifiers & EVENT_USER)) |
	       FIELD_PUT(IA32_PERFEVTSEL, OS, !!(r->modifiers & EVENT_OS)) |
	       FIELD_PUT(IA32_PERFEVTSEL, E, !!(r->modifiers & EVENT_EDGE)) |
	       FIELD_PUT(IA32_PERFEVTSEL, AnyThr, !!(r->modifiers & EVENT_ANY)) |
	       FIELD_PUT(IA32_PERFEVTSEL, INV, !!(r->modifiers & EVENT_INV)) |
	       FIELD_PUT(IA32_PERFEVTSEL, CMASK, r->cmask) |
	       FIELD_PUT(IA32_PERFEVTSEL, INT, !(r->modifiers & EVENT_PRECISE)) |
	       FIELD(IA32_PERFEVTSEL, EN);
}

//
// Counters
//

static uint32_t nehalem_address(unsigned counter)
{
	return counter < FIRST_FIXED ? MSR_IA32_PMC + counter :
	       MSR_IA32_FIXED_CTR + (counter - FIRST_FIXED);
}

static uint32_t nehalem_control(unsigned counter)
{
	return counter < FIRST_FIXED ? MSR_IA32_PERFEVTSEL + counter : MSR_IA32_FIXED_CTR_CTRL;
}

static bool nehalem_read(uint32_t address, uint64_t *value)
{
	*value = 0;
	return reg_read(address, value);
}

// A write sets 48 bits of a fixed counter and 32 of a general one, which is enough for `arm_most`.
static bool nehalem_write(uint32_t address, uint64_t value)
{
	return reg_write(address, value);
}

static bool nehalem_program(const struct pmu_counter *c, unsigned count)
{
	uint64_t fixed = 0;
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		ok &= reg_write(c->address, c->start);
		if (c->number < FIRST_FIXED)
			ok &= reg_write(MSR_IA32_PERFEVTSEL + c->number, c->select);
		else
			fixed |= c->select;
	}
	if (fixed) {
		*fixed_control() |= fixed;
		ok &= reg_write(MSR_IA32_FIXED_CTR_CTRL, *fixed_control());
	}
	return ok;
}

PMU_RARE static bool nehalem_release(const struct pmu_counter *c, unsigned count)
{
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		if (c->precise)
			ok &= nehalem_release_record(c);
		if (c->number < FIRST_FIXED)
			ok &= reg_write(MSR_IA32_PERFEVTSEL + c->number, 0);
		else
			*fixed_control() &= ~c->select;
	}
	return reg_write(MSR_IA32_FIXED_CTR_CTRL, *fixed_control()) && ok;
}

// The hardware freezes by clearing the enable bits of global control when it requests the overflow
// interrupt (SDM volume 3B, "Freezing LBR and Performance Counters on PMI"). Writing the bits again
// ends the freeze.
static bool nehalem_enable(uint64_t counters)
{
	return reg_write(MSR_IA32_PERF_GLOBAL_CTRL, counters);
}

// If a counter has overflowed between the read and the write, it has frozen the counters. The
// caller then serves it before counting continues, so the saved state is 0.
static bool nehalem_freeze(uint64_t *state)
{
	uint64_t overflowed = 0;
	bool ok;

	*state = 0;
	ok = reg_read(MSR_IA32_PERF_GLOBAL_CTRL, state) &&
		reg_write(MSR_IA32_PERF_GLOBAL_CTRL, 0) &&
	     reg_read(MSR_IA32_PERF_GLOBAL_STATUS, &overflowed);
	if (overflowed & pmu_this_cpu()->served)
		*state = 0;
	return ok;
}

static bool nehalem_overflow_status(uint64_t *overflowed)
{
	*overflowed = 0;
	return reg_read(MSR_IA32_PERF_GLOBAL_STATUS, overflowed);
}

static bool nehalem_overflow_clear(uint64_t overflowed)
{
	return reg_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, overflowed);
}

static const struct pmu_records records = {
	.modifiers = EVENT_BRANCHES,
	.payload = nehalem_payload,
	.explain = nehalem_explain_payload,
	.locate = nehalem_locate,
	.stopped = MSR_IA32_DEBUGCTL,
	.save = nehalem_recorded_save,
	.restore = nehalem_recorded_restore,
};

static const struct pmu_precise precise = {
	.status = FIELD(IA32_PERF_GLOBAL_STATUS, OvfBuf),
	.buffer = nehalem_buffer,
	.take = nehalem_take_records,
	.program = nehalem_program_precise,
	.end = nehalem_end_records,
};

static const struct pmu_package_signal package = {
	.status = FIELD(IA32_PERF_GLOBAL_STATUS, OvfUncore),
	.listen = nehalem_listen,
};

// The hardware has already frozen the counters. Another signal is possible only if this thread
// listens to the uncore's PMU.
static bool nehalem_hold(bool *more)
{
	*more = pmu_this_cpu()->shared_interrupt;
	return true;
}

extern const struct pmu_driver pmu_driver_nehalem;

static void nehalem_overflow_interrupt(uint64_t ip, unsigned level)
{
	pmu_overflow(&pmu_driver_nehalem, ip, level);
}

static enum pmu_error nehalem_start(struct pmu_session *session)
{
	return pmu_session_start(&pmu_driver_nehalem, session);
}

static enum pmu_error nehalem_stop(struct pmu_session *session)
{
	return pmu_session_stop(&pmu_driver_nehalem, session);
}

static const struct pmu_signal signal = {.interrupt = nehalem_overflow_interrupt,
					 .hold = nehalem_hold};

//
// PAL
//

// Register numbers in the masks of PAL_PERF_MON_INFO (README.md): control registers 0-3 are
// IA32_PERFEVTSEL0-3, 4 IA32_FIXED_CTR_CTRL, 5 IA32_PERF_GLOBAL_CTRL, 6 IA32_PERF_GLOBAL_OVF_CTRL;
// data registers 0-3 are IA32_PMC0-3, 4-6 IA32_FIXED_CTR0-2, 7 IA32_PERF_GLOBAL_STATUS.
static const struct pmu_monitor_information information = {
	.summary = PMU_SUMMARY(NEHALEM_GENERAL_COUNTERS, NEHALEM_COUNTER_WIDTH,
			       NEHALEM_EVENT_CYCLES, NEHALEM_EVENT_RETIRED),
	.retired_umask = NEHALEM_UMASK_RETIRED,
	.control_mask = 0x7F,
	.data_mask = 0xFF,
	.cycles_mask = NEHALEM_GENERAL_MASK,
	.retired_mask = NEHALEM_GENERAL_MASK,
};

extern const struct pmu_event_table pmu_events_nehalem;
extern const struct pmu_metric_table pmu_metrics_nehalem;
extern const struct pmu_profile_table pmu_profiles_nehalem;

const struct pmu_driver pmu_driver_nehalem = {
	.name = "nehalem",
	.libpfm = "nhm",
	.title = "Intel Core i7 / Xeon 5500",
	.events = &pmu_events_nehalem,
	.metrics = &pmu_metrics_nehalem,
	.profiles = &pmu_profiles_nehalem,
	.information = &information,
	.session = "INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD,CPU_CLK_UNHALTED.REF,"
		   "INST_RETIRED.ANY_P:period=100000,UOPS_RETIRED.ANY",
	.retired = "INST_RETIRED.ANY_P",
	.cycles = "CPU_CLK_UNHALTED.THREAD_P",
	.shape = &shape,
	.instruction_breakpoints = 4,
	.data_breakpoints = 4,
	.records = &records,
	.precise = &precise,
	.settings = &nehalem_settings,
	.package = &package,
	.signal = &signal,
	.probe = nehalem_probe,
	.reset = nehalem_reset,
	.choices = nehalem_choices,
	.encode = nehalem_encode,
	.objection = nehalem_objection,
	.address = nehalem_address,
	.control = nehalem_control,
	.program = nehalem_program,
	.release = nehalem_release,
	.enable = nehalem_enable,
	.freeze = nehalem_freeze,
	.thaw = nehalem_enable,
	.read = nehalem_read,
	.write = nehalem_write,
	.overflow_status = nehalem_overflow_status,
	.overflow_clear = nehalem_overflow_clear,
	.start = nehalem_start,
	.stop = nehalem_stop,
};
