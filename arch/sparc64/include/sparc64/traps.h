/* SPDX-License-Identifier: BSD-2-Clause */
/* Trap types (UltraSPARC Architecture 2005, Table 12-4), and functions that use the trap table. */
#ifndef SPARC64_TRAPS_H
#define SPARC64_TRAPS_H

#include "sparc64/guesses.h"		/* TT_PRECISE_PERFORMANCE_EVENT,
					 * TT_DISRUPTING_PERFORMANCE_EVENT */

#define TT_ILLEGAL_INSTRUCTION		0x10
#define TT_PRIVILEGED_ACTION		0x37
#define TT_INTERRUPT_LEVEL_14		0x4E	/* %tick_cmpr and %stick_cmpr, through SOFTINT */
#define TT_SPILL_0_NORMAL		0x80
#define TT_SPILL_0_OTHER		0xA0
#define TT_FILL_0_NORMAL		0xC0
#define TT_FAST_DATA_ACCESS_MMU_MISS	0x68
#define TT_SOFTWARE			0x100	/* Tcc n: this + n */
#define TT_HYPERPRIVILEGED_SOFTWARE	0x180

/* WSTATE.other while a program runs: spill its windows with its rights. */
#define SPILL_USER			1

/* Software traps. */
#define TRAP_USER_RETURN		0x60	/* return from the lowest privilege level */
#define TRAP_SYSTEM_CALL		0x61	/* %o0: call, result; %o1, %o2: arguments */
#define TRAP_EXECUTE_RETURN		0x62	/* return of arch_execute_user */
#define TRAP_FORWARD			0x80	/* passed on by the privileged trap table */
#define TRAP_PRIVILEGED_RETURN		0x81	/* return of sparc64_execute_privileged */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

struct arch_frame;

/* Calls `function(argument)` at the lowest privilege level, with its own stack and interrupts on;
 * restores the interrupt state on return. Functions with other arguments and results are cast to
 * this type. */
typedef void sparc64_user_function(void);
uint64_t sparc64_call_user(sparc64_user_function *function, uint64_t argument);

/* Executes n instructions (n >= 2) plus a constant in privileged mode, with interrupts on. */
void sparc64_execute_privileged(uint64_t n);

/* LDXA in privileged mode, with interrupts on. False: it trapped. */
bool sparc64_load_privileged(uint64_t asi, uint64_t address, uint64_t *value);

/* hal_execute_kinds, and the first instruction of its round; hal_execute_random;
 * hal_execute_far. */
void sparc64_execute_kinds(uint64_t rounds);
extern const char sparc64_kinds[];
void sparc64_execute_random(uint64_t branches);
void sparc64_execute_far(void);

/* Stores undefined data to `lines` lines of 64 bytes by block-commit stores, which write memory and
 * leave no copies in caches. */
void sparc64_write_lines(uint64_t address, uint64_t lines);

/* Flushes `blocks` blocks of 64 bytes from the caches, each by a block load and a block-commit
 * store. */
void sparc64_flush_blocks(uint64_t address, uint64_t blocks);

/* Fills the TLBs with the memory that the lowest privilege level may use. */
void sparc64_memory_map(void);

/* Whether the lowest privilege level may read the whole range; checked before the runtime reads for
 * a program. */
bool sparc64_memory_readable(uint64_t address, uint64_t size);

/* Ends the run like an unhandled trap. */
noreturn void sparc64_trap_fatal(struct arch_frame *frame);

#endif
#endif
