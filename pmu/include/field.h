/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers as lists of fields. Each register is written once, as a macro that applies F to each
 * field from bit 0 to bit 63 and leaves no bit out:
 *
 *	#define IA32_EXAMPLE(F, R)				\
 *		F(R, ENABLE, 0, 1, RW, 0)			\
 *		F(R, RESERVED_1, 1, 63, RSVD, 0)
 *	REGISTER_FIELDS(IA32_EXAMPLE)
 *
 * From this list follow the masks of driver and model, the reset value, and the decoder's names. */
#ifndef FIELD_H
#define FIELD_H

#include <stdint.h>

enum field_access {
	FIELD_RW,	/* holds the written value */
	FIELD_RO,	/* writes have no effect */
	FIELD_WO,	/* reads as zero */
	FIELD_W1C,	/* a written 1 clears it */
	FIELD_W0C,	/* a written 0 clears it, a written 1 has no effect */
	FIELD_IGN,	/* reads as zero, ignores writes */
	FIELD_RSVD,	/* must be written as zero, else the access faults */
	FIELD_SXT,	/* a write copies the bit below the field into all of its bits */
};

/* One field, for code that loops over fields. */
struct field {
	const char *name;
	uint8_t low, width;
	uint8_t access;		/* enum field_access */
	uint64_t reset;		/* reset value of the field, not shifted; or UNDEFINED */
};

/* The owner of a register: each thread, core or package has its own. */
enum register_scope {
	REGISTER_OF_THREAD,
	REGISTER_OF_CORE,	/* one for all threads of a core */
	REGISTER_OF_PACKAGE,	/* one for all cores of a package */
};

/* One register, or an array of `count` equal ones. */
struct register_description {
	const char *name;
	int8_t first;		/* number in the first one's name; -1: the name has no number */
	uint32_t address;	/* of the first register */
	uint8_t count;
	uint8_t distance;	/* between their addresses, and between their numbers */
	uint8_t fields;		/* length of `field` */
	uint8_t scope;		/* REGISTER_OF_THREAD or _CORE; registers of the package belong to a
				 * model of their own */
	const struct field *field;
};

/* Reset value of a field for which the manual gives none. */
#define UNDEFINED 0x7FFFFFFFFFFFFFFFULL

#define FIELD_MASK(low, width) ((~0ULL >> (64 - (width))) << (low))

#define FIELD_ENUM(R, name, low, width, access, reset) R##_##name##_LOW = (low), \
	R##_##name##_WIDTH = (width),
#define FIELD_RESET(R, name, low, width, access, reset) | ((reset) == UNDEFINED ? 0 : \
							   (uint64_t)(reset) << (low))
#define FIELD_UNDEFINED(R, name, low, width, access, reset) \
	| ((reset) == UNDEFINED ? FIELD_MASK(low, width) : 0)
#define FIELD_ROW(R, name, low, width, access, reset) {#name, low, width, FIELD_##access, reset},
#define FIELD_COVERED(R, name, low, width, access, reset) ^ FIELD_MASK(low, width)
#define FIELD_WITH_RW(R, name, low, width, access, reset) \
	| (FIELD_##access == FIELD_RW ? FIELD_MASK(low, width) : 0)
#define FIELD_WITH_RO(R, name, low, width, access, reset) \
	| (FIELD_##access == FIELD_RO ? FIELD_MASK(low, width) : 0)
#define FIELD_WITH_W1C(R, name, low, width, access, reset) \
	| (FIELD_##access == FIELD_W1C ? FIELD_MASK(low, width) : 0)
#define FIELD_WITH_W0C(R, name, low, width, access, reset) \
	| (FIELD_##access == FIELD_W0C ? FIELD_MASK(low, width) : 0)
#define FIELD_WITH_RSVD(R, name, low, width, access, reset) \
	| (FIELD_##access == FIELD_RSVD ? FIELD_MASK(low, width) : 0)
#define FIELD_WITH_SXT(R, name, low, width, access, reset) \
	| (FIELD_##access == FIELD_SXT ? FIELD_MASK(low, width) : 0)

/* Defines the positions of a register's fields, for FIELD, FIELD_PUT and FIELD_GET. */
#define REGISTER_FIELDS(R)									\
	enum { R(FIELD_ENUM, R) };								\
	_Static_assert((0 R(FIELD_COVERED, R)) == ~0ULL, #R ": fields overlap or leave bits out");

#define FIELD(R, name) FIELD_MASK(R##_##name##_LOW, R##_##name##_WIDTH)
#define FIELD_PUT(R, name, value) ((uint64_t)(value) << R##_##name##_LOW & FIELD(R, name))
#define FIELD_GET(R, name, value) (((uint64_t)(value) & FIELD(R, name)) >> R##_##name##_LOW)

/* All bits of a register with one access kind: REGISTER_BITS(IA32_EXAMPLE, RW). */
#define REGISTER_BITS(R, access) (0ULL R(FIELD_WITH_##access, R))
#define REGISTER_RESET(R) (0ULL R(FIELD_RESET, R))	/* undefined fields as 0 */
#define REGISTER_UNDEFINED(R) (0ULL R(FIELD_UNDEFINED, R))

#endif
