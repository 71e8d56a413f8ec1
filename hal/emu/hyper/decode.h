/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that the monitor carries out, or has to know (Oracle SPARC Architecture 2011, chapter 7 and appendix on
 * opcodes). */
#ifndef HYPER_DECODE_H
#define HYPER_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#define ASI_OF_PCR	0x64
#define ASI_OF_PIC	0xB0

/* A load or store of 64 bits. */
struct access {
	bool store;
	bool alternate;		/* its address space is `asi`; else the ordinary one */
	uint8_t asi;
	uint8_t rd;		/* the register loaded or stored */
	uint8_t rs1, rs2;	/* the address is the sum of these registers, */
	int16_t immediate;	/* and of this */
};

/* False: the instruction is none of LDX, STX, LDXA, STXA. `asi`: the ASI register. */
bool decode_access(uint32_t instruction, uint8_t asi, struct access *access);

bool decode_is_halt(uint32_t instruction);
bool decode_is_floating_branch(uint32_t instruction);	/* FBfcc, FBPfcc */
bool decode_is_wrpr_pstate(uint32_t instruction);
bool decode_is_wrhpr_hpstate(uint32_t instruction);

#endif
