/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's configuration device (QEMU, docs/specs/fw_cfg.txt). It can write to any memory: what the guest asks of it is
 * done within the guest's. */
#ifndef GUEST_CONFIGURATION_H
#define GUEST_CONFIGURATION_H

#include <stdint.h>

/* The two halves of a descriptor's address; the write of the second one starts. */
#define PORT_CONFIGURATION_DMA		0x514
#define PORT_CONFIGURATION_DMA_COUNT	8

/* How many CPUs the machine has. */
unsigned configuration_cpus(void);

/* Carries out the guest's write of `size` bytes to a port of the DMA. */
void configuration_write(uint16_t port, unsigned size, uint32_t value);

#endif
