// SPDX-License-Identifier: BSD-2-Clause
// Driver of the Core i7 / Xeon 5500 uncore PMU. Registers and fields are in regs.h. The core's lock
// of the shared PMU (pmu/core/package.c) guards this file's variables.

#include "event.h"
#include "field.h"
#include "hal.h"
#include "package.h"
#include "pmu_driver.h"
#include "regs.h"

#define ALL_COUNTERS (UNCORE_GENERAL_MASK | UNCORE_FIXED_MASK)

extern const struct pmu_driver pmu_driver_nehalem, pmu_driver_nehalem_uncore;

// The occupancy for which each general counter's tracker has been initialized, as EVTSEL and
// EVTMSK; 0 for none.
static uint32_t tracked[UNCORE_GENERAL_COUNTERS];

static const struct pmu_shape shape = {
	.counters = ALL_COUNTERS,
	.fixed = UNCORE_FIXED_MASK,
	.width = UNCORE_COUNTER_WIDTH,
	.arm_least = PMU_ARM_LEAST,
	.arm_most = 1ULL << (UNCORE_COUNTER_WIDTH - 1),
	.features = PMU_FEATURE_FREEZE | PMU_FEATURE_GLOBAL | PMU_FEATURE_THRESHOLD,
};

// Family 6, models 1AH (Core i7, Xeon 5500), 1EH and 1FH (Lynnfield, Havendale).
static bool is_nehalem(unsigned family, unsigned model)
{
	return family == 6 && (model == 0x1A || model == 0x1E || model == 0x1F);
}

static const char *uncore_probe(struct pmu_shape *found)
{
	unsigned family, model;
	uint32_t leaf[4];

	hal_identify(1, 0, leaf);
	family = leaf[0] >> 8 & 0xF;
	model = (leaf[0] >> 4 & 0xF) | (leaf[0] >> 12 & 0xF0);
	if (family == 6 && model == 0x2E)
		return "CPUID.01H reports model 2EH, a Xeon 7500: it has another uncore PMU";
	if (!is_nehalem(family, model))
		return "CPUID.01H reports another processor than family 6, model 1AH, 1EH or 1FH";
	*found = shape;
	return NULL;
}

static bool uncore_reset(void)
{
	bool ok = reg_write(MSR_UNCORE_PERF_GLOBAL_CTRL, REGISTER_RESET(UNCORE_PERF_GLOBAL_CTRL));

	for (unsigned i = 0; i < UNCORE_GENERAL_COUNTERS; i++) {
		ok &= reg_write(MSR_UNCORE_PERFEVTSEL + i, REGISTER_RESET(UNCORE_PERFEVTSEL));
		ok &= reg_write(MSR_UNCORE_PMC + i, REGISTER_RESET(UNCORE_PMC));
		tracked[i] = 0;
	}
	ok &= reg_write(MSR_UNCORE_FIXED_CTR_CTRL, REGISTER_RESET(UNCORE_FIXED_CTR_CTRL));
	ok &= reg_write(MSR_UNCORE_FIXED_CTR0, REGISTER_RESET(UNCORE_FIXED_CTR0));
	ok &= reg_write(MSR_UNCORE_ADDR_OPCODE_MATCH, REGISTER_RESET(UNCORE_ADDR_OPCODE_MATCH));
	ok &= reg_write(MSR_GQ_SNOOP_MESF, REGISTER_RESET(GQ_SNOOP_MESF));
	return reg_write(MSR_UNCORE_PERF_GLOBAL_OVF_CTRL,
			 REGISTER_BITS(UNCORE_PERF_GLOBAL_OVF_CTRL, W1C)) && ok;
}

//
// Requests
//

#define ALL_LEVELS ((1u << EVENT_LEVELS) - 1)

// Returns the writable bits of an event's register.
static uint64_t setting_mask(uint32_t address)
{
	return address == MSR_GQ_SNOOP_MESF ? REGISTER_BITS(GQ_SNOOP_MESF, RW) :
					      REGISTER_BITS(UNCORE_ADDR_OPCODE_MATCH, RW);
}

// Edge detection counts how often the condition of CMASK begins; INV inverts that condition.
// Without CMASK there is no condition.
static bool lacks_threshold(const struct event_request *r)
{
	return r->modifiers & (EVENT_INV | EVENT_EDGE) && !r->cmask;
}

static bool is_qualified(const struct event_request *r)
{
	return r->sets | r->code_range.given | r->data_range.given | r->opcode.given | r->tlb;
}

static const char *uncore_objection(const struct event_request *r)
{
	if (r->levels != ALL_LEVELS)
		return "the uncore does not know who caused an event: privilege levels (u, k, plm) "
		       "do not qualify it";
	if (r->modifiers & EVENT_ANY)
		return "the uncore counts for all threads of all cores: there is no 't'";
	if (r->modifiers & EVENT_PREFERRED)
		return "this PMU has no SPFLT user filter (spflt)";
	if (r->modifiers & EVENT_OPEN)
		return "no instruction of programs reads counters of the uncore (open)";
	if (r->modifiers & EVENT_MONITORS)
		return "this PMU has no pins and no event address registers (ev, oi, dear, iear)";
	if (r->modifiers & EVENT_PRECISE)
		return "the uncore writes no records: its events are not precise";
	if (r->modifiers & EVENT_BRANCHES || r->branches)
		return "branches are recorded by cores: samples of the uncore carry none";
	if (r->latency)
		return "the uncore measures no latency of loads: divide an occupancy by its "
		       "requests";
	if (is_qualified(r))
		return "addresses, encodings and instruction sets do not qualify events of the "
		       "uncore";
	if (lacks_threshold(r))
		return "inversion and edge detection need a threshold";
	if (r->event->counters & UNCORE_FIXED_MASK && r->cmask)
		return "the fixed counter has no threshold";
	if (!r->event->setting_address && r->extra)
		return "the event needs no register in addition to its counter";
	if (r->event->setting_address && r->extra & ~setting_mask(r->event->setting_address))
		return "the value has bits that the event's register reserves";
	return NULL;
}

static uint64_t uncore_choices(const struct event_request *r)
{
	uint64_t choices = uncore_objection(r) ? 0 : event_counters(r);

	return r->counter == EVENT_ANY_COUNTER ? choices : choices & 1ULL << r->counter;
}

static uint64_t uncore_encode(const struct event_request *r, unsigned counter)
{
	if (counter == UNCORE_FIXED)
		return FIELD(UNCORE_FIXED_CTR_CTRL, EN) | FIELD(UNCORE_FIXED_CTR_CTRL, PMI);
	return FIELD_PUT(UNCORE_PERFEVTSEL, EVTSEL, event_code(r)) |
	       FIELD_PUT(UNCORE_PERFEVTSEL, EVTMSK, r->umask) |
	       FIELD_PUT(UNCORE_PERFEVTSEL, E, !!(r->modifiers & EVENT_EDGE)) |
	       FIELD_PUT(UNCORE_PERFEVTSEL, INV, !!(r->modifiers & EVENT_INV)) |
	       FIELD_PUT(UNCORE_PERFEVTSEL, CMASK, r->cmask) |
	       FIELD(UNCORE_PERFEVTSEL, PMI) | FIELD(UNCORE_PERFEVTSEL, EN);
}

static unsigned uncore_settings(const struct event_request *r, unsigned counter,
				struct pmu_setting settings[PMU_EVENT_SETTINGS])
{
	const uint32_t address = r->event->setting_address;

	(void)counter;
	if (!address)
		return 0;
	settings[0] = (struct pmu_setting){.address = address, .mask = setting_mask(address),
					   .value = r->extra};
	return 1;
}

static const struct pmu_settings settings = {.needed = uncore_settings};

//
// Counters
//

static uint32_t uncore_address(unsigned counter)
{
	return counter == UNCORE_FIXED ? MSR_UNCORE_FIXED_CTR0 : MSR_UNCORE_PMC + counter;
}

static uint32_t uncore_control(unsigned counter)
{
	return counter == UNCORE_FIXED ? MSR_UNCORE_FIXED_CTR_CTRL : MSR_UNCORE_PERFEVTSEL +
	       counter;
}

static bool uncore_read(uint32_t address, uint64_t *value)
{
	*value = 0;
	return reg_read(address, value);
}

static bool uncore_write(uint32_t address, uint64_t value)
{
	return reg_write(address, value);
}

// Returns the event and unit mask of a select that counts a queue's occupancy, else 0.
static uint32_t occupancy_of(uint64_t select)
{
	switch (FIELD_GET(UNCORE_PERFEVTSEL, EVTSEL, select)) {
	case UNCORE_EVENT_GQ_OCCUPANCY:
	case UNCORE_EVENT_QHL_OCCUPANCY:
	case UNCORE_EVENT_IMC_OCCUPANCY:
	case UNCORE_EVENT_ISOC_OCCUPANCY:
		return (uint32_t)(select & (FIELD(UNCORE_PERFEVTSEL, EVTSEL) |
					    FIELD(UNCORE_PERFEVTSEL, EVTMSK)));
	default:
		return 0;
	}
}

// The guide, "The Global Queue": a counter's occupancy is right only if the queue was empty when
// its tracker was reset. OCC_CTR_RST resets the tracker, and a bus lock, which waits for all
// requests, empties the queue. Later the counter can be stopped, started, read and armed without
// another lock.
static bool program_select(unsigned counter, uint64_t select)
{
	uint32_t occupancy = occupancy_of(select);
	bool ok;

	if (!occupancy || occupancy == tracked[counter]) {
		tracked[counter] = occupancy;
		return reg_write(MSR_UNCORE_PERFEVTSEL + counter, select);
	}
	ok = reg_write(MSR_UNCORE_PERFEVTSEL + counter,
		       select | FIELD(UNCORE_PERFEVTSEL, OCC_CTR_RST));
	hal_bus_lock();
	pmu_count_bus_lock();
	tracked[counter] = occupancy;
	return ok;
}

static bool uncore_program(const struct pmu_counter *c, unsigned count)
{
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		ok &= reg_write(c->address, c->start);
		ok &= c->number == UNCORE_FIXED ? reg_write(MSR_UNCORE_FIXED_CTR_CTRL, c->select) :
						  program_select(c->number, c->select);
	}
	return ok;
}

static bool uncore_release(const struct pmu_counter *c, unsigned count)
{
	bool ok = true;

	for (const struct pmu_counter *end = c + count; c < end; c++) {
		ok &= reg_write(uncore_control(c->number), 0);
		if (c->number != UNCORE_FIXED)
			tracked[c->number] = 0;
	}
	return ok;
}

// Returns the EN_PMI_CORE bits of the cores whose CPUs take part.
static uint64_t signalled_cores(void)
{
	uint64_t cores = 0;

	for (uint32_t cpus = pmu_shared_cpus(); cpus; cpus &= cpus - 1) {
		unsigned core, thread;

		hal_topology((unsigned)__builtin_ctz(cpus), &core, &thread);
		cores |= 1ULL << core;
	}
	return FIELD_PUT(UNCORE_PERF_GLOBAL_CTRL, EN_PMI_CORE, cores);
}

// The hardware freezes by clearing the enable bits when it signals; writing them again ends the
// freeze.
static bool uncore_enable(uint64_t counters)
{
	return reg_write(MSR_UNCORE_PERF_GLOBAL_CTRL,
			 counters | signalled_cores() | FIELD(UNCORE_PERF_GLOBAL_CTRL, PMI_FRZ));
}

static bool uncore_freeze(uint64_t *state)
{
	*state = 0;
	return reg_read(MSR_UNCORE_PERF_GLOBAL_CTRL, state) &&
	       reg_write(MSR_UNCORE_PERF_GLOBAL_CTRL, *state & ~ALL_COUNTERS);
}

static bool uncore_thaw(uint64_t state)
{
	return reg_write(MSR_UNCORE_PERF_GLOBAL_CTRL, state);
}

static bool uncore_overflow_status(uint64_t *overflowed)
{
	*overflowed = 0;
	if (!reg_read(MSR_UNCORE_PERF_GLOBAL_STATUS, overflowed))
		return false;
	*overflowed &= ALL_COUNTERS;
	return true;
}

// Clears the summary bits, too.
static bool uncore_overflow_clear(uint64_t overflowed)
{
	return reg_write(MSR_UNCORE_PERF_GLOBAL_OVF_CTRL,
			 overflowed | FIELD(UNCORE_PERF_GLOBAL_OVF_CTRL, CLR_OVF_PMI) |
							  FIELD(UNCORE_PERF_GLOBAL_OVF_CTRL,
								CLR_CHG));
}

static enum pmu_error uncore_start(struct pmu_session *session)
{
	return pmu_shared_start(&pmu_driver_nehalem_uncore, session);
}

static enum pmu_error uncore_stop(struct pmu_session *session)
{
	return pmu_shared_stop(&pmu_driver_nehalem_uncore, session);
}

//
// PAL
//

// Register numbers in the masks of PAL_PERF_MON_INFO (README.md): control registers 0-7 are
// UNCORE_PERFEVTSEL0-7, 8 UNCORE_FIXED_CTR_CTRL, 9 UNCORE_PERF_GLOBAL_CTRL, 10
// UNCORE_PERF_GLOBAL_OVF_CTRL, 11 UNCORE_ADDR_OPCODE_MATCH, 12 GQ_SNOOP_MESF; data registers 0-7
// are UNCORE_PMC0-7, 8 UNCORE_FIXED_CTR0, 9 UNCORE_PERF_GLOBAL_STATUS. No general counter counts
// cycles or retired instructions, so their event codes are 0.
static const struct pmu_monitor_information information = {
	.summary = PMU_SUMMARY(UNCORE_GENERAL_COUNTERS, UNCORE_COUNTER_WIDTH, 0, 0),
	.control_mask = 0x1FFF,
	.data_mask = 0x3FF,
	.cycles_mask = 1 << UNCORE_GENERAL_COUNTERS,
};

extern const struct pmu_event_table pmu_events_nehalem_uncore;
extern const struct pmu_metric_table pmu_metrics_nehalem_uncore;

const struct pmu_driver pmu_driver_nehalem_uncore = {
	.name = "nehalem-uncore",
	.libpfm = "nhm_unc",
	.title = "Core i7 / Xeon 5500 uncore",
	.events = &pmu_events_nehalem_uncore,
	.metrics = &pmu_metrics_nehalem_uncore,
	.information = &information,
	.session =
		"UNC_CLK_UNHALTED,UNC_GQ_TRACKER_OCCUP.RT,UNC_GQ_ALLOC.RT,"
		"UNC_QHL_REQUESTS.LOCAL_READS,"
		   "UNC_IMC_NORMAL_READS.ANY,UNC_IMC_WRITES.FULL.ANY",
	.cycles = "UNC_CLK_UNHALTED",
	.shape = &shape,
	.cores = &pmu_driver_nehalem,
	.settings = &settings,
	.probe = uncore_probe,
	.reset = uncore_reset,
	.choices = uncore_choices,
	.encode = uncore_encode,
	.objection = uncore_objection,
	.address = uncore_address,
	.control = uncore_control,
	.program = uncore_program,
	.release = uncore_release,
	.enable = uncore_enable,
	.freeze = uncore_freeze,
	.thaw = uncore_thaw,
	.read = uncore_read,
	.write = uncore_write,
	.overflow_status = uncore_overflow_status,
	.overflow_clear = uncore_overflow_clear,
	.start = uncore_start,
	.stop = uncore_stop,
};
