// SPDX-License-Identifier: BSD-2-Clause
// Splits x86 instructions into micro-ops: uops.h. An instruction loads its memory operand,
// computes, and stores; a row of the description has the computation.

#include "uops.h"

#include <string.h>

#include "../allocate.h"
#include "decoder.h"

// Registers by number: general, carry flag, other flags, XMM, x87 and MMX, temporary.
#define GENERAL		0
#define CARRY		16
#define FLAGS		17
#define XMM		18
#define X87		34
#define LOADED		42	// the loaded operand
#define COMPUTED	43	// the result that is stored
#define SET(n)		(1ULL << (n))
#define STACK_POINTER	SET(GENERAL + 4)
#define DX		SET(GENERAL + 2)

#define BRANCH_PORT	(1u << 5)
#define MEMORY_PORTS	(1u << PROCESSOR_LOAD | 1u << PROCESSOR_STORE_ADDRESS |	\
			 1u << PROCESSOR_STORE_DATA)

static uint64_t register_set(ZydisRegister name)
{
	const ZydisRegister whole =
		ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
	const ZyanI8 number = ZydisRegisterGetId(whole == ZYDIS_REGISTER_NONE ? name : whole);

	switch (ZydisRegisterGetClass(name)) {
	case ZYDIS_REGCLASS_GPR8: case ZYDIS_REGCLASS_GPR16: case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		return SET(GENERAL + number);
	case ZYDIS_REGCLASS_XMM:
		return number < 16 ? SET(XMM + number) : 0;
	case ZYDIS_REGCLASS_X87: case ZYDIS_REGCLASS_MMX:
		return SET(X87 + number);
	default:
		return 0;
	}
}

//
// Rows
//

// The form of an instruction, to find its row.
struct form {
	const char *name;
	char form, operands;	// as in struct processor_uops; `operands`: their number
	bool immediate, one;	// an operand is immediate; and it is 1
	unsigned width;
};

static bool has_operands(const struct processor_uops *u, const struct form *f)
{
	return !u->operands || (u->operands == 'i' ? f->immediate : u->operands == '1' ? f->one :
				u->operands == f->operands);
}

// Returns the row of a form with this width; 0: a row for any width. `restricts`: whether the row
// is for some operands only.
static const struct processor_uops *find(const struct processor *p, const struct form *f, char form,
					 unsigned width, bool restricts)
{
	for (const struct processor_uops *u = p->uops; u < &p->uops[p->uops_count]; u++)
		if (u->form == form && u->width == width && restricts == !!u->operands &&
		    has_operands(u, f) && !strcmp(u->name, f->name))
			return u;
	return NULL;
}

// Prefers the row of the form, of the operands, of the width. Without a row for its memory operand,
// an instruction has the row of its register form.
static const struct processor_uops *find_row(const struct processor *p, const struct form *f)
{
	const char forms[] = {f->form, f->form == 'd' || f->form == 'm' ? 'r' : '\0', '\0'};
	const struct processor_uops *row = NULL;

	for (const char *form = forms; *form && !row; form++)
		for (int restricts = 1; restricts >= 0 && !row; restricts--) {
			row = find(p, f, *form, f->width, restricts);
			if (!row)
				row = find(p, f, *form, 0, restricts);
		}
	return row;
}

//
// Operands
//

struct operands {
	unsigned unit;			/* of the computation: PIPELINE_INTEGER and others */
	uint64_t reads, writes;		/* registers of the computation */
	uint64_t address;		/* registers of the memory operand's address */
	bool string;			/* a string instruction */
	bool loads, stores;		/* the explicit memory operand is read, written */
	bool immediate, one;
	unsigned count;			/* explicit operands */
};

static void take_register(struct operands *s, const ZydisDecodedOperand *o)
{
	const uint64_t set = register_set(o->reg.value);

	if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		s->reads |= set;
	if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		s->writes |= set;
}

static void take_memory(struct operands *s, const ZydisDecodedOperand *o)
{
	const uint64_t set = register_set(o->mem.base) | register_set(o->mem.index);

	if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
		s->reads |= set;
		return;
	}
	s->address |= set;
	if (o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN || s->string)
		return;		// its micro-ops are in the row
	s->loads |= (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
	s->stores |= (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

static void take_flags(struct operands *s, const ZydisDecodedInstruction *i)
{
	const ZydisAccessedFlags *f = i->cpu_flags;
	const uint32_t carry = ZYDIS_CPUFLAG_CF,
		others = ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF |
			ZYDIS_CPUFLAG_OF;
	uint32_t written;

	if (!f)
		return;
	written = f->modified | f->set_0 | f->set_1 | f->undefined;
	s->reads |= (f->tested & carry ? SET(CARRY) : 0) | (f->tested & others ? SET(FLAGS) : 0);
	s->writes |= (written & carry ? SET(CARRY) : 0) | (written & others ? SET(FLAGS) : 0);
}

// The processor knows that x - x and x xor x are 0, whatever x is.
static bool is_zero(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_XOR: case ZYDIS_MNEMONIC_SUB: case ZYDIS_MNEMONIC_PXOR:
	case ZYDIS_MNEMONIC_XORPS: case ZYDIS_MNEMONIC_XORPD:
		return operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       operands[0].reg.value == operands[1].reg.value;
	default:
		return false;
	}
}

// The stack engine computes the stack pointer of these instructions without a micro-op.
static bool uses_stack_engine(const ZydisDecodedInstruction *i)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH: case ZYDIS_MNEMONIC_POP: case ZYDIS_MNEMONIC_CALL:
	case ZYDIS_MNEMONIC_RET:
		return true;
	default:
		return false;
	}
}

// Instructions on MMX and XMM registers compute integers, or floating-point numbers, by their name:
// MOVAPS, CVTSI2SD, MOVDDUP.
static unsigned unit_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	static const char *const ends[] = {"ps", "pd", "ss", "sd", "dup"};
	const char *name = ZydisMnemonicGetString(i->mnemonic);
	unsigned unit = i->meta.category == ZYDIS_CATEGORY_X87_ALU ? PIPELINE_FLOAT :
		PIPELINE_INTEGER;

	for (const ZydisDecodedOperand *o = operands; o < operands + i->operand_count; o++)
		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER && register_set(o->reg.value) >> XMM)
			unit = ZydisRegisterGetClass(o->reg.value) == ZYDIS_REGCLASS_X87 ?
				PIPELINE_FLOAT : PIPELINE_VECTOR;
	if (unit != PIPELINE_VECTOR || *name == 'p')
		return unit;
	for (size_t n = 0; n < sizeof ends / sizeof *ends; n++)
		if (!strcmp(name + strlen(name) - strlen(ends[n]), ends[n]))
			return PIPELINE_FLOAT;
	return strncmp(name, "cvt", 3) ? unit : PIPELINE_FLOAT;
}

static struct operands operands_of(const ZydisDecodedInstruction *i,
				   const ZydisDecodedOperand *operands)
{
	struct operands s = {.string = i->meta.category == ZYDIS_CATEGORY_STRINGOP,
			     .unit = unit_of(i, operands)};

	for (const ZydisDecodedOperand *o = operands; o < operands + i->operand_count; o++) {
		s.count += o->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
		s.immediate |= o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
		s.one |= o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && o->imm.value.u == 1;
		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
			take_register(&s, o);
		else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
			take_memory(&s, o);
	}
	take_flags(&s, i);
	if (i->meta.category == ZYDIS_CATEGORY_NOP || i->meta.category == ZYDIS_CATEGORY_WIDENOP)
		s = (struct operands){.count = s.count};
	if (i->operand_count > 1 && is_zero(i, operands))
		s.reads = 0;
	if (uses_stack_engine(i)) {
		s.reads &= ~STACK_POINTER;
		s.writes &= ~STACK_POINTER;
		s.address &= ~STACK_POINTER;
	}
	return s;
}

//
// Parts of registers, flags, the stack engine
//

// Notes how an operand uses a general register; `zeroes`: the instruction sets it to 0.
static void note_register(struct pipeline_instruction *i, const ZydisDecodedOperand *o,
			  bool zeroes)
{
	const uint64_t set = register_set(o->reg.value),
		written = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? set : 0,
		read = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ && !zeroes ? set : 0;

	switch (ZydisRegisterGetClass(o->reg.value)) {
	case ZYDIS_REGCLASS_GPR8:
		i->part_8 |= written;
		break;
	case ZYDIS_REGCLASS_GPR16:
		i->part_16 |= written;
		i->read_16 |= read;
		break;
	case ZYDIS_REGCLASS_GPR32: case ZYDIS_REGCLASS_GPR64:
		i->whole |= written;
		i->zero |= zeroes ? written : 0;
		i->read_32 |= read;
		break;
	default:
		return;
	}
	i->stack |= read & STACK_POINTER;
	i->stack_set |= written & STACK_POINTER;
}

// The stack engine moves the stack pointer of hidden operands.
static void note_registers(struct pipeline_instruction *i, const ZydisDecodedInstruction *decoded,
			   const ZydisDecodedOperand *operands)
{
	const bool zeroes = decoded->operand_count > 1 && is_zero(decoded, operands);

	for (const ZydisDecodedOperand *o = operands; o < operands + decoded->operand_count; o++) {
		if (i->folds && o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
			continue;
		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
			note_register(i, o, zeroes);
		else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
			i->read_32 |= register_set(o->mem.base) | register_set(o->mem.index);
	}
	i->stack |= i->read_32 & STACK_POINTER;
}

// Numbers the status flags from 0.
static uint8_t flag_set(uint32_t flags)
{
	static const uint32_t each[] = {
		ZYDIS_CPUFLAG_CF, ZYDIS_CPUFLAG_PF, ZYDIS_CPUFLAG_AF, ZYDIS_CPUFLAG_ZF,
		ZYDIS_CPUFLAG_SF, ZYDIS_CPUFLAG_OF,
	};
	uint8_t set = 0;

	for (unsigned n = 0; n < sizeof each / sizeof *each; n++)
		set |= (uint8_t)(!!(flags & each[n]) << n);
	return set;
}

static void note_flags(struct pipeline_instruction *i, const ZydisDecodedInstruction *decoded)
{
	const ZydisAccessedFlags *f = decoded->cpu_flags;

	if (!f)
		return;
	i->flags_read = flag_set(f->tested);
	i->flags_written = flag_set(f->modified | f->set_0 | f->set_1 | f->undefined);
}

static void note(struct pipeline_instruction *i, const ZydisDecodedInstruction *decoded,
		 const ZydisDecodedOperand *operands)
{
	if (decoded->meta.category == ZYDIS_CATEGORY_NOP ||
	    decoded->meta.category == ZYDIS_CATEGORY_WIDENOP)
		return;
	i->folds = uses_stack_engine(decoded);
	i->delays = decoded->mnemonic == ZYDIS_MNEMONIC_FLDCW ? PIPELINE_CONTROL_WORD :
		    decoded->mnemonic == ZYDIS_MNEMONIC_LDMXCSR ? PIPELINE_MXCSR : 0;
	note_registers(i, decoded, operands);
	note_flags(i, decoded);
}

//
// Micro-ops
//

static void add(struct pipeline_instruction *i, struct pipeline_uop uop)
{
	if (i->count < PIPELINE_UOPS)
		i->uop[i->count++] = uop;
}

// A locked instruction takes as long as InstLatx64 measured for LOCK ADD and XCHG: 20 cycles with
// its load (4) and store.
#define LOCKED		13

// The first micro-op of the row that computes makes the result, after the row's latency; the others
// take their ports for a cycle, or make the upper half of a product.
static void add_row(struct pipeline_instruction *i, const struct processor_uops *row,
		    struct operands s)
{
	const struct pipeline_uop uops[] = {
		[PROCESSOR_LOAD] = {.kind = PIPELINE_LOADS, .reads = s.address},
		[PROCESSOR_STORE_ADDRESS] = {
			.kind = PIPELINE_STORE_ADDRESS, .latency = 1, .reads = s.address,
		},
		[PROCESSOR_STORE_DATA] = {.kind = PIPELINE_STORE_DATA, .fused = true},
	};
	bool results = false, first = true;

	for (unsigned n = 0; n < row->count; n++)
		results |= !(row->ports[n] & MEMORY_PORTS);
	for (unsigned n = 0; n < row->count; n++) {
		struct pipeline_uop uop = {.kind = PIPELINE_COMPUTES, .unit = s.unit, .latency = 1};

		if (row->ports[n] & MEMORY_PORTS)
			uop = uops[__builtin_ctz(row->ports[n])];
		else
			uop.reads = first ? s.reads : s.reads & ~s.writes;
		uop.ports = row->ports[n];
		if (uop.kind == PIPELINE_LOADS) {
			uop.writes = results ? SET(LOADED) : s.writes;
			s.reads |= SET(LOADED);
		} else if (uop.kind == PIPELINE_STORE_DATA) {
			uop.reads = results ? SET(COMPUTED) : s.reads;
		} else if (uop.kind == PIPELINE_COMPUTES && first) {
			first = false;
			uop.latency = i->locks ? LOCKED : row->latency;
			uop.writes = (row->high ? s.writes & ~DX : s.writes) | SET(COMPUTED);
			uop.busy = row->busy;
		} else if (row->high) {
			uop.latency = row->high - row->latency;
			uop.reads = SET(COMPUTED);
			uop.writes = DX;
		}
		add(i, uop);
	}
}

// A load fuses with the computation after it; the two micro-ops of a store fuse.
static void add_all(struct pipeline_instruction *i, const struct processor_uops *row,
		    struct operands s)
{
	const bool computes = row->count;

	if (row->merge)
		s.reads |= s.writes;
	if (s.loads) {
		add(i, (struct pipeline_uop){
			.kind = PIPELINE_LOADS, .ports = 1u << PROCESSOR_LOAD, .reads = s.address,
			.writes = computes || s.stores ? SET(LOADED) : s.writes,
		});
		s.reads |= SET(LOADED);
	}
	add_row(i, row, s);
	if (s.loads && computes && !(row->ports[0] & MEMORY_PORTS))
		i->uop[1].fused = !row->unfused;
	if (!s.stores)
		return;
	add(i, (struct pipeline_uop){
		.kind = PIPELINE_STORE_ADDRESS, .ports = 1u << PROCESSOR_STORE_ADDRESS,
		.latency = 1, .reads = s.address,
	});
	add(i, (struct pipeline_uop){
		.kind = PIPELINE_STORE_DATA, .ports = 1u << PROCESSOR_STORE_DATA,
		.reads = computes ? SET(COMPUTED) : s.reads, .fused = true,
	});
}

// CPUID, and others that the SDM (volume 3A, "Serializing Instructions") lists.
static bool is_serializing(const ZydisDecodedInstruction *i)
{
	switch (i->mnemonic) {
	case ZYDIS_MNEMONIC_CPUID: case ZYDIS_MNEMONIC_WRMSR: case ZYDIS_MNEMONIC_INVD:
	case ZYDIS_MNEMONIC_WBINVD: case ZYDIS_MNEMONIC_INVLPG: case ZYDIS_MNEMONIC_LGDT:
	case ZYDIS_MNEMONIC_LIDT: case ZYDIS_MNEMONIC_LLDT: case ZYDIS_MNEMONIC_LTR:
	case ZYDIS_MNEMONIC_IRET: case ZYDIS_MNEMONIC_IRETD: case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_RSM: case ZYDIS_MNEMONIC_LFENCE: case ZYDIS_MNEMONIC_MFENCE:
		return true;
	default:
		return false;
	}
}

// Returns the row of an instruction with these operands, or NULL.
static const struct processor_uops *row_of(const struct processor *processor,
					   const ZydisDecodedInstruction *i,
					   const ZydisDecodedOperand *operands,
					   const struct operands *s)
{
	return find_row(processor, &(struct form){
		.name = ZydisMnemonicGetString(i->mnemonic),
		.form = s->string ? 's' : s->stores ? 'd' : s->loads ? 'm' : 'r',
		.operands = (char)('0' + s->count), .immediate = s->immediate, .one = s->one,
		.width = operands[0].size,
	});
}

const struct processor_uops *uops_row(const struct processor *processor,
				      const ZydisDecodedInstruction *i,
				      const ZydisDecodedOperand *operands)
{
	const struct operands s = operands_of(i, operands);

	return row_of(processor, i, operands, &s);
}

bool uops_split(const struct processor *processor, const uint8_t *bytes, size_t size, unsigned bits,
		const struct classes *is, struct pipeline_instruction *i)
{
	static const struct processor_uops unknown = {
		.count = 1, .ports = {0x23}, .latency = 1,	// ports 0, 1 and 5
	};
	const ZydisDecoder decoder = decoder_of(bits);
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	const struct processor_uops *row = NULL;
	ZydisDecodedInstruction decoded;
	struct operands s;

	*i = (struct pipeline_instruction){.length = 1};
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &decoded, operands)))
		return false;
	s = operands_of(&decoded, operands);
	row = row_of(processor, &decoded, operands, &s);
	i->length = decoded.length;
	i->branch = is->branch;
	i->locks = is->kinds & CLASS_LOCKED;
	i->repeats = is->kinds & CLASS_REPEATED;
	i->serializes = i->locks || is_serializing(&decoded);
	i->lcp = is->raises & CPU_EVENT_SET(LENGTH_CHANGED);
	i->every = row ? row->every : 0;
	note(i, &decoded, operands);
	add_all(i, row ? row : &unknown, s);
	return row;
}

//
// Known instructions
//

#define BUCKETS	4096

struct known {
	struct pipeline_instruction instruction;	// first: uops_fused_* convert its pointer
	struct pipeline_instruction *fused;		// NULL: not yet made
	struct known *next;
	uint8_t bytes[16], size, bits;
};
static struct known *buckets[BUCKETS];

static unsigned hash(const uint8_t *bytes, size_t size)
{
	uint32_t h = 2166136261u;	// FNV-1a

	for (size_t n = 0; n < size; n++)
		h = (h ^ bytes[n]) * 16777619u;
	return h % BUCKETS;
}

const struct pipeline_instruction *uops_of(const struct processor *processor, const uint8_t *bytes,
					   size_t size, unsigned bits,
					   const struct classes *is)
{
	struct known **bucket, *k;

	size = size < sizeof k->bytes ? size : sizeof k->bytes;
	bucket = &buckets[hash(bytes, size)];
	for (k = *bucket; k; k = k->next)
		if (k->size == size && k->bits == bits && !memcmp(k->bytes, bytes, size))
			return &k->instruction;
	k = allocate(sizeof *k);
	memcpy(k->bytes, bytes, size);
	k->size = (uint8_t)size;
	k->bits = (uint8_t)bits;
	k->instruction.unknown = !uops_split(processor, bytes, size, bits, is,
					     &k->instruction);
	k->next = *bucket;
	return &(*bucket = k)->instruction;
}

static struct pipeline_instruction *fused(const struct pipeline_instruction *i)
{
	struct known *k = (struct known *)(void *)(uintptr_t)i;

	if (!k->fused) {
		k->fused = allocate(sizeof *k->fused);
		*k->fused = *i;
	}
	return k->fused;
}

const struct pipeline_instruction *uops_fused_compare(const struct pipeline_instruction *i)
{
	struct pipeline_instruction *compare = fused(i);

	compare->leads = true;
	if (compare->count)
		compare->uop[compare->count - 1].ports = BRANCH_PORT;
	return compare;
}

const struct pipeline_instruction *uops_fused_branch(const struct pipeline_instruction *i)
{
	struct pipeline_instruction *branch = fused(i);

	branch->count = 0;
	branch->fuses = true;
	return branch;
}
