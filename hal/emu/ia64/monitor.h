/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor's performance monitor: a model (model.h), and access to its registers. */
#ifndef IA64_MONITOR_H
#define IA64_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

struct machine;
struct op;
struct pmu_model;

/* Attaches a performance monitor to the processor. The other arguments are those of vpmu_start.
 * Returns false if the model has no such fault, or the host has no memory. */
bool ia64_attach(struct machine *m, const struct pmu_model *model, void *state, const char *fault,
		 uint64_t seed);

/* Selects the timed clock for all further instructions. */
void ia64_set_timed(struct machine *m);

/* Addresses of registers in the model: a file and the register's number. */
enum ia64_file {
	FILE_PMC = 0x000, FILE_PMD = 0x100, FILE_IBR = 0x200, FILE_DBR = 0x300, FILE_CR = 0x400,
	FILE_PSR = 0x500, FILE_AR = 0x600,
};

/* Access the monitor's registers. `op`: the writing instruction. Return false if there is no
 * monitor, or the access faults. */
bool ia64_monitor_read(struct machine *m, uint32_t address, uint64_t *value);
bool ia64_monitor_write(struct machine *m, const struct op *op, uint32_t address, uint64_t value);

#endif
