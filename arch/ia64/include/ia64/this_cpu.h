/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU's own data. There is one CPU. */
#ifndef IA64_THIS_CPU_H
#define IA64_THIS_CPU_H

/* Offsets in struct ia64_this_cpu, for assembly. */
#define THIS_CPU_PMI_HANDLER	0

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

struct ia64_this_cpu {
	uint64_t pmi_handler;	/* code, as functions' pointers are all (-mno-pic) */
	void *data;		/* hal_cpu_set_data's */
};

_Static_assert(offsetof(struct ia64_this_cpu, pmi_handler) == THIS_CPU_PMI_HANDLER, "layout");

extern struct ia64_this_cpu ia64_this_cpu;

#endif
#endif
