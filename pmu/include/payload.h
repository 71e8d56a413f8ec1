/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a sample's payload, with names that do not depend on the target: for tools that print it. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <stdint.h>

#define PAYLOAD_PARTS	96	/* of one payload, at most */

enum payload_kind {
	PAYLOAD_NUMBER,
	PAYLOAD_ADDRESS,
	PAYLOAD_CODE,		/* a number with a name: `text` */
	PAYLOAD_CONTENTS,	/* of a general register */
	PAYLOAD_REGISTER,	/* a register's number; `text` is its prefix */
};

/* One value. Parts of an event address: valid (0: no capture, and no other part follows); ip, slot, line, address;
 * latency (cycles) or level (that served the translation miss). Of a branch trace, oldest first: branch, then slot or,
 * if it was not taken, taken (0), then mispredicted; target; finally last, the entry written last. Of last branch
 * records likewise: branch, mispredicted, target. Of a processor's record: flags, ip and the general registers by their
 * names; then, for load latency, address, source, missed (1: the last-level cache), latency. */
struct payload_part {
	const char *name;
	uint64_t value;
	enum payload_kind kind;
	const char *text;
};

#endif
