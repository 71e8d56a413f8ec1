/* SPDX-License-Identifier: BSD-2-Clause */
/* Control of the host shim, for tests and tools. */
#ifndef SHIM_H
#define SHIM_H

#include "vpmu.h"

/* Starts the machine anew with a PMU of `target`, reset, with `fault` switched on ("" for none), interrupts on.
 * Lives until the next call or shim_end. False: there is no such target or fault, or no memory. */
bool shim_start(const char *target, const char *fault);
void shim_end(void);

/* Chooses what register values are that the manual leaves undefined, for the next shim_start. */
void shim_seed(uint64_t value);

/* Calls `watch` with each register that is written from now on, until the next shim_start. */
void shim_watch_writes(void (*watch)(uint32_t address, uint64_t value));

/* The virtual PMU beneath the registers. */
struct vpmu *shim_vpmu(void);

/* Memory that hal_memory_writable admits. */
void shim_allow_memory(const void *start, size_t size);

#endif
