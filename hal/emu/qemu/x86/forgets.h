/* SPDX-License-Identifier: BSD-2-Clause */
/* x86 instructions that flush TLBs or caches, by their encodings. */
#ifndef QEMU_FORGETS_H
#define QEMU_FORGETS_H

#include <stddef.h>
#include <stdint.h>

enum forgets {
	FORGETS_NOTHING,
	FORGETS_TRANSLATIONS,	/* MOV to CR3, INVLPG */
	FORGETS_CACHES,		/* WBINVD */
};

enum forgets forgets_of(const uint8_t *bytes, size_t size);

#endif
