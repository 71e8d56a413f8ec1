// SPDX-License-Identifier: BSD-2-Clause
// x86: decodes an instruction that QEMU translates. A translation is valid for the vCPU's current
// privilege level, code width and I/O privilege only, so all three are constants of the
// instruction.

#include <string.h>

#include "forgets.h"
#include "../bytes.h"
#include "../plugin.h"
#include "../threads.h"
#include "../timed.h"
#include "../unpromised.h"
#include "stages.h"
#include "uops.h"
#include "x86.h"

#define EFLAGS_IOPL	(3u << 12)
#define EFLAGS_VM	(1u << 17)

#define INT3		0xCC
#define INT_N		0xCD
#define INTO		0xCE
#define INT1		0xF1
#define ESCAPE		0x0F
#define VEX3		0xC4
#define VEX2		0xC5
#define MVEX		0x62
#define MODRM_REGISTERS	0xC0	/* ModRM values from here on name a register */

static bool is_rex(uint8_t byte)
{
	return (byte & 0xF0) == 0x40;
}

// Returns the offset of the opcode. Some combinations of prefixes and opcodes make the instruction
// undefined; this does not matter here.
static size_t skip_prefixes(const uint8_t *bytes, size_t size)
{
	static const uint8_t prefixes[] = {0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF2,
					   0xF3};
	size_t at = 0;

	while (at + 1 < size && (memchr(prefixes, bytes[at], sizeof prefixes) || is_rex(bytes[at])))
		at++;
	return at;
}

// Software interrupts. In virtual-8086 mode with an I/O privilege level below 3, INT n faults
// instead (SDM volume 3B, "Sensitive Instructions").
static bool traps(uint8_t opcode, uint64_t flags)
{
	const bool may_int = !(flags & EFLAGS_VM) || (flags & EFLAGS_IOPL) == EFLAGS_IOPL;

	return opcode == INT3 || opcode == INTO || opcode == INT1 || (opcode == INT_N && may_int);
}

// Instructions with VEX or MVEX prefixes: QEMU lacks Knights Corner's vector instructions. In 16-
// and 32-bit code, the byte with a memory operand is LES, LDS or BOUND.
static bool may_lack(const uint8_t *opcode, const uint8_t *end, unsigned bits)
{
	return (*opcode == VEX3 || *opcode == VEX2 || *opcode == MVEX) &&
	       (bits == 64 || (opcode + 1 < end && opcode[1] >= MODRM_REGISTERS));
}

#define GROUP_7		0x01

// A processor whose PMU contains the time-stamp counter has no RDTSCP; QEMU would execute it with
// its own clock.
static bool is_rdtscp(const uint8_t *opcode, const uint8_t *end)
{
	return end - opcode >= 3 && opcode[0] == ESCAPE && opcode[1] == GROUP_7 &&
	       opcode[2] == X86_RDTSCP &&
	       plugin_running()->vpmu.model->clock_address;
}

static uint8_t access_of(const uint8_t *bytes, size_t size, size_t opcode, unsigned bits)
{
	static const uint8_t of_forgetting[] = {
		[FORGETS_TRANSLATIONS] = X86_INVALIDATES, [FORGETS_CACHES] = X86_WBINVD,
	};
	const uint8_t second = opcode + 1 < size ? bytes[opcode + 1] : 0;

	if (bytes[opcode] == ESCAPE && (second == X86_CPUID || second == X86_WRMSR ||
					second == X86_RDMSR ||
					second == X86_RDPMC || second == X86_RDTSC))
		return second;
	if (is_rdtscp(bytes + opcode, bytes + size))
		return X86_RDTSCP;
	if (plugin_running()->vpmu.model->user->spflt &&
	    may_lack(bytes + opcode, bytes + size, bits))
		return X86_LACKING;
	return of_forgetting[forgets_of(bytes, size)];
}

void x86_decode(struct instruction *i, const uint8_t *bytes, size_t size)
{
	const uint32_t hidden = *X86_STATE(current_cpu, uint32_t, hidden_flags);
	const size_t opcode = skip_prefixes(bytes, size);
	struct lacking lacking = {0};

	i->level = hidden & X86_HIDDEN_LEVEL;
	i->traps = traps(bytes[opcode], *X86_STATE(current_cpu, uint64_t, flags));
	i->access = access_of(bytes, size, opcode, x86_bits(hidden));
	if (i->access == X86_LACKING)
		lacking = x86_lacking(i);
	if (lacking.length) {
		i->size = lacking.length;
		i->stages = stages_lacking(&lacking);
		return;
	}
	i->is = classify(bytes, size, x86_bits(hidden));
	if (threads_are_used)
		i->lacks_row = !stages_find(timed_processor(), bytes, size, x86_bits(hidden),
					    &i->is, &i->stages);
	else if (timed_is_used)
		i->uops = uops_of(timed_processor(), bytes, size, x86_bits(hidden), &i->is);
	if (i->uops && i->is.kinds & (CLASS_BEHIND_COMPARE | CLASS_BEHIND_TEST))
		i->fused = uops_fused_branch(i->uops);
}

#define PAGE		4096

// Returns the classes of the instruction at a linear address in another block; length 0: unknown,
// because it is not in memory.
static struct classes classes_at(uint64_t linear)
{
	const size_t of_page = PAGE - linear % PAGE;
	GByteArray *bytes = bytes_of(NULL, CLASSIFY_LONGEST);

	if (!qemu_plugin_read_memory_vaddr(linear, bytes, CLASSIFY_LONGEST) &&
	    !(of_page < CLASSIFY_LONGEST && qemu_plugin_read_memory_vaddr(linear, bytes, of_page)))
		return (struct classes){0};
	return classify(bytes->data, bytes->len,
			x86_bits(*X86_STATE(current_cpu, uint32_t, hidden_flags)));
}

// QEMU may end a block between a compare and its branch, also at times that the host determines.
void x86_pair(struct instruction *first, const struct instruction *second)
{
	struct classes next;

	if (!first->uops || !(first->is.kinds & (CLASS_COMPARE | CLASS_TEST)))
		return;
	next = second ? second->is : classes_at(first->translated_at + first->size);
	if (classify_is_pair(first->is.kinds, &next))
		first->uops = uops_fused_compare(first->uops);
}
