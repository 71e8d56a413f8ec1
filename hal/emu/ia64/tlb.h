/* SPDX-License-Identifier: BSD-2-Clause */
/* The TLBs and their entries, in Merced's sizes (manual, volume 2, chapter 4). The data TLB's first
 * level is in hierarchy.h. */
#ifndef IA64_TLB_H
#define IA64_TLB_H

#include <stdbool.h>
#include <stdint.h>

#define ITLB_ENTRIES	64
#define ITLB_REGISTERS	8
#define DTLB_ENTRIES	96
#define DTLB_REGISTERS	48
#define REGIONS		8
#define KEY_REGISTERS	16
#define PHYSICAL_BITS	44
#define VIRTUAL_BITS	51	/* within a region */

/* Attributes of memory: UC, UCE, WC (manual, volume 2, table 4-11). */
#define TLB_IS_UNCACHEABLE(attribute)	((attribute) >= 4 && (attribute) <= 6)
#define TLB_COALESCING			6

/* The number of an address's region register; the offset of an address in its region; the region's
 * number in a region register. */
#define TLB_REGION(address)	((address) >> 61)
#define TLB_IN_REGION(address)	((address) & ((1ULL << 61) - 1))
#define TLB_RR_REGION(rr)	((uint32_t)((rr) >> 8 & 0x3FFFF))

struct ia64_translation {
	bool valid;
	bool is_register;		/* a translation register: stays until it is purged as
					 * one */
	uint64_t base, mask;		/* base: in the region; mask: address bits of the offset in
					 * the page */
	uint64_t physical;
	uint32_t region, key;
	uint8_t attribute, level, rights, first;	/* first: its place in the first level, from
							 * 1; 0: none */
	bool present, accessed, dirty, defers;
};

struct ia64_tlb {
	struct ia64_translation entry[DTLB_ENTRIES];
	uint8_t entries, registers, next;
	bool uncacheable;		/* a translation of uncacheable memory has ever been
					 * inserted */
};

#endif
