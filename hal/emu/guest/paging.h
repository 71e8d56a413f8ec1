/* SPDX-License-Identifier: BSD-2-Clause */
/* A guest's linear addresses, through its own page tables, in any mode (SDM volume 3A, chapter "Paging"). */
#ifndef GUEST_PAGING_H
#define GUEST_PAGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vmcb.h"

#define PAGING_PAGE	4096
#define PAGING_NOWHERE	UINT64_MAX

/* Who can read the guest's memory: `table` returns the bytes at a physical address, NULL if it has none there. */
struct paging {
	const void *(*table)(const void *context, uint64_t address, size_t size);
	const void *context;
};

/* The physical address of a read or a write by level 0; PAGING_NOWHERE: it faults. */
uint64_t paging_translate(const struct paging *paging, const struct vmcb *vmcb, uint64_t linear, bool write);

#endif
