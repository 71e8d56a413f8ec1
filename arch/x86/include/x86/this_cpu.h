/* SPDX-License-Identifier: BSD-2-Clause */
/* Each CPU's own data, at the base of its segment GS: one instruction reads a member. */
#ifndef X86_THIS_CPU_H
#define X86_THIS_CPU_H

/* Offsets in struct x86_this_cpu, for assembly. */
#define THIS_CPU_PMI_HANDLER	16
#define THIS_CPU_USER_RETURN	24
#define THIS_CPU_FOLLOWING_HANDLER 64
#define THIS_CPU_INTERRUPTED_SP	72
#define THIS_CPU_INTERRUPTED_BP	80

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

struct x86_this_cpu {
	uint32_t number;	/* the CPU that the program starts on is 0 */
	void *data;		/* of hal_cpu_set_data */

	/* The handler that arch_pmi_entry calls; another one during a halt. */
	void (*pmi_handler)(uint64_t ip, unsigned level);
	uint64_t user_return_stack;	/* stack pointer while arch_execute_user is at level 3 */
	void (*pmi_handler_outside_halt)(uint64_t ip, unsigned level);
	void (*halt_woken)(void);	/* of the halt in progress, if any */

	/* The value of LVTPC, and the address of the EOI register. */
	uint32_t pmi_entry;
	volatile uint32_t *pmi_end_register;

	/* After arch_follow_calls: the handler, and the interrupted code's RSP and RBP. */
	void (*following_handler)(uint64_t ip, unsigned level);
	uint64_t interrupted_sp, interrupted_bp;
};

_Static_assert(offsetof(struct x86_this_cpu, pmi_handler) == THIS_CPU_PMI_HANDLER, "layout");
_Static_assert(offsetof(struct x86_this_cpu, user_return_stack) == THIS_CPU_USER_RETURN, "layout");
_Static_assert(offsetof(struct x86_this_cpu, following_handler) == THIS_CPU_FOLLOWING_HANDLER,
	       "layout");
_Static_assert(offsetof(struct x86_this_cpu, interrupted_sp) == THIS_CPU_INTERRUPTED_SP, "layout");
_Static_assert(offsetof(struct x86_this_cpu, interrupted_bp) == THIS_CPU_INTERRUPTED_BP, "layout");

/* The linker script places it at 0. */
extern __seg_gs struct x86_this_cpu x86_this_cpu;

#endif
#endif
