/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of address translation: misses of the TLBs, and the page walker (7.7). `access`: ISR's bits of the access. */
#ifndef IA64_MISSES_H
#define IA64_MISSES_H

#include <stdbool.h>
#include <stdint.h>

struct ia64_reference;
struct ia64_translation;
struct machine;
struct occurrence;

/* The part that serves a miss (tables 6-14, 6-20). */
enum ia64_served { SERVED_BY_SECOND = 1, SERVED_BY_WALKER, SERVED_BY_SOFTWARE };

/* A TLB misses an address. */
void ia64_see_miss(struct machine *m, uint64_t address, uint64_t access, enum ia64_served by);
/* The page walker reads the VHPT's entry at `at`. */
void ia64_see_walk(struct machine *m, uint64_t address, uint64_t access, uint64_t at);
/* The page walker inserts an entry. */
void ia64_see_insertion(struct machine *m, uint64_t address, uint64_t access, struct ia64_translation *t);
/* A reference looks into the data TLB's first level. */
void ia64_look_up(struct machine *m, const struct occurrence *o, const struct ia64_reference *r, bool is_of_stack);

#endif
