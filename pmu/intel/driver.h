/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the parts of the driver of Intel's architectural performance monitoring: driver.c
 * (counting and sampling), driver_probe.c (CPUID), driver_request.c (requests). */
#ifndef INTEL_DRIVER_H
#define INTEL_DRIVER_H

#include "by_select.h"
#include "event.h"
#include "field.h"
#include "hal.h"
#include "path.h"
#include "plain_request.h"
#include "pmu_driver.h"
#include "regs.h"

/* What the probe has found, besides the shape. All CPUs are alike. */
struct intel_found {
	bool global;		/* version 2 or later: global registers */
	bool freezes;		/* the overflow interrupt can freeze the counters */
	bool streamlined;	/* version 4 or later: IA32_PERF_GLOBAL_STATUS shows the freeze */
	bool any_thread;
	bool full_width;	/* IA32_A_PMC exists */
	uint8_t general;	/* number of general counters */
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

static inline unsigned intel_fixed_shift(unsigned counter)
{
	return (counter - INTEL_FIRST_FIXED) * INTEL_FIXED_CONTROL_BITS;
}

#endif
