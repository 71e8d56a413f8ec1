// SPDX-License-Identifier: BSD-2-Clause
// x86: a vCPU's state in QEMU.

#include <string.h>

#include "../bytes.h"
#include "../plugin.h"
#include "../unpromised.h"
#include "operands.h"
#include "x86.h"

#define EFLAGS_TF		(1u << 8)
#define CR3_TABLE		0x000FFFFFFFFFF000u

struct x86_layout x86_layout;

uint64_t x86_base(const struct cpu *c, unsigned segment)
{
	const struct {		// QEMU's layout of a segment register
		uint32_t selector;
		uint64_t base;
		uint32_t limit, flags;
	} *const segments = (const void *)X86_STATE(c->qemu, char, segments);

	return segments[segment].base;
}

uint64_t x86_tables(const struct cpu *c)
{
	const bool paged = *X86_STATE(c->qemu, uint64_t, cr0) & X86_CR0_PG &&
			   *X86_STATE(c->qemu, uint32_t, hidden_flags) & X86_HIDDEN_LMA &&
			   !(*X86_STATE(c->qemu, uint64_t, cr4) & X86_CR4_LA57);

	return paged ? *X86_STATE(c->qemu, uint64_t, cr3) & CR3_TABLE : X86_NO_TABLES;
}

// In 64-bit code, segments other than FS and GS have base 0.
void x86_operands_by(const struct cpu *c, uint64_t linear, struct operands_by *by)
{
	*by = (struct operands_by){.ip = linear,
				   .bits = x86_bits(*X86_STATE(c->qemu, uint32_t, hidden_flags))};
	for (unsigned segment = by->bits == 64 ? X86_FS : X86_ES; segment <= X86_GS; segment++)
		by->bases[segment] = x86_base(c, segment);
	memcpy(by->registers, x86_registers(c), sizeof by->registers);
}

size_t x86_read_code(uint64_t linear, uint8_t *to, size_t most)
{
	const size_t in_page = X86_PAGE - linear % X86_PAGE;
	const size_t sizes[] = {most, in_page < most ? in_page : most};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		GByteArray *bytes = bytes_of(NULL, sizes[i]);

		if (qemu_plugin_read_memory_vaddr(linear, bytes, sizes[i])) {
			memcpy(to, bytes->data, sizes[i]);
			return sizes[i];
		}
	}
	return 0;
}

_Noreturn void x86_skip(struct cpu *c, unsigned size)
{
	plugin_restore(c);
	unpromised_pass_instruction();
	*X86_STATE(c->qemu, uint64_t, ip) += size;
	*X86_STATE(c->qemu, uint32_t, hidden_flags) &= ~X86_HIDDEN_INHIBIT_IRQ;
	if (*X86_STATE(c->qemu, uint64_t, flags) & EFLAGS_TF)
		helper_single_step(x86_env(c));
	cpu_loop_exit(c->qemu);
}

_Noreturn void x86_raise(struct cpu *c, int vector)
{
	const uintptr_t here = c->here;

	c->here = 0;
	raise_exception_err_ra(x86_env(c), vector, 0, here);
}
