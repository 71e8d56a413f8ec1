/* SPDX-License-Identifier: BSD-2-Clause */
/* What retires of the guests' blocks, and what the models get of it. */
#ifndef PLUGIN_RETIRE_H
#define PLUGIN_RETIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block.h"
#include "feed.h"
#include "issued.h"
#include "predictions.h"

/* What has retired on a CPU before its next block. */
struct retires {
	struct block_before before;
	struct issuing issuing;		/* as that has left the pipes, while a counter looks at them */
};

/* Of a block the last instruction that has retired, its number, leads to `next`; not what it raises. */
static inline struct feed_instruction retire_last_of(unsigned cpu, const struct block *block, size_t number,
						     uint64_t next)
{
	const bool ends = number == block->count - 1;
	struct feed_instruction i = {
		.position = feeds[cpu].position, .ip = ends ? block->end : block_address(block, number), .to = next,
		.branch = ends ? block->led[next != block->behind] : 0,
	};

	if (i.branch && feeds[cpu].predicted)
		predictions_see(cpu, &i, block->behind);
	return i;
}

/* The first `retired` instructions of a block have retired; the last one's position (feed.h) is the feed's, and it
 * leads to `next`. The last one of a quantum is the one that an overflow belongs to. */
void retire(unsigned cpu, struct retires *before, const struct block *block, size_t retired, uint64_t next,
	    bool is_last);

/* The last instruction of a block, which has led there, was not known to have retired, and has. */
void retire_late(unsigned cpu, const struct retires *before, const struct block *block, uint64_t next);

#endif
