// SPDX-License-Identifier: BSD-2-Clause
// The uncore model's defects.

#include "steps.h"

#include "../faults.h"

static uint64_t bus_lock(const struct step *s)
{
	(void)s;
	model->package->bus_lock(pmu);
	return 0;
}

#define LOCK			{bus_lock}

// Counts event 08H, unit mask 1, which occurs in each of ten cycles, on counter 0 with these bits
// in its select.
#define HIT			{0x08, 1, 1}
#define COUNTED(select) \
	PUT(PERFEVTSEL0, EVENT(0x08, 1) | (select)), PUT(GLOBAL_CTRL, 1), EVENTS(10, HIT), GET(PMC0)

// Counter 3 overflows in cycle 10 of 20; the fixed counter counts all 20.
#define OVERFLOW_3(flags, control)								\
	PUT(PERFEVTSEL0 + 3, EVENT(0x08, 1) | EN | (flags)), PUT(PMC0 + 3, MODULUS - 10),	\
	PUT(FIXED_CTR_CTRL, 1),	\
	PUT(GLOBAL_CTRL, 8 | FIXED_BIT | (control)), EVENTS(20, HIT, {CLOCK, 0, 1})

static const struct fault_row rows[] = {
	{"reset-value", {GET(GLOBAL_CTRL)}, 0},
	{"select-stuck", {PUT(PERFEVTSEL0 + 1, 0x1000), GET(PERFEVTSEL0 + 1)}, 0x1000},
	{"counter-stuck", {GET(PMC0 + 2)}, 0},
	{"reads-ones", {GET(PMC0)}, 0},
	{"writes-lost", {PUT(PMC0, 5), GET(PMC0)}, 5},
	{"counter-narrow", {PUT(PMC0, MODULUS / 2), GET(PMC0)}, MODULUS / 2},
	{"access-unchecked", {TAKES(PERFEVTSEL0, 1u << 16)}, false},
	{"en-ignored", {COUNTED(0)}, 0},
	{"global-ignored", {PUT(FIXED_CTR_CTRL, 1), EVENTS(10, {CLOCK, 0, 1}), GET(FIXED_CTR0)}, 0},
	{"fixed-missing", {PUT(FIXED_CTR_CTRL, 1), PUT(GLOBAL_CTRL, FIXED_BIT),
			   EVENTS(10, {CLOCK, 0, 1}), GET(FIXED_CTR0)}, 10},
	{"inv-ignored", {COUNTED(EN | CMASK(1) | INV)}, 0},
	{"inv-alone", {COUNTED(EN | INV)}, 10},
	{"edge-ignored", {COUNTED(EN | CMASK(1) | E)}, 1},
	{"edge-lost", {COUNTED(EN | CMASK(1) | E)}, 1},
	{"status-lost", {OVERFLOW_3(0, 0), GET(GLOBAL_STATUS)}, 8 | CHG},
	{"pmi-missing", {OVERFLOW_3(PMI, CORES(7)), REQUESTS}, 7},
	{"pmi-always", {OVERFLOW_3(0, CORES(7)), REQUESTS}, 0},
	{"broadcast-lost", {OVERFLOW_3(PMI, CORES(7)), REQUESTS}, 7},
	{"freeze-missing", {OVERFLOW_3(PMI, CORES(1) | PMI_FRZ), GET(FIXED_CTR0)}, 10},
	{"acknowledge-all", {OVERFLOW_3(PMI, 0), PUT(GLOBAL_OVF_CTRL, 8), GET(GLOBAL_STATUS)},
	 OVF_PMI | CHG},
	{"acknowledge-lost", {OVERFLOW_3(PMI, 0), PUT(GLOBAL_OVF_CTRL, 8), GET(GLOBAL_STATUS)},
	 OVF_PMI | CHG},
	{"occupancy-not-reset", {PUT(PERFEVTSEL0, EVENT(0x02, 1) | EN | OCC_RST),
				 PUT(GLOBAL_CTRL, 1), LOCK, CYCLES_MORE(10), GET(PMC0)}, 0},
};

static const struct fault_table table = FAULT_TABLE(rows);

int main(void)
{
	const struct CMUnitTest tests[] = {FAULT_TESTS};

	return cmocka_run_group_tests_name("nehalem-uncore model: faults", tests, find_model,
					   release_model);
}
