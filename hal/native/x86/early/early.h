/* SPDX-License-Identifier: BSD-2-Clause */
/* What is found in ACPI's tables, before it is known whether the image can run. */
#ifndef EARLY_H
#define EARLY_H

/* Fills x86_early.power, as far as ACPI says anything. */
void early_find_power(void);

/* Fills x86_early.cpu: CPUs that are on. */
void early_find_processors(void);

#endif
