/* SPDX-License-Identifier: BSD-2-Clause */
/* SPFLT, an instruction that QEMU's processors lack: whether counters that are left to the program count, by bit 0 of a
 * general register. Intel Xeon Phi Coprocessor Performance Monitoring Units, 1.4.2; VEX.LIG.F2.0F.WIG AE 11:110:rrr,
 * spelled as other VEX instructions (SDM volume 2, 2.3). */
#ifndef QEMU_SPFLT_H
#define QEMU_SPFLT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many of these bytes are SPFLT, of general register *number. 0: they are no such instruction. */
unsigned spflt_decode(const uint8_t *bytes, size_t size, unsigned *number);

#endif
