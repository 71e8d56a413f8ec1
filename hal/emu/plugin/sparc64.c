// SPDX-License-Identifier: BSD-2-Clause
// What the guest of the hyperprivileged monitor executes: all that begins between the monitor's RETRY and the software
// trap by which it is entered (hal/emu/hyper/switch.S).

#include "sparc64.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INSTRUCTION 4	/* bytes */

static const uint8_t enters[INSTRUCTION] = {0x91, 0xD0, 0x20, 0xFF};	// ta HYPER_TRAP_ENTER
static const uint8_t retry[INSTRUCTION] = {0x83, 0xF0, 0x00, 0x00};

// The emulator's blocks count here: instructions that have begun, but for these two.
static uint64_t begun;

static struct {
	bool inside;		// the guest executes
	bool checked;		// the monitor has said how many there were
	uint64_t since;		// `begun`, when the guest went on
	uint64_t instructions;	// that the guest has executed
	uint64_t before;	// of those: before the monitor began to count
} guest;

static uint64_t miscount;

// Entries of trap tables have 32 bytes, and those of all trap types follow each other.
#define ENTRY_SHIFT	5
#define TYPES		0x200

// Whether an instruction has begun that has trapped: not at interrupts (41h to 4Fh), and not if it could not be fetched
// (08h to 0Ah, 64h to 67h). A bit for each type below 80h.
static bool has_begun(uint64_t type)
{
	static const uint64_t between[2] = {0x700, 0xF00000FFFE};

	return type >= 0x80 || !(between[type / 64] >> type % 64 & 1);
}

void sparc64_miscount(uint64_t entries)
{
	miscount = entries;
}

// At this entry of one of the monitor's tables.
static void enter(unsigned cpu, void *entry)
{
	(void)cpu;
	if (!guest.inside)
		return;
	guest.inside = false;
	guest.instructions += begun - guest.since - has_begun((uintptr_t)entry >> ENTRY_SHIFT & (TYPES - 1));
	if (miscount && !--miscount)
		guest.instructions++;
}

// The guest's own, or the monitor's.
static void go_back(unsigned cpu, void *unused)
{
	(void)cpu;
	(void)unused;
	if (guest.inside) {
		begun++;
		return;
	}
	guest.inside = true;
	guest.since = begun;
}

static bool is(const struct qemu_plugin_insn *instruction, const uint8_t code[INSTRUCTION])
{
	return !memcmp(qemu_plugin_insn_data(instruction), code, INSTRUCTION);
}

void sparc64_observe(struct qemu_plugin_tb *block)
{
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
		struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);

		void *address = (void *)(uintptr_t)qemu_plugin_insn_vaddr(instruction);

		if (is(instruction, enters))
			qemu_plugin_register_vcpu_insn_exec_cb(instruction, enter, QEMU_PLUGIN_CB_NO_REGS, address);
		else if (is(instruction, retry))
			qemu_plugin_register_vcpu_insn_exec_cb(instruction, go_back, QEMU_PLUGIN_CB_NO_REGS, NULL);
		else
			qemu_plugin_register_vcpu_insn_exec_inline(instruction, QEMU_PLUGIN_INLINE_ADD_U64, &begun, 1);
	}
}

void sparc64_check(const struct mailbox *box)
{
	uint64_t counted;

	if (guest.inside)
		return;
	if (!guest.checked)
		guest.before = guest.instructions - box->executed;
	guest.checked = true;
	counted = guest.instructions - guest.before;
	if (counted == box->executed)
		return;
	fprintf(stderr, "palmon plugin: %" PRIu64 " instructions have executed, the instruction clock says %" PRIu64
		"\n", counted, box->executed);
	fflush(stderr);
	_exit(1);
}
