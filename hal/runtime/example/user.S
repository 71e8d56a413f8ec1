/* SPDX-License-Identifier: BSD-2-Clause */
/* Code at privilege level 3, with segments and memory set up by start.S. */

#define HOST_USER_RETURN 0xE2	/* host.h */

#define DATA_0		16
#define DATA_3		(32 | 3)
#define CODE_3		(40 | 3)
#define INTERRUPTS_ON	0x202

	.text
	.global	host_call_user
/* void host_call_user(void (*function)(uint64_t argument), uint64_t argument): returns by
 * host_user_return, on this stack. Interrupts of level 3 use the stack below. */
host_call_user:
	pushfq
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, task_state + 4	/* RSP0 */
	mov	%rdi, %rax
	mov	%rsi, %rdi
	push	$DATA_3
	push	$user_stack_end
	push	$INTERRUPTS_ON
	push	$CODE_3
	push	$1f
	iretq
1:	call	*%rax
	int	$HOST_USER_RETURN

/* The interrupt by which level 3 returns. */
	.global	host_user_return
host_user_return:
	mov	task_state + 4, %rsp
	mov	$DATA_0, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	popfq
	ret

	.section .note.GNU-stack, "", @progbits
