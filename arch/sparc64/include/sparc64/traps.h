/* SPDX-License-Identifier: BSD-2-Clause */
/* Trap types (UltraSPARC Architecture 2005, Table 12-4), and what the trap table has for them. */
#ifndef SPARC64_TRAPS_H
#define SPARC64_TRAPS_H

#include "sparc64/guesses.h"		/* TT_PRECISE_PERFORMANCE_EVENT, TT_DISRUPTING_PERFORMANCE_EVENT */

#define TT_ILLEGAL_INSTRUCTION		0x10
#define TT_PRIVILEGED_ACTION		0x37
#define TT_INTERRUPT_LEVEL_14		0x4E	/* %tick_cmpr and %stick_cmpr, through SOFTINT */
#define TT_SPILL_0_NORMAL		0x80
#define TT_SPILL_0_OTHER		0xA0
#define TT_FILL_0_NORMAL		0xC0
#define TT_FAST_DATA_ACCESS_MMU_MISS	0x68
#define TT_SOFTWARE			0x100	/* Tcc n: this + n */
#define TT_HYPERPRIVILEGED_SOFTWARE	0x180

/* WSTATE.other while a program runs: how a trap spills its windows. */
#define SPILL_USER			1

/* Software traps. */
#define TRAP_USER_RETURN		0x60	/* how a function at the lowest privilege level comes back */
#define TRAP_SYSTEM_CALL		0x61	/* what it asks for: %o0 which, %o1 and %o2 of what; %o0 the answer */
#define TRAP_EXECUTE_RETURN		0x62	/* how arch_execute_user does */
#define TRAP_FORWARD			0x80	/* from the privileged trap table: what it does not handle */
#define TRAP_PRIVILEGED_RETURN		0x81	/* how sparc64_execute_privileged comes back */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

struct arch_frame;

/* Calls `function(argument)` at the lowest privilege level, with a stack of its own and interrupts on; on return they
 * are as they were. Functions that differ in argument and result are converted to this type. */
typedef void sparc64_user_function(void);
uint64_t sparc64_call_user(sparc64_user_function *function, uint64_t argument);

/* Executes n instructions (n >= 2) plus a constant in privileged mode, with interrupts on. */
void sparc64_execute_privileged(uint64_t n);

/* LDXA in privileged mode, with interrupts on. False: it trapped. */
bool sparc64_load_privileged(uint64_t asi, uint64_t address, uint64_t *value);

/* hal_execute_kinds, and the first instruction of its round; hal_execute_random; hal_execute_far. */
void sparc64_execute_kinds(uint64_t rounds);
extern const char sparc64_kinds[];
void sparc64_execute_random(uint64_t branches);
void sparc64_execute_far(void);

/* Stores what is in FPU registers to each of so many lines of 64 bytes, by block-commit stores: they write memory, and
 * leave no copies in caches. */
void sparc64_write_lines(uint64_t address, uint64_t lines);

/* Takes so many blocks of 64 bytes out of the caches, each by a block load and a block-commit store. */
void sparc64_flush_blocks(uint64_t address, uint64_t blocks);

/* Fills the TLBs with what the lowest privilege level may use. */
void sparc64_memory_map(void);

/* Whether the lowest privilege level may read all of it: what the runtime reads for programs. */
bool sparc64_memory_readable(uint64_t address, uint64_t size);

/* Ends the run as a trap that nobody handles does. */
noreturn void sparc64_trap_fatal(struct arch_frame *frame);

#endif
#endif
