/* SPDX-License-Identifier: BSD-2-Clause */
/* PREFETCHh in a block of x86 code: which address it has. The emulator does not compute it. But it may follow from that
 * of another access of the block, through registers that do not change in between. */
#ifndef PLUGIN_PREFETCHES_H
#define PLUGIN_PREFETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prefetch {
	size_t of;		/* the instruction whose access it is beside, the only one of its operands in memory, */
	bool loads;		/* which it loads, or only stores, */
	int32_t distance;	/* so many bytes behind that */
	uint8_t hint;		/* 0 to 3: NTA, T0, T1, T2 */
};

/* Of the instruction of this number, of so many whose bytes these are; `bits`: the code's width. False: it is no
 * PREFETCHh, or its address cannot be told. */
bool prefetches_find(struct prefetch *p, const uint8_t *bytes, const uint8_t *sizes, size_t count, unsigned bits,
		     size_t number);

#endif
