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

/* Lets cycles pass in which `wires` happen (model.h) instead of the instruction clock's, up to the one in which an
 * overflow interrupt is taken; its handler runs in no time. Returns how many have passed: call it again for the rest.
 * The wires must stay until the next call. */
uint64_t shim_feed(const struct occurrence *wires, size_t count, uint64_t cycles);

/* Memory that hal_memory_writable admits. */
void shim_allow_memory(const void *start, size_t size);

#endif
