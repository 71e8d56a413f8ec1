/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's description of the machine. */
#ifndef GUEST_TABLES_H
#define GUEST_TABLES_H

/* Takes the HPET, which is the monitor's, out of it. */
void tables_hide_hpet(void);

#endif
