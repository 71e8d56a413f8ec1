/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of address translation: misses of the TLBs, and the page walker (7.7). `address`: the
 * translated address. `access`: the kind of access, as bits of ISR. */
#ifndef IA64_MISSES_H
#define IA64_MISSES_H

#include <stdbool.h>
#include <stdint.h>

struct ia64_reference;
struct ia64_translation;
struct machine;
struct occurrence;

/* The level that serves a miss (tables 6-14, 6-20): the second level of the TLB, the page walker, a
 * handler. */
enum ia64_served { SERVED_BY_SECOND = 1, SERVED_BY_WALKER, SERVED_BY_SOFTWARE };

/* Raises the events of a TLB miss. */
void ia64_see_miss(struct machine *m, uint64_t address, uint64_t access, enum ia64_served by);
/* Raises the events of the page walker's read of the VHPT entry at `at`. */
void ia64_see_walk(struct machine *m, uint64_t address, uint64_t access, uint64_t at);
/* Raises the events of the page walker's insertion of a TLB entry. */
void ia64_see_insertion(struct machine *m, uint64_t address, uint64_t access,
			struct ia64_translation *t);
/* Looks up a reference in the data TLB's first level, and raises the events of a miss. */
void ia64_look_up(struct machine *m, const struct occurrence *o, const struct ia64_reference *r,
		  bool is_of_stack);

#endif
