/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls the simulator that executes the image (ia64/simulator.h). */

#include "ia64/simulator.h"

	.text
/* uint64_t ia64_simulator(uint64_t a, uint64_t b, uint64_t what): passes the arguments in r32 and
 * r33. */
	.global	ia64_simulator
	.proc	ia64_simulator
ia64_simulator:
	alloc	r14 = ar.pfs, 3, 0, 0, 0
	mov	r15 = r34 ;;
	break.m	SIMULATOR_BREAK ;;
	br.ret.sptk b0 ;;
	.endp	ia64_simulator

	.section .note.GNU-stack, "", @progbits
