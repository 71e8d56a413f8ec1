/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sample's payload says, in words that do not depend on the target: for tools that print it. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <stdint.h>

#define PAYLOAD_PARTS	96	/* of one payload, at most */

enum payload_kind {
	PAYLOAD_NUMBER,
	PAYLOAD_ADDRESS,
	PAYLOAD_CODE,		/* a number that has a name: `text` */
	PAYLOAD_CONTENTS,	/* what a general register had */
	PAYLOAD_REGISTER,	/* a register's number; `text` is what comes before it */
};

/* One value. Of an event address: valid (0: nothing was captured, and no other part follows); ip, slot, line, address;
 * latency (cycles) or level (who served the translation miss). Of a branch trace, oldest first: branch, then slot or,
 * if it was not taken, taken (0), then mispredicted; target; behind them last, the entry that was written last. Of last
 * branch records likewise: branch, mispredicted, target. Of a record of the processor's: flags, ip and the general
 * registers by their names; then, of a load's latency, address, source, missed (1: the last-level cache), latency. */
struct payload_part {
	const char *name;
	uint64_t value;
	enum payload_kind kind;
	const char *text;
};

#endif
