// SPDX-License-Identifier: BSD-2-Clause
// Answers of this machine's CPUs: CPUID, executed on each of them; MSRs, which Linux reads for root
// (msr(4)). Nothing is written.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

#ifdef __x86_64__
#include <cpuid.h>

static bool is_x86(void)
{
	return true;
}

static void execute_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t result[CPUID_REGISTERS])
{
	__cpuid_count(leaf, subleaf, result[EAX], result[EBX], result[ECX], result[EDX]);
}
#else
static bool is_x86(void)
{
	return false;
}

static void execute_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t result[CPUID_REGISTERS])
{
	(void)leaf;
	(void)subleaf;
	memset(result, 0, CPUID_REGISTERS * sizeof *result);
}
#endif

#define HYPERVISOR	(1u << 31)	/* leaf 01H, ECX: a hypervisor answers CPUID */
#define FIRST_VIRTUAL	0x40000000u	/* its first leaf, which silicon lacks */

// Whether the CPU has a leaf: the first of its range reports the greatest one, and is read before.
static bool exists(const struct probe_cpu *cpu, uint32_t leaf)
{
	uint32_t result[CPUID_REGISTERS];

	if (leaf == FIRST_VIRTUAL)
		return probe_leaf(cpu, 1, 0, result) && result[ECX] & HYPERVISOR;
	return leaf == PROBE_RANGE(leaf) ||
	       (probe_leaf(cpu, PROBE_RANGE(leaf), 0, result) && result[EAX] >= leaf);
}

static void read_leaves(struct probe_cpu *cpu)
{
	for (unsigned n = 0; n < PROBE_LEAF_COUNT; n++)
		if (exists(cpu, probe_leaves[n].leaf)) {
			execute_cpuid(probe_leaves[n].leaf, probe_leaves[n].subleaf, cpu->leaf[n]);
			cpu->has |= 1u << n;
		}
}

#define SET_SIZE	CPU_ALLOC_SIZE(PROBE_CPUS)

// Moves this process to a CPU and reads its leaves.
static bool visit(struct probe *probe, unsigned number, cpu_set_t *one)
{
	struct probe_cpu *cpu;

	CPU_ZERO_S(SET_SIZE, one);
	CPU_SET_S(number, SET_SIZE, one);
	if (sched_setaffinity(0, SET_SIZE, one)) {
		complain("CPU %u: %s: this process may not run there", number, strerror(errno));
		return false;
	}
	cpu = probe_add(probe, number);
	if (cpu)
		read_leaves(cpu);
	return cpu;
}

// Visits the CPUs of Linux's list, such as "0-3,8".
static bool visit_all(struct probe *probe, const char *list, cpu_set_t *one)
{
	bool ok = true;

	while (ok && *list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; ok && first <= last && last < PROBE_CPUS; first++)
			ok = visit(probe, (unsigned)first, one);
		list = end + (*end == ',');
	}
	return ok;
}

#define ONLINE	"/sys/devices/system/cpu/online"

static bool read_text(const char *path, char *text, size_t size)
{
	FILE *const file = fopen(path, "r");
	const bool ok = file && fgets(text, (int)size, file);

	if (file)
		fclose(file);
	return ok;
}

bool probe_read_machine(struct probe *probe)
{
	cpu_set_t *const before = CPU_ALLOC(PROBE_CPUS), *const one = CPU_ALLOC(PROBE_CPUS);
	char list[4096];
	bool ok = false;

	probe->machine = true;
	if (!is_x86())
		complain("this machine is not an x86 one, and has no CPUID; --from=FILE reads a "
			 "file");
	else if (!before || !one || sched_getaffinity(0, SET_SIZE, before))
		complain("%s", strerror(errno));
	else if (!read_text(ONLINE, list, sizeof list))
		complain("%s: %s", ONLINE, strerror(errno));
	else {
		ok = visit_all(probe, list, one);
		sched_setaffinity(0, SET_SIZE, before);
	}
	CPU_FREE(before);
	CPU_FREE(one);
	return ok;
}

//
// MSRs
//

static void explain_missing(struct probe *probe, const char *path, int error)
{
	const char *const advice = error == ENOENT ?
		"the msr module is not loaded (modprobe msr)" :
		geteuid() ? "only root may read MSRs" :
		"the kernel forbids it (lockdown, or no CAP_SYS_RAWIO)";

	snprintf(probe->no_msrs, sizeof probe->no_msrs, "%s: %s: %s", path, strerror(error),
		 advice);
}

// A register whose read faults is absent.
static bool read_cpu(struct probe *probe, struct probe_cpu *cpu,
		     unsigned (*addresses)(const struct probe_cpu *cpu,
					   uint32_t address[PROBE_MSRS]))
{
	uint32_t address[PROBE_MSRS];
	const unsigned count = addresses(cpu, address);
	char path[64];
	int file;

	snprintf(path, sizeof path, "/dev/cpu/%u/msr", cpu->number);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0) {
		explain_missing(probe, path, errno);
		return false;
	}
	for (unsigned i = 0; i < count; i++) {
		uint64_t value;

		if (pread(file, &value, sizeof value, address[i]) == sizeof value)
			cpu->msr[cpu->msr_count++] = (struct probe_msr){address[i], value};
	}
	close(file);
	return true;
}

void probe_read_msrs(struct probe *probe, unsigned (*addresses)(const struct probe_cpu *cpu,
								uint32_t address[PROBE_MSRS]))
{
	char text[8];

	if (read_text("/proc/sys/kernel/nmi_watchdog", text, sizeof text))
		probe->watchdog = *text == '1';
	for (size_t i = 0; i < probe->count; i++)
		if (!read_cpu(probe, &probe->cpu[i], addresses))
			return;
}
