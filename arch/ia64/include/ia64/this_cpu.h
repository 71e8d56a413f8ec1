/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU's own data. There is one CPU. */
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
	uint64_t pmi_handler;	/* code, as functions' pointers are all (-mno-pic) */
	void *data;		/* hal_cpu_set_data's */

	/* Where calls are followed: the handler, and ar.bsp as arch_pmi_entry calls it, below which the register stack
	 * is in memory. */
	uint64_t following_handler, handler_bsp;
};

_Static_assert(offsetof(struct ia64_this_cpu, pmi_handler) == THIS_CPU_PMI_HANDLER, "layout");
_Static_assert(offsetof(struct ia64_this_cpu, following_handler) == THIS_CPU_FOLLOWING_HANDLER, "layout");
_Static_assert(offsetof(struct ia64_this_cpu, handler_bsp) == THIS_CPU_HANDLER_BSP, "layout");

/* What arch_pmi_entry calls where calls are followed (vectors.S): notes the register stack, and goes to the handler. */
void ia64_following_handler(uint64_t ip, unsigned level);

extern struct ia64_this_cpu ia64_this_cpu;

#endif
#endif
