/* SPDX-License-Identifier: BSD-2-Clause */
/* Per-CPU data, of the machine's only CPU. */
#ifndef IA64_THIS_CPU_H
#define IA64_THIS_CPU_H

/* Offsets in struct ia64_this_cpu, for assembly. */
#define THIS_CPU_PMI_HANDLER	0
#define THIS_CPU_FOLLOWING_HANDLER 16
#define THIS_CPU_HANDLER_BSP	24

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

struct ia64_this_cpu {
	uint64_t pmi_handler;	/* code address, not a descriptor (-mno-pic) */
	void *data;		/* of hal_cpu_set_data */

	/* After arch_follow_calls: the handler, and ar.bsp when it is called, below which the
	 * register stack is in memory. */
	uint64_t following_handler, handler_bsp;
};

_Static_assert(offsetof(struct ia64_this_cpu, pmi_handler) == THIS_CPU_PMI_HANDLER, "layout");
_Static_assert(offsetof(struct ia64_this_cpu, following_handler) == THIS_CPU_FOLLOWING_HANDLER,
	       "layout");
_Static_assert(offsetof(struct ia64_this_cpu, handler_bsp) == THIS_CPU_HANDLER_BSP, "layout");

/* The handler that arch_pmi_entry calls after arch_follow_calls (vectors.S): records the register
 * stack, then jumps to following_handler. */
void ia64_following_handler(uint64_t ip, unsigned level);

extern struct ia64_this_cpu ia64_this_cpu;

#endif
#endif
