/* SPDX-License-Identifier: BSD-2-Clause */
/* Per-CPU data, of the machine's only CPU. */
#ifndef SPARC64_THIS_CPU_H
#define SPARC64_THIS_CPU_H

/* Offsets in struct sparc64_this_cpu, for assembly. */
#define THIS_CPU_PMI_HANDLER	0
#define THIS_CPU_USER_RETURN	8
#define THIS_CPU_FOLLOWING_HANDLER 40
#define THIS_CPU_ENTRY_WINDOW	48
#define THIS_CPU_OTHER_WINDOWS	56
#define THIS_CPU_OWN_WINDOWS	64
#define THIS_CPU_WINDOW		72	/* %i6 and %i7 of each window */

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

#include "layout.h"

struct sparc64_window {
	uint64_t i6, i7;
};

struct sparc64_this_cpu {
	/* The handler that arch_pmi_entry calls; another one during a halt. */
	void (*pmi_handler)(uint64_t ip, unsigned level);
	uint64_t user_return_stack;	/* stack pointer of sparc64_call_user */
	void (*pmi_handler_outside_halt)(uint64_t ip, unsigned level);
	void (*halt_woken)(void);	/* of the halt in progress, if any */
	void *data;			/* of hal_cpu_set_data */

	/* After arch_follow_calls: the handler, and the windows at its call: the number of
	 * arch_pmi_entry's window, the numbers of the program's and of the runtime's windows in
	 * registers, and the windows. */
	void (*following_handler)(uint64_t ip, unsigned level);
	uint64_t entry_window, other_windows, own_windows;
	struct sparc64_window window[WINDOWS];
};

_Static_assert(offsetof(struct sparc64_this_cpu, pmi_handler) == THIS_CPU_PMI_HANDLER, "layout");
_Static_assert(offsetof(struct sparc64_this_cpu, user_return_stack) == THIS_CPU_USER_RETURN,
	       "layout");
_Static_assert(offsetof(struct sparc64_this_cpu, following_handler) == THIS_CPU_FOLLOWING_HANDLER,
	       "layout");
_Static_assert(offsetof(struct sparc64_this_cpu, entry_window) == THIS_CPU_ENTRY_WINDOW, "layout");
_Static_assert(offsetof(struct sparc64_this_cpu, other_windows) == THIS_CPU_OTHER_WINDOWS,
	       "layout");
_Static_assert(offsetof(struct sparc64_this_cpu, own_windows) == THIS_CPU_OWN_WINDOWS, "layout");
_Static_assert(offsetof(struct sparc64_this_cpu, window) == THIS_CPU_WINDOW, "layout");

/* The handler that arch_pmi_entry calls after arch_follow_calls (vectors.S): records the windows,
 * then jumps to following_handler. */
void sparc64_following_handler(uint64_t ip, unsigned level);

extern struct sparc64_this_cpu sparc64_this_cpu;

#endif
#endif
