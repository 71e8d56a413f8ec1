// SPDX-License-Identifier: BSD-2-Clause
// Qualification of running code: by opcode (6.2.5), instruction address (6.2.4) and data address
// (6.2.6). The function has 5 iterations of a loop of two loads and a branch, and 6 other
// instructions: 21 instructions, 10 loads, 5 of them from `table`.
	.include "begin.inc"
	.include "monitor.inc"
	monitors_off
	movl r10=table
	movl r11=outside;;

.macro run
	start
{ .mib
	nop.m 0
	nop.i 0
	br.call.sptk.few b1=function;;
}
{ .mii
	ld8 r16=[r10]			// of the table, outside of the function
	nop.i 0
	nop.i 0;;
}
	freeze
.endm

	// Opcodes: M instructions with major opcode 4 (encoding bits 40:37, PMC bits 59:56) and x6
	// (35:30) of 0 to 3. Mask bits are 1 where PMC9 does not compare: x6's low bits, the hint
	// after it, and bits 12:0.
	.equ loads, 1<<63 | 4<<56 | 3<<19 | 3<<17 | 0x1FFF<<3
	put pmc, 9, loads
	select 0x08, 0x08, 0x6C, 0x12, 0x20
	run
	counted 2+3+21+3+1, 11, 11, 2+3+21+3+1

	// The same by PMC8, which qualifies other events as well.
	put pmc, 8, loads
	select 0x08, 0x30, 0x6C, 0x0D, 0xF003
	run
	counted 11, 0, 11, 0
	put pmc, 8, 0xF00000003FFFFFF8

	// Instruction addresses: the function's 256 bytes.
	put ibr, 0, function
	put ibr, 1, 0x0F00000000000000 | (0x00FFFFFFFFFFFFFF & ~255)
	put ibr, 2, 0
	put ibr, 3, 0
	put ibr, 4, 0
	put ibr, 5, 0
	put ibr, 6, 0
	put ibr, 7, 0
	put pmc, 13, 0
	select 0x08, 0x30, 0x6C, 0x0D, 0xF003
	run
	counted 21, 3, 10, 6

	// PMC9 matches all opcodes: its counter counts by addresses only, like the others.
	put pmc, 9, 0xF00000003FFFFFF8
	select 0x08, 0x30, 0x6C, 0x0D, 0xF002
	run
	counted 21, 3, 10, 6
	put pmc, 13, 1

	// Data addresses: the table's 64 bytes. All four pairs apply, with any conditions.
	put dbr, 0, table
	put dbr, 1, 0x0F00000000000000 | (0x00FFFFFFFFFFFFFF & ~63)
	put dbr, 2, table
	put dbr, 3, 0x0F00000000000000 | (0x00FFFFFFFFFFFFFF & ~63)
	put dbr, 4, table
	put dbr, 5, 0x0F00000000000000 | (0x00FFFFFFFFFFFFFF & ~63)
	put dbr, 6, table
	put dbr, 7, 0x0F00000000000000 | (0x00FFFFFFFFFFFFFF & ~63)
	put pmc, 11, 0
	select 0x6C, 0x63, 0x6D, 0x70
	run
	counted 6, 6, 0, 0
	finish 0

	.balign 256
function:
{ .mii
	mov r5=4
	nop.i 0;;
	mov.i ar.lc=r5;;
}
turn:
{ .mmb
	ld8 r14=[r10]
	ld8 r15=[r11]
	br.cloop.sptk.few turn;;
}
{ .mib
	nop.m 0
	nop.i 0
	br.ret.sptk.few b1;;
}
	.balign 256

	.data
	.balign 64
table:
	.skip 64
outside:
	.skip 64
