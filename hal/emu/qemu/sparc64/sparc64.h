/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared within the sparc64 folder: a vCPU's state in QEMU, and its overflow traps. */
#ifndef QEMU_SPARC64_H
#define QEMU_SPARC64_H

#include "../isa.h"

/* Privilege levels, in the models' numbering. */
enum { SPARC64_HYPERPRIVILEGED, SPARC64_PRIVILEGED, SPARC64_USER = 3 };

/* Values of `access` in struct instruction. */
enum { SPARC64_LOAD_REGISTER = 1, SPARC64_STORE_REGISTER, SPARC64_HALT, SPARC64_COMMIT };

/* Address spaces of the PCRs and PICs (SPARC T4 Supplement, Tables 10-1 and 10-3). */
#define ASI_PCR	0x64
#define ASI_PIC	0xB0

/* Trap types. arch/sparc64/include/sparc64/guesses.h explains the numbers of the two performance
 * events. */
#define TT_ILLEGAL_INSTRUCTION	0x10
#define TT_PRIVILEGED_OPCODE	0x11
#define TT_FP_DISABLED		0x20
#define TT_PRIVILEGED_ACTION	0x37
#define TT_SOFTWARE		0x100	/* and above */
#define TT_PRECISE_EVENT	0x6A
#define TT_DISRUPTING_EVENT	0x6B

#define SPARC64_TRAP_LEVELS	8

/* Offsets of the vCPU's registers in QEMU's CPUState. */
struct sparc64_layout {
	size_t globals, pc, npc, asi, pstate, tl, gl, traps, hpstate, htstate, htba, stick,
		stick_cmpr;
};
extern struct sparc64_layout sparc64_layout;

/* The first fields of CPUSPARCState. `window` points to the registers %o, %l and %i. */
struct sparc64_beginning {
	uint64_t globals[8], *window, pc, npc;
};

/* A field of the vCPU's CPUState. */
#define SPARC64_STATE(qemu, type, field) ((type *)(void *)((char *)(qemu) + sparc64_layout.field))

#define PSTATE_IE	0x02u
#define PSTATE_PRIV	0x04u
#define PSTATE_PEF	0x10u
#define HPSTATE_HPRIV	0x04u

/* A trap level's saved registers, in QEMU's layout. */
struct sparc64_saved {
	uint64_t pc, npc, tstate;
	uint32_t type;
};
struct sparc64_saved *sparc64_saved(const struct cpu *c);

/* QEMU's CPUSPARCState, for functions of unpromised.h. Its first field is the global registers. */
static inline void *sparc64_env(const struct cpu *c)
{
	return SPARC64_STATE(c->qemu, void, globals);
}

/* Reads all general registers, %g0 to %i7; writes one. */
void sparc64_registers(const struct cpu *c, uint64_t registers[32]);
void sparc64_set_register(const struct cpu *c, unsigned number, uint64_t value);

/* Returns the virtual address of a load or store. */
uint64_t sparc64_operand(const struct cpu *c, const struct instruction *i);

/* Continues after an instruction that the plugin has executed. Restore the state first. */
_Noreturn void sparc64_skip(struct cpu *c);

/* Raises a trap to hyperprivileged mode before the next instruction executes. */
_Noreturn void sparc64_raise(struct cpu *c, unsigned type);

/* Call after a write of a PMU register: the next instruction must be checked for an overflow
 * again. */
void sparc64_look_again(const struct cpu *c);

/* Returns true if a disrupting trap is due before an instruction at this level. */
bool sparc64_is_interrupted(const struct cpu *c, unsigned level);

/* Returns true if the vCPU is halted by the HALT `i`. */
bool sparc64_is_halted(const struct cpu *c, const struct instruction *i);

/* Maps the memory controllers' registers to their physical addresses. */
void sparc64_map_controllers(void);

/* Functions of struct isa. */
void sparc64_decode(struct instruction *i, const uint8_t *bytes, size_t size);
void sparc64_access(struct cpu *c, const struct instruction *i);
void sparc64_before(struct cpu *c, const struct instruction *i);
void sparc64_entered(struct cpu *c);

#endif
