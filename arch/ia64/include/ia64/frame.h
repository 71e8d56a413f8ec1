/* SPDX-License-Identifier: BSD-2-Clause */
/* What the entry of interruptions saves (vectors.S), and restores: a handler may change it. */
#ifndef IA64_FRAME_H
#define IA64_FRAME_H

#include <stdint.h>

struct arch_frame {
	uint64_t switched;	/* whether the stack and the backing store are others than the interrupted one's */
	uint64_t r[31];		/* r1 to r31; r16 and above of the interrupted bank */
	uint64_t b[8];
	uint64_t pr;
	uint64_t iip, ipsr, ifs;
	uint64_t isr, ifa, iim;	/* these and all that has no comment below are not restored */
	uint64_t pfs;		/* restored, to unat */
	uint64_t rsc;
	uint64_t bspstore, rnat;
	uint64_t bsp;		/* behind the interrupted register frame, in the backing store of the handler */
	uint64_t unat;
	uint64_t nats;		/* NaT bits of r1 to r31, at their places' address bits 8:3 */
	uint64_t ccv;		/* restored */
	uint64_t lc;
	uint64_t vector;	/* offset in the table */
	uint64_t interrupt;	/* external interrupt: its vector */
};

#define ISR_SP		(1ULL << 36)	/* a speculative load's, which can be deferred */
#define ISR_NI		(1ULL << 39)	/* PSR.ic was 0: IIP, IPSR, IFA, IIM are of an interruption before */
#define PSR_ED		(1ULL << 43)
#define PSR_BN		(1ULL << 44)
#define PSR_CPL_SHIFT	32
#define PSR_RI_SHIFT	41
#define PSR_RI		(3ULL << PSR_RI_SHIFT)

/* Goes on behind the instruction. */
static inline void ia64_frame_skip(struct arch_frame *frame)
{
	if ((frame->ipsr & PSR_RI) == 2ULL << PSR_RI_SHIFT) {
		frame->ipsr &= ~PSR_RI;
		frame->iip += 16;
	} else {
		frame->ipsr += 1ULL << PSR_RI_SHIFT;
	}
}

/* General register r1 to r31. */
static inline uint64_t *ia64_frame_register(struct arch_frame *frame, unsigned number)
{
	return &frame->r[number - 1];
}

#endif
