/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's PMUs: one model per core, and one per package if its cores share a PMU. */
#ifndef QEMU_PMUS_H
#define QEMU_PMUS_H

#include "isa.h"

/* Chooses a PMU model of this instruction set by name, and one of its defects (FAULT= of README.md;
 * "": none). Returns NULL, or the problem in one line. Call it before QEMU makes the machine. */
const char *pmus_choose(const struct isa *isa, const char *pmu, const char *fault);

/* Gives the PMU other numbers. Call it after pmus_choose. Returns NULL, or the problem. */
const char *pmus_choose_numbers(const struct model_choice *choice);

/* Makes interrupts and faults add to counts (struct model_raised). Call it after pmus_choose.
 * Returns NULL, or the problem. */
const char *pmus_count_interruptions(void);

/* Gives a vCPU its PMU. Returns NULL, or the problem. */
const char *pmus_join(struct cpu *c, const struct isa_place *place,
		      const struct model_processor *around);

/* Returns the cores' model, without a defect. */
const struct pmu_model *pmus_model(void);

/* By cpu event: some counter of the machine counts it. pmus_select computes it again. */
extern bool pmus_wanted[CPU_EVENT_COUNT];
void pmus_select(void);

/* Returns a core, or NULL. */
struct core *pmus_core(unsigned package, unsigned number);

/* Refuses machines with several packages. Call it before the first vCPU begins. */
void pmus_refuse_packages(void);

/* Returns the PMU of a package, or NULL; returns whether a counter of any package counts. */
struct vpmu_package *pmus_package(unsigned number);
bool pmus_packages_count(void);

/* Resets all PMUs, as a reset of the machine does. Call it before timeline_forget of all vCPUs. */
void pmus_reset(void);

/* Returns true if the vCPU's core or package has a register at this address. */
bool pmus_has(const struct cpu *c, uint32_t address);

/* Reports that the vCPU has written the register. */
void pmus_written(struct cpu *c, uint32_t address, uint64_t value);

/* Returns true if this machine can raise an event of the core's or the package's PMU, as currently
 * qualified by registers. *exact: the architecture defines the event; else a model of the processor
 * does. */
bool pmus_can_raise(const struct cpu *c, bool of_package, uint16_t code, uint8_t umask,
		    bool *exact);

/* Returns true if the vCPU's instructions matter: some counter of its core or package counts, or
 * branches are recorded. Also while an event of predictions is selected but stopped: the predictor
 * must not depend on whether other vCPUs count. */
bool pmus_count(const struct cpu *c);

#endif
