/* SPDX-License-Identifier: BSD-2-Clause */
/* SPFLT, an instruction that QEMU's processors lack: bit 0 of a general register sets the user
 * filter of counters. Intel Xeon Phi Coprocessor Performance Monitoring Units, 1.4.2;
 * VEX.LIG.F2.0F.WIG AE 11:110:rrr, encoded like other VEX instructions (SDM volume 2, 2.3). */
#ifndef QEMU_SPFLT_H
#define QEMU_SPFLT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns SPFLT's length in bytes, and its general register in *number; 0: another instruction. */
unsigned spflt_decode(const uint8_t *bytes, size_t size, unsigned *number);

#endif
