// SPDX-License-Identifier: BSD-2-Clause
// The interactive prompt.

#include "debug.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "monitor.h"
#include "symbols.h"

#define BREAKPOINTS	32
#define WORDS		3	// per command
#define LINE		256
#define TEXT		128	// per instruction

static const char help[] =
	"step [N]                 executes N instructions (1)\n"
	"next                     executes an instruction, or a call up to its return\n"
	"continue                 executes up to a breakpoint, or ctrl-C\n"
	"break [ADDRESS]          sets a breakpoint; without ADDRESS: lists the breakpoints\n"
	"delete ADDRESS           removes a breakpoint\n"
	"registers                general, branch and predicate registers\n"
	"monitor                  PMC and PMD registers\n"
	"memory ADDRESS [N]       N words of 8 bytes (8)\n"
	"disassemble [ADDRESS [N]] N bundles (4)\n"
	"quit                     ends the run\n"
	"ADDRESS: hexadecimal, or a function's name. Commands may be shortened. An empty line "
	"repeats the last one.\n";

void ia64_print_state(const struct machine *m, FILE *out)
{
	for (unsigned r = 0; r < STATIC_REGISTERS + (unsigned)m->frame.sof; r++)
		fprintf(out, "r%-3u %016" PRIx64 "%c%s", r, ia64_gr(m, r),
			ia64_nat(m, r) ? '*' : ' ', r % 4 == 3 ? "\n" : " ");
	fprintf(out, "\npr %016" PRIx64 " pfs %016" PRIx64 " bsp %" PRIx64 " sof %u sol %u\n",
		m->pr, m->ar[AR_PFS], m->bsp, m->frame.sof, m->frame.sol);
	for (unsigned b = 0; b < 8; b++)
		fprintf(out, "b%u %016" PRIx64 "%s", b, m->br[b], b % 4 == 3 ? "\n" : " ");
}

struct debugger {
	struct machine *m;
	const struct symbols *symbols;
	FILE *out;
	uint64_t end;			// number of instructions that may retire
	uint64_t breakpoints[BREAKPOINTS];
	unsigned count;
	enum outcome outcome;
	bool quit;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int)
{
	interrupted = 1;
}

// Prints an address, with the function that contains it.
static void put_place(struct debugger *d, uint64_t address)
{
	const struct symbol *symbol = symbols_at(d->symbols, address);

	fprintf(d->out, "%" PRIx64, address);
	if (symbol)
		fprintf(d->out, " <%s+%" PRIx64 ">", symbol->name, address - symbol->address);
}

// Writes an instruction as text.
static void describe(const struct machine *m, uint64_t address, unsigned slot, char text[TEXT])
{
	strcpy(text, "no memory");
	if (address > m->memory_size - BUNDLE_BYTES)
		return;

	const struct bundle bundle = ia64_bundle(m->memory + address);
	const bool is_long = bundle.template->unit[2] == UNIT_X;

	if (!*bundle.template->name ||
	    !ia64_disassemble(&bundle, is_long && slot ? 2 : slot, address, true, text, TEXT))
		strcpy(text, "undefined");
}

static void put_instruction(struct debugger *d, uint64_t address, unsigned slot)
{
	char text[TEXT];

	describe(d->m, address, slot, text);
	put_place(d, address);
	fprintf(d->out, " slot %u: %s\n", slot, text);
}

// Finds an address in a command. Returns false, after a message, if the text is no address.
static bool find_address(struct debugger *d, const char *text, uint64_t *address)
{
	const struct symbol *symbol = symbols_find(d->symbols, text);
	char *end;

	*address = symbol ? symbol->address : strtoull(text, &end, 16);
	if (!symbol && (*end || end == text)) {
		fprintf(d->out, "no function and no hexadecimal address: %s\n", text);
		return false;
	}
	*address &= ~(BUNDLE_BYTES - 1ULL);
	return true;
}

static bool find_number(struct debugger *d, const char *text, uint64_t without, uint64_t *number)
{
	char *end = "";

	*number = text ? strtoull(text, &end, 10) : without;
	if (*end || !*number || (text && *text == '-'))
		fprintf(d->out, "a number from 1 on is expected: %s\n", text);
	return !*end && *number && !(text && *text == '-');
}

static bool at_breakpoint(const struct debugger *d)
{
	for (unsigned i = 0; i < d->count; i++)
		if (d->breakpoints[i] == d->m->ip && !d->m->slot)
			return true;
	return false;
}

// Executes at least one instruction, at most `most`, up to a breakpoint or to `until`.
static void execute(struct debugger *d, uint64_t most, uint64_t until)
{
	interrupted = 0;
	do {
		if (ia64_retired(d->m) >= d->end) {
			d->quit = true;
			return;
		}
		d->outcome = ia64_run(d->m, 1);
		if (d->outcome != OUTCOME_NEXT) {
			d->quit = true;
			return;
		}
	} while (--most && !interrupted && !at_breakpoint(d) &&
		 !(d->m->ip == until && !d->m->slot));
	put_instruction(d, d->m->ip, d->m->slot);
}

static void step(struct debugger *d, char *word[WORDS])
{
	uint64_t number;

	if (find_number(d, word[1], 1, &number))
		execute(d, number, UINT64_MAX);
}

static void next(struct debugger *d, char *[WORDS])
{
	char text[TEXT];

	describe(d->m, d->m->ip, d->m->slot, text);
	execute(d, strstr(text, ".call") ? UINT64_MAX : 1, d->m->ip + BUNDLE_BYTES);
}

static void go_on(struct debugger *d, char *[WORDS])
{
	execute(d, UINT64_MAX, UINT64_MAX);
}

static void set_breakpoint(struct debugger *d, char *word[WORDS])
{
	uint64_t address;

	if (!word[1]) {
		for (unsigned i = 0; i < d->count; i++)
			put_instruction(d, d->breakpoints[i], 0);
	} else if (d->count == BREAKPOINTS) {
		fprintf(d->out, "there are %u breakpoints already\n", BREAKPOINTS);
	} else if (find_address(d, word[1], &address)) {
		d->breakpoints[d->count++] = address;
		put_instruction(d, address, 0);
	}
}

static void delete_breakpoint(struct debugger *d, char *word[WORDS])
{
	uint64_t address;

	if (!word[1] || !find_address(d, word[1], &address))
		return;
	for (unsigned i = 0; i < d->count; i++)
		if (d->breakpoints[i] == address)
			d->breakpoints[i--] = d->breakpoints[--d->count];
}

static void show_registers(struct debugger *d, char *[WORDS])
{
	ia64_print_state(d->m, d->out);
}

static void show_monitor(struct debugger *d, char *[WORDS])
{
	static const struct {
		const char *name;
		uint32_t file;
		unsigned count;
	} files[] = {{"pmc", FILE_PMC, 14}, {"pmd", FILE_PMD, 18}};

	if (!d->m->monitored) {
		fputs("the processor has no performance monitor (-p)\n", d->out);
		return;
	}
	for (unsigned file = 0; file < 2; file++)
		for (unsigned i = 0; i < files[file].count; i++) {
			uint64_t value = 0;

			ia64_monitor_read(d->m, files[file].file + i, &value);
			fprintf(d->out, "%s%-2u %016" PRIx64 "%s", files[file].name, i, value,
				i % 4 == 3 || i == files[file].count - 1 ? "\n" : " ");
		}
}

static void show_memory(struct debugger *d, char *word[WORDS])
{
	uint64_t address, number, value;

	if (!word[1]) {
		fputs("memory ADDRESS [N]\n", d->out);
		return;
	}
	if (!find_address(d, word[1], &address) || !find_number(d, word[2], 8, &number))
		return;
	for (uint64_t i = 0; i < number; i++, address += sizeof value) {
		if (address > d->m->memory_size - sizeof value) {
			fprintf(d->out, "%" PRIx64 ": no memory\n", address);
			return;
		}
		memcpy(&value, d->m->memory + address, sizeof value);
		fprintf(d->out, "%" PRIx64 ": %016" PRIx64 "\n", address, value);
	}
}

static void disassemble(struct debugger *d, char *word[WORDS])
{
	uint64_t address = d->m->ip, number;

	if ((word[1] && !find_address(d, word[1], &address)) ||
	    !find_number(d, word[1] ? word[2] : NULL, 4, &number))
		return;
	for (; number-- && address <= d->m->memory_size - BUNDLE_BYTES; address += BUNDLE_BYTES) {
		const bool is_long = ia64_bundle(d->m->memory + address).template->unit[2] ==
			UNIT_X;

		for (unsigned slot = 0; slot < (is_long ? 2 : BUNDLE_SLOTS); slot++)
			put_instruction(d, address, slot);
	}
}

static void quit(struct debugger *d, char *[WORDS])
{
	d->quit = true;
}

static void show_help(struct debugger *d, char *[WORDS])
{
	fputs(help, d->out);
}

// The first command that begins with the typed text is executed.
static const struct command {
	const char *name;
	void (*run)(struct debugger *d, char *word[WORDS]);
} commands[] = {
	{"step", step}, {"next", next}, {"continue", go_on}, {"break", set_breakpoint},
	{"registers", show_registers},
	{"monitor", show_monitor}, {"memory", show_memory}, {"disassemble", disassemble},
	{"delete", delete_breakpoint},
	{"quit", quit}, {"help", show_help}, {"?", show_help},
};

static void command(struct debugger *d, char *line)
{
	char *word[WORDS] = {strtok(line, " \t\n")};

	for (unsigned i = 1; i < WORDS && word[i - 1]; i++)
		word[i] = strtok(NULL, " \t\n");
	for (unsigned i = 0; word[0] && i < sizeof commands / sizeof *commands; i++)
		if (!strncmp(commands[i].name, word[0], strlen(word[0]))) {
			commands[i].run(d, word);
			return;
		}
	if (word[0])
		fprintf(d->out, "no command '%s' (help)\n", word[0]);
}

enum outcome ia64_debug(struct machine *m, const struct symbols *symbols, uint64_t count, FILE *in,
			FILE *out)
{
	struct debugger d = {.m = m, .symbols = symbols, .out = out, .end = count,
			     .outcome = OUTCOME_NEXT};
	char line[LINE], last[LINE] = "";

	signal(SIGINT, interrupt);
	put_instruction(&d, m->ip, m->slot);
	while (!d.quit) {
		fputs("(ia64) ", out);
		fflush(out);
		if (!fgets(line, sizeof line, in)) {
			fputs("\n", out);
			break;
		}
		if (*line == '\n')
			strcpy(line, last);
		strcpy(last, line);
		command(&d, line);
	}
	signal(SIGINT, SIG_DFL);
	return d.outcome;
}
