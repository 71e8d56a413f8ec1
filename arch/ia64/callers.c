// SPDX-License-Identifier: BSD-2-Clause
// Unwinds the register stack to find the callers of the interrupted code. There are no unwind
// tables: a function's first instructions show the registers that hold b0 and ar.pfs. The search
// reads only code and the register stack, and ends at any value that is no return address.

#include "arch.h"

#include "layout.h"
#include "ia64/this_cpu.h"

#define BUNDLE		16
#define PROLOGUE	(16 * BUNDLE)	/* bytes of a function that may save b0 and ar.pfs */
#define FIRST_STACKED	32
#define ENTRY_LOCALS	22		/* size of arch_pmi_entry's frame */

/* Registers of arch_pmi_entry's frame that hold the interrupted state (vectors.S). */
#define ENTRY_PFS	0
#define ENTRY_B0	2
#define ENTRY_IFS	6
#define ENTRY_BSPSTORE	7

/* Frame markers: CFM, as in cr.ifs and ar.pfs (ASDM volume 1, table 3-2). */
#define CFM_SIZE(cfm)	((cfm) & 0x7F)
#define CFM_LOCALS(cfm)	((cfm) >> 7 & 0x7F)

extern const char text_start[], text_code_end[];	// linker script
extern char stack_boot[], stack_pmi[], stack_user[];	// vectors.S
extern const char ia64_user_start[];			// execute.S

//
// Instructions (ASDM volume 3, chapter 4)
//

static bool is_code(uint64_t address)
{
	return address >= (uintptr_t)text_start + BUNDLE && address < (uintptr_t)text_code_end;
}

// The units of a bundle's slots, by its template without the last bit.
static char unit_of(uint64_t bundle, unsigned slot)
{
	static const char units[16][4] = {
		"MII", "MII", "MLX", "", "MMI", "MMI", "MFI", "MMF", "MIB", "MBB", "", "BBB", "MMB",
		"", "MFB", "",
	};
	const uint64_t *words = (const uint64_t *)(uintptr_t)bundle;

	return units[words[0] >> 1 & 15][slot];
}

static uint64_t instruction_at(uint64_t bundle, unsigned slot)
{
	const uint64_t *words = (const uint64_t *)(uintptr_t)bundle;
	const uint64_t bits = slot == 0 ? words[0] >> 5 : slot == 1 ? words[0] >> 46 |
		words[1] << 18 : words[1] >> 23;

	return bits & ((1ULL << 41) - 1);
}

static unsigned field(uint64_t instruction, unsigned low, unsigned width)
{
	return (unsigned)(instruction >> low & ((1u << width) - 1));
}

// M34, alloc r1 = ar.pfs: returns r1. 0: another instruction.
static unsigned alloc_register(uint64_t i)
{
	return field(i, 37, 4) == 1 && field(i, 33, 3) == 6 ? field(i, 6, 7) : 0;
}

// I22, mov r1 = b0: returns r1. 0: another instruction.
static unsigned b0_register(uint64_t i)
{
	const bool moves = !field(i, 37, 4) && !field(i, 33, 3) && field(i, 27, 6) == 0x31;

	return moves && !field(i, 13, 3) && !field(i, 0, 6) ? field(i, 6, 7) : 0;
}

// B3 and B5, br.call: the bundle's first slot with one. 3: none.
static unsigned call_slot(uint64_t bundle)
{
	unsigned slot = 0;

	while (slot < 3 &&
	       !(unit_of(bundle, slot) == 'B' && (field(instruction_at(bundle, slot), 37, 4) == 5 ||
							       field(instruction_at(bundle, slot),
								     37, 4) == 1)))
		slot++;
	return slot;
}

// The registers in which a function saved ar.pfs and b0 before `ip` (bundle and slot); 0: not saved
// yet. A register that calls do not preserve holds the value only until the first call.
struct saved {
	unsigned pfs, b0;
};

static struct saved find_saved(uint64_t function, uint64_t ip)
{
	const uint64_t end = ip - function < PROLOGUE ? ip : function + PROLOGUE;
	struct saved saved = {0, 0};

	for (uint64_t bundle = function; bundle < end && !(saved.pfs && saved.b0); bundle += BUNDLE)
		for (unsigned slot = 0; slot < 3 && bundle + slot < end; slot++) {
			const char unit = unit_of(bundle, slot);

			if (unit == 'M' && !saved.pfs)
				saved.pfs = alloc_register(instruction_at(bundle, slot));
			else if (unit == 'I' && !saved.b0)
				saved.b0 = b0_register(instruction_at(bundle, slot));
		}
	return saved;
}

//
// The register stack: 63 of each 64 words in memory are registers
//

static uint64_t number_of(uint64_t address)
{
	return address / 8 - address / 512;
}

static uint64_t address_of(uint64_t number)
{
	return (number + number / 63) * 8;
}

// The registers that were in the processor at the interrupt are on its own backing store, below
// `entry`. Older ones are on the interrupted backing store, below `store`.
struct search {
	uint64_t ip;
	uint64_t base;			/* of the frame, as a number of registers below `entry` */
	uint64_t entry, store, store_start;
	uint64_t pfs, b0;		/* from the interrupted registers; 0 for callers */
};

// The register at this distance below `entry`. 0: it is not on a backing store.
static uint64_t stacked(const struct search *s, uint64_t below)
{
	const uint64_t dirty = number_of(s->entry) - number_of((uintptr_t)stack_pmi);
	uint64_t address;

	if (below <= dirty) {
		address = address_of(number_of(s->entry) - below);
	} else {
		address = address_of(number_of(s->store) - (below - dirty));
		if (address < s->store_start || address >= s->store)
			return 0;
	}
	return *(const uint64_t *)(uintptr_t)address;
}

// A register of the current frame; 0: it is outside the frame.
static uint64_t local(const struct search *s, unsigned number)
{
	const unsigned index = number - FIRST_STACKED;

	return index >= s->base ? 0 : stacked(s, s->base - index);
}

static bool find_caller(struct search *s, uint64_t function)
{
	struct saved saved;
	uint64_t pfs, b0;

	if (!function || function % BUNDLE)
		return false;
	saved = find_saved(function, s->ip);
	pfs = saved.pfs < FIRST_STACKED ? s->pfs : local(s, saved.pfs);
	b0 = saved.b0 < FIRST_STACKED ? s->b0 : local(s, saved.b0);
	if (!is_code(b0) || b0 % BUNDLE || b0 - BUNDLE == (uintptr_t)ia64_user_start ||
	    call_slot(b0 - BUNDLE) == 3)
		return false;
	s->ip = b0 - BUNDLE + call_slot(b0 - BUNDLE);
	s->base += CFM_LOCALS(pfs);
	s->pfs = s->b0 = 0;
	return true;
}

unsigned arch_callers(uint64_t ip, unsigned level, arch_function_start *function_start,
		      uint64_t *caller, unsigned most)
{
	const uint64_t entry = address_of(number_of(ia64_this_cpu.handler_bsp) - ENTRY_LOCALS);
	const uint64_t start = (uintptr_t)(level ? stack_user : stack_boot);
	const uint64_t size = level ? STACK_USER_SIZE : STACK_BOOT_SIZE;
	struct search s = {.ip = ip, .entry = entry, .store = start, .store_start = start};
	unsigned count = 0;
	uint64_t bspstore;

	#define FOUND(local) (*(const uint64_t *)(uintptr_t)address_of(number_of(entry) + (local)))
	s.pfs = FOUND(ENTRY_PFS);
	s.b0 = FOUND(ENTRY_B0);
	s.base = CFM_SIZE(FOUND(ENTRY_IFS));
	bspstore = FOUND(ENTRY_BSPSTORE);
	#undef FOUND
	if (!is_code(ip))
		return 0;
	if (bspstore % 8 == 0 && bspstore >= start && bspstore - start <= size)
		s.store = bspstore;
	while (count < most && find_caller(&s, function_start(s.ip)))
		caller[count++] = s.ip;
	return count;
}

void arch_follow_calls(arch_pmi_function *handler)
{
	ia64_this_cpu.following_handler = (uintptr_t)handler;
	ia64_this_cpu.pmi_handler = (uintptr_t)ia64_following_handler;
}
