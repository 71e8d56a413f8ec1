/* SPDX-License-Identifier: BSD-2-Clause */
/* System management interrupts (SMI: SDM volume 3C, "System Management Mode"). Whatever raises one, its handler would
 * be code of the guest's memory that executes beneath the monitor: each CPU gets the monitor's handler, which says so
 * and ends the run. */
#ifndef GUEST_SMM_H
#define GUEST_SMM_H

#include <stdbool.h>

/* Moves this CPU's handler, before it has a guest. False: it does not take the interrupts by which that is done. */
bool smm_begin(unsigned cpu);

#endif
