// SPDX-License-Identifier: BSD-2-Clause
// Answers of CPUs as text: the form of `cpuid -r`, in which a line begins a CPU,
//	CPU 0:
//	   0x0000000a 0x00: eax=0x07300404 ebx=0x00000000 ecx=0x00000000 edx=0x00000603
// and palmon's own lines for an MSR and for Linux's watchdog:
//	   msr 0x00000186: 0x00000000004300c0
//	nmi_watchdog: 1

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "grow.h"
#include "probe.h"

#define PROBE_LEAF_ROW(leaf, subleaf) {leaf, subleaf},
const struct probe_leaf probe_leaves[PROBE_LEAF_COUNT] = {PROBE_LEAVES(PROBE_LEAF_ROW)};

// The number of a leaf in probe_leaves, or PROBE_LEAF_COUNT.
static unsigned leaf_number(uint32_t leaf, uint32_t subleaf)
{
	unsigned n = 0;

	while (n < PROBE_LEAF_COUNT &&
	       (probe_leaves[n].leaf != leaf || probe_leaves[n].subleaf != subleaf))
		n++;
	return n;
}

bool probe_leaf(const struct probe_cpu *cpu, uint32_t leaf, uint32_t subleaf,
		uint32_t result[CPUID_REGISTERS])
{
	const uint32_t range = PROBE_RANGE(leaf);
	const unsigned n = leaf_number(leaf, subleaf), first = leaf_number(range, 0);

	memset(result, 0, CPUID_REGISTERS * sizeof *result);
	if (n == PROBE_LEAF_COUNT || !(cpu->has >> n & 1))
		return false;
	if (leaf != range && (!(cpu->has >> first & 1) || cpu->leaf[first][EAX] < leaf))
		return false;
	memcpy(result, cpu->leaf[n], CPUID_REGISTERS * sizeof *result);
	return true;
}

bool probe_msr(const struct probe_cpu *cpu, uint32_t address, uint64_t *value)
{
	for (unsigned i = 0; i < cpu->msr_count; i++)
		if (cpu->msr[i].address == address) {
			*value = cpu->msr[i].value;
			return true;
		}
	return false;
}

struct probe_cpu *probe_add(struct probe *probe, unsigned number)
{
	struct probe_cpu *grown = grow(probe->cpu, probe->count, &probe->room, sizeof *grown);

	if (!grown) {
		complain("%s", strerror(errno));
		return NULL;
	}
	probe->cpu = grown;
	grown += probe->count++;
	memset(grown, 0, sizeof *grown);
	grown->number = number;
	return grown;
}

//
// Reading
//

struct reading {
	const char *path;
	unsigned line;
	struct probe *probe;
};

static bool wrong(const struct reading *r, const char *why)
{
	complain("%s: line %u: %s", r->path, r->line, why);
	return false;
}

static void skip_blanks(const char **s)
{
	*s += strspn(*s, " \t\r\n");
}

// Advances *s past the word, and blanks before it.
static bool take(const char **s, const char *word)
{
	skip_blanks(s);
	if (strncmp(*s, word, strlen(word)))
		return false;
	*s += strlen(word);
	return true;
}

// Advances *s past 0x and up to `most` hexadecimal digits.
static bool take_hexadecimal(const char **s, unsigned most, uint64_t *value)
{
	size_t digits;

	if (!take(s, "0x"))
		return false;
	digits = strspn(*s, "0123456789abcdefABCDEF");
	if (!digits || digits > most)
		return false;
	*value = strtoull(*s, NULL, 16);
	*s += digits;
	return true;
}

static bool at_end(const char *s)
{
	skip_blanks(&s);
	return !*s;
}

// "CPU 12:"; "CPU:" is CPU 0, as `cpuid -1 -r` prints it.
static bool read_cpu(struct reading *r, const char *s)
{
	unsigned number = 0;
	size_t digits;

	skip_blanks(&s);
	digits = strspn(s, "0123456789");
	if (digits > 5)
		return wrong(r, "a CPU's number has at most 5 digits");
	if (digits)
		number = (unsigned)strtoul(s, NULL, 10);
	s += digits;
	if (!take(&s, ":") || !at_end(s))
		return wrong(r, "not 'CPU NUMBER:'");
	for (size_t i = 0; i < r->probe->count; i++)
		if (r->probe->cpu[i].number == number)
			return wrong(r, "this CPU is given twice");
	if (r->probe->count == PROBE_CPUS)
		return wrong(r, "more than 8192 CPUs");
	return probe_add(r->probe, number);
}

static struct probe_cpu *last_cpu(const struct reading *r)
{
	return r->probe->count ? &r->probe->cpu[r->probe->count - 1] : NULL;
}

static bool read_msr(struct reading *r, const char *s)
{
	struct probe_cpu *const cpu = last_cpu(r);
	uint64_t address, value, other;

	if (!take_hexadecimal(&s, 8, &address) || !take(&s, ":") ||
	    !take_hexadecimal(&s, 16, &value) || !at_end(s))
		return wrong(r, "not 'msr 0xADDRESS: 0xVALUE'");
	if (!cpu)
		return wrong(r, "an MSR before the first 'CPU NUMBER:'");
	if (probe_msr(cpu, (uint32_t)address, &other))
		return wrong(r, "this MSR is given twice");
	if (cpu->msr_count == PROBE_MSRS)
		return wrong(r, "more than 128 MSRs of a CPU");
	cpu->msr[cpu->msr_count++] = (struct probe_msr){(uint32_t)address, value};
	return true;
}

static bool read_watchdog(struct reading *r, const char *s)
{
	skip_blanks(&s);
	if ((*s != '0' && *s != '1') || !at_end(s + 1))
		return wrong(r, "not 'nmi_watchdog: 0' or 'nmi_watchdog: 1'");
	r->probe->watchdog = *s - '0';
	return true;
}

static bool read_leaf(struct reading *r, const char *s)
{
	static const char *const names[] = {"eax=", "ebx=", "ecx=", "edx="};
	struct probe_cpu *const cpu = last_cpu(r);
	uint64_t leaf, subleaf, value;
	uint32_t result[CPUID_REGISTERS];
	bool good = take_hexadecimal(&s, 8, &leaf) && take_hexadecimal(&s, 8, &subleaf) &&
		take(&s, ":");
	unsigned n;

	for (unsigned i = 0; good && i < CPUID_REGISTERS; i++) {
		good = take(&s, names[i]) && take_hexadecimal(&s, 8, &value);
		result[i] = good ? (uint32_t)value : 0;
	}
	if (!good || !at_end(s))
		return wrong(r, "not '0xLEAF 0xSUBLEAF: eax=0xVALUE ebx=... ecx=... edx=...'");
	if (!cpu)
		return wrong(r, "a leaf before the first 'CPU NUMBER:'");
	n = leaf_number((uint32_t)leaf, (uint32_t)subleaf);
	if (n == PROBE_LEAF_COUNT)
		return true;			// the file may be complete
	if (cpu->has >> n & 1)
		return wrong(r, "this leaf is given twice");
	cpu->has |= 1u << n;
	memcpy(cpu->leaf[n], result, sizeof result);
	return true;
}

static bool read_line(struct reading *r, const char *s)
{
	if (at_end(s) || *s == '#')
		return true;
	if (take(&s, "CPU"))
		return read_cpu(r, s);
	if (take(&s, "msr"))
		return read_msr(r, s);
	if (take(&s, "nmi_watchdog:"))
		return read_watchdog(r, s);
	return read_leaf(r, s);
}

#define LINE_MOST	256

static bool read_lines(struct reading *r, FILE *file)
{
	char line[LINE_MOST];
	bool ok = true;

	while (ok && (memset(line, 0, sizeof line), fgets(line, sizeof line, file))) {
		const size_t length = strlen(line);

		r->line++;
		if (length == sizeof line - 1 && line[length - 1] != '\n')
			ok = wrong(r, "longer than 254 characters");
		else if (!feof(file) && (!length || line[length - 1] != '\n'))
			ok = wrong(r, "a NUL character");
		else
			ok = read_line(r, line);
	}
	if (ok && ferror(file)) {
		complain("%s: %s", r->path, strerror(errno));
		ok = false;
	}
	return ok;
}

bool probe_read_file(const char *path, struct probe *probe)
{
	const bool standard = !strcmp(path, "-");
	struct reading reading = {.path = path, .probe = probe};
	FILE *const file = standard ? stdin : fopen(path, "r");
	bool ok;

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	ok = read_lines(&reading, file);
	if (!standard)
		fclose(file);
	if (ok && !probe->count) {
		complain("%s: no line 'CPU NUMBER:'", path);
		return false;
	}
	return ok;
}

//
// Writing
//

static void write_cpu(const struct probe_cpu *cpu)
{
	printf("CPU %u:\n", cpu->number);
	for (unsigned n = 0; n < PROBE_LEAF_COUNT; n++) {
		const uint32_t *const result = cpu->leaf[n];

		if (cpu->has >> n & 1)
			printf("   0x%08" PRIx32 " 0x%02" PRIx32 ": eax=0x%08" PRIx32 " ebx=0x%08"
			       PRIx32 " ecx=0x%08" PRIx32 " edx=0x%08" PRIx32 "\n",
			       probe_leaves[n].leaf, probe_leaves[n].subleaf, result[EAX],
			       result[EBX], result[ECX], result[EDX]);
	}
	for (unsigned i = 0; i < cpu->msr_count; i++)
		printf("   msr 0x%08" PRIx32 ": 0x%016" PRIx64 "\n", cpu->msr[i].address,
		       cpu->msr[i].value);
}

void probe_print(const struct probe *probe)
{
	if (probe->watchdog >= 0)
		printf("nmi_watchdog: %d\n", probe->watchdog);
	for (size_t i = 0; i < probe->count; i++)
		write_cpu(&probe->cpu[i]);
}
