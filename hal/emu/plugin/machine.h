/* SPDX-License-Identifier: BSD-2-Clause */
/* What the machine has that its PMUs see: a processor, in so many packages. */
#ifndef PLUGIN_MACHINE_H
#define PLUGIN_MACHINE_H

#include "../model/processor.h"
#include "model.h"

/* Has `make` make the models of caches, TLBs and memory, of the machine's processor, when a PMU starts that sees
 * them. */
void machine_begin(void (*make)(const struct processor *processor));

/* The processor that the machine has, by the name of its description (hal/emu/model), or the name of a file with one,
 * with a '/' in it. Before a monitor starts; else it is the PMU's. */
void machine_describe(const char *name);

/* A PMU of this model starts that sees them: makes them, if they have not been made. Ends the emulator if there is no
 * such processor. */
void machine_make(const struct pmu_model *model);

/* What it is. NULL: they have not been made. */
const struct processor *machine_processor(void);

/* The machine has so many packages, at most MEMORY_PACKAGES (memory.h), each an equal part of the memory. Before a
 * monitor starts; else one. */
void machine_divide(unsigned packages);
unsigned machine_packages(void);

#endif
