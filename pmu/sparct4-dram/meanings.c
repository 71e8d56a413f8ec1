// SPDX-License-Identifier: BSD-2-Clause
// Meanings of the fields of the SPARC T4's memory controllers' registers: section 10.5 of the
// manual that regs.h names.

#include "meaning.h"
#include "regs.h"

static const struct field_meaning meanings[] = {
	{"*", "sel?", DRAM_READS_OF_PORT, "reads from the counter's COU port"},
	{"*", "sel?", DRAM_WRITES_OF_PORT, "writes from the counter's COU port"},
	{"*", "sel?", DRAM_TRANSACTIONS_OF_PORT, "reads and writes from the counter's COU port"},
	{"*", "sel?", DRAM_BANK_BUSY, "cycles in which bank conflicts block all queued requests"},
	{"*", "sel?", DRAM_READ_LATENCY, "reads in the queue, in each cycle"},
	{"*", "sel?", DRAM_WRITE_LATENCY, "writes in the queue, in each cycle"},
	{"*", "sel?", DRAM_LATENCY, "reads and writes in the queue, in each cycle"},
	{"*", "sel?", DRAM_WRITEBACK_HITS, "reads deferred because of a queued write"},
	{"*", "sel?", DRAM_READS, "all reads of the controller"},
	{"*", "sel?", DRAM_WRITES_STARVED, "times that a write starved"},
	{"*", "sel?", DRAM_WRITES, "all writes of the controller"},
	{"*", "sel?", DRAM_CHANNEL0, "reads and writes issued to memory channel 0"},
	{"*", "sel?", DRAM_CHANNEL1, "reads and writes issued to memory channel 1"},
	{"*", "sel?", MEANING_ANY, "reserved"},
	{"*", "counter?", MEANING_ANY, "the count"},
	{"*", "sticky?", 0, "the counter has not overflowed since this was cleared"},
	{"*", "sticky?", 1, "the counter has overflowed"},
	{"*", "RESERVED_16", MEANING_ANY, "reserved: read-only"},
};

const struct target_meanings target_meanings_sparct4_dram = {
	.target = "sparct4-dram", .meaning = meanings, .count = sizeof meanings / sizeof *meanings,
};
