/* SPDX-License-Identifier: BSD-2-Clause */
/* A CPU's own data. There is one CPU. */
#ifndef SPARC64_THIS_CPU_H
#define SPARC64_THIS_CPU_H

/* Offsets in struct sparc64_this_cpu, for assembly. */
#define THIS_CPU_PMI_HANDLER	0
#define THIS_CPU_USER_RETURN	8

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

struct sparc64_this_cpu {
	/* What arch_pmi_entry calls; during a halt another one. */
	void (*pmi_handler)(uint64_t ip, unsigned level);
	uint64_t user_return_stack;	/* stack pointer of who called a function at the lowest privilege level */
	void (*pmi_handler_outside_halt)(uint64_t ip, unsigned level);
	void (*halt_woken)(void);	/* of the halt in progress, if any */
	void *data;			/* hal_cpu_set_data's */
};

_Static_assert(offsetof(struct sparc64_this_cpu, pmi_handler) == THIS_CPU_PMI_HANDLER, "layout");
_Static_assert(offsetof(struct sparc64_this_cpu, user_return_stack) == THIS_CPU_USER_RETURN, "layout");

extern struct sparc64_this_cpu sparc64_this_cpu;

#endif
#endif
