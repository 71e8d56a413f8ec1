// SPDX-License-Identifier: BSD-2-Clause
// Basic blocks that the immediate of a nop marks: 1 in a loop of 1,000 turns, 2 in its block for
// each fourth turn, 250 times, 3 in its block for the other 750. `blocks` is called 40 times.

int workload(void);
void blocks(void);

__asm__(".text\n"
	".proc blocks\n"
	".global blocks\n"
	"blocks:\n"
	"{ .mii\n"
	"	mov r14=999\n"
	"	mov.i r31=ar.lc\n"
	"	nop.i 0;;\n"
	"}\n"
	"{ .mii\n"
	"	mov r15=0\n"
	"	mov.i ar.lc=r14\n"
	"	nop.i 0;;\n"
	"}\n"
	"1:\n"
	"{ .mii\n"
	"	and r16=3,r15\n"
	"	nop.i 1\n"
	"	nop.i 0;;\n"
	"}\n"
	"{ .mii\n"
	"	cmp.eq p6,p7=0,r16\n"
	"	adds r15=1,r15\n"
	"	nop.i 0;;\n"
	"}\n"
	"{ .mib\n"
	"	nop.m 0\n"
	"	nop.i 0\n"
	"(p7)	br.cond.dptk.few 2f;;\n"
	"}\n"
	"{ .mib\n"
	"	nop.m 0\n"
	"	nop.i 2\n"
	"	br.few 3f;;\n"
	"}\n"
	"2:\n"
	"{ .mii\n"
	"	nop.m 0\n"
	"	nop.i 3\n"
	"	nop.i 0;;\n"
	"}\n"
	"3:\n"
	"{ .mib\n"
	"	nop.m 0\n"
	"	nop.i 0\n"
	"	br.cloop.sptk.few 1b;;\n"
	"}\n"
	"{ .mib\n"
	"	nop.m 0\n"
	"	mov.i ar.lc=r31\n"
	"	br.ret.sptk.few b0;;\n"
	"}\n"
	".endp blocks\n");

int workload(void)
{
	for (unsigned i = 0; i < 40; i++)
		blocks();
	return 0;
}
