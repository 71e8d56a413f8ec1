/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a sample's payload, with names that do not depend on the target, for tools that
 * print them. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <stdint.h>

#define PAYLOAD_PARTS	96	/* of a payload, at most */

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
 *	last branch records, oldest first: branch, mispredicted, target
 *	precise record: flags, ip, the general registers by name; for load latency also address,
 *		source, missed (1: the last-level cache), latency */
struct payload_part {
	const char *name;
	uint64_t value;
	enum payload_kind kind;
	const char *text;
};

#endif
