// SPDX-License-Identifier: BSD-2-Clause
// Of the image that tests the hyperprivileged monitor: mailboxes that are not the monitor's.

#include "mailbox.h"

#define SHARED_MEMORY 0x80010000	/* of the memory that the emulator shares, what is not the monitor's */

unsigned mailbox_wrong(void);

extern const uint32_t ring_instruction[];

__attribute__((noipa)) static void ring_at(void *ring)
{
	register uintptr_t g1 __asm__("g1") = (uintptr_t)ring - MAILBOX_RING_DISPLACEMENT;

	__asm__ volatile("ring_instruction: stw %%g0, [%%g1 + %0]"
			 : : "i"(MAILBOX_RING_DISPLACEMENT), "r"(g1) : "memory");
}

static bool is_left_alone(struct mailbox *box)
{
	*box = (struct mailbox){
		.ring = 7, .call = __builtin_bswap32(MAILBOX_RUN), .self = __builtin_bswap64((uintptr_t)box),
	};
	ring_at(&box->ring);
	return box->ring == 0 && !box->answers;
}

// How many of these: the instruction is not the one that rings, or something else has happened than a store to a
// mailbox in the program's memory, or in the emulator's.
unsigned mailbox_wrong(void)
{
	static struct mailbox own;

	return (*ring_instruction != MAILBOX_RING_STW) + !is_left_alone(&own) +
	       !is_left_alone((struct mailbox *)SHARED_MEMORY);
}
