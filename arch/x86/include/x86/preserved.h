/* SPDX-License-Identifier: BSD-2-Clause */
/* For assembly: the registers that a function must preserve (System V ABI, figure 3.4, "Register
 * Usage"). */
#ifndef X86_PRESERVED_H
#define X86_PRESERVED_H

#define PUSH_PRESERVED	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15
#define POP_PRESERVED	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx

#endif
