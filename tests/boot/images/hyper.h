/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of the image that tests the SPARC T4's PMU: registers, traps, checks. SPARC
 * T4 Supplement, sections 10.2 and 10.3.
 */
#ifndef IMAGES_HYPER_H
#define IMAGES_HYPER_H

#include <stdbool.h>
#include <stdint.h>

#include "sparc64/traps.h"

enum { PCR0 = 0x6400, PIC0 = 0xB000, COUNTERS = 4 };

// Table 10-1.
#define OV		(1ULL << 0)
#define TOE		(1ULL << 1)
#define UT		(1ULL << 2)
#define ST		(1ULL << 3)
#define HT		(1ULL << 4)
#define PICNPT		(1ULL << 16)
#define PICNHT		(1ULL << 17)
#define NTC		(1ULL << 18)
#define INSTRUCTIONS	(3ULL << 11 | 0x3FULL << 5)	/* sl 3, all kinds: precise */
#define CYCLES		(26ULL << 11)			/* sl 26: not precise */

#define COUNTER_WRAP		(1ULL << 32)

/*
 * User instructions before a function's first one: the call and its delay slot. None follow its
 * last one.
 */
#define USER_BEFORE	2

/*
 * Checks that `found` equals `expected`; a failure prints `number`. end_check ends a group of
 * checks, with one line of TAP.
 */
void check(const char *what, uint64_t number, uint64_t expected, uint64_t found);
void end_check(const char *what);
unsigned checks_ended(void), checks_failed(void);

void put(uint32_t address, uint64_t value);
uint64_t get(uint32_t address);

/* Starts a counter. Stops it and returns its value. */
void start(unsigned counter, uint64_t count, uint64_t control);
uint64_t stop(unsigned counter);

/* Overflow traps since expect_traps. The first `leave` of them do not clear ov. */
struct trap {
	unsigned taken;
	unsigned leave;
	bool precise, executed;
	uint64_t ip, level, control[COUNTERS];
};
extern struct trap trap;
void take_trap(uint64_t ip, unsigned level);
void expect_traps(unsigned leave);

uint32_t instruction_at(uint64_t ip);
uint64_t call_user(sparc64_user_function *function, uint64_t argument);

void check_announcement(void);	/* announced.c */
void check_kinds(void);		/* kinds.c */

#endif
