/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the parts of the driver of Intel's architectural performance monitoring: driver.c
 * (counting and sampling), driver_probe.c (CPUID), driver_request.c (requests), driver_lbr.c and
 * driver_records.c (branch records). */
#ifndef INTEL_DRIVER_H
#define INTEL_DRIVER_H

#include "by_select.h"
#include "event.h"
#include "field.h"
#include "hal.h"
#include "lbr.h"
#include "path.h"
#include "plain_request.h"
#include "pmu_driver.h"
#include "regs.h"

/* Results of the probe, besides the shape. All CPUs have the same. */
struct intel_found {
	bool global;		/* version 2 or later: global registers */
	bool freezes;		/* the overflow interrupt can freeze the counters */
	bool streamlined;	/* version 4 or later: IA32_PERF_GLOBAL_STATUS shows the freeze */
	bool any_thread;
	bool full_width;	/* IA32_A_PMC exists */
	uint8_t general;	/* number of general counters */
	uint8_t lbr_format;	/* IA32_PERF_CAPABILITIES.LBR_FMT */
	struct lbr_stack lbr;	/* depth 0: no branch records that this driver knows */
	bool lbr_filters;	/* they can be filtered by level and kind */
	uint32_t absent;	/* architectural events that the processor lacks, as in leaf 0AH,
				 * EBX */
};

extern struct intel_found intel_found;
extern struct pmu_shape intel_shape;
extern struct pmu_monitor_information intel_information;

const char *intel_probe(struct pmu_shape *shape);

const char *intel_objection(const struct event_request *r);
uint64_t intel_choices(const struct event_request *r);
uint64_t intel_encode(const struct event_request *r, unsigned counter);

/* A format of branch records: bits of a source that are flags, of a target that are cycles. `info`:
 * both are in a register of their own. */
struct intel_format {
	bool known, info;
	uint64_t flags, cycles;
};

/* driver_lbr.c. intel_format: NULL for an unknown format. */
const struct intel_format *intel_format(uint64_t number);
void intel_find_branches(struct intel_found *found, uint64_t capabilities);

/* driver_records.c. */
extern const struct pmu_settings intel_settings;
bool intel_reset_branches(void);
unsigned intel_payload(const struct pmu_counter *c, uint64_t words[PMU_PAYLOAD_WORDS]);
unsigned intel_explain(const struct event_request *r, const uint64_t *words, unsigned count,
		       struct payload_part parts[PAYLOAD_PARTS]);
bool intel_save_branches(uint64_t values[PMU_RECORDED]);
bool intel_restore_branches(const uint64_t values[PMU_RECORDED]);

/* Returns the number of branch records of a thread; 0: none. The self test also calls it. */
unsigned intel_branch_records(void);

static inline unsigned intel_fixed_shift(unsigned counter)
{
	return (counter - INTEL_FIRST_FIXED) * INTEL_FIXED_CONTROL_BITS;
}

#endif
