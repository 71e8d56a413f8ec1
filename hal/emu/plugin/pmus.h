/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's PMUs: one for each core, which its hardware threads share, and one that the cores share, if there is
 * one. They start when the monitors do. */
#ifndef PLUGIN_PMUS_H
#define PLUGIN_PMUS_H

#include <stdint.h>

#include "guest.h"
#include "mailbox.h"
#include "vector.h"
#include "vpmu.h"

struct pmus_cpu {
	struct vpmu vpmu;	/* without a model before it has started */
	struct mailbox *box;	/* NULL: it has no monitor yet */
	uint64_t uncounted;	/* cycles since some counter counted */
	uint64_t address;	/* the mailbox's, physical */
	unsigned package, core;
	uint64_t frame;		/* the monitor's of its guest */
	struct vector_unit vector;
	struct guest guest;	/* around the core whose first thread it is, */
	struct guest *around;	/* which is this one's */
};

extern struct pmus_cpu pmus[VPMU_CPUS];

/* Of the PMU that the cores share. NULL: they share none. */
extern const struct pmu_model *pmus_shared_model;

/* Starts the CPU's PMU, as MAILBOX_START asks for; says there why it does not. */
void pmus_start(struct pmus_cpu *cpu, struct mailbox *box);

#endif
