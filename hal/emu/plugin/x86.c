// SPDX-License-Identifier: BSD-2-Clause
// Has the emulator say what the guests of x86 monitors execute: each block, and the world switch.

#include "x86.h"

#include <string.h>

#include "answer.h"
#include "block.h"
#include "happenings.h"
#include "numbers.h"
#include "observe.h"
#include "prefetches.h"
#include "references.h"
#include "reports.h"
#include "timed.h"

#define VMRUN_SIZE	3
#define LOWEST_LEVEL	3
#define RESET_VECTOR	0xFFFFFFF0u	/* SDM volume 3A, "First Instruction Executed" */

static bool is_vmrun(const struct qemu_plugin_insn *instruction)
{
	static const uint8_t vmrun[VMRUN_SIZE] = {0x0F, 0x01, 0xD8};

	return qemu_plugin_insn_size(instruction) == VMRUN_SIZE &&
	       !memcmp(qemu_plugin_insn_data(instruction), vmrun, VMRUN_SIZE);
}

// Where a guest comes back to, in the emulator's memory. The monitors have one world switch, and calibrate it before
// they have a guest.
static const uint8_t *behind_vmrun;

#define LINE 64		// bytes; a locked access to two of them locks the bus (SDM volume 3A, "Bus Locking")

static void locks(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *context)
{
	const unsigned size = 1u << qemu_plugin_mem_size_shift(access);

	(void)context;
	if (!qemu_plugin_mem_is_store(access) || linear % LINE + size <= LINE || !observe_is_inside(cpu))
		return;
	if (timed_is_used)
		references_lock_bus(cpu);
	observe_bus_lock(cpu);
}

static void ignore(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *context)
{
	(void)cpu, (void)access, (void)linear, (void)context;
}

// What VMRUN loads, of the control block, is no reference of the guest's, which it enters. QEMU 7.2 calls for what
// instructions do by its functions, and it does not forget whom it called for the last one: a callback of its own takes
// that one's place.
static void translate_vmrun(struct qemu_plugin_insn *instruction)
{
	const uint8_t *behind = (const uint8_t *)qemu_plugin_insn_haddr(instruction) + VMRUN_SIZE;

	qemu_plugin_register_vcpu_mem_cb(instruction, ignore, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);

	if (!behind_vmrun)
		behind_vmrun = behind;
	if (behind == behind_vmrun && reports_what != REPORTS_NOTHING)
		qemu_plugin_register_vcpu_insn_exec_cb(instruction, reports_what >= REPORTS_BLOCKS ? observe_enter :
						       numbers_enter, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

#define INSTRUCTIONS_MOST	512	/* of a block; QEMU's TCG_MAX_INSNS */
#define PAGE			4096u
#define STRING_OPCODES		"\x6C\x6D\x6E\x6F\xA4\xA5\xA6\xA7\xAA\xAB\xAC\xAD\xAE\xAF"
#define PREFIXES_MOST		(CLASSIFY_LONGEST - 1)

// Whether it is counted by itself: the emulator calls before it. Or it is the block's last one and may go on in the
// next page: the emulator leaves it to the next block then, after it has shown it.
static bool begins_anew(const struct qemu_plugin_insn *instruction, const struct classes *classes, bool is_last)
{
	return classes->kinds & CLASS_REPEATED || classes->branch == OCCURRENCE_KIND_FAR || is_vmrun(instruction) ||
	       (is_last && qemu_plugin_insn_vaddr(instruction) % PAGE > PAGE - CLASSIFY_LONGEST);
}

// Plain instructions are counted together with what follows them.
static void count_instructions(const struct qemu_plugin_tb *from, const struct block *block)
{
	for (size_t first = 0, behind = 0; first < block->count; first = behind) {
		while (block->instruction[behind++].kinds & CLASS_PLAIN && behind < block->count)
			if (begins_anew(qemu_plugin_tb_get_insn(from, behind), &block->instruction[behind],
					behind == block->count - 1))
				break;
		qemu_plugin_register_vcpu_insn_exec_inline(qemu_plugin_tb_get_insn(from, first),
							   QEMU_PLUGIN_INLINE_ADD_U64, &observe_begun, behind - first);
	}
}

static void *level_behind(const struct classes *classes)
{
	return (void *)(uintptr_t)(classes->kinds & CLASS_SYSRET ? LOWEST_LEVEL : 0);
}

static void translate_instruction(struct qemu_plugin_insn *instruction, const struct classes *classes)
{
	if (is_vmrun(instruction)) {
		translate_vmrun(instruction);
		return;
	}
	if (classes->kinds & (CLASS_SYSCALL | CLASS_SYSRET))
		qemu_plugin_register_vcpu_insn_exec_cb(instruction, observe_cross, QEMU_PLUGIN_CB_NO_REGS,
						       level_behind(classes));
	if (classes->branch && (classes->loads || classes->stores))
		qemu_plugin_register_vcpu_mem_inline(instruction, QEMU_PLUGIN_MEM_RW, QEMU_PLUGIN_INLINE_ADD_U64,
						     &observe_accesses, 1);
	if (classes->kinds & CLASS_LOCKED)
		qemu_plugin_register_vcpu_mem_cb(instruction, locks, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
	if (reports_what == REPORTS_REFERENCES)
		references_translate(instruction, classes);
}

// The last block's instructions.
static uint8_t bytes[INSTRUCTIONS_MOST * CLASSIFY_LONGEST], sizes[INSTRUCTIONS_MOST];

static struct block *make_block(const struct qemu_plugin_tb *from)
{
	size_t count = qemu_plugin_tb_n_insns(from), at = 0;

	for (size_t i = 0; i < count && i < INSTRUCTIONS_MOST; i++) {
		const struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(from, i);
		const size_t size = qemu_plugin_insn_size(instruction);

		sizes[i] = (uint8_t)size;
		memcpy(bytes + at, qemu_plugin_insn_data(instruction), size);
		at += size;
	}
	return block_make(qemu_plugin_tb_vaddr(from), bytes, sizes, count);
}

static void translate_prefetch(const struct qemu_plugin_tb *from, const struct block *block, size_t number)
{
	const unsigned bits = block->target_bits == UINT16_MAX ? 16 : block->target_bits == UINT32_MAX ? 32 : 64;
	struct prefetch p;

	if (prefetches_find(&p, bytes, sizes, block->count, bits, number))
		references_translate_prefetch(qemu_plugin_tb_get_insn(from, p.of), block->instruction[p.of].wide, &p,
					      qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(from, number)));
}

// One call for both.
static void begin_block(unsigned cpu, void *block)
{
	observe_block(cpu, block);
	if (happenings_matter())
		references_fetch(cpu, block);
}

// Of what a monitor does, whatever is observed: it comes back from its guest.
static bool observe_monitor(struct qemu_plugin_tb *from)
{
	const bool is_back = behind_vmrun &&
			     qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(from, 0)) == behind_vmrun;

	if (is_back)
		qemu_plugin_register_vcpu_tb_exec_cb(from, answer_leave, QEMU_PLUGIN_CB_NO_REGS, NULL);
	if (qemu_plugin_tb_vaddr(from) == RESET_VECTOR)
		qemu_plugin_register_vcpu_tb_exec_cb(from, observe_reset, QEMU_PLUGIN_CB_NO_REGS, NULL);
	return is_back;
}

static void observe_instructions(struct qemu_plugin_tb *from, bool is_back)
{
	struct block *block = make_block(from);

	observe_translated(block);
	if (!is_back)
		qemu_plugin_register_vcpu_tb_exec_cb(from, reports_what == REPORTS_REFERENCES ? begin_block :
						     observe_block, QEMU_PLUGIN_CB_NO_REGS, block);
	count_instructions(from, block);
	for (size_t i = 0; i < block->count; i++)
		translate_instruction(qemu_plugin_tb_get_insn(from, i), &block->instruction[i]);
	for (size_t i = 0; i < block->count && reports_what == REPORTS_REFERENCES; i++)
		if (block->instruction[i].kinds & CLASS_PREFETCH)
			translate_prefetch(from, block, i);
}

// Whether what is before the block in its page may be a repeated string instruction: its opcode ends it, and has a
// prefix (SDM volume 2B, "REP/REPE/REPZ/REPNE/REPNZ").
static bool may_be_behind_string(const struct qemu_plugin_tb *block)
{
	const uint8_t *at = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(block, 0));
	const size_t before = at ? qemu_plugin_tb_vaddr(block) % PAGE : 0;

	if (before < PREFIXES_MOST + 1)
		return true;
	if (!memchr(STRING_OPCODES, at[-1], sizeof STRING_OPCODES - 1))
		return false;
	for (const uint8_t *prefix = at - 2; prefix > at - 2 - PREFIXES_MOST; prefix--)
		if (*prefix == 0xF2 || *prefix == 0xF3)
			return true;
	return false;
}

static void pop(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *context)
{
	const struct qemu_plugin_hwaddr *address = qemu_plugin_get_hwaddr(access, linear);

	(void)context;
	if (address && !qemu_plugin_hwaddr_is_io(address))
		numbers_pop(cpu, qemu_plugin_hwaddr_phys_addr(address));
}

static void observe_numbers(struct qemu_plugin_tb *from)
{
	const struct block *block = make_block(from);

	if (block->traps)
		numbers_end();
	if (may_be_behind_string(from))
		qemu_plugin_register_vcpu_tb_exec_cb(from, numbers_go_on, QEMU_PLUGIN_CB_NO_REGS,
						     (void *)(uintptr_t)qemu_plugin_tb_vaddr(from));
	count_instructions(from, block);
	for (size_t i = 0; i < block->count; i++) {
		struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(from, i);
		const struct classes *classes = &block->instruction[i];

		if (classes->kinds & (CLASS_SYSCALL | CLASS_SYSRET))
			qemu_plugin_register_vcpu_insn_exec_cb(instruction, numbers_cross, QEMU_PLUGIN_CB_NO_REGS,
							       level_behind(classes));
		if (classes->kinds & CLASS_IRET)
			qemu_plugin_register_vcpu_mem_cb(instruction, pop, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R,
							 NULL);
		if (classes->branch == OCCURRENCE_KIND_FAR)
			qemu_plugin_register_vcpu_insn_exec_cb(instruction, numbers_return, QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
		if (classes->kinds & CLASS_REPEATED)
			qemu_plugin_register_vcpu_insn_exec_cb(instruction, numbers_repeat, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)block->end);
	}
}

void x86_observe(struct qemu_plugin_tb *from)
{
	const bool is_back = observe_monitor(from);

	if (reports_what >= REPORTS_BLOCKS) {
		observe_instructions(from, is_back);
		return;
	}
	if (reports_what == REPORTS_NUMBERS)
		observe_numbers(from);
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(from); i++)
		if (is_vmrun(qemu_plugin_tb_get_insn(from, i)))
			translate_vmrun(qemu_plugin_tb_get_insn(from, i));
}
