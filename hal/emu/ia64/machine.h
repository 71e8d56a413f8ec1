/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of an emulated ia64 processor with its memory, and what one decoded instruction does to it. */
#ifndef IA64_MACHINE_H
#define IA64_MACHINE_H

#include "encoding.h"
#include "cycle.h"
#include "hierarchy.h"
#include "interruption.h"
#include "issue.h"
#include "predictor.h"
#include "registers.h"
#include "retire.h"
#include "selection.h"
#include "tlb.h"
#include "traits.h"

#define STATIC_REGISTERS	32
#define STACKED_REGISTERS	96	/* in the processor's register stack */
#define GENERAL_REGISTERS	128	/* that an instruction can name */
#define FLOAT_REGISTERS		128
#define BANKED_FIRST		16	/* r16 to r31 are of one of two banks */
#define BANKED_REGISTERS	16
#define ROTATING_PREDICATES	48	/* p16 and above */
#define ROTATING_FLOATS		96	/* f32 and above */

/* A floating-point register (manual, volume 1, section 5.1): the significand with its integer bit, the exponent of 17
 * bits, the sign. NaTVal is exponent 1FFFEH with significand 0. */
struct ia64_float {
	uint64_t significand;
	uint32_t exponent;
	bool sign;
};
#define FLOAT_EXPONENT_INTEGER	0x1003E	/* of an integer in the significand */
#define FLOAT_EXPONENT_NAT	0x1FFFE

/* Current frame marker: sizes of the frame, its locals, its rotating part (in eights), and how far each file has been
 * rotated. */
struct ia64_frame {
	uint8_t sof, sol, sor;
	uint8_t rrb_gr, rrb_fr, rrb_pr;
};

uint64_t ia64_frame_pack(const struct ia64_frame *frame);
struct ia64_frame ia64_frame_unpack(uint64_t value);

/* What an instruction ends in. */
enum outcome {
	OUTCOME_NEXT,		/* the next instruction follows */
	OUTCOME_TRAP,		/* `interruption` says which, behind the instruction, which has completed */
	OUTCOME_BRANCH,		/* ip and slot are set */
	OUTCOME_END,		/* the program has ended, with `status` */
	OUTCOME_INTERRUPTION,	/* `interruption` says which; nothing else has changed */
	OUTCOME_AGAIN,		/* the instruction is decoded now */
};

struct machine;
struct op;
typedef enum outcome ia64_execute(struct machine *m, const struct op *op);

/* A decoded instruction. `d1`, `s2`, `s3`, `s4` are bits 12:6, 19:13, 26:20 and 33:27, which name registers; `imm` and
 * the two behind it are the format's immediate operands, in their order. */
struct op {
	ia64_execute *execute;
	int64_t imm;
	uint8_t imm2, imm3;
	uint8_t qp, d1, s2, s3, s4;
	bool always;		/* also with a false predicate (compares of type unc, and what has none) */
	bool stop;		/* a stop follows */
	uint8_t floats;		/* which floating-point registers it names: 1: f2 to f31, 2: f32 and above */
	uint16_t encoding;
	uint8_t type, weight;	/* to the monitor: OCCURRENCE_TYPE_*, of a floating-point operation */
	uint16_t traits;	/* TRAIT_* */
	uint8_t reads, writes;	/* registers: GRs that d1, s2, s3, s4 name, from bit 4 on FRs */
	uint8_t latency;	/* of its results, but for loads */
	bool short_s3, last;	/* s3 has two bits; it is the last of its bundle */
	uint8_t dispersal, branch_unit;	/* DISPERSE_*; of a branch, which of its units */
	uint8_t bytes;		/* from it to the next one: two of this struct after a long instruction */
	uint64_t bits;		/* the slot's */
	uint64_t p1, p2;	/* the predicates that a compare writes, by bits */
};

/* An entry of the advanced load address table: 32 of them, two ways (Merced). */
#define ALAT_SETS	16
#define ALAT_WAYS	2
struct alat_entry {
	bool is_float;
	uint8_t reg, size;	/* reg: the physical register */
	uint64_t address, physical;
};

/* Pages of 4 KB that were found lately: the address, with the context in its low bits; where it is. */
#define PAGE_BYTES	4096
#define RECENT_PAGES	64
struct ia64_recent {
	uint64_t tag;
	void *page;
};
static inline unsigned ia64_recent_index(uint64_t address)
{
	return address / PAGE_BYTES % RECENT_PAGES;
}

struct machine {
	/* General registers: r0 to r31, the stack, and the bank that is not in use. `map` says where each that can be
	 * named is. */
	uint64_t gr[STATIC_REGISTERS + STACKED_REGISTERS];
	uint8_t nat[STATIC_REGISTERS + STACKED_REGISTERS];
	uint64_t other_bank[BANKED_REGISTERS];
	uint8_t other_bank_nat[BANKED_REGISTERS];
	uint8_t map[GENERAL_REGISTERS];

	struct ia64_frame frame;
	uint8_t bottom;			/* of the frame, in the stack: 0 to 95 */
	int dirty;			/* registers below it that memory has no copy of; less 0: so many of the frame
					 * are only in memory */
	bool incomplete;		/* before the next instruction these are to be filled (RSE.CFLE) */
	uint64_t bsp, rnat;		/* BSPSTORE follows from bsp and dirty */

	struct ia64_float fr[FLOAT_REGISTERS];
	uint64_t pr;			/* by their logical numbers; p0 is 1 */
	uint64_t br[8];
	uint64_t ar[128];
	uint64_t cr[128];
	uint64_t psr;
	uint64_t ip;
	uint8_t slot;
	uint64_t last;			/* the bundle of the instruction before, if that was another one */
	uint8_t last_slot;		/* of a taken branch */
	struct {			/* the br.ret or rfi that has left the frame incomplete */
		uint64_t ip, bits;
		uint8_t slot;
	} returned;

	uint64_t rr[REGIONS], pkr[KEY_REGISTERS];
	struct ia64_tlb itlb, dtlb;
	/* What of the processor's status matters to translation, as tags have it. */
	uint64_t data_context, stack_context, code_context;
	struct ia64_recent reads[RECENT_PAGES], writes[RECENT_PAGES], code[RECENT_PAGES];

	struct alat_entry alat[ALAT_SETS * ALAT_WAYS];	/* set by set */
	uint32_t alat_valid;		/* entries, by bits */
	uint8_t alat_next[ALAT_SETS];

	uint8_t *memory;
	uint64_t memory_size;
	struct op **pages;		/* decoded code, a page each; NULL: nothing of it is */
	ia64_execute *undecoded;	/* what an instruction of one executes first: it decodes its bundle */

	/* One less than the instructions that may retire before somebody has to look; the number of retired
	 * instructions, those with a false predicate too, when `left` is 0. */
	int64_t left;
	uint64_t until;
	struct vpmu pmu;		/* valid if `monitored` */
	bool monitored;
	bool exact;			/* its model sees each cycle: the reference for what is added up */
	uint64_t idle;			/* cycles in which no instruction retired (unit clock) */
	struct ia64_selection selection;
	struct ia64_cycle cycle;
	struct ia64_retiring retiring;
	struct processor processor;
	struct ia64_hierarchy *hierarchy;
	struct ia64_predictor *predictor;
	bool timed;			/* the clock is issue.c's; else an instruction is a cycle */
	struct ia64_issue issue;
	uint64_t itc;			/* the interval timer when somebody looked last */
	uint64_t irr[4], in_service[4];	/* external interrupts by vector: pending; taken, and not ended */
	struct ia64_interruption interruption;
	int status;
	void (*put_char)(void *context, char c);
	void *context;
};

/* Rotating, logical and physical numbers. */
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

static inline unsigned ia64_fr_number(const struct machine *m, unsigned f)
{
	const unsigned rotated = f + m->frame.rrb_fr;

	if (f < FLOAT_REGISTERS - ROTATING_FLOATS)
		return f;
	return rotated < FLOAT_REGISTERS ? rotated : rotated - ROTATING_FLOATS;
}

/* Whether a register can be written: r0 cannot, nor one outside the frame. */
static inline bool ia64_can_write(const struct machine *m, unsigned r)
{
	return r && r < STATIC_REGISTERS + (unsigned)m->frame.sof;
}

/* The number of retired instructions. */
static inline uint64_t ia64_retired(const struct machine *m)
{
	return m->until - (uint64_t)m->left;
}

/* Somebody looks before the next instruction; before at most `count` more have retired. */
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

/*
 * interruption.c: each of these raises an interruption, and returns OUTCOME_INTERRUPTION. `isr` is ISR without ei and
 * ni.
 */
enum outcome ia64_interrupt(struct machine *m, enum ia64_vector vector, uint64_t isr, uint64_t address);
enum outcome ia64_illegal(struct machine *m);
enum outcome ia64_privileged(struct machine *m);
enum outcome ia64_privileged_register(struct machine *m);
enum outcome ia64_reserved_register(struct machine *m);
/* `access`: ISR_R, ISR_W, ISR_NA with its code; 0 of an operand that is no address. */
enum outcome ia64_nat_consumed(struct machine *m, uint64_t access);

/*
 * delivery.c
 */

/* The processor takes the interruption that was raised. False: software has no table for it (IVA is 0). */
bool ia64_deliver(struct machine *m);

/* Makes the bank of r16 to r31 the one that this status names. */
void ia64_switch_bank(struct machine *m, uint64_t psr);

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

/* A branch that is taken. */
static inline enum outcome ia64_go(struct machine *m, uint64_t address)
{
	m->last = m->ip;
	m->last_slot = m->slot;
	m->ip = address & ~(uint64_t)(BUNDLE_BYTES - 1);
	m->slot = 0;
	return OUTCOME_BRANCH;
}

/*
 * stack.c: frames, rotation, the register stack engine
 */

/* Redoes `map` for the frame. */
void ia64_map(struct machine *m);
/* The frame becomes this one, with the predicates that its rotation names. */
void ia64_set_frame(struct machine *m, struct ia64_frame frame);
void ia64_rotate(struct machine *m);
void ia64_call(struct machine *m);
/* The frame becomes this one, of which `preserved` registers lie below the present one. It may be incomplete. `op`: the
 * br.ret or rfi. */
void ia64_return(struct machine *m, const struct op *op, struct ia64_frame frame, unsigned preserved);
/* Fills an incomplete frame. */
bool ia64_complete(struct machine *m);
bool ia64_alloc(struct machine *m, unsigned sof, unsigned sol, unsigned sor);
bool ia64_flush(struct machine *m);
bool ia64_load(struct machine *m);
void ia64_cover(struct machine *m);
uint64_t ia64_bspstore(const struct machine *m);
void ia64_set_bspstore(struct machine *m, uint64_t address);
/* The address `count` registers above a backing store's, or below it, with the NaT collections between them. */
uint64_t ia64_backing(uint64_t address, int count);

/*
 * translation.c
 */

/* Behind each change of PSR or RSC; behind each change of a TLB, a region or key register. */
void ia64_set_context(struct machine *m);
void ia64_forget_pages(struct machine *m);

/* The physical address of a virtual one; `access`: ISR's bits of it. False: an interruption was raised. */
bool ia64_translate(struct machine *m, uint64_t address, uint64_t access, unsigned level, uint64_t *physical);
bool ia64_is_implemented(uint64_t address);
uint64_t ia64_hash(const struct machine *m, uint64_t address);
uint64_t ia64_tag(const struct machine *m, uint64_t address);
/* The reason why this key cannot be used so; 0: it can. */
enum ia64_vector ia64_check_key(const struct machine *m, uint32_t key, uint64_t access);

/* Whether the exception of a speculative load that was raised is deferred, so that its target becomes a NaT. */
bool ia64_is_deferred(struct machine *m);

/* The speculation that memory at a data address, which can be read, allows by its attribute (manual, volume 2, 4.4.6).
 * Any: WB, WC. Limited: WBL, that of physical addresses; advanced loads, but no speculative ones. None: UC, UCE. */
enum ia64_speculation { SPECULATION_ANY, SPECULATION_LIMITED, SPECULATION_NONE };
enum ia64_speculation ia64_speculation(struct machine *m, uint64_t address);

uint8_t *ia64_find_data(struct machine *m, uint64_t address, unsigned size, uint64_t access);

/* Bytes of memory at an address. `access`: ISR_R, ISR_W or both, with ISR_RS and ISR_SP; NULL: an interruption was
 * raised. */
static inline uint8_t *ia64_data(struct machine *m, uint64_t address, unsigned size, uint64_t access)
{
	const struct ia64_recent *recent = (access & ISR_W ? m->writes : m->reads) + ia64_recent_index(address);
	const uint64_t context = access & ISR_RS ? m->stack_context : m->data_context;
	const uint64_t low = address % PAGE_BYTES;

	if (__builtin_expect(recent->tag == (address - low) + context && !(low & ((size > 8 ? 16 : size) - 1)), 1))
		return (uint8_t *)recent->page + low;
	return ia64_find_data(m, address, size, access);
}

/* The decoded instruction at ip; NULL: an interruption was raised. */
const struct op *ia64_fetch(struct machine *m);

/*
 * code.c
 */

/* Decoded code of a physical page; the page is decoded from here on, bundle by bundle as they are executed. */
struct op *ia64_code_page(struct machine *m, uint64_t page);
/* Bytes at a physical address, which may be decoded code, are about to change. */
void ia64_code_changes(struct machine *m, uint64_t address, unsigned size);

/*
 * breakpoints.c
 */

/* Whether a breakpoint names a byte of this access, or the bundle at ip: a debug fault was raised. */
bool ia64_data_breaks(struct machine *m, uint64_t address, unsigned size, uint64_t access, unsigned level);
bool ia64_instruction_breaks(struct machine *m);

/*
 * memory.c
 */

/* Bytes of memory have been written. */
void ia64_alat_forget(struct machine *m, const uint8_t *at, unsigned size);

enum ia64_load {
	LOAD_PLAIN, LOAD_SPECULATIVE, LOAD_ADVANCED, LOAD_SPECULATIVE_ADVANCED, LOAD_CHECK_CLEAR, LOAD_CHECK_KEEP,
	LOAD_FILL,
};

/* What a load of this type does: takes memory, which can be read; leaves its register as it is, since the table of
 * advanced loads has it; makes it a NaT (speculative); or an interruption was raised. `nat`: the address is one. *at:
 * the memory. */
enum ia64_access { ACCESS_MEMORY, ACCESS_NONE, ACCESS_NAT, ACCESS_INTERRUPTION };
enum ia64_access ia64_load_access(struct machine *m, enum ia64_load type, bool nat, uint64_t address, unsigned size,
				  uint8_t reg, bool is_float, const uint8_t **at);

/* Behind an access that had this outcome: the base register is written. */
enum outcome ia64_update(struct machine *m, const struct op *op, enum outcome outcome, uint64_t add, bool nat);

/* The three forms of a load, NAME_m1 and so on: the base register alone; with a register, or an immediate, added. */
#define IA64_FORMS(name, plain, by_register, by_immediate, access)			\
	static enum outcome name##_##plain(struct machine *m, const struct op *op)	\
	{										\
		return access;								\
	}										\
	static enum outcome name##_##by_register(struct machine *m, const struct op *op) \
	{										\
		return ia64_update(m, op, access, ia64_gr(m, op->s2), ia64_nat(m, op->s2)); \
	}										\
	static enum outcome name##_##by_immediate(struct machine *m, const struct op *op) \
	{										\
		return ia64_update(m, op, access, (uint64_t)op->imm, false);		\
	}

/*
 * control.c: control registers and external interrupts
 */

/* A register's value, of the monitor's model if it has it. */
uint64_t ia64_control_value(struct machine *m, unsigned cr);

/* The interval timer's count; what it becomes behind the instruction that writes it. */
uint64_t ia64_itc(struct machine *m);
void ia64_set_itc(struct machine *m, const struct op *op, uint64_t value);
/* Makes the timer's interrupt pending if it is time, and `stop` the time when it will be, if that comes first. */
void ia64_look_at_timer(struct machine *m);

/* An interrupt of this vector is pending. */
void ia64_request(struct machine *m, uint64_t vector);
/* The vector of the interrupt that would be accepted: above what is in service, and what TPR masks; -1: none. */
int ia64_acceptable(const struct machine *m);

/*
 * pmu.c
 */

/* Gives the processor a performance monitor. The other arguments are those of vpmu_start. False: no such fault. */
bool ia64_attach(struct machine *m, const struct pmu_model *model, void *state, const char *fault, uint64_t seed);

/* From here on the clock is timed. */
void ia64_set_timed(struct machine *m);

/* Registers of the monitor: a file and the number in it. `op` is the instruction that writes. False: there is no
 * monitor, or the access faults. */
enum ia64_file {
	FILE_PMC = 0x000, FILE_PMD = 0x100, FILE_IBR = 0x200, FILE_DBR = 0x300, FILE_CR = 0x400, FILE_PSR = 0x500,
	FILE_AR = 0x600,
};
bool ia64_monitor_read(struct machine *m, uint32_t address, uint64_t *value);
bool ia64_monitor_write(struct machine *m, const struct op *op, uint32_t address, uint64_t value);

/* look.c: brings the monitor up to date and finds out when to look again: `stop`, at most `end`. True: an external
 * interrupt is to be taken. */
bool ia64_look(struct machine *m, uint64_t end);

/* The executing instruction makes a reference. */
static inline void ia64_refer(struct machine *m, enum ia64_reference_kind kind, uint64_t address, unsigned size,
			      bool is_float)
{
	if (__builtin_expect(!m->selection.refers, 1))
		return;
	if (!m->cycle.simple || m->cycle.aparts || m->retiring.replaced) {
		ia64_see(m, kind, address, size, is_float);
		return;
	}
	m->cycle.making.sum += m->cycle.of_reference[kind][is_float][(address & ((size == 10 ? 16 : size) - 1)) != 0];
}

/* Adds the sum of a cycle to those of many. */
static inline void ia64_add_up(struct machine *m, uint64_t sum)
{
	const uint64_t ones = 0x0001000100010001;
	struct ia64_cycle *c = &m->cycle;

	if (__builtin_expect(sum & ~ones || c->packs == LANE_MASK, 0)) {
		ia64_add_large(m, sum);
		return;
	}
	c->packed += sum & m->selection.single;
	c->packs++;
}

/* Whether the instruction that retires does nothing rare, and its cycle is added up. */
static inline bool ia64_is_simple(const struct machine *m, const struct op *op)
{
	return m->cycle.simple && !(op->traits & ~TRAITS_SIMPLE) && !m->retiring.pending;
}

static inline void ia64_retire_simply(struct machine *m, const struct op *op, bool executed)
{
	struct ia64_cycle *c = &m->cycle;
	const uint64_t sum = c->making.sum + (executed ? op->traits & TRAIT_NOP ? c->of_nop : 0 :
					      op->traits & TRAIT_NOT_B ? c->of_squashed : 0);

	if (!sum)
		return;
	ia64_add_up(m, sum);
	c->making.sum = 0;
}

/* Raises an event, if it is selected, in the cycle of an instruction. */
static inline void ia64_raise(struct machine *m, const struct occurrence *context, enum ia64_event code, unsigned sub)
{
	if (m->selection.selected[code])
		ia64_raise_selected(m, context, code, sub, 1);
}

/* While something is selected: whether the instruction that retires may raise some of it. */
static inline bool ia64_matters(const struct machine *m, const struct op *op, uint64_t ip, bool executed)
{
	const struct ia64_selection *s = &m->selection;

	return op->traits & s->traits[executed] || m->retiring.pending ||
	       (s->cached && m->hierarchy->fetched != ia64_line_of(m->hierarchy, ip));
}

/*
 * simulator.c
 */

/* The immediate operand of a break instruction by which a program asks for something: r15 says what. */
#define SIMULATOR_BREAK	0x80001
enum outcome ia64_call_simulator(struct machine *m);

/*
 * handover.c
 */

/* Puts what the program is to find into memory, at its end. False: the arguments are too long. */
bool ia64_hand_over(struct machine *m, const char *arguments);

/*
 * machine.c
 */

/* Executes `count` instructions, where an interruption counts as one: OUTCOME_NEXT; or fewer: the program has ended,
 * or takes an interruption for which it has no table. */
enum outcome ia64_run(struct machine *m, uint64_t count);
/* The processor of a `.machine` file (processor_load) that has all that the machine asks for. */
bool ia64_load_processor(struct processor *processor, const char *name);
bool ia64_make(struct machine *m, const struct processor *processor, uint64_t memory_size);
void ia64_free(struct machine *m);

/* What executes each encoding; by unit, in the files of their names. NULL: it is not implemented. */
extern ia64_execute *const ia64_integer[ENCODINGS], *const ia64_multimedia[ENCODINGS],
	*const ia64_memory[ENCODINGS], *const ia64_branch[ENCODINGS], *const ia64_system[ENCODINGS],
	*const ia64_tlbs[ENCODINGS], *const ia64_control[ENCODINGS], *const ia64_monitor[ENCODINGS],
	*const ia64_floating[ENCODINGS], *const ia64_floating_memory[ENCODINGS],
	*const ia64_floating_parallel[ENCODINGS], *const ia64_approximation[ENCODINGS];

#endif
