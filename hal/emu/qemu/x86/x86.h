/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared within the x86 folder: a vCPU's state in QEMU. */
#ifndef QEMU_X86_H
#define QEMU_X86_H

#include "../isa.h"
#include "coprocessor.h"

#define X86_PAGE 4096u

/* Bits of control registers (SDM volume 3A, "Control Registers"). */
#define X86_CR0_PE	(1u << 0)
#define X86_CR0_WP	(1u << 16)
#define X86_CR0_PG	(1u << 31)
#define X86_CR4_PSE	(1u << 4)
#define X86_CR4_PAE	(1u << 5)
#define X86_CR4_LA57	(1u << 12)

/* The local APIC's registers (SDM volume 3A, "Local APIC Status and Location"): accesses do not
 * leave the processor. */
#define X86_LOCAL_APIC	0xFEE00000u

/* Values of `access` in struct instruction. PMU instructions: second opcode byte, after 0FH.
 * X86_INVALIDATES: flushes TLBs (MOV to CR3, INVLPG). X86_WBINVD: flushes caches. X86_LACKING: QEMU
 * may lack the instruction. */
enum {
	X86_INVALIDATES = 1,
	X86_LACKING = 2,
	X86_WBINVD = 0x09,
	X86_WRMSR = 0x30,
	X86_RDTSC = 0x31,
	X86_RDMSR = 0x32,
	X86_RDPMC = 0x33,
	X86_CPUID = 0xA2,
	X86_RDTSCP = 0xF9,	/* third opcode byte */
};

/* General registers by number; 8 to 15 have no names. */
enum { X86_AX, X86_CX, X86_DX, X86_BX, X86_SP, X86_BP, X86_SI, X86_DI };

/* Offsets of the vCPU's registers in QEMU's CPUState. */
struct x86_layout {
	size_t registers, ip, flags, hidden_flags, segments, cr0, cr3, cr4, vmcb;
};
extern struct x86_layout x86_layout;

/* A field of the vCPU's CPUState. */
#define X86_STATE(qemu, type, field) ((type *)(void *)((char *)(qemu) + x86_layout.field))

static inline uint64_t *x86_registers(const struct cpu *c)
{
	return X86_STATE(c->qemu, uint64_t, registers);
}

/* QEMU's CPUX86State, for functions of unpromised.h. */
static inline void *x86_env(const struct cpu *c)
{
	return x86_registers(c);
}

/* QEMU's "hidden flags", which its migration format keeps stable. */
#define X86_HIDDEN_LEVEL	3u
#define X86_HIDDEN_INHIBIT_IRQ	(1u << 3)	/* after STI, MOV to SS: no interrupt before the
						 * next instruction */
#define X86_HIDDEN_CS32		(1u << 4)
#define X86_HIDDEN_LMA		(1u << 14)
#define X86_HIDDEN_CS64		(1u << 15)

/* Raises an exception at the current instruction, which does not retire. The callback must not have
 * changed the vCPU's state. */
enum { X86_UD = 6, X86_GP = 13 };
_Noreturn void x86_raise(struct cpu *c, int vector);

/* Returns the linear base address of a segment. */
enum { X86_ES, X86_CS, X86_SS, X86_DS, X86_FS, X86_GS };
uint64_t x86_base(const struct cpu *c, unsigned segment);

/* Returns the width of the code in bits. */
static inline unsigned x86_bits(uint32_t hidden)
{
	return hidden & X86_HIDDEN_CS64 ? 64 : hidden & X86_HIDDEN_CS32 ? 32 : 16;
}

/* Continues after an instruction of `size` bytes that a callback has executed. */
_Noreturn void x86_skip(struct cpu *c, unsigned size);

/* Returns the physical address of the four-level page tables, or X86_NO_TABLES. */
#define X86_NO_TABLES UINT64_MAX
uint64_t x86_tables(const struct cpu *c);

/* Returns true if the mapped page at this linear address is writable at level 0. */
bool x86_writable(const struct cpu *c, uint64_t linear);

/* Functions of struct isa. */
void x86_decode(struct instruction *i, const uint8_t *bytes, size_t size);
void x86_pair(struct instruction *first, const struct instruction *second);
void x86_access(struct cpu *c, const struct instruction *i);

/* Instructions that QEMU lacks (lacking.c). x86_lacking, at translation, returns such an
 * instruction; its length is 0 if QEMU has it. x86_carry_out, before it executes, either executes
 * it or returns; then QEMU executes it. */
struct lacking x86_lacking(const struct instruction *i);
void x86_carry_out(struct cpu *c, const struct instruction *i);

/* Reads the vCPU's registers for the address operands of the instruction at this linear address
 * (operands.h). */
struct operands_by;
void x86_operands_by(const struct cpu *c, uint64_t linear, struct operands_by *by);

/* Reads code of the executing vCPU from a linear address. Returns the number of bytes: fewer than
 * `most` if the next page is not mapped. */
size_t x86_read_code(uint64_t linear, uint8_t *to, size_t most);

/* As mismatch and pmu_of of ../isa.h. */
const char *x86_mismatch(const struct cpu *c, const struct pmu_model *model);
const char *x86_pmu_of(const struct cpu *c);

void x86_interrupt(struct cpu *c);
extern const struct model_processor x86_around;

#endif
