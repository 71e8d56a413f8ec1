/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef QEMU_ALLOCATE_H
#define QEMU_ALLOCATE_H

#include <stddef.h>

/* Memory for good, all zero, aligned for the state of a PMU's model. Without it QEMU ends. */
void *allocate(size_t size);

#endif
