/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef QEMU_ALLOCATE_H
#define QEMU_ALLOCATE_H

#include <stddef.h>

/* Returns zeroed memory, aligned for the state of a PMU model and never freed. Ends QEMU if out of
 * memory. */
void *allocate(size_t size);

#endif
