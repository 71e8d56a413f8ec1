/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches in ACPI's tables before the image is known to be able to run. */
#ifndef EARLY_H
#define EARLY_H

/* Fills x86_early.power with the ACPI data that exists. */
void early_find_power(void);

/* Fills x86_early.cpu with the CPUs that are on. */
void early_find_processors(void);

#endif
