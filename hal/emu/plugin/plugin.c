// SPDX-License-Identifier: BSD-2-Clause
// The plugin's connection with the emulator: finds what rings a mailbox among the instructions that it translates.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "block.h"
#include "early_alarm.h"
#include "machine.h"
#include "mailbox.h"
#include "memory.h"
#include "numbers.h"
#include "observe.h"
#include "qemu.h"
#include "references.h"
#include "reports.h"
#include "sparc64.h"
#include "sparc64_block.h"
#include "sparc64_observe.h"
#include "sparc64_references.h"
#include "timed.h"
#include "x86.h"

#define MOVE_IMMEDIATE 0xC7	/* x86: MOV r/m32, imm32 */

QEMU_EXPORT int qemu_plugin_version = QEMU_INTERFACE;

// Whether the instruction stores MAILBOX_RING: behind an optional REX prefix.
static bool is_ring_x86(const struct qemu_plugin_insn *instruction)
{
	const uint8_t *bytes = qemu_plugin_insn_data(instruction);
	const size_t size = qemu_plugin_insn_size(instruction);
	uint32_t immediate;

	if (size < 6 || (bytes[0] != MOVE_IMMEDIATE && bytes[1] != MOVE_IMMEDIATE))
		return false;
	memcpy(&immediate, bytes + size - sizeof immediate, sizeof immediate);
	return immediate == MAILBOX_RING;
}

static bool is_ring_sparc64(const struct qemu_plugin_insn *instruction)
{
	static const uint8_t ring[] = {
		MAILBOX_RING_STW >> 24, MAILBOX_RING_STW >> 16 & 0xFF, MAILBOX_RING_STW >> 8 & 0xFF,
		MAILBOX_RING_STW & 0xFF,
	};

	return qemu_plugin_insn_size(instruction) == sizeof ring &&
	       !memcmp(qemu_plugin_insn_data(instruction), ring, sizeof ring);
}

static void flush_x86(void)
{
	block_free_all(observe_needs);
}

// The instruction sets that have a monitor: whether they have a timed clock; what rings, and where its machine has the
// memory that is shared; how what its guest executes is observed, what becomes of that when it is translated anew; how
// it is observed falsely; what its caches are made by.
struct instruction_set {
	const char *name;
	bool has_timed_clock;
	bool (*is_ring)(const struct qemu_plugin_insn *instruction);
	uint64_t memory;
	void (*observe)(struct qemu_plugin_tb *block);
	void (*flush)(void);
	void (*miscount)(uint64_t quanta);
	void (*make_caches)(const struct processor *processor);
};

static const struct instruction_set instruction_sets[] = {
	{"x86_64", true, is_ring_x86, 0, x86_observe, flush_x86, observe_miscount, references_make},
	{"sparc64", false, is_ring_sparc64, 0x80000000, sparc64_observe, sparc64_flush, sparc64_miscount,
	 sparc64_references_make},
}, *here;

// The access is done. Nobody else executes: with an instruction clock QEMU has one thread for all CPUs.
static void ring(unsigned cpu, qemu_plugin_meminfo_t access, uint64_t linear, void *context)
{
	const struct qemu_plugin_hwaddr *address = qemu_plugin_get_hwaddr(access, linear);

	(void)context;
	if (address && !qemu_plugin_hwaddr_is_io(address))
		answer_call(cpu, qemu_plugin_hwaddr_phys_addr(address));
}

static bool blind;	// sees nothing, but answers calls: what the rest costs is measured against this

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	(void)id;
	if (!blind)
		here->observe(block);
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
		struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);

		if (here->is_ring(instruction))
			qemu_plugin_register_vcpu_mem_cb(instruction, ring, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W,
							 NULL);
	}
}

static void flushed(qemu_plugin_id_t id)
{
	(void)id;
	here->flush();
}

static void begin(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_flush_cb(id, flushed);
}

static void describe(const char *value)
{
	char *copy = strdup(value);	// the emulator frees its arguments

	if (copy)
		machine_describe(copy);
}

static void divide(const char *value)
{
	machine_divide((unsigned)strtoul(value, NULL, 10));
}

static void use_clock(const char *value)
{
	timed_is_used = !strcmp(value, "timed");
}

static void miscount(const char *value)
{
	here->miscount(strtoull(value, NULL, 10));
}

static void be_blind(const char *value)
{
	blind = *value == '1';
}

static void limit_quanta(const char *value)
{
	answer_headroom_most = strtoull(value, NULL, 10);
}

// What the machine's processor is, how many packages it has, and its clock; and for tests and benchmarks a fault, a
// quantum's count, whether it is blind, and how long the guests' quanta are at most.
static bool take_argument(const char *argument)
{
	static const struct {
		const char *name;
		void (*take)(const char *value);
	} arguments[] = {
		{"machine=", describe}, {"sockets=", divide}, {"clock=", use_clock}, {"miscount=", miscount},
		{"blind=", be_blind}, {"quantum=", limit_quanta},
	};

	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
		if (!strncmp(argument, arguments[i].name, strlen(arguments[i].name))) {
			arguments[i].take(argument + strlen(arguments[i].name));
			return true;
		}
	return false;
}

static const struct instruction_set *find_instruction_set(const char *name)
{
	for (size_t i = 0; i < sizeof instruction_sets / sizeof *instruction_sets; i++)
		if (!strcmp(instruction_sets[i].name, name))
			return &instruction_sets[i];
	return NULL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	here = find_instruction_set(info->target_name);
	if (!here) {
		fprintf(stderr, "palmon plugin: no image of palmon's runs on the processors of this QEMU, %s\n",
			info->target_name);
		return 1;
	}
	for (; argc; argv++, argc--) {
		if (!take_argument(*argv)) {
			fprintf(stderr, "palmon plugin: it has no argument '%s'\n", *argv);
			return 1;
		}
	}
	if (timed_is_used && !here->has_timed_clock) {
		fprintf(stderr, "palmon plugin: CLOCK=timed: there are no latencies of processors of %s\n", here->name);
		return 1;
	}
	reports_what = timed_is_used ? REPORTS_BLOCKS : REPORTS_NOTHING;
	memory_begins_at(here->memory);
	machine_begin(here->make_caches);
	early_alarm_connect(info->cpus);
	numbers_begin(info->cpus);
	reports_begin(id, begin);
	return 0;
}
