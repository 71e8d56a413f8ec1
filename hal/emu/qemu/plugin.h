/* SPDX-License-Identifier: BSD-2-Clause */
/* The vCPU of a callback; registration of all callbacks. */
#ifndef QEMU_PLUGIN_PLUGIN_H
#define QEMU_PLUGIN_PLUGIN_H

#include "isa.h"

/* Call after a PMU register was written: interrupts may be due, and other callbacks may be
 * needed. */
void plugin_changed(const struct cpu *c);

/* Makes QEMU's state of the vCPU exact. The callback must then leave the block before it
 * returns. */
void plugin_restore(struct cpu *c);

/* Returns true if the packages' clock follows the machine's, which also runs while all CPUs
 * halt. */
bool plugin_has_idle_time(void);

/* Guests may query the events that the machine raises. */
extern bool plugin_announces;

/* Returns the vCPU of a callback with this number. */
struct cpu *plugin_cpu(unsigned number);

/* Returns the vCPU that the calling thread executes. */
struct cpu *plugin_running(void);

/* Registers all callbacks, for guests of this instruction set. `any_processor`: -cpu need not match
 * the PMU. `choose`, for a PMU that is not chosen yet: chooses it when the first vCPU begins, and
 * returns NULL, or the problem, "" if it is already printed. */
void plugin_begin(qemu_plugin_id_t id, const struct isa *isa, bool any_processor,
		  const char *(*choose)(const struct cpu *first));

#endif
