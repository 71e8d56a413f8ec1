/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of kernels, by how they are booted. */
#ifndef GUEST_LOAD_KERNELS_H
#define GUEST_LOAD_KERNELS_H

#include "load_memory.h"

/* Whether the file is a kernel of this kind: has a Multiboot 1 header; a header of the Linux boot protocol. Others are
 * ELF files that say by a note that PVH boots them. */
bool load_is_multiboot(const struct load_file *file);
bool load_is_linux(const struct load_file *file);

/* Loads the guest. NULL: done, and `entry` says how it begins; else why not. */
const char *load_multiboot(const struct load_source *source, struct load_entry *entry);
const char *load_linux(const struct load_source *source, struct load_entry *entry);
const char *load_pvh(const struct load_source *source, struct load_entry *entry);

#endif
