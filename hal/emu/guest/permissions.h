/* SPDX-License-Identifier: BSD-2-Clause */
/* The MSR permission map (APM volume 2, 15.11), which all CPUs share: which accesses of the guest exit. */
#ifndef GUEST_PERMISSIONS_H
#define GUEST_PERMISSIONS_H

#include "vmcb.h"

#define PERMISSION_READ		1u
#define PERMISSION_WRITE	2u

/* Sets which accesses to a register exit. The map has registers below 2000H, and 2000H each from C0000000H and from
 * C0010000H on. */
void permissions_set(const struct vmcb *vmcb, uint32_t msr, unsigned intercepted);

#endif
