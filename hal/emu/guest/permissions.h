/* SPDX-License-Identifier: BSD-2-Clause */
/* The map of the registers that end a guest's quantum (APM volume 2, 15.11), which all CPUs share. */
#ifndef GUEST_PERMISSIONS_H
#define GUEST_PERMISSIONS_H

#include "vmcb.h"

#define PERMISSION_READ		1u
#define PERMISSION_WRITE	2u

/* Which accesses to a register do: one below 2000H, or of the 2000H from C0000000H or C0010000H on. */
void permissions_set(const struct vmcb *vmcb, uint32_t msr, unsigned intercepted);

#endif
