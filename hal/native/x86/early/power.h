/* SPDX-License-Identifier: BSD-2-Clause */
/* How the machine is switched off and reset. */
#ifndef EARLY_POWER_H
#define EARLY_POWER_H

/* Fills x86_early.power, as far as ACPI says anything. */
void power_find(void);

#endif
