/* SPDX-License-Identifier: BSD-2-Clause */
/* The vCPU in a callback; the start of the callbacks. */
#ifndef QEMU_PLUGIN_PLUGIN_H
#define QEMU_PLUGIN_PLUGIN_H

#include "isa.h"

/* A register of the PMU has been written: interrupts may be due, and other instructions may have to be followed. */
void plugin_changed(const struct cpu *c);

/* QEMU's state of the vCPU is exact from here on, and its block must be left before the callback returns. */
void plugin_restore(struct cpu *c);

/* Whether the clock of packages is the machine's, which goes on while all CPUs halt. */
bool plugin_has_idle_time(void);

/* Guests may ask the plugin what it can raise. */
extern bool plugin_announces;

/* The vCPU in a callback with this number. */
struct cpu *plugin_cpu(unsigned number);

/* The vCPU that the calling thread executes. */
struct cpu *plugin_running(void);

/* Asks QEMU for all callbacks, for guests of this instruction set. `any_processor`: -cpu need not match the PMU. */
void plugin_begin(qemu_plugin_id_t id, const struct isa *isa, bool any_processor);

#endif
