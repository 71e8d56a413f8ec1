// SPDX-License-Identifier: BSD-2-Clause
// Register frames, rotation, and the register stack engine (manual, volume 2, chapter 6). It spills
// and fills only the registers that an instruction needs (enforced lazy mode), whatever RSC.mode
// is: the manual leaves eager modes to processors.

#include "stack.h"

#include <string.h>

#include "bytes.h"
#include "machine.h"
#include "memory.h"
#include "references.h"
#include "retire.h"
#include "translation.h"

#define RSC_BE		0x10ULL	/* byte order of the backing store */
/* the place of a collection of 63 NaT bits */
#define COLLECTION(address)	(((address) & 0x1F8) == 0x1F8)
#define NAT_BIT(address)	(1ULL << ((address) >> 3 & 63))

uint64_t ia64_frame_pack(const struct ia64_frame *f)
{
	return f->sof | (uint64_t)f->sol << 7 | (uint64_t)f->sor << 14 | (uint64_t)f->rrb_gr << 18 |
	       (uint64_t)f->rrb_fr << 25 | (uint64_t)f->rrb_pr << 32;
}

struct ia64_frame ia64_frame_unpack(uint64_t value)
{
	return (struct ia64_frame){
		.sof = value & 127, .sol = value >> 7 & 127, .sor = value >> 14 & 15,
		.rrb_gr = value >> 18 & 127, .rrb_fr = value >> 25 & 127,
		.rrb_pr = value >> 32 & 63,
	};
}

// The numbers of the stack's registers in order, twice: the registers after any register follow it.
#define FOUR(n)		(n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n)	FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
#define ALL		SIXTEEN(32), SIXTEEN(48), SIXTEEN(64), SIXTEEN(80), SIXTEEN(96), \
	SIXTEEN(112)
static const uint8_t in_order[2 * STACKED_REGISTERS] = {ALL, ALL};

void ia64_map(struct machine *m)
{
	const unsigned rotating = m->frame.sor * 8u, rotated = m->frame.rrb_gr;
	const uint8_t *const from = in_order + m->bottom;
	uint8_t *const to = m->map + STATIC_REGISTERS;

	memcpy(to, from, STACKED_REGISTERS);
	if (rotated) {
		memcpy(to, from + rotated, rotating - rotated);
		memcpy(to + rotating - rotated, from, rotated);
	}
}

// Returns p16 and above as another rotation names them.
static uint64_t rename_predicates(uint64_t pr, unsigned from, unsigned to)
{
	const unsigned by = (from + ROTATING_PREDICATES - to) % ROTATING_PREDICATES;
	const uint64_t all = (1ULL << ROTATING_PREDICATES) - 1, rotating = pr >> 16;

	return (pr & 0xFFFF) | ((rotating << by | rotating >> (ROTATING_PREDICATES - by)) & all) <<
	       16;
}

void ia64_set_frame(struct machine *m, struct ia64_frame frame)
{
	if (frame.rrb_pr != m->frame.rrb_pr)
		m->pr = rename_predicates(m->pr, m->frame.rrb_pr, frame.rrb_pr);
	m->frame = frame;
	ia64_map(m);
}

static uint8_t count_down(uint8_t value, unsigned modulus)
{
	return modulus ? (uint8_t)((value ? value : modulus) - 1) : 0;
}

void ia64_rotate(struct machine *m)
{
	struct ia64_frame f = m->frame;

	f.rrb_gr = count_down(f.rrb_gr, f.sor * 8u);
	f.rrb_fr = count_down(f.rrb_fr, ROTATING_FLOATS);
	f.rrb_pr = count_down(f.rrb_pr, ROTATING_PREDICATES);
	ia64_set_frame(m, f);
}

uint64_t ia64_backing(uint64_t address, int count)
{
	const int at = (int)(address >> 3 & 63);
	const int passed = count >= 0 ? (at + count) / 63 : -((62 - at - count) / 63);

	return address + (uint64_t)(int64_t)(8 * (count + passed));
}

uint64_t ia64_bspstore(const struct machine *m)
{
	return ia64_backing(m->bsp, -m->dirty);
}

void ia64_set_bspstore(struct machine *m, uint64_t address)
{
	m->bsp = ia64_backing(address & ~7ULL, m->dirty);
}

// Returns the register `below` places below the frame.
static unsigned below_frame(const struct machine *m, int below)
{
	return STATIC_REGISTERS + (unsigned)(m->bottom + STACKED_REGISTERS - below) %
	       STACKED_REGISTERS;
}

static bool store_word(struct machine *m, uint64_t address, uint64_t value)
{
	uint8_t *at = ia64_data(m, address, 8, ISR_W | ISR_RS);

	if (!at)
		return false;
	ia64_write_bytes(at, value, 8, m->ar[AR_RSC] & RSC_BE);
	ia64_alat_forget(m, at, 8);
	ia64_see(m, REFERENCE_RSE_STORE, address, 8, false);
	return true;
}

static bool load_word(struct machine *m, uint64_t address, uint64_t *value)
{
	const uint8_t *at = ia64_data(m, address, 8, ISR_R | ISR_RS);

	if (!at)
		return false;
	*value = ia64_read_bytes(at, 8, m->ar[AR_RSC] & RSC_BE);
	ia64_see(m, REFERENCE_RSE_LOAD, address, 8, false);
	return true;
}

// Stores the lowest dirty register; after the 63rd also its collection of NaT bits. The register is
// invalid then: the processor keeps no clean registers (its reference manual, section 2.2).
static bool spill(struct machine *m)
{
	const uint64_t address = ia64_bspstore(m);
	const unsigned r = below_frame(m, m->dirty);
	const uint64_t bit = NAT_BIT(address);

	// A fault of the second word comes before the first word is a reference.
	if (COLLECTION(address + 8) && !(ia64_data(m, address, 8, ISR_W | ISR_RS) &&
					 ia64_data(m, address + 8, 8, ISR_W | ISR_RS)))
		return false;
	if (!store_word(m, address, m->gr[r]))
		return false;
	m->rnat = m->nat[r] ? m->rnat | bit : m->rnat & ~bit;
	if (COLLECTION(address + 8)) {
		if (!store_word(m, address + 8, m->rnat))
			return false;
		m->rnat = 0;
	}
	m->dirty--;
	return true;
}

// Loads the register below the lowest dirty one, with its NaT bit. It is dirty afterwards.
static bool fill(struct machine *m)
{
	const unsigned r = below_frame(m, m->dirty + 1);
	const uint64_t address = ia64_backing(m->bsp, -(m->dirty + 1));
	uint64_t value, nats = m->rnat;

	if (COLLECTION(address + 8) && !(ia64_data(m, address + 8, 8, ISR_R | ISR_RS) &&
					 ia64_data(m, address, 8, ISR_R | ISR_RS)))
		return false;
	if ((COLLECTION(address + 8) && !load_word(m, address + 8, &nats)) ||
	    !load_word(m, address, &value))
		return false;
	m->rnat = nats;
	m->gr[r] = value;
	m->nat[r] = !!(nats & NAT_BIT(address));
	m->dirty++;
	return true;
}

// Spills dirty registers to make room for a frame.
static bool make_room(struct machine *m, unsigned sof)
{
	while ((int)sof + m->dirty > STACKED_REGISTERS)
		if (!spill(m))
			return false;
	return true;
}

// Forgets missing registers above a frame of this size.
static void forget_above(struct machine *m, int sof)
{
	if (m->dirty < -sof)
		m->dirty = -sof;
}

bool ia64_alloc(struct machine *m, unsigned sof, unsigned sol, unsigned sor)
{
	struct ia64_frame f = m->frame;

	if (!make_room(m, sof))
		return false;
	f.sof = (uint8_t)sof;
	f.sol = (uint8_t)sol;
	f.sor = (uint8_t)sor;
	forget_above(m, (int)sof);
	ia64_set_frame(m, f);
	return true;
}

// Moves `count` registers from the bottom of the frame to below it.
static void preserve(struct machine *m, unsigned count)
{
	m->bsp = ia64_backing(m->bsp, (int)count);
	m->bottom = (uint8_t)((m->bottom + count) % STACKED_REGISTERS);
	m->dirty += (int)count;
}

void ia64_call(struct machine *m)
{
	const struct ia64_frame f = m->frame;

	preserve(m, f.sol);
	ia64_set_frame(m, (struct ia64_frame){.sof = f.sof - f.sol});
}

void ia64_cover(struct machine *m)
{
	preserve(m, m->frame.sof);
	ia64_set_frame(m, (struct ia64_frame){0});
}

// Whether the sizes of a frame that software has made are consistent.
static bool is_frame(const struct ia64_frame *f)
{
	return f->sof <= STACKED_REGISTERS && f->sol <= f->sof && f->sor * 8 <= f->sof &&
	       f->rrb_gr < (f->sor ? f->sor * 8 : 1) && f->rrb_fr < ROTATING_FLOATS &&
	       f->rrb_pr < ROTATING_PREDICATES;
}

// Software can write any frame to PFS or IFS. An inconsistent frame, or one that the processor has
// no room for, becomes a frame without registers (manual, volume 2, section 6.5.5: a bad PFS).
void ia64_return(struct machine *m, const struct op *op, struct ia64_frame frame,
		 unsigned preserved)
{
	const int dirty = m->dirty - (int)preserved;

	if (!is_frame(&frame) || frame.sof + (dirty > 0 ? dirty : 0) > STACKED_REGISTERS) {
		frame = (struct ia64_frame){0};
		preserved = 0;
	}
	m->bsp = ia64_backing(m->bsp, -(int)preserved);
	m->bottom = (uint8_t)((m->bottom + STACKED_REGISTERS - preserved) % STACKED_REGISTERS);
	m->dirty -= (int)preserved;
	forget_above(m, frame.sof);
	m->returned.ip = m->ip;
	m->returned.slot = m->slot;
	m->returned.bits = op->bits;
	m->incomplete = m->dirty < 0;
	if (m->incomplete)
		ia64_stop(m);
	ia64_set_frame(m, frame);
}

bool ia64_complete(struct machine *m)
{
	bool filled = true;

	while (filled && m->dirty < 0)
		filled = fill(m);
	m->incomplete = !filled;
	ia64_pass_fills(m);
	return filled;
}

bool ia64_flush(struct machine *m)
{
	while (m->dirty > 0)
		if (!spill(m))
			return false;
	return true;
}

// LOADRS: afterwards the dirty registers are exactly those of the last RSC.loadrs bytes of backing
// store below BSP.
bool ia64_load(struct machine *m)
{
	const uint64_t bytes = m->ar[AR_RSC] >> 16 & 0x3FFF, lowest = m->bsp - (bytes & ~7ULL);
	int wanted = 0;

	while (ia64_backing(m->bsp, -(wanted + 1)) >= lowest && wanted < STACKED_REGISTERS)
		wanted++;
	while (m->dirty < wanted)
		if (!fill(m))
			return false;
	m->dirty = wanted;
	return true;
}
