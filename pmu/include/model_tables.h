/* SPDX-License-Identifier: BSD-2-Clause */
/* What a model's file makes of its lists: of its defects, and of its registers (regs.h). For models only. */
#ifndef MODEL_TABLES_H
#define MODEL_TABLES_H

#include <stddef.h>

#include "field.h"
#include "model.h"

/* What signals without any occurrence point to: a pointer that may be added to. */
static const struct occurrence nothing;

/* Of a list F(NAME, "name-for-people"): the numbers FAULT_NAME, NO_FAULT, and `fault_names`, the model's `faults`. */
#define MODEL_FAULTS(LIST)					\
	enum { LIST(FAULT_NUMBER) NO_FAULT = -1 };		\
	static const char *const fault_names[] = {LIST(FAULT_TEXT) NULL};

#define FAULT_NUMBER(name, text) FAULT_##name,
#define FAULT_TEXT(name, text) text,

/* Of a list G(R, ...): the numbers KIND_R and REGISTER_KINDS, and `descriptions`, the model's `registers`, each made by
 * DESCRIPTION from the list's line. */
#define MODEL_REGISTER_TABLE(LIST, DESCRIPTION)			\
	enum { LIST(REGISTER_KIND) REGISTER_KINDS };		\
	LIST(REGISTER_FIELD_LIST)				\
	static const struct register_description descriptions[] = {LIST(DESCRIPTION)};

#define REGISTER_KIND(R, ...) KIND_##R,
#define REGISTER_FIELD_LIST(R, ...) static const struct field R##_list[] = {R(FIELD_ROW, R)};

/* Two kinds of lines: with everything that struct register_description has; and of registers that are called R, or R0,
 * R1, ... if there are several, one address after the other. Behind that, CORE where the threads of a core share it. */
#define REGISTER_NAMED(R, name, first, address, count, distance, ...)				\
	{name, first, address, count, distance, sizeof R##_list / sizeof *R##_list,		\
	 REGISTER_SCOPE_##__VA_ARGS__, R##_list},
#define REGISTER_NUMBERED(R, address, count, ...) \
	REGISTER_NAMED(R, #R, (count) > 1 ? 0 : -1, address, count, 1, __VA_ARGS__)
#define REGISTER_SCOPE_ REGISTER_OF_THREAD
#define REGISTER_SCOPE_CORE REGISTER_OF_CORE

/* Where reserved bits fault: what a write does, by kind. */
struct register_rule {
	uint64_t writable, clears, reserved;
};

#define REGISTER_RULE(R, ...) {REGISTER_BITS(R, RW), REGISTER_BITS(R, W1C), REGISTER_BITS(R, RSVD)},

/* An array's elements, by address: the kind counted from 1. Where there is no register 0 is left. */
#define REGISTER_KIND_AT(R, address, count, ...) [(address) ... (address) + (count) - 1] = KIND_##R + 1,

/* Fields of a state for the model's `fields`: one integer or an array of them; and one of each element of an array. */
#define MODEL_FIELD(state, type, member, bits) \
	{offsetof(struct state, member), sizeof(type), MODEL_SIZE(state, member) / sizeof(type), sizeof(type), bits}
#define MODEL_FIELD_EACH(state, type, array, member, bits)					\
	{offsetof(struct state, array[0].member), MODEL_SIZE(state, array[0]),			\
	 MODEL_SIZE(state, array) / MODEL_SIZE(state, array[0]), sizeof(type), bits}
#define MODEL_SIZE(state, member) sizeof(((struct state *)0)->member)

#endif
