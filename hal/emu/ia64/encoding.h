/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodings of ia64 instructions: bundle templates, formats, operands, instructions. The machine
 * and its disassembler use the same table. Names of formats, fields and operands are those of the
 * Intel Itanium Architecture Software Developer's Manual, volume 3, chapter 4 (Instruction
 * Formats), "the manual" in this folder. */
#ifndef IA64_ENCODING_H
#define IA64_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a bundle; slots in it. */
#define BUNDLE_BYTES	16
#define BUNDLE_SLOTS	3

enum unit { UNIT_NONE, UNIT_A, UNIT_I, UNIT_M, UNIT_B, UNIT_F, UNIT_X };

/* A bundle's template (manual, table 4-3): the unit of each slot, and whether a stop follows it. */
struct bundle_template {
	char name[4];		/* "MLX"; empty: reserved */
	uint8_t unit[BUNDLE_SLOTS];
	bool stop[BUNDLE_SLOTS];
};

extern const struct bundle_template ia64_templates[32];

/* A bundle, separated into slots. With a long instruction, slot 1 holds the L slot's 41 bits, and
 * slot 2 the X slot's. */
struct bundle {
	const struct bundle_template *template;
	uint64_t slot[BUNDLE_SLOTS];
};

struct bundle ia64_bundle(const uint8_t bytes[BUNDLE_BYTES]);

/* A field of an instruction: its lowest bit and its number of bits. A field from LONG_SLOT on
 * consists of the highest bits of the L slot. */
struct bits {
	uint8_t low, width;
};
#define LONG_SLOT	64
#define SLOT_BITS	41

/* An operand: its pieces, the most significant first. Its value is the concatenated pieces
 * (sign-extended if `is_signed`), shifted left, and added to `bias`; or `bias` less these, if
 * `down` is set. */
struct operand {
	char name[12];
	enum operand_kind {
		OPERAND_REGISTER,	/* r, f, p or b, given by `prefix`, and a number */
		OPERAND_NUMBER,		/* printed in decimal */
		OPERAND_HEX,
		OPERAND_TARGET,		/* an address, relative to the bundle's own */
		OPERAND_AR, OPERAND_CR,
		OPERAND_INCREMENT,	/* fetchadd's: 1, 4, 8, 16, or the negative of these */
		OPERAND_MULTIPLY_SHIFT,	/* pmpyshr2's: 0, 7, 15, 16 */
		OPERAND_PERMUTATION,	/* mux1's */
	} kind;
	char prefix;
	bool is_signed, down;
	uint8_t shift;
	int8_t bias;
	struct bits piece[6];
};

/* All operands. find: the operand of a name, or NULL. ia64_operand: its value in an instruction
 * (`slot`) with the L slot of its bundle. */
extern const struct operand ia64_operands[];
extern const size_t ia64_operand_count;
const struct operand *ia64_find_operand(const char *name, size_t length);
int64_t ia64_operand(const struct operand *operand, uint64_t slot, uint64_t long_slot);

#include "encodings.h"

/* A format. */
struct format {
	uint64_t mask;		/* bits that determine the instruction's encoding */
	const char *operands;	/* "r1=r2,r3": names of operands, and the text between them */
	enum unit unit;
	uint8_t latency;	/* of results that are not loaded: enum processor_latency */
	uint32_t traits;	/* TRAIT_* of all its instructions (traits.h) */
};

/* An encoding. `value` has the bits of the format's mask. %-signs in the mnemonic stand for
 * completers, fields that do not change the operation: %h the locality hint of an access, %f the
 * status field, %w whether a branch is predicted, %p its prefetching, %d deallocation of its
 * prediction, %m and %i the hints of a move to a branch register, %b and %j those of brp. */
struct encoding {
	const char *mnemonic;
	uint64_t value;
	uint8_t format;
};

/* Whether bits 5:0 of a format are a qualifying predicate. */
bool ia64_is_predicated(enum ia64_format format);

extern const struct format ia64_formats[];
extern const struct encoding ia64_encodings[ENCODINGS];

/* Returns the encoding of an instruction in a slot of this unit; ENCODINGS: it is undefined. */
enum ia64_encoding ia64_decode(enum unit unit, uint64_t slot);

/* Prints an instruction as objdump does, at most `size` bytes including the terminating 0.
 * `address`: of the bundle. `aliases`: prints an instruction by its second name if it has one.
 * Returns false if the encoding is undefined. */
bool ia64_disassemble(const struct bundle *bundle, unsigned slot, uint64_t address, bool aliases,
		      char *text, size_t size);

#endif
