/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User code with all kinds of instructions, counted by reading it (SPARC T4 Supplement, Table 10-2;
 * pmu/sparct4/groups.md).
 */
#ifndef SPARCT4_KINDS_H
#define SPARCT4_KINDS_H

#include <stdint.h>

void user_kinds(void);
extern const uint32_t user_kinds_end[];

/*
 * A letter for each word, in the order of execution: o other, P other and next-to-commit, l load, s
 * store, R read of a state register, r operation on the ring, f floating point, b untaken branch, t
 * taken branch, a atomic, p prefetch, k block load, K block store, c software count. A dot is not
 * executed.
 */
static const char kinds[] =
	"oos" "lllslsll"
	"srl" "RRrP" "fff" "soss"
	"aaaa" "pp" "kK" "co" "ooooooo"
	"obo" "to." "b." "to." "t." "bo" "to." "bo" "fto." "b."
	"oto.o" "Pto." "to";

__asm__(
"	.text\n"
"	.balign	32\n"
"user_kinds:\n"
"	add	%sp, 2047 - 256, %o2\n"		// o
"	andn	%o2, 63, %o2\n"			// o
"	stx	%g0, [%o2]\n"			// s

"	ldub	[%o2], %o3\n"			// l
"	lduw	[%o2], %o3\n"			// l
"	ldx	[%o2 + 8], %o3\n"		// l
"	stb	%g0, [%o2]\n"			// s
"	ldd	[%o2], %f2\n"			// l
"	std	%f0, [%o2 + 8]\n"		// s
"	ldsh	[%o2], %o3\n"			// l
"	ldxa	[%o2] 0x80, %o3\n"		// l

"	stxa	%o3, [%o2] 0x80\n"		// s
"	wr	%g0, 0x80, %asi\n"		// r
"	ldxa	[%o2] %asi, %o3\n"		// l

"	rd	%ccr, %o3\n"			// R
"	rd	%y, %o3\n"			// R
"	wr	%o3, 0, %y\n"			// r
"	rd	%pc, %o3\n"			// P

"	faddd	%f0, %f2, %f4\n"		// f
"	fzero	%f6\n"				// f
"	fpadd32	%f0, %f2, %f4\n"		// f

"	membar	#Sync\n"			// s
"	membar	#LoadStore\n"			// o
"	stbar\n"				// s
"	flush	%o2\n"				// s

"	casx	[%o2], %g0, %o3\n"		// a
"	cas	[%o2], %g0, %o3\n"		// a
"	ldstub	[%o2], %o3\n"			// a
"	swap	[%o2], %o3\n"			// a

"	prefetch [%o2], 1\n"			// p
"	prefetcha [%o2] 0x80, 0\n"		// p

"	ldda	[%o2] 0xF0, %f16\n"		// k
"	stda	%f16, [%o2] 0xF0\n"		// K

"	sethi	%hi(0xfc000), %g0\n"		// c
"	sethi	%hi(0xfc000), %g1\n"		// o

"	mulx	%o3, %o3, %o3\n"		// o
"	popc	%o3, %o3\n"			// o
"	movne	%xcc, 1, %o3\n"			// o
"	movrz	%g0, 1, %o3\n"			// o
"	sll	%o3, 3, %o3\n"			// o
"	tn	%xcc, 5\n"			// o
"	alignaddr %o3, %g0, %o3\n"		// o

"	subcc	%g0, 0, %g0\n"			// o
"	bne,pn	%xcc, 1f\n"			// b
"	nop\n"					// o

"	be,pt	%xcc, 1f\n"			// t
"	nop\n"					// o
"	nop\n"
"1:	bne,a,pn %xcc, 1f\n"			// b
"	nop\n"
"1:	be,a	1f\n"				// t
"	nop\n"					// o
"	nop\n"
"1:	ba,a	1f\n"				// t
"	nop\n"
"1:	bn	user_kinds\n"			// b
"	nop\n"					// o
"	brz,pt	%g0, 1f\n"			// t
"	nop\n"					// o
"	nop\n"
"1:	brnz,pn	%g0, user_kinds\n"		// b
"	nop\n"					// o
"	fcmpd	%fcc0, %f6, %f6\n"		// f
"	fbe	1f\n"				// t
"	nop\n"					// o
"	nop\n"
"1:	fbne,a,pn %fcc0, user_kinds\n"		// b
"	nop\n"

"	mov	%o7, %o4\n"			// o
"	call	1f\n"				// t
"	nop\n"					// o
"	nop\n"
"1:	mov	%o4, %o7\n"			// o
"	rd	%pc, %o3\n"			// P
"	jmpl	%o3 + 16, %g0\n"		// t
"	nop\n"					// o
"	nop\n"
"	retl\n"					// t
"	nop\n"					// o
"user_kinds_end:\n");

#endif
