/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the parts of the driver of AMD's core PMU: driver.c (counting and sampling),
 * driver_probe.c (CPUID), driver_request.c (requests). */
#ifndef AMD_DRIVER_H
#define AMD_DRIVER_H

#include "by_select.h"
#include "event.h"
#include "field.h"
#include "hal.h"
#include "path.h"
#include "plain_driver.h"
#include "plain_request.h"
#include "pmu_driver.h"
#include "regs.h"

/* Results of the probe, besides the shape. All CPUs have the same. */
struct amd_found {
	uint16_t family;
	bool extended;		/* PERF_CTL and PERF_CTR exist */
	bool global;		/* PerfMonV2: global registers */
	bool freezes;		/* the overflow interrupt can freeze the counters */
};

extern struct amd_found amd_found;
extern struct pmu_shape amd_shape;
extern struct pmu_monitor_information amd_information;

const char *amd_probe(struct pmu_shape *shape);

const char *amd_objection(const struct event_request *r);
uint64_t amd_choices(const struct event_request *r);
uint64_t amd_encode(const struct event_request *r, unsigned counter);

#endif
