/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaves the firmware's stack, which may be in memory that the image takes. */

	.section .early.text64, "ax"
	.code64
/* const struct x86_early *firmware_wait_on_own_stack(void) */
	.global	firmware_wait_on_own_stack
firmware_wait_on_own_stack:
	push	%rbx
	mov	%rsp, %rbx
	lea	early_stack_end(%rip), %rsp
	call	firmware_wait
	mov	%rbx, %rsp
	pop	%rbx
	ret

	.section .note.GNU-stack, "", @progbits
