// SPDX-License-Identifier: BSD-2-Clause
// Bit fields, extensions, 32-bit pointers, comparisons. Expected values follow from the
// descriptions of the instructions in the Architecture Software Developer's Manual, volume 3. The
// status is the number of the first wrong value.
	.include "begin.inc"

.macro operands a, b
	movl r20=\a
	movl r21=\b;;
.endm

// Predicates p8 and p9 are 1 and 0; the instruction writes these values to them.
.macro makes first, second, instruction:vararg
	number = number + 1
	cmp.eq p8,p9=r0,r0;;
	\instruction;;
	mov r8=0;;
(p8)	add r8=2,r8;;
(p9)	add r8=1,r8
	mov r9=2*\first+\second;;
	expect number, r8, r9
.endm

	operands 0x0102030405060708, 0x1112131415161718
	gives 0x0708111213141516, shrp r8=r20,r21,16
	gives 0x607, extr.u r8=r20,8,12
	gives 0x01, extr.u r8=r20,56,20
	gives 0x1112131415160818, dep r8=r20,r21,8,8
	gives 0x07080000, dep.z r8=r20,16,16
	gives 0x1FF0, dep.z r8=-1,4,9
	gives 0xF112131415161718, dep r8=-1,r21,60,4
	gives 0x0112131415161718, dep r8=0,r21,60,4
	operands 0x80, 0xFF00FF
	gives 0xFFFFFFFFFFFFFFF8, extr r8=r20,4,4
	gives 0xFFFFFFFFFFFFFF80, sxt1 r8=r20
	gives 16, popcnt r8=r21
	gives 0xFF, zxt1 r8=r21
	gives 0x00FF, zxt2 r8=r21
	operands 0x0102000405060708, 0x0001000000020003
	gives 2, czx1.l r8=r20
	gives 5, czx1.r r8=r20
	gives 1, czx2.l r8=r21
	gives 2, czx2.r r8=r21
	operands 0x0102030405060708, 0x0001000200030004
	gives 8, czx1.l r8=r20
	gives 4, czx2.r r8=r21
	operands 1, 0xC0000005
	gives 0x60000000C0000006, addp4 r8=r20,r21
	gives 0x60000000C0000007, shladdp4 r8=r20,1,r21
	gives 0x60000000C0000004, addp4 r8=-1,r21
	gives 0xC0000007, add r8=r20,r21,1
	gives 0xFFFFFFFF3FFFFFFB, sub r8=r20,r21,1
	gives 0xC000000D, shladd r8=r20,3,r21
	gives 0xFFFFFFFFC0000005, sxt4 r8=r21
	gives 0xFFFFFFFF3FFFFFFA, andcm r8=-1,r21

	operands 0xFFFFFFFF00000001, 0x0000000000000002
	makes 1, 0, cmp.lt p8,p9=r20,r21
	makes 0, 1, cmp.ltu p8,p9=r20,r21
	makes 1, 0, cmp4.lt p8,p9=r20,r21
	makes 0, 1, cmp.eq p8,p9=r20,r21
	makes 1, 0, cmp.lt p8,p9=1,r21
	makes 1, 0, cmp4.eq p8,p9=1,r20
	makes 0, 0, cmp.eq.and p8,p9=r20,r21	// both become 0
	makes 1, 0, cmp.ne.and p8,p9=r20,r21	// neither changes
	makes 1, 1, cmp.ne.or p8,p9=r20,r21	// both become 1
	makes 1, 0, cmp.eq.or p8,p9=r20,r21
	makes 1, 0, cmp.ne.or.andcm p8,p9=r20,r21
	makes 0, 0, cmp.gt.and p8,p9=r0,r21	// 0 > 2
	makes 1, 0, cmp.lt.and p8,p9=r0,r21
	makes 1, 1, cmp.ge.or p8,p9=r0,r20
	makes 1, 0, cmp4.ge.or p8,p9=r0,r20
	makes 0, 1, tbit.z p8,p9=r20,0
	makes 1, 0, tbit.z p8,p9=r20,1
	makes 1, 0, tbit.nz.and p8,p9=r20,32
	makes 0, 0, tbit.z.and p8,p9=r20,32
	makes 0, 1, tnat.nz p8,p9=r20
	movl r22=0x7000000000000000;;
	ld8.s r22=[r22];;			// a NaT
	makes 0, 0, cmp.eq p8,p9=r22,r22
	makes 0, 0, cmp.eq.and p8,p9=r22,r22
	makes 1, 0, cmp.eq.or p8,p9=r22,r22
	extr r23=r22,0,8
	dep r24=r22,r21,0,8
	padd1 r25=r22,r21
	mov r26=r22;;
	makes 0, 1, tnat.z p8,p9=r23
	makes 0, 1, tnat.z p8,p9=r24
	makes 0, 1, tnat.z p8,p9=r25
	makes 0, 1, tnat.z p8,p9=r26
	cmp.eq p10,p11=r0,r0;;
	makes 1, 0, (p11) cmp.lt p8,p9=r21,r0	// a false predicate: no write
	makes 0, 0, (p11) cmp.lt.unc p8,p9=r21,r0
	// An unknown hint does nothing.
	mov r8=0x1234
	hint.m 0
	hint.i 0
	hint.f 0;;
	is r8, 0x1234
	finish 0
