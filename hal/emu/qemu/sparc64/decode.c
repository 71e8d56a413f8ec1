// SPDX-License-Identifier: BSD-2-Clause
// SPARC: decodes an instruction that QEMU translates. A translation is valid for the vCPU's current
// privilege level and ASI register only, so both are constants of the instruction.

#include <string.h>

#include "class.h"
#include "encoding.h"
#include "operands.h"
#include "../unpromised.h"
#include "announce.h"
#include "sparc64.h"

#define OP(i)		BITS(i, 30, 2)
#define OP3(i)		BITS(i, 19, 6)
#define OP_ARITHMETIC	2
#define OP_MEMORY	3
#define WRPR		0x32
#define WRHPR		0x33
#define LDXA		0x1B
#define STXA		0x1E
#define PSTATE		6	/* register number in WRPR */
#define HPSTATE		0	/* register number in WRHPR */
#define HALT		0xBD982000u	/* arch/sparc64/include/sparc64/guesses.h; not in QEMU */

static uint8_t level_now(void)
{
	if (*SPARC64_STATE(current_cpu, uint64_t, hpstate) & HPSTATE_HPRIV)
		return SPARC64_HYPERPRIVILEGED;
	return *SPARC64_STATE(current_cpu, uint32_t, pstate) & PSTATE_PRIV ? SPARC64_PRIVILEGED :
	       SPARC64_USER;
}

static bool changes_level(uint32_t code)
{
	return OP(code) == OP_ARITHMETIC && ((OP3(code) == WRPR && RD(code) == PSTATE) ||
					     (OP3(code) == WRHPR && RD(code) == HPSTATE));
}

static uint8_t access_of(const struct instruction *i)
{
	const uint32_t code = i->code;

	if (code == HALT && i->level == SPARC64_HYPERPRIVILEGED)
		return SPARC64_HALT;
	if (sparc64_access_of(code, i->asi).commits)
		return SPARC64_COMMIT;
	if (OP(code) != OP_MEMORY ||
	    (i->asi != ASI_PCR && i->asi != ASI_PIC && i->asi != ANNOUNCE_ASI))
		return 0;
	return OP3(code) == LDXA ? SPARC64_LOAD_REGISTER :
	       OP3(code) == STXA ? SPARC64_STORE_REGISTER : 0;
}

static uint32_t from_bytes(const uint8_t b[SPARC64_INSTRUCTION])
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

// A branch that is never taken counts as no branch.
void sparc64_decode(struct instruction *i, const uint8_t *bytes, size_t size)
{
	const uint32_t code = size == SPARC64_INSTRUCTION ? from_bytes(bytes) : 0;
	const uint8_t asi = (uint8_t)*SPARC64_STATE(current_cpu, uint32_t, asi);
	const struct sparc64_class c = sparc64_classify(code, asi);
	const bool never = c.branch && c.goes == SPARC64_NEVER;

	i->size = SPARC64_INSTRUCTION;
	i->code = code;
	i->level = level_now();
	i->asi = IMMEDIATE(code) ? asi : (uint8_t)IMM_ASI(code);
	i->slot = c.branch && !never ? SPARC64_INSTRUCTION : 0;
	i->commits = c.commits;
	i->changes_level = changes_level(code);
	i->access = access_of(i);
	i->is.length = SPARC64_INSTRUCTION;
	i->is.branch = never ? 0 : c.branch;
	i->is.raises = c.raises | (never ? sparc64_branch_raises(&c, false) : 0);
}
