/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of an emulated ia64 processor and its memory, decoded instructions, register access,
 * and execution. */
#ifndef IA64_MACHINE_H
#define IA64_MACHINE_H

#include "../model/processor.h"
#include "cycle.h"
#include "encoding.h"
#include "execute.h"
#include "interruption.h"
#include "issue.h"
#include "registers.h"
#include "retire.h"
#include "selection.h"
#include "tlb.h"

#define STATIC_REGISTERS	32
#define STACKED_REGISTERS	96	/* in the processor's register stack */
#define GENERAL_REGISTERS	128	/* in an instruction's name space */
#define FLOAT_REGISTERS		128
#define BANKED_FIRST		16	/* r16 to r31 have two banks */
#define BANKED_REGISTERS	16
#define ROTATING_PREDICATES	48	/* p16 and above */
#define ROTATING_FLOATS		96	/* f32 and above */

/* A floating-point register (manual, volume 1, section 5.1): the significand with its integer bit,
 * the exponent of 17 bits, the sign. NaTVal is exponent 1FFFEH with significand 0. */
struct ia64_float {
	uint64_t significand;
	uint32_t exponent;
	bool sign;
};
#define FLOAT_EXPONENT_INTEGER	0x1003E	/* exponent of an integer in the significand */
#define FLOAT_EXPONENT_NAT	0x1FFFE

/* Current frame marker: sizes of the frame, its locals, its rotating part (in eights), and the
 * rotation of each register file. */
struct ia64_frame {
	uint8_t sof, sol, sor;
	uint8_t rrb_gr, rrb_fr, rrb_pr;
};

/* A decoded instruction. */
struct op {
	ia64_execute *execute;
	int64_t imm; /* the format's immediate operands, in its order: imm, imm2, imm3 */
	uint8_t imm2, imm3;
	uint8_t qp;			/* qualifying predicate */
	uint8_t d1, s2, s3, s4;		/* register fields: bits 12:6, 19:13, 26:20, 33:27 */
	bool always;			/* executes with a false predicate too, like compares of
					 * type unc */
	bool stop;			/* a stop follows */
	uint8_t floats;			/* floating-point registers it names, as bits: 1: f2 to f31,
					 * 2: f32 and above */
	uint16_t encoding;		/* enum ia64_encoding; ENCODINGS: undefined */
	uint8_t type;			/* OCCURRENCE_TYPE_*, for the monitor's opcode matchers */
	uint8_t weight; /* of a floating-point operation (FP_OPS_RETIRED); 0: none */
	uint16_t traits;		/* TRAIT_* */
	uint8_t reads, writes;		/* bit mask of registers: bits 3:0 GRs of d1, s2, s3, s4;
					 * bits 7:4 FRs */
	uint8_t multimedia;	/* of a multimedia unit: 1; with a latency of several cycles: 2 */
	uint16_t latency; /* cycles until its results are ready, if it does not load them */
	bool short_s3;			/* s3 has two bits only */
	bool last;			/* the last instruction of its bundle */
	uint8_t dispersal;		/* DISPERSE_* */
	uint8_t branch_unit;		/* of a branch: the B unit that executes it */
	uint8_t bytes;			/* distance to the next struct op: two structs after a long
					 * instruction */
	uint64_t bits;			/* the slot's bits */
	uint64_t p1, p2;		/* bit masks of the predicates that a compare writes */
};

/* An entry of the advanced load address table: 32 entries in two ways (Merced). */
#define ALAT_SETS	16
#define ALAT_WAYS	2
struct alat_entry {
	bool is_float;
	uint8_t reg, size;		/* physical register; bytes loaded */
	uint64_t address, physical;
};

/* A recently used page of 4 KB. */
#define PAGE_BYTES	4096
#define RECENT_PAGES	64
struct ia64_recent {
	uint64_t tag; /* address, with the context of its translation in the low bits */
	void *page;			/* its memory, or its decoded code */
};

struct ia64_hierarchy;
struct ia64_predictor;

struct machine {
	/* General registers: r0 to r31, then the register stack; the bank of r16 to r31 that is not
	 * in use. */
	uint64_t gr[STATIC_REGISTERS + STACKED_REGISTERS];
	uint8_t nat[STATIC_REGISTERS + STACKED_REGISTERS];
	uint64_t other_bank[BANKED_REGISTERS];
	uint8_t other_bank_nat[BANKED_REGISTERS];
	uint8_t map[GENERAL_REGISTERS];	/* index in gr and nat by register number */

	struct ia64_frame frame;
	uint8_t bottom;			/* the frame's first register in the stack: 0 to 95 */
	int dirty;			/* registers below the frame that the backing store lacks;
					 * negative: number of the frame's registers that only the
					 * backing store holds */
	bool incomplete; /* RSE.CFLE: the frame is filled before the next instruction */
	uint64_t bsp, rnat;		/* BSPSTORE follows from bsp and dirty */

	struct ia64_float fr[FLOAT_REGISTERS];	/* by physical number */
	uint64_t pr;			/* bit mask by logical number; p0 is 1 */
	uint64_t br[8];
	uint64_t ar[128];
	uint64_t cr[128];
	uint64_t psr;
	uint64_t ip;
	uint8_t slot;
	uint64_t last; /* bundle of the previous instruction, if it was another bundle */
	uint8_t last_slot;		/* slot of the last taken branch */
	struct {			/* the br.ret or rfi that has left the frame incomplete */
		uint64_t ip, bits;
		uint8_t slot;
	} returned;

	uint64_t rr[REGIONS], pkr[KEY_REGISTERS];
	struct ia64_tlb itlb, dtlb;
	/* Contexts in the tags of recently used pages: of data, of the register stack engine, of
	 * code (ia64_set_context). */
	uint64_t data_context, stack_context, code_context;
	struct ia64_recent reads[RECENT_PAGES], writes[RECENT_PAGES], code[RECENT_PAGES];

	struct alat_entry alat[ALAT_SETS * ALAT_WAYS];	/* set by set */
	uint32_t alat_valid;		/* bit mask of valid entries */
	uint8_t alat_next[ALAT_SETS];

	uint8_t *memory;
	uint64_t memory_size;		/* bytes */
	struct op **pages;		/* decoded code by physical page; NULL: no code of the page
					 * has executed */
	ia64_execute *undecoded;	/* op.execute before an instruction is decoded: decodes its
					 * bundle */

	int64_t left;			/* instructions that may retire before ia64_look, less 1 */
	uint64_t until; /* left + ia64_retired: the number of retired instructions when left is 0 */
	struct vpmu pmu;		/* valid if `monitored` */
	bool monitored;
	bool exact; /* the monitor's model sees each cycle: the reference for sums of cycles */
	uint64_t idle;			/* unit clock: cycles in which no instruction retired */
	struct ia64_selection selection;
	struct ia64_cycle cycle;
	struct ia64_retiring retiring;
	struct processor processor;
	struct ia64_hierarchy *hierarchy;
	struct ia64_predictor *predictor;
	bool timed;			/* the timed clock is selected, not the unit clock */
	struct ia64_issue issue;
	uint64_t itc;			/* ITC at the last ia64_look_at_timer */
	uint64_t irr[4], in_service[4];	/* bit masks of external interrupts by vector: pending;
					 * taken, not ended */
	struct ia64_interruption interruption;	/* the last one that was raised */
	int status;			/* exit status, after OUTCOME_END */
	void (*put_char)(void *context, char c);
	void *context;
};

/* Register access by the numbers that instructions name. */
static inline uint64_t ia64_gr(const struct machine *m, unsigned r)
{
	return m->gr[m->map[r]];
}

static inline bool ia64_nat(const struct machine *m, unsigned r)
{
	return m->nat[m->map[r]];
}

static inline bool ia64_pr(const struct machine *m, unsigned p)
{
	return m->pr >> p & 1;
}

/* The physical number of a floating-point register. */
static inline unsigned ia64_fr_number(const struct machine *m, unsigned f)
{
	const unsigned rotated = f + m->frame.rrb_fr;

	if (f < FLOAT_REGISTERS - ROTATING_FLOATS)
		return f;
	return rotated < FLOAT_REGISTERS ? rotated : rotated - ROTATING_FLOATS;
}

/* Whether instructions can write a general register: neither r0 nor a register above the frame. */
static inline bool ia64_can_write(const struct machine *m, unsigned r)
{
	return r && r < STATIC_REGISTERS + (unsigned)m->frame.sof;
}

/* The number of retired instructions, those with a false predicate included. */
static inline uint64_t ia64_retired(const struct machine *m)
{
	return m->until - (uint64_t)m->left;
}

/* Makes the machine call ia64_look before the next instruction; or after at most `count` more
 * instructions. */
static inline void ia64_stop(struct machine *m)
{
	if (m->left < 0)
		return;
	m->until -= (uint64_t)m->left + 1;
	m->left = -1;
}

static inline void ia64_stop_within(struct machine *m, uint64_t count)
{
	if (m->left < 0 || count > (uint64_t)m->left)
		return;
	m->until -= (uint64_t)m->left + 1 - count;
	m->left = (int64_t)count - 1;
}

/* The current privilege level. */
static inline unsigned ia64_level(const struct machine *m)
{
	return m->psr >> 32 & 3;
}

/* Writes a general register and its NaT bit. Returns the outcome of the instruction that does so.
 */
static inline enum outcome ia64_put(struct machine *m, unsigned r, uint64_t value, bool nat)
{
	if (__builtin_expect(!ia64_can_write(m, r), 0))
		return ia64_illegal(m);
	m->gr[m->map[r]] = value;
	m->nat[m->map[r]] = nat;
	return OUTCOME_NEXT;
}

static inline void ia64_put_pr(struct machine *m, unsigned p, bool value)
{
	m->pr = (m->pr & ~(1ULL << p)) | (uint64_t)value << p | 1;
}

/* Takes a branch. */
static inline enum outcome ia64_go(struct machine *m, uint64_t address)
{
	m->last = m->ip;
	m->last_slot = m->slot;
	m->ip = address & ~(uint64_t)(BUNDLE_BYTES - 1);
	m->slot = 0;
	return OUTCOME_BRANCH;
}

/* Executes `count` instructions; an interruption counts as one. Returns OUTCOME_NEXT after that,
 * OUTCOME_END if the program has ended before, or OUTCOME_INTERRUPTION if the processor cannot
 * deliver an interruption. */
enum outcome ia64_run(struct machine *m, uint64_t count);

/* Reads a `.machine` file (processor_load). False: it cannot be read, or lacks a value that the
 * machine needs. */
bool ia64_load_processor(struct processor *processor, const char *name);

/* Makes a processor after reset, without a monitor, with memory from address 0. Returns false if
 * the host has no memory. Call ia64_free in either case. */
bool ia64_make(struct machine *m, const struct processor *processor, uint64_t memory_size);
void ia64_free(struct machine *m);

#endif
