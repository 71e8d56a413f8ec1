// SPDX-License-Identifier: BSD-2-Clause
// x86's implementation of ../isa.h.

#include <stdio.h>
#include <string.h>

#include "../bytes.h"
#include "../unpromised.h"
#include "prefetches.h"
#include "references.h"
#include "x86.h"

#define SELECTOR_LEVEL		3u

#define LEAF_VERSION		1
#define LEAF_CACHES		4
#define LEAF_TOPOLOGY		0xB

static const char *begin(struct cpu *c)
{
	static const struct unpromised_field fields[] = {
		{"env.regs", &x86_layout.registers}, {"env.eip", &x86_layout.ip},
		{"env.eflags", &x86_layout.flags},
		{"env.hflags", &x86_layout.hidden_flags}, {"env.segs", &x86_layout.segments},
		{"env.cr[0]", &x86_layout.cr0}, {"env.cr[3]", &x86_layout.cr3},
		{"env.cr[4]", &x86_layout.cr4},
		{"env.vm_vmcb", &x86_layout.vmcb},
	};

	if (!unpromised_find(isa_x86.name, fields, sizeof fields / sizeof *fields))
		return "this QEMU keeps its processors' state in another form (palmon needs QEMU "
		       "11.1)";
	if (!unpromised_find_clock(c->qemu, x86_layout.registers))
		return "this QEMU keeps its instruction clock in another form (palmon needs QEMU "
		       "11.1)";
	if (!unpromised_find_code_flags(c->qemu, x86_layout.registers))
		return "this QEMU keeps the flags of its code in another form (palmon needs QEMU "
		       "11.1)";
	return NULL;
}

// Returns the number of bits that can number `count` items.
static unsigned bits_of(uint32_t count)
{
	unsigned bits = 0;

	while (1u << bits < count)
		bits++;
	return bits;
}

// Place from the APIC ID: CPUID leaf 0BH, or leaves 1 and 4, give the number of its bits for
// threads and for the package (SDM volume 3A, "Hierarchical Mapping of Shared Resources").
static struct isa_place place(const struct cpu *c)
{
	uint32_t thread_bits, package_bits, id, highest, cores, unused;

	cpu_x86_cpuid(x86_env(c), 0, 0, &highest, &unused, &unused, &unused);
	if (highest >= LEAF_TOPOLOGY) {
		cpu_x86_cpuid(x86_env(c), LEAF_TOPOLOGY, 0, &thread_bits, &unused, &unused, &id);
		cpu_x86_cpuid(x86_env(c), LEAF_TOPOLOGY, 1, &package_bits, &unused, &unused, &id);
	} else {
		cpu_x86_cpuid(x86_env(c), LEAF_CACHES, 0, &cores, &unused, &unused, &unused);
		cpu_x86_cpuid(x86_env(c), LEAF_VERSION, 0, &unused, &id, &unused, &unused);
		package_bits = bits_of(id >> 16 & 0xFF);
		thread_bits = package_bits - bits_of((cores >> 26) + 1);
		id >>= 24;
	}
	return (struct isa_place){
		.package = id >> package_bits,
		.core = (id & ((1u << package_bits) - 1)) >> thread_bits,
		.thread = id & ((1u << thread_bits) - 1),
	};
}

// QEMU's instruction pointer is that of this instruction or an earlier one of its block, less than
// a page before. QEMU may have translated the block at another page of the same memory.
static uint64_t address(const struct cpu *c, const struct instruction *i)
{
	const uint64_t earlier = *X86_STATE(c->qemu, uint64_t, ip) + x86_base(c, X86_CS);
	const uint64_t pages = (earlier - i->translated_at + X86_PAGE - 1) & -(uint64_t)X86_PAGE;

	return i->translated_at + pages;
}

static uint64_t goes_on_at(const struct cpu *c)
{
	return *X86_STATE(c->qemu, uint64_t, ip) + x86_base(c, X86_CS);
}

// If a hypervisor has intercepted the instruction, the VMCB has its address (AMD64 Architecture
// Programmer's Manual volume 2, appendix B).
#define VMCB_CS_BASE	0x418
#define VMCB_RIP	0x578

static uint64_t read_vmcb(const struct cpu *c, unsigned offset)
{
	GByteArray *bytes = bytes_of(NULL, sizeof(uint64_t));
	uint64_t value = 0;

	if (!qemu_plugin_read_memory_hwaddr(*X86_STATE(c->qemu, uint64_t, vmcb) + offset, bytes,
					    sizeof value))
		memcpy(&value, bytes->data, sizeof value);
	return value;
}

static uint64_t left_at(const struct cpu *c)
{
	return read_vmcb(c, VMCB_CS_BASE) + read_vmcb(c, VMCB_RIP);
}

static uint64_t address_space(const struct cpu *c)
{
	return *X86_STATE(c->qemu, uint64_t, cr3);
}

// The handler's stack holds the return address, then the selector of the code segment.
static uint8_t interrupted_level(const struct cpu *c)
{
	const unsigned width = x86_bits(*X86_STATE(c->qemu, uint32_t, hidden_flags)) / 8;
	GByteArray *selector = bytes_of(NULL, 1);

	if (!(*X86_STATE(c->qemu, uint64_t, cr0) & X86_CR0_PE) ||
	    !qemu_plugin_read_memory_vaddr(x86_base(c, X86_SS) + x86_registers(c)[X86_SP] + width,
					   selector, 1))
		return 0;
	return selector->data[0] & SELECTOR_LEVEL;
}

static bool has(const struct pmu_model *model)
{
	return model->identification;
}

static void follow(struct qemu_plugin_insn *qemu, const struct instruction *i)
{
	if (i->is.kinds & CLASS_PREFETCH)
		prefetches_follow(qemu);
	else
		references_follow(qemu, i);
}

const struct isa isa_x86 = {
	.name = "x86_64", .has = has, .begin = begin, .mismatch = x86_mismatch,
	.pmu_of = x86_pmu_of, .place = place,
	.decode = x86_decode, .pair = x86_pair,
	.address = address, .goes_on_at = goes_on_at, .left_at = left_at,
	.address_space = address_space,
	.access = x86_access, .interrupt = x86_interrupt, .around = &x86_around,
	.interrupted_level = interrupted_level, .ticks_are_instructions = true,
	.begin_references = references_begin, .begin_predictions = references_predict,
	.references_matter = references_matter, .follow = follow, .fetch = references_fetch,
	.code_line = REFERENCES_LINE,
};
