// SPDX-License-Identifier: BSD-2-Clause
// What the machine has that its PMUs see: machine.h.

#include "machine.h"

#include <stdio.h>
#include <stdlib.h>

#include "../model/memory.h"
#include "timed.h"

static void (*make_models)(const struct processor *processor);
static const char *processor_name;	// NULL: the PMU's
static struct processor processor;
static bool known;			// what it is
static unsigned packages = 1;

void machine_begin(void (*make)(const struct processor *processor))
{
	make_models = make;
}

void machine_describe(const char *name)
{
	processor_name = name;
}

const struct processor *machine_processor(void)
{
	return known ? &processor : NULL;
}

void machine_divide(unsigned into)
{
	packages = into;
}

unsigned machine_packages(void)
{
	return packages;
}

static bool load(const struct pmu_model *model)
{
	static const struct processor_needs none;
	const char *name = processor_name ? processor_name : model->name;

	if (timed_is_used && model->clock_address) {
		fprintf(stderr, "palmon plugin: CLOCK=timed: the time-stamp counter of %s is its PMU's\n", model->name);
		return false;
	}
	if (!processor_load(&processor, name, timed_is_used ? &timed_needs : &none)) {
		if (timed_is_used)
			fprintf(stderr, "palmon plugin: CLOCK=timed needs its latencies and width of issue\n");
		return false;
	}
	if (packages && packages <= (processor.inclusive[CACHE_L3] ? MEMORY_PACKAGES : 1))
		return true;
	fprintf(stderr, "palmon plugin: SOCKETS=%u: %u are the most here, with an inclusive L3 cache\n", packages,
		MEMORY_PACKAGES);
	return false;
}

void machine_make(const struct pmu_model *model)
{
	if (known)
		return;
	known = load(model);
	if (!known)
		exit(1);
	make_models(&processor);
}
