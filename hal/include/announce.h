/* SPDX-License-Identifier: BSD-2-Clause */
/* The query by which any guest asks palmon's QEMU plugin for the clock and for the events that its
 * machine can raise. x86: hypervisor leaves of CPUID, which silicon lacks. SPARC: loads from an
 * address space that silicon lacks, in hyperprivileged mode. */
#ifndef ANNOUNCE_H
#define ANNOUNCE_H

/* The backend's name if it answers, without the clock's. */
#define ANNOUNCE_BACKEND	"QEMU plugin"

#define ANNOUNCE_LEAF		0x40005000u	/* EAX: the last of these leaves; EBX, ECX, EDX: the
						 * signature */
#define ANNOUNCE_SIGNATURE	"palmonplugin"	/* 12 characters */

#define ANNOUNCE_LEAF_CLOCK	(ANNOUNCE_LEAF + 1)	/* EAX: ANNOUNCE_VERSION; EBX: the clock;
							 * ECX: options */
#define ANNOUNCE_VERSION	1
#define ANNOUNCE_CLOCK_UNIT	0	/* each instruction takes one cycle */
#define ANNOUNCE_CLOCK_TIMED	1	/* a model of the processor determines cycles */
#define ANNOUNCE_INTERRUPTIONS_COUNT	(1u << 0)	/* each adds an instruction, a branch, a
							 * load and a store */

/* The subleaf selects an event: code in bits 15:0, unit mask in 23:16, and bit 31 for the PMU that
 * the cores share. EAX: how the machine raises the event, as registers qualify it now; 0: never. */
#define ANNOUNCE_LEAF_EVENT	(ANNOUNCE_LEAF + 2)
#define ANNOUNCE_EVENT(shared, code, umask) ((uint32_t)(code) | (uint32_t)(umask) << 16 | \
					     ((shared) ? 1u << 31 : 0))
#define ANNOUNCE_EVENT_SHARED	(1u << 31)
#define ANNOUNCE_RAISED		(1u << 0)
#define ANNOUNCE_EXACT		(1u << 1)	/* as the architecture defines it; 0: by a model of
						 * the processor */

/* SPARC: the address space (ASI) and its virtual addresses: the signature's first 8 characters; the
 * clock, in bits 15:8, with ANNOUNCE_VERSION in bits 7:0; an event, with x86's value of EAX. */
#define ANNOUNCE_ASI		0x6D
#define ANNOUNCE_VA		0
#define ANNOUNCE_VA_CLOCK	8
#define ANNOUNCE_EVENT_SHIFT	3
#define ANNOUNCE_VA_EVENT(event) ((1ULL << 32 | (event)) << ANNOUNCE_EVENT_SHIFT)

#endif
