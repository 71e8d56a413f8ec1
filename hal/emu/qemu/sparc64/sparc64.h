/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the sparc64 folder shares: a vCPU's processor state in QEMU, and its overflow traps. */
#ifndef QEMU_SPARC64_H
#define QEMU_SPARC64_H

#include "../isa.h"

/* Privilege levels, as models number them. */
enum { SPARC64_HYPERPRIVILEGED, SPARC64_PRIVILEGED, SPARC64_USER = 3 };

/* Kinds of `access` of struct instruction. */
enum { SPARC64_LOAD_REGISTER = 1, SPARC64_STORE_REGISTER, SPARC64_HALT, SPARC64_COMMIT };

/* Address spaces: the PCRs, the PICs (SPARC T4 Supplement, Tables 10-1 and 10-3). */
#define ASI_PCR	0x64
#define ASI_PIC	0xB0

/* Trap types. arch/sparc64/include/sparc64/guesses.h says why these stand for the two performance events. */
#define TT_ILLEGAL_INSTRUCTION	0x10
#define TT_PRIVILEGED_OPCODE	0x11
#define TT_FP_DISABLED		0x20
#define TT_PRIVILEGED_ACTION	0x37
#define TT_SOFTWARE		0x100	/* and more */
#define TT_PRECISE_EVENT	0x6A
#define TT_DISRUPTING_EVENT	0x6B

#define SPARC64_TRAP_LEVELS	8

/* Where QEMU keeps a vCPU's registers: offsets in its state of the vCPU. */
struct sparc64_layout {
	size_t globals, pc, npc, asi, pstate, tl, gl, traps, hpstate, htstate, htba, stick, stick_cmpr;
};
extern struct sparc64_layout sparc64_layout;

/* The beginning of CPUSPARCState. `window` points to the registers %o, %l and %i. */
struct sparc64_beginning {
	uint64_t globals[8], *window, pc, npc;
};

/* A field of the vCPU's state. */
#define SPARC64_STATE(qemu, type, field) ((type *)(void *)((char *)(qemu) + sparc64_layout.field))

#define PSTATE_IE	0x02u
#define PSTATE_PRIV	0x04u
#define PSTATE_PEF	0x10u
#define HPSTATE_HPRIV	0x04u

/* The saved registers of a trap level, as QEMU keeps them. */
struct sparc64_saved {
	uint64_t pc, npc, tstate;
	uint32_t type;
};
struct sparc64_saved *sparc64_saved(const struct cpu *c);

/* QEMU's CPUSPARCState, for functions of unpromised.h. It begins with the global registers. */
static inline void *sparc64_env(const struct cpu *c)
{
	return SPARC64_STATE(c->qemu, void, globals);
}

/* The general registers, %g0 to %i7. */
void sparc64_registers(const struct cpu *c, uint64_t registers[32]);
void sparc64_set_register(const struct cpu *c, unsigned number, uint64_t value);

/* The virtual address of a load or store. */
uint64_t sparc64_operand(const struct cpu *c, const struct instruction *i);

/* Continues after an instruction that the plugin has carried out. Restore the state first. */
_Noreturn void sparc64_skip(struct cpu *c);

/* Raises a trap to hyperprivileged mode, at the instruction that is about to execute. */
_Noreturn void sparc64_raise(struct cpu *c, unsigned type);

/* After a write of a PMU register: the next instruction must be checked for an overflow again. */
void sparc64_look_again(const struct cpu *c);

/* Whether a disrupting trap is due, and taken before an instruction at this level. */
bool sparc64_is_interrupted(const struct cpu *c, unsigned level);

/* Whether the vCPU is in a HALT before this instruction. */
bool sparc64_is_halted(const struct cpu *c, const struct instruction *i);

/* Maps the memory controllers' registers to their physical addresses. */
void sparc64_map_controllers(void);

/* Functions of struct isa. */
void sparc64_decode(struct instruction *i, const uint8_t *bytes, size_t size);
void sparc64_access(struct cpu *c, const struct instruction *i);
void sparc64_before(struct cpu *c, const struct instruction *i);
void sparc64_entered(struct cpu *c);

#endif
