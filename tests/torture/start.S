// SPDX-License-Identifier: BSD-2-Clause
// Entry of a program, and the C library's calls of the machine: Ski's calls (break 80001H).

	.explicit
	.text
	.global _start, system_call, system_start
	.proc _start
_start:
	mov ar.rsc=0
	movl r12=stack_end;;	// below the 16 bytes that a called function may use
	adds r12=-16,r12
	movl r2=backing_store
	// exceptions masked, extended precision in each status field
	movl r3=0x9804c0270033f;;
	mov ar.fpsr=r3
	mov ar.bspstore=r2;;
	mov ar.rsc=3
	movl r1=__gp;;
	alloc r32=ar.pfs,0,1,1,0;;
	br.call.sptk.many b0=main;;
	mov r33=r8
	br.call.sptk.many b0=exit;;
	.endp _start

// uint64_t system_call(enum system_call call, uint64_t a, uint64_t b): 0 writes b characters at a,
// 1 extends the heap
// by a bytes, 2 ends the program.
	.proc system_call
system_call:
	alloc r14=ar.pfs,3,0,0,0
	cmp.eq p6,p0=2,r32
	cmp.eq p7,p0=1,r32
	mov r16=ar.lc
	mov r17=r33
	cmp.eq p8,p0=0,r34;;
(p6)	br.cond.spnt.few end
(p7)	br.cond.spnt.few extend
(p8)	br.ret.spnt.many b0
	adds r34=-1,r34;;
	mov ar.lc=r34
	mov r15=31;;
1:	ld1 r32=[r17],1;;
	break.m 0x80001
	br.cloop.sptk.few 1b;;
	mov ar.lc=r16
	br.ret.sptk.many b0;;
extend:
	movl r14=heap_at
	movl r15=heap_end;;
	ld8 r8=[r14];;
	add r9=r8,r33;;
	cmp.ltu p6,p7=r15,r9;;
(p7)	st8 [r14]=r9
(p6)	mov r8=r0
	br.ret.sptk.many b0;;
end:
	mov r32=r33
	mov r15=66;;
	break.m 0x80001
	.endp system_call

	.section .data,"aw"
	.align 8
heap_at: data8 heap
	.section .bss,"aw"
	.align 16
stack:	.skip 0x800000
stack_end:
backing_store: .skip 0x400000
heap:	.skip 0x1000000
heap_end:
