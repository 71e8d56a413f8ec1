/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of PAL with all registers filled, for programs at level 0. The code loads the registers
 * from filled_before, calls PAL's entry by its convention, and stores the registers in
 * filled_after. filled_saved holds the caller's own registers meanwhile.
 */
#ifndef ITANIUM_FILLED_H
#define ITANIUM_FILLED_H

#include <stddef.h>
#include <stdint.h>

/* The register frame at the call: r32 to r127, of which the last four are outputs. */
#define FILLED_LOCALS	92
#define FILLED_OUTPUTS	124

struct filled {
	_Alignas(1024) uint64_t r[128];		/* in ST8.SPILL's format; r0, r2, r3 unused */
	uint64_t nats[2];			/* r0 to r63, r64 to r127, a bit each */
	uint64_t pr, unat, fpsr, lc, pfs, ccv, ec, b[8], k[8], bsp, bspstore, rnat;
	uint64_t f[128][2];			/* in STF.SPILL's format; without f0, f1 */
	uint64_t bank_0[16], nats_bank_0; /* only filled_put_bank_0 and filled_get_bank_0 use it */
};

extern struct filled filled_before, filled_after, filled_saved;
struct filled filled_before, filled_after, filled_saved;

/*
 * Calls a function from a frame with NaTs. Returns the function's result, or all ones if the NaTs
 * are lost.
 */
uint64_t filled_among_nats(uint64_t (*function)(void));

/*
 * PAL returns to filled_before.b[0]: filled_static_return for filled_call_static;
 * filled_call_stacked sets it itself.
 */
void filled_call_static(void);
void filled_call_stacked(void);
void filled_static_return(void);
/* Loads and stores the registers without a call. */
void filled_call_nothing(void);

/*
 * r16 to r31 of bank 0, with interrupts off. Their NaT bits are at the positions of their memory
 * addresses.
 */
#define FILLED_BANK_0_NATS	(0xFFFFULL << 28)
void filled_put_bank_0(void);
void filled_get_bank_0(void);

_Static_assert(offsetof(struct filled, nats) == 1024 && offsetof(struct filled, pr) == 1040 &&
	       offsetof(struct filled, bsp) == 1224 && offsetof(struct filled, f) == 1248 &&
	       offsetof(struct filled, bank_0) == 3296, "offsets used by the assembly");

__asm__(
	/* Registers to and from [r2]; uses r3. */
	".macro put_words words:vararg\n"
	".irp word, \\words\n"
	"mov r3 = \\word ;;\n"
	"st8 [r2] = r3, 8 ;;\n"
	".endr\n"
	".endm\n"
	".macro get_words words:vararg\n"
	".irp word, \\words\n"
	"ld8 r3 = [r2], 8 ;;\n"
	"mov \\word = r3 ;;\n"
	".endr\n"
	".endm\n"
	/* General registers from `first` to `last`. */
	".macro put_general first, last\n"
	"st8.spill [r2] = r\\first, 8 ;;\n"
	".if \\first - \\last\n"
	"put_general %(\\first + 1), \\last\n"
	".endif\n"
	".endm\n"
	".macro get_general first, last\n"
	"ld8.fill r\\first = [r2], 8 ;;\n"
	".if \\first - \\last\n"
	"get_general %(\\first + 1), \\last\n"
	".endif\n"
	".endm\n"
	".macro put_float first, last\n"
	"stf.spill [r2] = f\\first, 16 ;;\n"
	".if \\first - \\last\n"
	"put_float %(\\first + 1), \\last\n"
	".endif\n"
	".endm\n"
	".macro get_float first, last\n"
	"ldf.fill f\\first = [r2], 16 ;;\n"
	".if \\first - \\last\n"
	"get_float %(\\first + 1), \\last\n"
	".endif\n"
	".endm\n"
	".altmacro\n"
	".macro put_all to\n"
	"mov r3 = ar.unat\n"
	"movl r2 = \\to + 1048 ;;\n"
	"st8 [r2] = r3\n"
	"movl r2 = \\to + 8 ;;\n"
	"put_general 1, 1\n"
	"adds r2 = 16, r2 ;;\n"
	"put_general 4, 63\n"
	"mov r3 = ar.unat\n"
	"movl r2 = \\to + 1024 ;;\n"
	"st8 [r2] = r3\n"
	"movl r2 = \\to + 512 ;;\n"
	"put_general 64, 127\n"
	"adds r2 = 8, r2 ;;\n"
	"put_words ar.unat, pr\n"
	"adds r2 = 8, r2 ;;\n"
	"put_words ar.fpsr, ar.lc, ar.pfs, ar.ccv, ar.ec, b0, b1, b2, b3, b4, b5, b6, b7\n"
	"put_words ar.k0, ar.k1, ar.k2, ar.k3, ar.k4, ar.k5, ar.k6, ar.k7, ar.bsp, ar.bspstore, "
	"ar.rnat\n"
	"adds r2 = 32, r2 ;;\n"
	"put_float 2, 63\n"
	"put_float 64, 127\n"
	".endm\n"
	".macro get_all from\n"
	"movl r2 = \\from + 1024 ;;\n"
	"get_words ar.unat\n"
	"movl r2 = \\from + 8 ;;\n"
	"get_general 1, 1\n"
	"adds r2 = 16, r2 ;;\n"
	"get_general 4, 63\n"
	"movl r2 = \\from + 1032 ;;\n"
	"get_words ar.unat\n"
	"movl r2 = \\from + 512 ;;\n"
	"get_general 64, 127\n"
	"movl r2 = \\from + 1048 ;;\n"
	"get_words ar.unat, ar.fpsr, ar.lc, ar.pfs, ar.ccv, ar.ec, b0, b1, b2, b3, b4, b5, b6, b7\n"
	"get_words ar.k0, ar.k1, ar.k2, ar.k3, ar.k4, ar.k5, ar.k6, ar.k7\n"
	"movl r2 = \\from + 1248 + 32 ;;\n"
	"get_float 2, 63\n"
	"get_float 64, 127\n"
	"movl r2 = \\from + 1040 ;;\n"
	"ld8 r3 = [r2] ;;\n"
	"mov pr = r3, -1 ;;\n"
	".endm\n"
	/* RSC.mode is 0 all the time, so that RNAT can be read. */
	".macro filled_call name, call:vararg\n"
	".text\n"
	".global \\name\n"
	".proc \\name\n"
	"\\name:\n"
	"alloc r2 = ar.pfs, 0, 92, 4, 0\n"
	"flushrs\n"
	"mov r3 = ar.rsc ;;\n"
	"movl r2 = filled_rsc ;;\n"
	"st8 [r2] = r3 ;;\n"
	"mov ar.rsc = 0 ;;\n"
	"put_all filled_saved\n"
	"get_all filled_before\n"
	"movl r2 = filled_before + 1224 ;;\n"
	"put_words ar.bsp, ar.bspstore, ar.rnat\n"
	"\\call\n"
	"put_all filled_after\n"
	"get_all filled_saved\n"
	"movl r2 = filled_rsc ;;\n"
	"ld8 r3 = [r2] ;;\n"
	"mov ar.rsc = r3\n"
	"br.ret.sptk b0 ;;\n"
	".endp \\name\n"
	".endm\n"
	".macro call_static\n"
	"br.cond.sptk pal_entry ;;\n"
	".global filled_static_return\n"
	"filled_static_return:\n"
	".endm\n"
	".macro call_stacked\n"
	"br.call.sptk b0 = pal_entry ;;\n"
	".endm\n"
	".macro call_nothing\n"
	".endm\n"
	"filled_call filled_call_nothing, call_nothing\n"
	"filled_call filled_call_static, call_static\n"
	"filled_call filled_call_stacked, call_stacked\n"
	".global filled_among_nats\n"
	".proc filled_among_nats\n"
	"filled_among_nats:\n"
	"alloc r33 = ar.pfs, 1, 20, 0, 0\n"
	"mov r34 = b0\n"
	"mov r35 = ar.unat\n"
	"mov b6 = r32\n"
	"mov r2 = -1\n"
	"movl r3 = filled_before ;;\n"
	"mov ar.unat = r2 ;;\n"
	".irp n, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52\n"
	"ld8.fill r\\n = [r3]\n"
	".endr\n"
	";;\n"
	"mov ar.unat = r35\n"
	"br.call.sptk b0 = b6 ;;\n"
	"mov b0 = r34\n"
	"mov ar.pfs = r33 ;;\n"
	".irp n, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52\n"
	"tnat.z p6, p0 = r\\n ;;\n"
	"(p6) mov r8 = -1\n"
	".endr\n"
	"br.ret.sptk b0 ;;\n"
	".endp filled_among_nats\n"
	/* Bank 0's registers. r14 and r15 are in both banks. */
	".global filled_put_bank_0\n"
	"filled_put_bank_0:\n"
	"movl r14 = filled_before + 3296 ;;\n"
	"bsw.0 ;;\n"
	".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
	"ld8 r\\n = [r14], 8 ;;\n"
	".endr\n"
	"bsw.1 ;;\n"
	"br.ret.sptk b0 ;;\n"
	".global filled_get_bank_0\n"
	"filled_get_bank_0:\n"
	"mov r15 = ar.unat\n"
	"movl r14 = filled_after + 3296 ;;\n"
	"bsw.0 ;;\n"
	".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
	"st8.spill [r14] = r\\n, 8 ;;\n"
	".endr\n"
	"bsw.1 ;;\n"
	"mov r16 = ar.unat ;;\n"
	"mov ar.unat = r15\n"
	"st8 [r14] = r16\n"
	"br.ret.sptk b0 ;;\n"
	".noaltmacro\n"
	".bss\n"
	".balign 8\n"
	"filled_rsc: .skip 8\n"
	".text\n");

#endif
