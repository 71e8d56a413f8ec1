// SPDX-License-Identifier: BSD-2-Clause
// Registers that events of the Core i7 / Xeon 5500 core need in addition to their counters: checks
// of requests for precise events, load latency, offcore response and branch records, and the values
// that they need.

#include "driver.h"
#include "event.h"
#include "field.h"
#include "hal.h"
#include "lbr.h"
#include "pmu_driver.h"
#include "regs.h"

/* a counter is armed for a whole period at once */
#define MOST_PRECISE_PERIOD	((1ULL << 31) - 1)

// SDM volume 3B, "Load Latency Performance Monitoring Facility": no load takes less than 4 cycles.
#define LEAST_LATENCY_THRESHOLD	3

// The guide's Table 9, and the encodings listed below it.
#define REQUEST_OTHER		0x80
#define RESPONSE_OTHER_CORE_HIT	0x0200
#define RESPONSE_LOCAL_DRAM	0x4000

static bool is_load_latency(const struct event_request *r)
{
	return r->event->setting_address == MSR_PEBS_LD_LAT;
}

static uint64_t latency_threshold(const struct event_request *r)
{
	return r->latency ? r->latency : r->extra;
}

//
// Refused requests
//

static const char *object_to_precise(const struct event_request *r)
{
	if (!r->event->precise)
		return "the processor writes no records of this event";
	if (!r->period)
		return "a precise event is sampled: it needs a period";
	if (r->period > MOST_PRECISE_PERIOD)
		return "the period of a precise event is at most 2147483647";
	if (r->modifiers & EVENT_ANY)
		return "a record is of its own thread: a precise event cannot count all threads";
	if (r->counter >= NEHALEM_GENERAL_COUNTERS)
		return "only counters 0, 1, 2 and 3 have records";
	return NULL;
}

static const char *object_to_latency(const struct event_request *r)
{
	const uint64_t threshold = latency_threshold(r);

	if (!(r->modifiers & EVENT_PRECISE))
		return "load latency is counted only where records of it are written: it needs p "
		       "and a period";
	if (threshold & ~REGISTER_BITS(PEBS_LD_LAT, RW))
		return "a latency threshold is at most 65535";
	if (threshold < LEAST_LATENCY_THRESHOLD)
		return "a latency threshold is at least 3; MEM_INST_RETIRED.LOADS has all loads";
	if (r->cmask || r->modifiers & (EVENT_INV | EVENT_EDGE))
		return "load latency has no threshold of events, inversion or edge detection";
	return NULL;
}

static const char *object_to_offcore(const struct event_request *r)
{
	const uint64_t requests = r->extra & FIELD(OFFCORE_RSP_0, REQUEST);

	if (r->extra & ~REGISTER_BITS(OFFCORE_RSP_0, RW))
		return "an offcore response has request types in bits 7 to 0, response types in "
		       "bits 15 to 8, and no "
		       "others";
	if (!requests || !(r->extra & FIELD(OFFCORE_RSP_0, RESPONSE)))
		return "an offcore response needs a request type (bits 7 to 0) and a response type "
		       "(bits 15 to 8)";
	if (requests == REQUEST_OTHER && r->extra & RESPONSE_LOCAL_DRAM &&
	    !(r->extra & RESPONSE_OTHER_CORE_HIT))
		return "an erratum counts non-temporal stores to local memory as "
		       "LLC_OTHER_CORE_HIT: include that "
		       "response, as OTHER.LOCAL_CACHE_DRAM (msr=0x4780) and OTHER.ANY_CACHE_DRAM "
		       "(msr=0x7f80) do";
	return NULL;
}

// USR means levels 1 to 3, of which systems use 3.
#define LOWER_LEVELS	0xE
#define LOWEST_LEVEL	0x8

const char *nehalem_objection(const struct event_request *r)
{
	const unsigned lower = r->levels & LOWER_LEVELS;
	const char *why = r->modifiers & EVENT_PRECISE ? object_to_precise(r) : NULL;

	if (why)
		return why;
	if (lower && lower != LOWEST_LEVEL && lower != LOWER_LEVELS)
		return "levels 1 to 3 are counted together (USR): not 1 or 2 without 3";
	if (r->modifiers & EVENT_PREFERRED)
		return "this processor has no SPFLT user filter (spflt)";
	if (r->modifiers & EVENT_MONITORS)
		return "this PMU has no pins and no event address registers (ev, oi, dear, iear)";
	switch (r->event->setting_address) {
	case MSR_PEBS_LD_LAT:
		why = object_to_latency(r);
		break;
	case MSR_OFFCORE_RSP_0:
		why = object_to_offcore(r);
		break;
	default:
		why = r->extra ? "no register goes with this event: it has no msr" : NULL;
	}
	if (!why && r->latency && !is_load_latency(r))
		why = "only load latency events have a latency";
	return why ? why : lbr_objection(r);
}

//
// Settings
//

static struct pmu_setting *need(struct pmu_setting *s, uint32_t address, uint64_t mask,
				uint64_t value)
{
	*s = (struct pmu_setting){.address = address, .mask = mask, .value = value};
	return s + 1;
}

// All events with branch records share one filter, so that none finds branches missing that another
// excludes.
static struct pmu_setting *need_branches(struct pmu_setting *s, const struct event_request *r)
{
	const uint64_t record = FIELD(IA32_DEBUGCTL, LBR) |
		FIELD(IA32_DEBUGCTL, FREEZE_LBRS_ON_PMI);

	s = need(s, MSR_LBR_SELECT, REGISTER_BITS(LBR_SELECT, RW), r->branches);
	return need(s, MSR_IA32_DEBUGCTL, record, record);
}

struct pmu_setting nehalem_records_setting(unsigned counter, bool latency)
{
	const uint64_t record = FIELD_PUT(IA32_PEBS_ENABLE, PEBS_EN_PMC, 1u << counter);
	const uint64_t both = record | FIELD_PUT(IA32_PEBS_ENABLE, LL_EN_PMC, 1u << counter);

	return (struct pmu_setting){.address = MSR_IA32_PEBS_ENABLE, .mask = both,
				    .value = latency ? both : record};
}

// The branch records that belong to a precise record are valid only until the program continues, so
// each record interrupts.
static struct pmu_setting *need_records(struct pmu_setting *s, const struct event_request *r,
					unsigned counter)
{
	s = need(s, MSR_IA32_DS_AREA, NEHALEM_EACH_RECORD,
		 r->modifiers & EVENT_BRANCHES ? NEHALEM_EACH_RECORD : 0);
	*s = nehalem_records_setting(counter, is_load_latency(r));
	return s + 1;
}

static unsigned needed_settings(const struct event_request *r, unsigned counter,
				struct pmu_setting settings[PMU_EVENT_SETTINGS])
{
	struct pmu_setting *s = settings;

	if (is_load_latency(r))
		s = need(s, MSR_PEBS_LD_LAT, REGISTER_BITS(PEBS_LD_LAT, RW), latency_threshold(r));
	else if (r->event->setting_address == MSR_OFFCORE_RSP_0)
		s = need(s, MSR_OFFCORE_RSP_0, REGISTER_BITS(OFFCORE_RSP_0, RW), r->extra);
	if (r->modifiers & EVENT_BRANCHES)
		s = need_branches(s, r);
	if (r->modifiers & EVENT_PRECISE)
		s = need_records(s, r, counter);
	return (unsigned)(s - settings);
}

#define SHARED_(R)
#define SHARED_COUNTER(R)
#define SHARED_CORE(R) {MSR_##R, #R},
#define SHARED(R, address, count, ...) SHARED_##__VA_ARGS__(R)
static const struct pmu_core_register core_registers[] = {NEHALEM_REGISTERS(SHARED)};
_Static_assert(sizeof core_registers / sizeof *core_registers <= PMU_CORE_REGISTERS,
	       "there is room for them");

const struct pmu_settings nehalem_settings = {
	.needed = needed_settings,
	.core = core_registers,
	.core_count = sizeof core_registers / sizeof *core_registers,
};
