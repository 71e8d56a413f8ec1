/* SPDX-License-Identifier: BSD-2-Clause */
/* Data addresses of sampled loads and stores, computed from the operands of the sampled instruction
 * and the registers that the processor recorded after it. For x86-64 programs. */
#ifndef DATA_ADDRESS_H
#define DATA_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "samples.h"

/* Why a sample has no data address. The order is that of data_address_text. */
enum data_address {
	DATA_KNOWN,
	DATA_OVERWRITTEN,	/* the instruction overwrote a register of its address */
	DATA_UNCERTAIN,		/* the sampled instruction is not certain */
	DATA_UNSUPPORTED,	/* the operand's address does not follow from general registers */
	DATA_UNRECORDED,	/* the sample has no registers */
	DATA_NO_CODE,		/* the program's ELF file is not known */
	DATA_NO_ACCESS,		/* the event is not one of loads or of stores */
	DATA_ADDRESSES
};

/* A reason as a phrase: "the instruction overwrote ...". */
const char *data_address_text(enum data_address reason);

/* Computes the address that the instruction at the beginning of `bytes` accessed. `at`: its own
 * address. */
enum data_address data_address_of(const uint8_t *bytes, size_t count, uint64_t at,
				  const struct sample *sample, uint64_t *address);

/* The machine code of a program. */
struct code;

/* The code of the program that a file of samples belongs to, for data addresses. */
struct sampled_code {
	const char *elf;		/* named by the user; NULL: next to the samples, if there */
	bool opened;
	struct code *code;		/* NULL: none is at hand */
};

/* Opens an ELF file. NULL: no memory, or the file is unusable, after a complaint. */
struct code *code_open(const char *elf);
void code_close(struct code *code);

/* Finds the sampled instruction from the beginning of its function on, and computes the address
 * that it accessed. `code` is NULL if there is none. */
enum data_address code_data_address(struct code *code, const struct names *names,
				    const struct sample *sample, uint64_t *address);

/* Adds the data address of a sampled load or store to its key, or the reason why there is none. The
 * first such sample opens the program. False after a complaint: it is unusable. */
bool sampled_code_add_data(struct sampled_code *program, const struct samples *samples,
			   const struct sample *sample, struct sample_key *key);

#endif
