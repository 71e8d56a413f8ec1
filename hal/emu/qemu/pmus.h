/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMUs of the machine: a model for each core, and one for each package whose cores share a PMU. */
#ifndef QEMU_PMUS_H
#define QEMU_PMUS_H

#include "isa.h"

/* Chooses the model, one of the instruction set's, by its name, and one of its faults (FAULT= of README.md; "":
 * none). NULL, or the problem in one line. Before the machine is made. */
const char *pmus_choose(const struct isa *isa, const char *pmu, const char *fault);

/* Interrupts and faults add to counts (struct model_raised). After pmus_choose; NULL, or the problem. */
const char *pmus_count_interruptions(void);

/* Gives a vCPU its PMU. NULL, or the problem. */
const char *pmus_join(struct cpu *c, const struct isa_place *place, const struct model_processor *around);

/* The cores' model, without a fault. */
const struct pmu_model *pmus_model(void);

/* What some counter of the machine selects, and finds that anew. */
extern bool pmus_wanted[HAPPENING_COUNT];
void pmus_select(void);

/* NULL: there is no such core. */
struct core *pmus_core(unsigned package, unsigned number);

/* The machine cannot have several packages. Before the first vCPU begins. */
void pmus_refuse_packages(void);

/* The PMU of a package; NULL: there is none. And whether a counter of some package counts. */
struct vpmu_package *pmus_package(unsigned number);
bool pmus_packages_count(void);

/* Resets all PMUs, as a reset of the machine does. Before timeline_forget of all vCPUs. */
void pmus_reset(void);

/* Whether the vCPU's core or package has a register at this address. */
bool pmus_has(const struct cpu *c, uint32_t address);

/* The vCPU has written it. */
void pmus_written(struct cpu *c, uint32_t address, uint64_t value);

/* Whether this machine can raise an event of the core's PMU, or of the package's, as registers qualify it now. *exact:
 * the architecture says when it does; else a model of the processor. */
bool pmus_can_raise(const struct cpu *c, bool of_package, uint16_t code, uint8_t umask, bool *exact);

/* Whether some counter of the vCPU's core or package counts, or branches are recorded: its instructions matter. Its
 * predictor also learns while an event of predictions is selected and does not count: what it has learned must not
 * depend on whether other vCPUs count. */
bool pmus_count(const struct cpu *c);

#endif
