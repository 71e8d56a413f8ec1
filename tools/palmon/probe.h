/* SPDX-License-Identifier: BSD-2-Clause */
/* palmon probe: the answers of a machine's CPUs to CPUID and RDMSR, from the machine or a file. */
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "palmon.h"

enum { EAX, EBX, ECX, EDX, CPUID_REGISTERS };

/* The leaves that the probe reads: L(leaf, subleaf). */
#define PROBE_LEAVES(L)							\
	L(0x00, 0) L(0x01, 0) L(0x07, 0) L(0x07, 1) L(0x0A, 0)		\
	L(0x1A, 0) L(0x1C, 0) L(0x23, 0) L(0x23, 1) L(0x23, 3)		\
	L(0x40000000, 0) L(0x80000000, 0) L(0x80000001, 0)		\
	L(0x8000001B, 0) L(0x80000022, 0)
#define PROBE_LEAF_ONE(leaf, subleaf) + 1
#define PROBE_LEAF_COUNT (0 PROBE_LEAVES(PROBE_LEAF_ONE))

/* The first leaf of a range, whose EAX is the range's greatest one. */
#define PROBE_RANGE(leaf)	((leaf) & 0xC0000000)

struct probe_leaf {
	uint32_t leaf, subleaf;
};
extern const struct probe_leaf probe_leaves[PROBE_LEAF_COUNT];

#define PROBE_MSRS	128	/* registers of a CPU, at most */
#define PROBE_CPUS	8192	/* as many as Linux supports on x86 */

struct probe_msr {
	uint32_t address;
	uint64_t value;
};

struct probe_cpu {
	unsigned number;
	uint32_t has;		/* bit n: the CPU has answered probe_leaves[n] */
	uint32_t leaf[PROBE_LEAF_COUNT][CPUID_REGISTERS];
	unsigned msr_count;
	struct probe_msr msr[PROBE_MSRS];
};

struct probe {
	struct probe_cpu *cpu;
	size_t count, room;
	int watchdog;		/* Linux's NMI watchdog: 1 on, 0 off, -1 unknown */
	bool machine;		/* this machine, not a file */
	char no_msrs[256];	/* why no MSRs were read; "": they were, or a file was read */
};

/* The result of a leaf. False, all 0: the CPU has no such leaf, or the leaf is beyond the greatest
 * that the CPU reports. */
bool probe_leaf(const struct probe_cpu *cpu, uint32_t leaf, uint32_t subleaf,
		uint32_t result[CPUID_REGISTERS]);

/* An MSR's value. False: it was not read. */
bool probe_msr(const struct probe_cpu *cpu, uint32_t address, uint64_t *value);

/* Adds a CPU; later calls may move it. NULL: no memory. */
struct probe_cpu *probe_add(struct probe *probe, unsigned number);

/*
 * probe_file.c: the text of `cpuid -r`, with lines for MSRs and the watchdog
 */

/* Reads a file, "-": standard input. False after a complaint that names file and line. */
bool probe_read_file(const char *path, struct probe *probe);
void probe_print(const struct probe *probe);

/*
 * probe_machine.c
 */

/* Executes CPUID on each online CPU. False after a complaint. */
bool probe_read_machine(struct probe *probe);

/* Reads the MSRs that `addresses` lists for a CPU of the machine, and the watchdog's setting. Sets
 * probe->no_msrs if it cannot. Writes no register. */
void probe_read_msrs(struct probe *probe, unsigned (*addresses)(const struct probe_cpu *cpu,
								uint32_t address[PROBE_MSRS]));

/*
 * probe_fields.c
 */

/* A field of a leaf. */
struct probe_field {
	uint32_t leaf, subleaf;
	uint8_t result;			/* EAX to EDX */
	uint8_t low, width;
	const char *name, *text;
};

/* The next field from *next on whose leaf the CPU has; advances *next. NULL: no more. */
const struct probe_field *probe_next_field(const struct probe_cpu *cpu, size_t *next,
					   uint32_t *value);

/* Whether two CPUs have the same fields in all leaves. */
bool probe_alike(const struct probe_cpu *a, const struct probe_cpu *b);

#define PROBE_TEXT	1024

/* The facts that the fields of a CPU mean. */
struct probe_facts {
	char vendor[13], hypervisor[13];	/* "": not virtual, or without a name */
	unsigned family, model, stepping;
	bool extended;			/* the PMU of AMD and Hygon, which leaf 0AH does not show */
	bool offered;			/* CPUID reports a PMU */
	bool hybrid;
	char pmu[PROBE_TEXT];		/* the PMU in a sentence */
	json_t *available, *absent;	/* architectural events */
	json_t *contradictions;		/* sentences */
};

void probe_facts(const struct probe_cpu *cpu, struct probe_facts *facts);
void probe_facts_end(struct probe_facts *facts);

/*
 * probe_registers.c
 */

/* The target whose driver accepts the CPU, with the shape that it has found; NULL: none. *why: the
 * objection of the driver of the architectural PMU; NULL: none. */
const struct pmu_driver *probe_target(const struct probe_cpu *cpu, const char **why);

/* Lists the addresses of the PMU's registers of a CPU. Returns their number. */
unsigned probe_addresses(const struct probe_cpu *cpu, uint32_t address[PROBE_MSRS]);

/* The registers of a CPU with their fields, as JSON; and sentences about the counters in use. */
json_t *probe_registers(const struct probe_cpu *cpu, const struct pmu_driver *driver);
json_t *probe_uses(const struct probe *probe, const struct probe_cpu *cpu,
		   const struct pmu_driver *driver);

#endif
