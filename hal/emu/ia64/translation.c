// SPDX-License-Identifier: BSD-2-Clause
// Translation of addresses by TLBs and the VHPT walker, with keys and access rights (manual, volume
// 2, chapter 4), and recently used pages.

#include "translation.h"

#include <string.h>

#include "breakpoints.h"
#include "bytes.h"
#include "code.h"
#include "control.h"
#include "entries.h"
#include "machine.h"
#include "misses.h"

// Region registers, and PTA.
#define RR_VE			1ULL
#define RR_SIZE(rr)		((rr) >> 2 & 63)
#define PTA_VE			1ULL
#define PTA_SIZE(pta)		((pta) >> 2 & 63)
#define PTA_LONG		(1ULL << 8)
#define TAG_INVALID		(1ULL << 63)

// Memory attributes of translations (manual, volume 2, table 4-11).
#define ATTRIBUTE_UC		4
#define ATTRIBUTE_UCE		5
#define ATTRIBUTE_NAT_PAGE	7

// Physical addresses: this bit makes memory uncacheable (4.4.3).
#define PHYSICAL_UC		(1ULL << 63)

// A context is the part of the processor's status on which translation depends, in the low bits of
// a tag; bit 0 marks it.
#define CONTEXT_NONE		2		/* matches no tag */
#define CONTEXT_TRANSLATED	2
#define CONTEXT_LEVEL(level)	((uint64_t)(level) << 2)
#define CONTEXT_KEYS		16

static uint64_t context(const struct machine *m, bool translated, unsigned level)
{
	if (!translated)
		return 1;
	return 1 | CONTEXT_TRANSLATED | CONTEXT_LEVEL(level) | (m->psr & PSR_PK ? CONTEXT_KEYS : 0);
}

void ia64_set_context(struct machine *m)
{
	m->data_context = m->psr & (PSR_DA | PSR_DB) ? CONTEXT_NONE :
		context(m, m->psr & PSR_DT, ia64_level(m));
	m->stack_context = m->psr & PSR_DB ? CONTEXT_NONE :
		context(m, m->psr & PSR_RT, m->ar[AR_RSC] >> 2 & 3);
	m->code_context = m->psr & (PSR_IA | PSR_DB) ? CONTEXT_NONE :
		context(m, m->psr & PSR_IT, ia64_level(m));
	ia64_stop(m);
}

bool ia64_is_implemented(uint64_t address)
{
	const uint64_t high = TLB_IN_REGION(address) >> (VIRTUAL_BITS - 1);

	return !high || high == (1ULL << (61 - VIRTUAL_BITS + 1)) - 1;
}

//
// The virtual hash page table
//

// The processor's reference manual, 5.4. Short-format entries are looked up in the address's own
// region.
uint64_t ia64_hash(const struct machine *m, uint64_t address)
{
	const uint64_t pta = m->cr[CR_PTA], mask = (1ULL << PTA_SIZE(pta)) - 1,
		rr = m->rr[TLB_REGION(address)];
	const uint64_t page = (address & ((1ULL << VIRTUAL_BITS) - 1)) >> RR_SIZE(rr);
	const uint64_t offset = pta & PTA_LONG ? (page ^ TLB_RR_REGION(rr)) << 5 : page << 3;
	const uint64_t base = pta & ~0x7FFFULL;

	return (TLB_REGION(pta & PTA_LONG ? pta : address) << 61) | (TLB_IN_REGION(base) & ~mask) |
	       (offset & mask);
}

// The manual leaves the tag to the processor. Ours is the region and the page, which the hash
// contains in part.
uint64_t ia64_tag(const struct machine *m, uint64_t address)
{
	const uint64_t rr = m->rr[TLB_REGION(address)];

	return (uint64_t)TLB_RR_REGION(rr) << 39 | (address & ((1ULL << VIRTUAL_BITS) - 1)) >>
	       RR_SIZE(rr);
}

// Inserts the entry at `at` into the TLB. INSERTION_RESERVED: the table has no entry for the
// address.
static enum insertion walk(struct machine *m, struct ia64_tlb *tlb, uint64_t address, uint64_t at)
{
	const uint64_t rr = m->rr[TLB_REGION(address)];
	uint64_t word[3] = {0, rr & 0xFFFFFFFC, 0};

	for (unsigned i = 0; i < (m->cr[CR_PTA] & PTA_LONG ? 3 : 1); i++)
		word[i] = ia64_read_bytes(m->memory + at + 8 * i, 8,
					  ia64_control_value(m, CR_DCR) & DCR_BE);
	if (m->cr[CR_PTA] & PTA_LONG && (word[2] & TAG_INVALID || word[2] != ia64_tag(m, address)))
		return INSERTION_RESERVED;
	return ia64_insert(m, tlb, -1, address, word[1], word[0]);
}

static bool is_walked(const struct machine *m, uint64_t address, uint64_t access)
{
	const uint64_t needed = PSR_DT | (access & ISR_X ? PSR_IT | PSR_IC : 0) |
		(access & ISR_RS ? PSR_RT : 0);

	return m->cr[CR_PTA] & PTA_VE && m->rr[TLB_REGION(address)] & RR_VE &&
	       (m->psr & needed) == needed;
}

static struct ia64_translation *walked(struct machine *m, struct ia64_tlb *tlb, uint64_t address,
				       uint64_t access)
{
	struct ia64_translation *t = ia64_find_entry(m, tlb, address);

	ia64_see_miss(m, address, access, SERVED_BY_WALKER);
	ia64_see_insertion(m, address, access, t);
	return t;
}

const struct ia64_translation *ia64_find_translation(struct machine *m, uint64_t address,
						     uint64_t access)
{
	const bool fetch = access & ISR_X, nested = !(m->psr & PSR_IC) && !fetch;
	struct ia64_tlb *tlb = fetch ? &m->itlb : &m->dtlb;
	const struct ia64_translation *t = ia64_find_entry(m, tlb, address), *table;
	enum ia64_vector vector = fetch ? VECTOR_ALTERNATE_INSTRUCTION_TLB :
		VECTOR_ALTERNATE_DATA_TLB;

	if (t)
		return t;
	if (is_walked(m, address, access)) {
		const uint64_t at = ia64_hash(m, address);

		table = ia64_find_entry(m, &m->dtlb, at);
		vector = table ? fetch ? VECTOR_INSTRUCTION_TLB : VECTOR_DATA_TLB : VECTOR_VHPT;
		if (table && table->present && table->attribute != ATTRIBUTE_NAT_PAGE &&
		    (!(m->psr & PSR_PK) || !ia64_check_key(m, table->key, ISR_R))) {
			const uint64_t physical = table->physical | (at & table->mask);

			if (m->memory_size >= 32 && physical <= m->memory_size - 32) {
				enum insertion insertion;

				ia64_see_walk(m, address, access, at);
				insertion = walk(m, tlb, address, physical);
				if (insertion == INSERTED)
					return walked(m, tlb, address, access);
				if (insertion == INSERTION_OVERLAPS)
					return NULL;
			}
		}
	}
	ia64_see_miss(m, address, access, SERVED_BY_SOFTWARE);
	ia64_interrupt(m, nested ? VECTOR_DATA_NESTED_TLB : vector, access, address);
	return NULL;
}

//
// Access rights
//

// Fields of a key register: valid; writes, reads, execution disabled; the key.
enum ia64_vector ia64_check_key(const struct machine *m, uint32_t key, uint64_t access)
{
	for (unsigned i = 0; i < KEY_REGISTERS; i++) {
		const uint64_t pkr = m->pkr[i];

		if (pkr & 1 && pkr >> 8 == key)
			return (access & ISR_W && pkr & 2) || (access & ISR_R && pkr & 4) ||
			       (access & ISR_X && pkr & 8) ? VECTOR_KEY_PERMISSION : 0;
	}
	return access & ISR_X ? VECTOR_INSTRUCTION_KEY_MISS : VECTOR_DATA_KEY_MISS;
}

// Manual, volume 2, table 4-2: rights at the page's privilege level, and at more privileged levels.
bool ia64_has_rights(const struct ia64_translation *t, uint64_t access, unsigned level)
{
	enum { R = 1, W = 2, X = 4 };
	static const uint8_t at_level[8] = {R, R | X, R | W, R | W | X, R, R | X, R | W | X, X};
	static const uint8_t above[8] = {R, R | X, R | W, R | W | X, R | W, R | W | X, R | W, X};
	const unsigned wanted = (access & ISR_R ? R : 0) | (access & ISR_W ? W : 0) |
		(access & ISR_X ? X : 0);
	unsigned rights = level > t->level ? 0 : level < t->level || !level ? above[t->rights] :
		at_level[t->rights];

	if (t->rights == 7)
		rights = level ? X : R | X;
	if (t->rights == 6 && !level && !t->level)
		rights = R | W;
	return !(wanted & ~rights);
}

// Returns the vector of the first fault, by priority, for this access to a page; 0: none.
static enum ia64_vector check(const struct machine *m, const struct ia64_translation *t,
			      uint64_t access, unsigned level)
{
	const bool fetch = access & ISR_X;
	const enum ia64_vector key = m->psr & PSR_PK ? ia64_check_key(m, t->key, access) : 0;

	if (!t->present)
		return VECTOR_PAGE_NOT_PRESENT;
	if (t->attribute == ATTRIBUTE_NAT_PAGE)
		return VECTOR_NAT_CONSUMPTION;
	if (key)
		return key;
	if (!ia64_has_rights(t, access, level))
		return fetch ? VECTOR_INSTRUCTION_ACCESS_RIGHTS : VECTOR_DATA_ACCESS_RIGHTS;
	if (access & ISR_W && !t->dirty && !(m->psr & PSR_DA))
		return VECTOR_DIRTY_BIT;
	if (!t->accessed && !(m->psr & (fetch ? PSR_IA : PSR_DA)))
		return fetch ? VECTOR_INSTRUCTION_ACCESS_BIT : VECTOR_DATA_ACCESS_BIT;
	return 0;
}

bool ia64_translate(struct machine *m, uint64_t address, uint64_t access, unsigned level,
		    uint64_t *physical)
{
	const struct ia64_translation *t;
	enum ia64_vector vector;

	if (!ia64_is_implemented(address)) {
		if (access & ISR_X)
			ia64_interrupt(m, VECTOR_LOWER_PRIVILEGE, TRAP_UNIMPLEMENTED, address);
		else
			ia64_interrupt(m, VECTOR_GENERAL_EXCEPTION, CODE_RESERVED_REGISTER | access,
				       address);
		return false;
	}
	t = ia64_find_translation(m, address, access);
	if (!t)
		return false;
	vector = check(m, t, access, level);
	if (vector) {
		ia64_interrupt(m, vector,
			       access | (vector == VECTOR_NAT_CONSUMPTION ? CODE_NAT_PAGE : 0),
			       address);
		return false;
	}
	*physical = t->physical | (address & t->mask);
	return true;
}

//
// Speculative loads
//

// Returns the DCR bit that defers this exception (manual, volume 2, section 3.3.4.1).
static uint64_t deferral(enum ia64_vector vector)
{
	static const struct {
		uint16_t vector;
		uint8_t bit;
	} bits[] = {
		{VECTOR_VHPT, 8}, {VECTOR_DATA_TLB, 8}, {VECTOR_ALTERNATE_DATA_TLB, 8},
		{VECTOR_PAGE_NOT_PRESENT, 9},
		{VECTOR_DATA_KEY_MISS, 10}, {VECTOR_KEY_PERMISSION, 11},
		{VECTOR_DATA_ACCESS_RIGHTS, 12},
		{VECTOR_DATA_ACCESS_BIT, 13}, {VECTOR_DEBUG, 14},
	};

	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
		if (bits[i].vector == vector)
			return 1ULL << bits[i].bit;
	return 0;
}

// A speculative load always defers a fault that software cannot repair. It defers other faults
// while nothing is collected, or if the code's page and DCR ask for it. For an unaligned load, the
// code's page suffices.
bool ia64_is_deferred(struct machine *m)
{
	const enum ia64_vector vector = m->interruption.vector;
	const struct ia64_translation *code;

	if (vector == VECTOR_OVERLAP)	// the run ends
		return false;
	if (vector == VECTOR_GENERAL_EXCEPTION || vector == VECTOR_NAT_CONSUMPTION ||
	    vector == VECTOR_MACHINE_CHECK ||
	    !(m->psr & PSR_IC))
		return true;
	code = m->psr & PSR_IT ? ia64_find_entry(m, &m->itlb, m->ip) : NULL;
	if (!code || !code->defers)
		return false;
	return vector == VECTOR_UNALIGNED || ia64_control_value(m, CR_DCR) & deferral(vector);
}

// Physical memory is WBL or UC, whatever the address (4.4.3). A page of the translation cache is
// WB, WC, UC or UCE.
enum ia64_speculation ia64_speculation(struct machine *m, uint64_t address)
{
	const struct ia64_translation *t;

	if (!(m->psr & PSR_DT))
		return address & PHYSICAL_UC ? SPECULATION_NONE : SPECULATION_LIMITED;
	t = ia64_find_entry(m, &m->dtlb, address);
	return t && (t->attribute == ATTRIBUTE_UC || t->attribute == ATTRIBUTE_UCE) ?
	       SPECULATION_NONE :
										SPECULATION_ANY;
}

//
// Pages
//

// Physical addresses: except for the attribute bit, the bits above the processor's must be 0.
static bool find_physical(struct machine *m, uint64_t address, uint64_t access, uint64_t *physical)
{
	*physical = address & ~PHYSICAL_UC;
	if (!(*physical >> PHYSICAL_BITS))
		return true;
	if (access & ISR_X)
		ia64_interrupt(m, VECTOR_LOWER_PRIVILEGE, TRAP_UNIMPLEMENTED, address);
	else
		ia64_interrupt(m, VECTOR_GENERAL_EXCEPTION, CODE_RESERVED_REGISTER | access,
			       address);
	return false;
}

static bool find(struct machine *m, uint64_t address, uint64_t access, bool translated,
		 unsigned level, uint64_t *physical)
{
	if (!(translated ? ia64_translate(m, address, access, level, physical) :
	      find_physical(m, address, access, physical)))
		return false;
	if (*physical / PAGE_BYTES < m->memory_size / PAGE_BYTES)
		return true;
	ia64_interrupt(m, VECTOR_MACHINE_CHECK, access, *physical);
	return false;
}

// An unaligned access works within a page, unless PSR.ac forbids it.
uint8_t *ia64_find_data(struct machine *m, uint64_t address, unsigned size, uint64_t access)
{
	const bool is_stack = access & ISR_RS;
	const unsigned level = is_stack ? m->ar[AR_RSC] >> 2 & 3 : ia64_level(m);
	const uint64_t tag = is_stack ? m->stack_context : m->data_context;
	const uint64_t low = address % PAGE_BYTES, alignment = size > 8 ? 16 : size;
	struct ia64_recent *recent = (access & ISR_W ? m->writes : m->reads) +
		ia64_recent_index(address);
	uint64_t physical;

	if (!find(m, address, access, m->psr & (is_stack ? PSR_RT : PSR_DT), level, &physical) ||
	    ia64_data_breaks(m, address, size, access, level))
		return NULL;
	if (address & (alignment - 1) && (m->psr & PSR_AC || low + size > PAGE_BYTES)) {
		ia64_interrupt(m, VECTOR_UNALIGNED, access, address);
		return NULL;
	}
	if (access & ISR_W && m->pages[physical / PAGE_BYTES])
		ia64_code_changes(m, physical, size);
	else if (tag != CONTEXT_NONE && (access & (ISR_R | ISR_W)) != (ISR_R | ISR_W))
		*recent = (struct ia64_recent){address - low + tag, m->memory + physical - low};
	return m->memory + physical;
}

const struct op *ia64_fetch(struct machine *m)
{
	struct ia64_recent *recent = &m->code[ia64_recent_index(m->ip)];
	const uint64_t low = m->ip % PAGE_BYTES;
	uint64_t physical;

	if (recent->tag != m->ip - low + m->code_context || m->code_context == CONTEXT_NONE) {
		if (!find(m, m->ip, ISR_X, m->psr & PSR_IT, ia64_level(m), &physical) ||
		    ia64_instruction_breaks(m))
			return NULL;
		*recent = (struct ia64_recent){m->ip - low + m->code_context,
					       ia64_code_page(m, physical / PAGE_BYTES)};
	}
	return (struct op *)recent->page + low / BUNDLE_BYTES * BUNDLE_SLOTS + m->slot;
}
