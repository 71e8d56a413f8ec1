/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry as an EFI application (UEFI specification, 2.3.3): a function call by descriptor. */

	.section .rodata
	.balign	16
	.global	efi_descriptor
efi_descriptor:
	data8	efi_entry
	data8	__gp

	.text
/* EFI_STATUS efi_entry(EFI_HANDLE image, EFI_SYSTEM_TABLE *table): returns only if the boot
 * services did not end. */
	.global	efi_entry
	.proc	efi_entry
efi_entry:
	alloc	r34 = ar.pfs, 2, 2, 2, 0
	mov	r35 = b0
	mov	r36 = r32
	mov	r37 = r33 ;;
	br.call.sptk b0 = efi_take_over ;;
	cmp.ne	p6, p0 = r0, r8
	mov	r28 = r8
(p6)	br.cond.sptk image_entry ;;
	movl	r8 = 1 << 63 | 1	/* EFI_LOAD_ERROR */
	mov	ar.pfs = r34
	mov	b0 = r35 ;;
	br.ret.sptk b0 ;;
	.endp	efi_entry

/* uint64_t efi_call(const struct efi_function *f, a, b, c, d, e): calls a function by its
 * descriptor. */
	.global	efi_call
	.proc	efi_call
efi_call:
	alloc	r38 = ar.pfs, 6, 3, 5, 0
	mov	r39 = b0
	mov	r40 = gp
	ld8	r14 = [r32], 8
	mov	r41 = r33
	mov	r42 = r34
	mov	r43 = r35
	mov	r44 = r36
	mov	r45 = r37 ;;
	ld8	gp = [r32]
	mov	b6 = r14
	br.call.sptk b0 = b6 ;;
	mov	gp = r40
	mov	ar.pfs = r38
	mov	b0 = r39 ;;
	br.ret.sptk b0 ;;
	.endp	efi_call

	.section .note.GNU-stack, "", @progbits
