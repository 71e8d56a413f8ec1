/* SPDX-License-Identifier: BSD-2-Clause */
/* The state that the interruption entry saves and restores (vectors.S). A handler may change it. */
#ifndef IA64_FRAME_H
#define IA64_FRAME_H

#include <stdint.h>

struct arch_frame {
	uint64_t switched;	/* the handler has its own stack and backing store */
	uint64_t r[31];		/* r1 to r31; r16 and above from the interrupted bank */
	uint64_t b[8];
	uint64_t pr;
	uint64_t iip, ipsr, ifs;
	uint64_t isr, ifa, iim;	/* not restored, like all fields without a comment below */
	uint64_t pfs;		/* restored, like the fields up to unat */
	uint64_t rsc;
	uint64_t bspstore, rnat;
	uint64_t bsp;		/* end of the interrupted frame in the handler's store */
	uint64_t unat;
	uint64_t nats;		/* NaT bits of r1 to r31, at bits 8:3 of their addresses */
	uint64_t ccv;		/* restored */
	uint64_t lc;
	uint64_t vector;	/* its offset in the vector table */
	uint64_t interrupt;	/* vector of an external interrupt */
};

#define ISR_SP		(1ULL << 36)	/* a speculative load, which can be deferred */
#define ISR_NI		(1ULL << 39)	/* PSR.ic was 0: IIP, IPSR, IFA and IIM are older */
#define PSR_ED		(1ULL << 43)
#define PSR_BN		(1ULL << 44)
#define PSR_CPL_SHIFT	32
#define PSR_RI_SHIFT	41
#define PSR_RI		(3ULL << PSR_RI_SHIFT)

/* Continues after the instruction. */
static inline void ia64_frame_skip(struct arch_frame *frame)
{
	if ((frame->ipsr & PSR_RI) == 2ULL << PSR_RI_SHIFT) {
		frame->ipsr &= ~PSR_RI;
		frame->iip += 16;
	} else {
		frame->ipsr += 1ULL << PSR_RI_SHIFT;
	}
}

/* Returns the place of general register r1 to r31. */
static inline uint64_t *ia64_frame_register(struct arch_frame *frame, unsigned number)
{
	return &frame->r[number - 1];
}

#endif
