/* SPDX-License-Identifier: BSD-2-Clause */
/* The state that the trap entry saves and restores (vectors.S). A handler may change it. */
#ifndef SPARC64_FRAME_H
#define SPARC64_FRAME_H

#include <stdint.h>

struct arch_frame {
	uint64_t g[8], o[8], l[8], i[8];
	uint64_t tstate, tpc, tnpc, tt;
	uint64_t y, tl;		/* not restored */
};

#define TSTATE_PRIV	(1ULL << 10)	/* PSTATE.priv of the interrupted code */

/* Continues after the trapping instruction. */
static inline void sparc64_frame_skip(struct arch_frame *frame)
{
	frame->tpc = frame->tnpc;
	frame->tnpc += 4;
}

#endif
