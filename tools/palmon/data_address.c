// SPDX-License-Identifier: BSD-2-Clause
// Data addresses of sampled loads and stores: the performance analysis guide for Core i7 and Xeon
// 5500, "Precise Memory Access Events": "When coupled with the disassembly the address of the load
// or store can be reconstructed". The registers are those at the completion of the instruction: an
// address whose register the instruction overwrote, MOV RAX, [RAX], is lost.

#include "data_address.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#include "image.h"
#include "palmon.h"

const char *data_address_text(enum data_address reason)
{
	static const char *const texts[DATA_ADDRESSES] = {
		"it is known", "the instruction overwrote a register of its address",
		"the sampled instruction is not certain",
		"the operand's address does not follow from general registers",
		"the sample has no registers",
		"it follows from the program's code: --elf=FILE names its ELF file",
		"the event is not one of loads or of stores",
	};

	return texts[reason];
}

//
// Registers before the instruction, as far as they follow from those after it
//

#define REGISTERS	16
enum { RSP = 4, RBP = 5, RSI = 6, RDI = 7 };	// as instructions number them
#define DIRECTION	(1u << 10)		// flag: strings are accessed downwards

struct registers {
	uint64_t value[REGISTERS];
	bool known[REGISTERS];
};

// Returns false if the sample has no registers. Traces have none: all are 0.
static bool take_registers(const struct sample *s, struct registers *r)
{
	static const char *const names[REGISTERS] = {
		"ax", "cx", "dx", "bx", "sp", "bp", "si", "di",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};
	unsigned found = 0;
	bool any = false;

	for (unsigned n = 0; n < REGISTERS; n++)
		for (unsigned i = 0; i < s->registers; i++)
			if (!strcmp(s->contents[i].name, names[n])) {
				r->value[n] = s->contents[i].contents;
				r->known[n] = true;
				any |= r->value[n] != 0;
				found++;
			}
	return any && found == REGISTERS;
}

// Returns the number of the general register that contains this one; REGISTERS or more: none does.
static unsigned number_of(ZydisRegister name)
{
	return (unsigned)ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name) -
		ZYDIS_REGISTER_RAX;
}

static void forget_written(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
			   struct registers *r)
{
	for (unsigned n = 0; n < i->operand_count; n++)
		if (o[n].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    o[n].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    number_of(o[n].reg.value) < REGISTERS)
			r->known[number_of(o[n].reg.value)] = false;
}

static void set(struct registers *r, unsigned number, uint64_t value)
{
	r->value[number] = value;
	r->known[number] = true;
}

// String instructions moved RSI and RDI by an element. After a repeated one these are the addresses
// of the last element.
static void undo_string(const ZydisDecodedOperand *memory, bool down, struct registers *r)
{
	const uint64_t step = memory->size / 8;

	set(r, RSI, down ? r->value[RSI] + step : r->value[RSI] - step);
	set(r, RDI, down ? r->value[RDI] + step : r->value[RDI] - step);
}

// Returns whether an instruction pops into RSP: the loaded value replaced the pointer.
static bool pops_pointer(const ZydisDecodedOperand *first)
{
	return first->type == ZYDIS_OPERAND_TYPE_REGISTER && number_of(first->reg.value) == RSP &&
		first->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		first->visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
}

// The stack pointer that `memory` was addressed with. The hidden operand of PUSH and CALL is below
// the old stack pointer, their other operand is addressed with the old one. The hidden operand of
// POP and RET is at the old stack pointer, the other operand of POP is addressed with the new one.
static void undo_stack(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
		       const ZydisDecodedOperand *memory, struct registers *r)
{
	const bool hidden = memory->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
	const uint64_t size = i->operand_width / 8;

	if (i->meta.category == ZYDIS_CATEGORY_PUSH || i->meta.category == ZYDIS_CATEGORY_CALL)
		set(r, RSP, hidden ? r->value[RSP] : r->value[RSP] + size);
	else if (i->mnemonic == ZYDIS_MNEMONIC_LEAVE)
		set(r, RBP, r->value[RSP] - size);
	else if (i->meta.category == ZYDIS_CATEGORY_RET)
		set(r, RSP, r->value[RSP] - size -
		    (o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? o->imm.value.u : 0));
	else if (i->meta.category == ZYDIS_CATEGORY_POP && !pops_pointer(o))
		set(r, RSP, hidden ? r->value[RSP] - size : r->value[RSP]);
}

static void undo(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
		 const ZydisDecodedOperand *memory, bool down, struct registers *r)
{
	forget_written(i, o, r);
	if (i->meta.category == ZYDIS_CATEGORY_STRINGOP ||
	    i->meta.category == ZYDIS_CATEGORY_IOSTRINGOP)
		undo_string(memory, down, r);
	else
		undo_stack(i, o, memory, r);
}

//
// The operand
//

// Finds the operand in memory that the instruction loads or stores. Returns the number of such
// operands.
static unsigned find_operand(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
			     enum payload_access access, const ZydisDecodedOperand **found)
{
	const unsigned actions = access == PAYLOAD_STORE ? ZYDIS_OPERAND_ACTION_MASK_WRITE :
		ZYDIS_OPERAND_ACTION_MASK_READ;
	unsigned operands = 0;

	if (i->mnemonic == ZYDIS_MNEMONIC_NOP)	// its operand is not accessed
		return 0;
	for (unsigned n = 0; n < i->operand_count; n++)
		if (o[n].type == ZYDIS_OPERAND_TYPE_MEMORY && o[n].actions & actions &&
		    o[n].mem.type != ZYDIS_MEMOP_TYPE_AGEN) {
			*found = &o[n];
			operands++;
		}
	return operands;
}

// Returns whether the address depends on more than base, index and displacement: on the base of a
// segment, on the number of a bit, or on the frame of an interrupt.
static bool is_unsupported(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
			   const ZydisDecodedOperand *memory)
{
	return memory->mem.type != ZYDIS_MEMOP_TYPE_MEM ||
		memory->mem.segment == ZYDIS_REGISTER_FS ||
		memory->mem.segment == ZYDIS_REGISTER_GS ||
		i->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ||
		(i->meta.category == ZYDIS_CATEGORY_RET && i->mnemonic != ZYDIS_MNEMONIC_RET) ||
		(i->meta.category == ZYDIS_CATEGORY_BITBYTE && i->operand_count > 1 &&
		 o[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		 o[1].visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT);
}

static bool is_known(const struct registers *r, ZydisRegister name)
{
	const unsigned number = number_of(name);

	return number >= REGISTERS || r->known[number];
}

static bool calculate(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *memory,
		      uint64_t at, const struct registers *r, uint64_t *address)
{
	ZydisRegisterContext context = {0};
	ZyanU64 result;

	for (unsigned n = 0; n < REGISTERS; n++) {
		context.values[ZYDIS_REGISTER_RAX + n] = r->value[n];
		context.values[ZYDIS_REGISTER_EAX + n] = (uint32_t)r->value[n];
	}
	if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(i, memory, at, &context, &result)))
		return false;
	*address = result;
	return true;
}

static enum data_address address_of(const ZydisDecodedInstruction *i, const ZydisDecodedOperand *o,
				    uint64_t at, const struct sample *sample, uint64_t *address)
{
	const ZydisDecodedOperand *memory = NULL;
	const unsigned operands = find_operand(i, o, sample->access, &memory);
	struct registers r = {0};

	if (!take_registers(sample, &r))
		return DATA_UNRECORDED;
	if (!operands)
		return DATA_UNCERTAIN;
	if (operands > 1 || is_unsupported(i, o, memory))
		return DATA_UNSUPPORTED;
	undo(i, o, memory, sample->flags & DIRECTION, &r);
	if (!is_known(&r, memory->mem.base) || !is_known(&r, memory->mem.index))
		return DATA_OVERWRITTEN;
	return calculate(i, memory, at, &r, address) ? DATA_KNOWN : DATA_UNSUPPORTED;
}

static bool decode(const uint8_t *bytes, size_t count, ZydisDecodedInstruction *i,
		   ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT])
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, count, i, o));
}

enum data_address data_address_of(const uint8_t *bytes, size_t count, uint64_t at,
				  const struct sample *sample, uint64_t *address)
{
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction i;

	if (!decode(bytes, count, &i, o))
		return DATA_UNCERTAIN;
	return address_of(&i, o, at, sample, address);
}

//
// The sampled instruction
//

#define SEGMENTS_MOST	16
#define STARTS		4096

struct code {
	const uint8_t *file;
	size_t size;
	unsigned segments;
	struct segment {
		uint64_t address, size, offset;
	} segment[SEGMENTS_MOST];
	struct start {			// beginnings of instructions, by an address in them
		uint64_t address, at;
	} start[STARTS];
};

// Adds the part of a segment that the file contains.
static void take_segment(void *context, uint64_t address, uint64_t size, uint64_t offset)
{
	struct code *code = context;

	if (code->segments == SEGMENTS_MOST || offset >= code->size)
		return;
	if (size > code->size - offset)
		size = code->size - offset;
	code->segment[code->segments++] = (struct segment){address, size, offset};
}

static bool map(struct code *code, const char *elf)
{
	const int file = open(elf, O_RDONLY);
	struct stat status;
	void *at = MAP_FAILED;

	if (file >= 0 && !fstat(file, &status))
		at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (at == MAP_FAILED)
		complain("%s: %s", elf, strerror(errno));
	if (file >= 0)
		close(file);
	if (at == MAP_FAILED)
		return false;
	code->file = at;
	code->size = (size_t)status.st_size;
	return true;
}

struct code *code_open(const char *elf)
{
	struct code *code = calloc(1, sizeof *code);

	if (!code) {
		complain("%s", strerror(ENOMEM));
		return NULL;
	}
	if (strcmp(image_architecture(elf), "x86_64")) {
		complain("%s: data addresses can be computed of x86-64 programs only", elf);
		free(code);
		return NULL;
	}
	if (map(code, elf) && image_segments(elf, take_segment, code))
		return code;
	code_close(code);
	return NULL;
}

void code_close(struct code *code)
{
	if (code && code->file)
		munmap((void *)(uintptr_t)code->file, code->size);
	free(code);
}

// Returns the bytes from an address to the end of its segment. NULL: the file has none.
static const uint8_t *bytes_at(const struct code *code, uint64_t address, size_t *count)
{
	for (unsigned i = 0; i < code->segments; i++) {
		const struct segment *s = &code->segment[i];

		if (address - s->address < s->size) {
			*count = s->size - (address - s->address);
			return code->file + s->offset + (address - s->address);
		}
	}
	return NULL;
}

// The sampled instruction begins at key.address if a branch record named it; otherwise it ends at
// the recorded IP, and is no branch: a branch that ends there led elsewhere.
static bool is_sampled(const ZydisDecodedInstruction *i, uint64_t at, const struct sample_key *key)
{
	if (at + i->length == key->ip)
		return i->meta.branch_type == ZYDIS_BRANCH_TYPE_NONE;
	return at == key->address;
}

// Returns the length of the instruction at an address; 0: there is none.
static size_t length_at(const struct code *code, uint64_t at)
{
	ZydisDecodedInstruction i;
	ZydisDecoder decoder;
	size_t count;
	const uint8_t *bytes = bytes_at(code, at, &count);

	if (!bytes)
		return 0;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, count, &i)) ?
		i.length : 0;
}

// Finds the instruction that contains an address, from the beginning of its function on.
static bool find_start(struct code *code, uint64_t at, uint64_t address, uint64_t *start)
{
	struct start *known = &code->start[address % STARTS];
	size_t length;

	if (known->address != address) {
		while ((length = length_at(code, at)) && address - at >= length)
			at += length;
		if (!length)
			return false;
		*known = (struct start){address, at};
	}
	*start = known->at;
	return true;
}

enum data_address code_data_address(struct code *code, const struct names *names,
				    const struct sample *sample, uint64_t *address)
{
	const struct sample_key *key = &sample->key;
	const struct named *function = names_find(names, key->address);
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction i;
	const uint8_t *bytes;
	uint64_t at;
	size_t count;

	if (sample->access == PAYLOAD_NO_ACCESS)
		return DATA_NO_ACCESS;
	if (!code)
		return DATA_NO_CODE;
	if (!function || key->place != PMU_PLACE_SAMPLED ||
	    !find_start(code, function->address, key->address, &at))
		return DATA_UNCERTAIN;
	bytes = bytes_at(code, at, &count);
	if (!bytes || !decode(bytes, count, &i, o) || !is_sampled(&i, at, key))
		return DATA_UNCERTAIN;
	return address_of(&i, o, at, sample, address);
}

static bool open_program(struct sampled_code *program, const struct samples *samples)
{
	const char *image = NULL;

	if (program->opened)
		return true;
	program->opened = true;
	if (!image_find(samples, program->elf, &image))
		return false;
	program->code = image ? code_open(image) : NULL;
	return program->code || !image;
}

bool sampled_code_add_data(struct sampled_code *program, const struct samples *samples,
			   const struct sample *sample, struct sample_key *key)
{
	if (key->has_data)
		return true;
	if (sample->access != PAYLOAD_NO_ACCESS && !open_program(program, samples))
		return false;
	key->no_data = (uint8_t)code_data_address(program->code, &samples->names, sample,
						  &key->data);
	key->has_data = key->no_data == DATA_KNOWN;
	return true;
}
