// SPDX-License-Identifier: BSD-2-Clause
// Runs an ia64 program: an ELF file whose addresses are physical addresses of the machine.

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "debug.h"
#include "handover.h"
#include "log.h"
#include "machine.h"
#include "monitor.h"
#include "symbols.h"
#include "tally.h"

#define COMMAND_LINE_SIZE 1024
#define MEGABYTES_MOST	65536
#define STATUS_USAGE	2
#define STATUS_FAULT	3
#define STATUS_LIMIT	4

static const char usage[] =
	"usage: ia64-machine [-cdetx] [-m MEGABYTES] [-n INSTRUCTIONS] [-s SECONDS] [-l FILE] [-p "
	"MODEL] [-f FAULT]\n"
	"                    [-g FILE] IMAGE [ARGUMENTS]\n"
	"Runs an ELF program on an emulated Itanium, until it ends itself (break 80001H with r15 = "
	"66).\n"
	"  -m MEGABYTES     memory, from address 0 (64)\n"
	"  -n INSTRUCTIONS  ends with status 4 after this number of instructions (10^12)\n"
	"  -s SECONDS       ends with status 4 after this time\n"
	"  -c               prints the number of executed instructions\n"
	"  -l FILE          writes a line for each instruction: address, slot, privilege level, "
	"predicate, r3 and r2\n"
	"                   before it, r1 after it, text; and a line for each memory reference "
	"(address, size),\n"
	"                   taken branch (target) and interruption (slow; without -d and -s)\n"
	"  -d               stops before the first instruction, and prompts for commands\n"
	"  -p MODEL         the processor has this performance monitor (none)\n"
	"  -f FAULT         with this defect\n"
	"  -e               prints how often each event was raised: code, unit-mask bits (slow; "
	"needs -p)\n"
	"  -g FILE          its caches, queues, latencies and widths are those of this .machine "
	"file, whose path has a '/'\n"
	"                   (the first generation's)\n"
	"  -t               timed clock: issue and caches determine the cycles of an instruction "
	"(needs -p)\n"
	"  -x               the monitor's model runs each cycle, without sums (slow; the same "
	"counts)\n"
	"ARGUMENTS are the program's command line.\n"
	"The status is the program's, or 3 with the machine's state if it ends in an "
	"interruption.\n";

static void put_char(void *, char c)
{
	putchar(c);
}

// The places of the image's segments in memory.
#define SEGMENTS_MOST	64
struct segments {
	struct {
		uint64_t at, size;
	} of[SEGMENTS_MOST];
	unsigned count;
};

static const char *add_segment(struct segments *s, const struct machine *m, const Elf64_Phdr *p)
{
	if (p->p_paddr > m->memory_size || m->memory_size - p->p_paddr < p->p_memsz)
		return "does not fit into memory (-m)";
	for (unsigned i = 0; i < s->count; i++)
		if (p->p_paddr < s->of[i].at + s->of[i].size &&
		    s->of[i].at < p->p_paddr + p->p_memsz)
			return "has segments that overlap";
	if (s->count == SEGMENTS_MOST)
		return "has too many segments";
	s->of[s->count].at = p->p_paddr;
	s->of[s->count++].size = p->p_memsz;
	return NULL;
}

// Loads an image, which begins at *entry. Returns NULL, or the reason why it cannot be loaded.
static const char *load(struct machine *m, const uint8_t *file, size_t size, uint64_t *entry)
{
	struct segments segments = {.count = 0};
	const char *error;
	Elf64_Ehdr header;

	if (size < sizeof header)
		return "is no ELF file: too short";
	memcpy(&header, file, sizeof header);
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return "is no 64-bit little-endian ELF file";
	if (header.e_machine != EM_IA_64 || header.e_type != ET_EXEC)
		return "is no ia64 executable";
	for (unsigned i = 0; i < header.e_phnum; i++) {
		const uint64_t at = header.e_phoff + (uint64_t)i * sizeof(Elf64_Phdr);
		Elf64_Phdr p;

		if (at > size || size - at < sizeof p)
			return "is cut off: its program headers are beyond its end";
		memcpy(&p, file + at, sizeof p);
		if (p.p_type != PT_LOAD)
			continue;
		if (p.p_offset > size || size - p.p_offset < p.p_filesz || p.p_filesz > p.p_memsz)
			return "is cut off: a segment is beyond its end";
		error = add_segment(&segments, m, &p);
		if (error)
			return error;
		memcpy(m->memory + p.p_paddr, file + p.p_offset, p.p_filesz);
	}
	*entry = header.e_entry;
	return header.e_entry < m->memory_size ? NULL : "begins outside memory";
}

static uint8_t *read_file(const char *name, size_t *size)
{
	FILE *file = fopen(name, "rb");
	uint8_t *bytes = NULL;

	*size = 0;
	while (file) {
		uint8_t *more = realloc(bytes, *size + 65536);

		if (!more)
			break;
		bytes = more;

		const size_t got = fread(bytes + *size, 1, 65536, file);

		*size += got;
		if (!got) {
			const bool failed = ferror(file);

			fclose(file);
			if (!failed)
				return bytes;
			break;
		}
	}
	free(bytes);
	return NULL;
}

static const char *const checks[] = {
	"machine check: there is no memory",
	"machine check: a translation overlaps a translation register's",
	"this machine executes no IA-32 code:",
};

static void dump(const struct machine *m, enum outcome outcome, bool late)
{
	const struct ia64_interruption *i = &m->interruption;

	fflush(stdout);
	fputs("ia64-machine: ", stderr);
	if (outcome == OUTCOME_INTERRUPTION && i->vector >= VECTOR_MACHINE_CHECK)
		fprintf(stderr, "%s at %" PRIx64 "H,", checks[i->vector - VECTOR_MACHINE_CHECK],
			i->address);
	else if (outcome == OUTCOME_INTERRUPTION)
		fprintf(stderr, "interruption %04XH (code %" PRIx64 "H, address %" PRIx64
			"H) without a table,", i->vector, i->isr & 0xFFFF, i->address);
	else if (late)
		fprintf(stderr, "the time is over after %" PRIu64 " instructions,",
			ia64_retired(m));
	else
		fprintf(stderr, "%" PRIu64 " instructions are over,", ia64_retired(m));
	fprintf(stderr, " at %" PRIx64 "H slot %u\n", m->ip, m->slot);
	ia64_print_state(m, stderr);
}

// Runs `instructions` instructions, or for `seconds` seconds; checks the time after each slice.
#define SLICE	10000000
static enum outcome run(struct machine *m, uint64_t instructions, uint64_t seconds, bool *late)
{
	const time_t start = time(NULL);
	enum outcome outcome = OUTCOME_NEXT;

	while (instructions && outcome == OUTCOME_NEXT && !*late) {
		const uint64_t slice = instructions < SLICE ? instructions : SLICE;

		outcome = ia64_run(m, slice);
		instructions -= slice;
		*late = outcome == OUTCOME_NEXT && (uint64_t)(time(NULL) - start) >= seconds;
	}
	return outcome;
}

// Reads an option's argument, a decimal or hexadecimal number from 1 to `most`. Returns false,
// after a message, if it is none.
static bool read_number(int option, const char *text, uint64_t most, uint64_t *number)
{
	const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;

	errno = 0;
	*number = strtoull(text, &end, hexadecimal ? 16 : 10);
	if (isdigit((unsigned char)*text) && !*end && !errno && *number && *number <= most)
		return true;
	fprintf(stderr, "ia64-machine: -%c: '%s' is not a number from 1 to %" PRIu64 "\n", option,
		text, most);
	return false;
}

static void complain_fault(const char *fault, const struct pmu_model *model)
{
	char why[300];

	if (model)
		vpmu_explain_fault(fault, model, NULL, why, sizeof why);
	fprintf(stderr, "ia64-machine: %s\n", model ? why : "a fault needs a model (-p)");
}

// Passes the arguments to the program as one line.
static bool hand_over_arguments(struct machine *m, char **arguments)
{
	char line[COMMAND_LINE_SIZE] = "";
	size_t length = 0;

	for (; *arguments; arguments++) {
		length += (size_t)snprintf(line + length, sizeof line - length, "%s%s",
					   length ? " " : "", *arguments);
		if (length >= sizeof line)
			return false;
	}
	return ia64_hand_over(m, line);
}

int main(int argc, char **argv)
{
	uint64_t megabytes = 64, instructions = 1000000000000, seconds = UINT64_MAX, entry;
	const struct pmu_model *model = NULL;
	const char *fault = "", *log_path = NULL, *geometry = "merced";
	bool count = false, debug = false, tally = false, timed = false, exact = false,
		late = false;
	struct processor processor;
	struct machine m;
	size_t size;

	for (int option; (option = getopt(argc, argv, "+m:n:s:l:p:f:g:cdethx")) != -1;)
		switch (option) {
		case 'm':
			if (!read_number(option, optarg, MEGABYTES_MOST, &megabytes))
				return STATUS_USAGE;
			break;
		case 'n':
			if (!read_number(option, optarg, UINT64_MAX, &instructions))
				return STATUS_USAGE;
			break;
		case 's':
			if (!read_number(option, optarg, UINT64_MAX, &seconds))
				return STATUS_USAGE;
			break;
		case 'l':
			log_path = optarg;
			break;
		case 'p':
			model = pmu_model_find(optarg);
			if (!model) {
				fprintf(stderr, "ia64-machine: there is no model '%s'\n", optarg);
				return STATUS_USAGE;
			}
			break;
		case 'f':
			fault = optarg;
			break;
		case 'g':
			geometry = optarg;
			break;
		case 'c':
			count = true;
			break;
		case 'd':
			debug = true;
			break;
		case 'e':
			tally = true;
			break;
		case 't':
			timed = true;
			break;
		case 'x':
			exact = true;
			break;
		default:
			fputs(usage, option == 'h' ? stdout : stderr);
			return option == 'h' ? 0 : STATUS_USAGE;
		}
	if (optind == argc || ((timed || tally || exact) && !model) || (debug && log_path)) {
		fputs(usage, stderr);
		return STATUS_USAGE;
	}

	uint8_t *file = read_file(argv[optind], &size);
	if (!file) {
		fprintf(stderr, "ia64-machine: %s: %s\n", argv[optind], strerror(errno));
		return STATUS_USAGE;
	}
	void *state = model ? aligned_alloc(MODEL_ALIGNMENT, vpmu_state_size(model)) : NULL;
	if (!ia64_load_processor(&processor, geometry))
		return STATUS_USAGE;
	if (!ia64_make(&m, &processor, megabytes << 20) || (model && !state)) {
		fprintf(stderr, "ia64-machine: no memory for %" PRIu64 " megabytes\n", megabytes);
		return STATUS_USAGE;
	}
	if (*fault && !(model && vpmu_fault_model(fault, model, NULL))) {
		complain_fault(fault, model);
		return STATUS_USAGE;
	}
	if (model && !ia64_attach(&m, model, state, fault, 0)) {
		fprintf(stderr, "ia64-machine: no memory for the model of %s\n", model->name);
		return STATUS_USAGE;
	}
	const char *error = load(&m, file, size, &entry);
	struct symbols symbols = debug && !error ? symbols_read(file, size) : (struct symbols){0};
	free(file);
	if (error) {
		fprintf(stderr, "ia64-machine: %s %s\n", argv[optind], error);
		return STATUS_USAGE;
	}
	if (!hand_over_arguments(&m, argv + optind + 1)) {
		fputs("ia64-machine: the arguments are too long\n", stderr);
		return STATUS_USAGE;
	}
	if (timed)
		ia64_set_timed(&m);
	m.selection.all = m.selection.stale = tally;
	m.exact = exact;
	m.put_char = put_char;
	m.ip = entry & ~15ULL;
	FILE *const log = log_path ? fopen(log_path, "w") : NULL;
	if (log_path && !log) {
		fprintf(stderr, "ia64-machine: %s: %s\n", log_path, strerror(errno));
		return STATUS_USAGE;
	}

	const enum outcome outcome =
		debug ? ia64_debug(&m, &symbols, instructions, stdin, stdout) :
		log ? ia64_log(&m, instructions, log) : run(&m, instructions, seconds, &late);
	if (outcome == OUTCOME_INTERRUPTION ||
	    (outcome != OUTCOME_END && (!debug || ia64_retired(&m) >= instructions)))
		dump(&m, outcome, late);
	symbols_free(&symbols);
	if (log && (ferror(log) | fclose(log))) {
		fprintf(stderr, "ia64-machine: %s cannot be written\n", log_path);
		return STATUS_USAGE;
	}
	if (count)
		fprintf(stderr, "%" PRIu64 " instructions\n", ia64_retired(&m));
	fflush(stdout);
	if (tally)
		ia64_print_tally(&m, stderr);
	ia64_free(&m);
	free(state);
	if (debug && outcome == OUTCOME_NEXT && ia64_retired(&m) < instructions)
		return 0;
	return outcome == OUTCOME_END ? m.status : outcome == OUTCOME_INTERRUPTION ? STATUS_FAULT :
	       STATUS_LIMIT;
}
