/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a sample's payload, with names that do not depend on the target, for tools that
 * print them. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

#define PAYLOAD_PARTS	128	/* of a payload, at most */

enum payload_kind {
	PAYLOAD_NUMBER,
	PAYLOAD_ADDRESS,
	PAYLOAD_CODE,		/* a number whose name is `text` */
	PAYLOAD_CONTENTS,	/* contents of a general register */
	PAYLOAD_REGISTER,	/* number of a register; `text` is its prefix */
};

/* One value of a payload. The names, in order:
 *	event address: valid (0: nothing captured, no other part follows); ip, slot, line, address;
 *		latency (cycles) or level (that served the translation miss)
 *	branch trace, oldest branch first: branch; slot, or taken (0) if it was not taken;
 *		mispredicted; target; after all branches: last, the entry written last
 *	last branch records, oldest first: branch, mispredicted (if recorded), target, cycles (core
 *		cycles since the previous record, if recorded)
 *	precise record: flags, ip, the general registers by name; for load latency also address,
 *		source, served (enum payload_served), latency; for all events of loads or of stores
 *		access (enum payload_access), and served if the event implies it */
struct payload_part {
	const char *name;
	uint64_t value;
	enum payload_kind kind;
	const char *text;
};

enum payload_access { PAYLOAD_NO_ACCESS, PAYLOAD_LOAD, PAYLOAD_STORE };

/* The part of the memory system that served a load. SHARED: other caches have copies. */
enum payload_served {
	SERVED_UNKNOWN, SERVED_L1, SERVED_FILL_BUFFER, SERVED_L2,
	SERVED_L3, SERVED_L3_CLEAN, SERVED_L3_MODIFIED,		/* another core's copy: none, clean,
								 * modified */
	SERVED_REMOTE_CLEAN, SERVED_REMOTE_MODIFIED,		/* another package's cache */
	SERVED_MEMORY_SHARED, SERVED_REMOTE_MEMORY_SHARED, SERVED_MEMORY, SERVED_REMOTE_MEMORY,
	SERVED_IO, SERVED_UNCACHEABLE,
	SERVED_KINDS
};

/* Whether a load missed the last-level cache ("L3 CACHE Miss" in the guide's Table 5). */
static inline bool served_missed(enum payload_served served)
{
	return served >= SERVED_REMOTE_CLEAN && served <= SERVED_REMOTE_MEMORY;
}

/* The event that counts all loads which missed it. */
#define SERVED_MISSED_EVENT "MEM_LOAD_RETIRED.LLC_MISS"

#endif
