/* SPDX-License-Identifier: BSD-2-Clause */
/* Address translation: TLBs, the VHPT walker, keys, access rights, recently used pages (manual,
 * volume 2, chapter 4). `access`: ISR's bits of the access (ISR_R, ISR_W, ISR_X, ISR_RS, ISR_SP,
 * ISR_NA with its code). */
#ifndef IA64_TRANSLATION_H
#define IA64_TRANSLATION_H

#include "machine.h"

/* Computes the contexts of recently used pages: to be called after each change of PSR or RSC. */
void ia64_set_context(struct machine *m);

/* Returns the entry of the TLB, or of the VHPT, that translates an address. NULL: an interruption
 * was raised. */
const struct ia64_translation *ia64_find_translation(struct machine *m, uint64_t address,
						     uint64_t access);

/* The physical address of a virtual one, for an access at this privilege level. False: an
 * interruption was raised. */
bool ia64_translate(struct machine *m, uint64_t address, uint64_t access, unsigned level,
		    uint64_t *physical);

/* Whether the processor implements all bits of a virtual address. */
bool ia64_is_implemented(uint64_t address);

/* Returns an address's place in the VHPT, and its tag: thash, ttag. */
uint64_t ia64_hash(const struct machine *m, uint64_t address);
uint64_t ia64_tag(const struct machine *m, uint64_t address);

/* Returns the vector of the fault for an access to a page with this key; 0: none. */
enum ia64_vector ia64_check_key(const struct machine *m, uint32_t key, uint64_t access);

/* Whether the page's access rights allow the access at this privilege level. */
bool ia64_has_rights(const struct ia64_translation *t, uint64_t access, unsigned level);

/* Whether a speculative load defers machine.interruption, which it has raised. Its target then
 * becomes a NaT. */
bool ia64_is_deferred(struct machine *m);

/* The decoded instruction at ip and slot. NULL: an interruption was raised. */
const struct op *ia64_fetch(struct machine *m);

/* The speculation that memory at a readable data address allows by its attribute (manual, volume 2,
 * 4.4.6). Any: WB, WC. Limited: WBL, which is that of physical addresses: advanced loads, but no
 * speculative ones. None: UC, UCE. */
enum ia64_speculation { SPECULATION_ANY, SPECULATION_LIMITED, SPECULATION_NONE };
enum ia64_speculation ia64_speculation(struct machine *m, uint64_t address);

/* The same as ia64_data, but not by the recently used pages. */
uint8_t *ia64_find_data(struct machine *m, uint64_t address, unsigned size, uint64_t access);

static inline unsigned ia64_recent_index(uint64_t address)
{
	return address / PAGE_BYTES % RECENT_PAGES;
}

/* Returns the bytes of memory at an address. NULL: an interruption was raised. */
static inline uint8_t *ia64_data(struct machine *m, uint64_t address, unsigned size,
				 uint64_t access)
{
	const struct ia64_recent *recent = (access & ISR_W ? m->writes : m->reads) +
		ia64_recent_index(address);
	const uint64_t context = access & ISR_RS ? m->stack_context : m->data_context;
	const uint64_t low = address % PAGE_BYTES;

	if (__builtin_expect(recent->tag == (address - low) + context &&
			     !(low & ((size > 8 ? 16 : size) - 1)), 1))
		return (uint8_t *)recent->page + low;
	return ia64_find_data(m, address, size, access);
}

#endif
