/* SPDX-License-Identifier: BSD-2-Clause */
/* What an instruction is that the monitor lets its guest execute alone: a branch, a locked access; and the one that it
 * executes for it. 64-bit mode (SDM volume 2, chapter 2 and appendix A; volume 3A, "Bus Locking"). */
#ifndef SVM_DECODE_H
#define SVM_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECODE_LONGEST 15	/* bytes of an instruction */

/* What addresses are made from. */
struct decode_context {
	uint64_t ip;
	uint64_t general[16];	/* RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8-R15: by their numbers in instructions */
	uint64_t fs_base, gs_base;
};

struct decoded {
	uint8_t kind;		/* of a branch: OCCURRENCE_KIND_* (model.h); 0: it is none */
	uint8_t condition;	/* of a conditional one to the next instruction: its opcode, 70H-7FH, 80H-8FH (behind
				 * 0FH) or E0H-E3H; else 0 */
	uint8_t count_size;	/* of its count register, CX, ECX or RCX: bytes */
	uint64_t next;		/* of a branch: address of the instruction behind it */
	uint8_t lock_size;	/* of a locked access: bytes (of a bit string, the word addressed); 0: it is none */
	uint64_t lock_address;
};

/* Looks at `size` bytes, at most DECODE_LONGEST. What is not whole is nothing; of an invalid instruction it may say
 * what its opcode is otherwise. */
struct decoded decode(const uint8_t *bytes, size_t size, const struct decode_context *context);

/* Whether a branch that has been executed was taken: `ip`, `flags` and `count` (RCX) are what it has left. Only
 * conditional ones may not be; one to the next instruction goes there in any case: what it looked at says which. */
bool decode_is_taken(const struct decoded *branch, uint64_t ip, uint64_t flags, uint64_t count);

/* How many of these bytes are SPFLT, which says whether counters that are left to the program count: by bit 0 of
 * general register *number. 0: they are no such instruction. Intel Xeon Phi Coprocessor Performance Monitoring Units,
 * 1.4.2; VEX.LIG.F2.0F.WIG AE 11:110:rrr, spelled as other VEX instructions (SDM volume 2, 2.3). */
unsigned decode_spflt(const uint8_t *bytes, size_t size, unsigned *number);

/* Whether a locked access is a bus lock: it is in two cache lines. */
static inline bool decode_is_bus_lock(const struct decoded *d)
{
	return d->lock_size && d->lock_address % 64 + d->lock_size > 64;
}

#endif
