/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef QEMU_ALLOCATE_H
#define QEMU_ALLOCATE_H

#include <stddef.h>

/* Returns zeroed memory that is never freed, aligned for the state of a PMU's model. If there is none, QEMU ends. */
void *allocate(size_t size);

#endif
