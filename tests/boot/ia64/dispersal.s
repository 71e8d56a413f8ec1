// SPDX-License-Identifier: BSD-2-Clause
// Instructions that issue in one cycle with the timed clock, by hand from the rules of Intel's
// Itanium Processor Microarchitecture Reference (245473) as GCC 4's itanium1.md cites them. The
// first cycle of a block is a break, because it follows `start`. So is each cycle after one without
// two full bundles.
	.include "begin.inc"
	.include "monitor.inc"
	.include "timed.inc"
	monitors_off
	movl r15=1<<60
	cmp.ne p9,p0=r0,r0;;
	ld8.s r16=[r15]			// no such address: NaT

// Checks a block's cycles: unstalled ones and breaks.
.macro cycles block, unstalled, breaks
	classes \block, 1+1 + \unstalled, \breaks, 0, 0, 0, 0, 0
.endm
// Checks the numbers of instructions, explicit stops, all stops.
.macro stops block, instructions, written, all
	twice \block, 0x2D, 0x2E, 0x2F, 0x7F
	counted 3+\instructions, 2+\written, 2+\all
.endm

	// Two bundles in a cycle, if nothing delays them. A stop after the second one costs
	// nothing.
	cycles four, 1, 1
	cycles pairs, 1, 1
	stops pairs, 12, 2, 2
	// MIB, MFB, MMB: issue splits after them, unless the branch is a nop.b or brp.
	cycles hint, 0, 1
	cycles announced, 0, 1
	cycles branch, 0, 2
	stops branch, 6, 1, 2
	// The hint takes B0, so the second one must wait.
	cycles hints, 0, 2
	stops hints, 6, 1, 2
	// MBB and BBB: issue splits after them. After a second bundle it splits anyway.
	cycles mbb, 0, 2
	cycles bbb, 0, 2
	cycles mfi_mbb, 1, 1
	stops mfi_mbb, 9, 1, 2
	// MIB BBB: issue splits after the first bundle. MFI BBB: it does not.
	cycles mib_bbb, 0, 2
	cycles mfi_bbb, 0, 1
	// MMF issues alone.
	cycles mmf, 0, 3
	stops mmf, 9, 1, 3
	// M and I instructions take the lowest free unit, but I in the third slot of the second
	// bundle takes I1. F in the second bundle takes F1. extr executes in I0 only, getf in M0,
	// fcmp in F0; fma in both.
	cycles extr_third, 0, 2
	cycles extr_alone, 0, 2
	cycles extr_second, 0, 1
	cycles extr_first, 0, 1
	cycles getf_first, 0, 1
	cycles getf_second, 0, 2
	cycles fcmp_first, 0, 1
	cycles fcmp_second, 0, 2
	cycles fma_second, 0, 1
	// The rest of a bundle is the first bundle of its cycle.
	cycles rest, 0, 3
	// MLX is like MFI.
	cycles mlx, 0, 1
	cycles mii_mlx, 0, 2
	// A check that fails in the third slot flushes the pipeline.
	classes check, 1+1, 1, 0, 9, 0, 0, 9
	finish 0

// Bundles of nops.
.macro mfi last:vararg
{ .mfi
	nop.m 0
	nop.f 0
	nop.i 0\last
}
.endm
.macro mib
{ .mib
	nop.m 0
	nop.i 0
	nop.b 0
}
.endm
.macro mfb
{ .mfb
	nop.m 0
	nop.f 0
	nop.b 0
}
.endm
.macro bbb last:vararg
{ .bbb
	nop.b 0
	nop.b 0
	nop.b 0\last
}
.endm
.macro mbb
{ .mbb
	nop.m 0
	nop.b 0
	nop.b 0
}
.endm

	block four
	mfi
	mfi
	mfi
	mfi ;;
	end
	block pairs
	mfi
	mfi ;;
	mfi
	mfi ;;
	end
	block hint
	mib
	mfi ;;
	end
	block announced
{ .mib
	nop.m 0
	nop.i 0
	brp.sptk.imp announced, hint
}
	mfi ;;
	end
	block branch
{ .mib
	nop.m 0
	nop.i 0
(p9)	br.cond.spnt.few four
}
	mfi ;;
	end
	block hints
	mib
{ .mib
	nop.m 0
	nop.i 0
	nop.b 0;;
}
	end
	block mbb
	mbb
	mfi ;;
	end
	block bbb
	bbb
	mfi ;;
	end
	block mfi_mbb
	mfi
	mbb
	mfi ;;
	end
	block mib_bbb
	mib
	bbb ;;
	end
	block mfi_bbb
	mfi
	bbb ;;
	end
	block mmf
	mfi
{ .mmf
	nop.m 0
	nop.m 0
	nop.f 0
}
	mfi ;;
	end
	block extr_third
	mfb
{ .mii
	nop.m 0
	nop.i 0
	extr r17=r10,2,3;;
}
	end
	block extr_alone
	mfb
{ .mfi
	nop.m 0
	nop.f 0
	extr r17=r10,2,3;;
}
	end
	block extr_second
	mfb
{ .mii
	nop.m 0
	extr r17=r10,2,3
	nop.i 0;;
}
	end
	block extr_first
{ .mfi
	nop.m 0
	nop.f 0
	extr r17=r10,2,3
}
	mfi ;;
	end
	block getf_first
{ .mfi
	getf.sig r17=f1
	nop.f 0
	nop.i 0
}
	mfi ;;
	end
	block getf_second
	mfi
{ .mfi
	getf.sig r17=f1
	nop.f 0
	nop.i 0;;
}
	end
	block fcmp_first
{ .mfi
	nop.m 0
	fcmp.eq p7,p8=f0,f1
	nop.i 0
}
	mfi ;;
	end
	block fcmp_second
	mfi
{ .mfi
	nop.m 0
	fcmp.eq p7,p8=f0,f1
	nop.i 0;;
}
	end
	block fma_second
	mfi
{ .mfi
	nop.m 0
	fma.s0 f6=f1,f1,f1
	nop.i 0;;
}
	end
	block rest
{ .mii
	nop.m 0
	nop.i 0
	nop.i 0
}
{ .mii
	nop.m 0
	nop.i 0
	nop.i 0
}
	mfi ;;
	end
	block mlx
{ .mlx
	nop.m 0
	movl r17=0x123456789
}
	mfi ;;
	end
	block mii_mlx
{ .mii
	nop.m 0
	nop.i 0
	nop.i 0
}
{ .mlx
	nop.m 0
	movl r17=0x123456789;;
}
	end
	block check
{ .mii
	nop.m 0
	nop.i 0
	chk.s.i r16,1f
}
1:
	end
