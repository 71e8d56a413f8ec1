// SPDX-License-Identifier: BSD-2-Clause
// The palmon command.

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "palmon.h"

#define VERSION "0.1"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *arguments, *what, *help;
} commands[] = {
#define TARGET_HELP "  -t, --target=TARGET  whose PMU; palmon targets lists them\n"
#define JSON_HELP "  -j, --json           one JSON object a line\n"
#define PROGRAM_HELP "  -- PROGRAM           what it does instead, of the target's x86 instructions\n"
#define PATTERN_HELP "PATTERN is a shell pattern of names, or a part of one, in upper or lower case.\n"
	{"targets", command_targets, "[-j]", "which PMUs there are", JSON_HELP},
	{"list", command_list, "-t TARGET [-j] [PATTERN] | -s [-t TARGET] [-j]", "a target's events",
	 TARGET_HELP
	 "  -s, --summary        how many are exact, modelled and absent on an emulated\n"
	 "                       machine, of each target, or of one\n"
	 JSON_HELP
	 PATTERN_HELP},
	{"metrics", command_metrics, "-t TARGET [-j] [PATTERN]", "what can be derived from the events' counts",
	 TARGET_HELP JSON_HELP
	 PATTERN_HELP},
	{"profiles", command_profiles, "-t TARGET [-j] [PATTERN]", "sets of events that are measured together",
	 TARGET_HELP JSON_HELP
	 PATTERN_HELP},
	{"encode", command_encode, "-t TARGET [-j] EVENT...", "the register writes that program events",
	 TARGET_HELP JSON_HELP},
	{"decode", command_decode, "-t TARGET [-j] REG=VALUE...", "what register values mean, field by field",
	 TARGET_HELP JSON_HELP
	 "REG is a register's name or address, VALUE decimal or 0x.\n"},
	{"info", command_info, "-t TARGET [-j]", "what PAL_PERF_MON_INFO answers", TARGET_HELP JSON_HELP},
	{"selftest", command_selftest, "-t TARGET [--fault=NAME | --list-faults]",
	 "the boot-time self test on a modelled PMU",
	 TARGET_HELP
	 "      --fault=NAME     with this fault in the model, or with\n"
	 "                       stuck:ADDRESS:BIT:VALUE, absent:ADDRESS\n"
	 "      --list-faults    which faults there are\n"},
	{"stat", command_stat, "-t TARGET [-e EVENTS] [-M METRICS] [-P PROFILES]\n"
	 "                   [-x SEP | -j] --trace=FILE | -- PROGRAM [ARGUMENT...]",
	 "counts of a trace of occurrences, or of a program",
	 TARGET_HELP
	 "  -e, --event=EVENTS   what to count: EVENT,... or {EVENT,...}, in one run\n"
	 "  -M, --metrics=METRICS\n"
	 "                       what to derive from counts; palmon metrics lists them.\n"
	 "                       Modifiers behind a name, IPC:u, are all its events'\n"
	 "  -P, --profiles=PROFILES\n"
	 "                       sets of events to count; palmon profiles lists them\n"
	 "  -I, --interval-print=MS\n"
	 "                       counts of each so many milliseconds, as rates\n"
	 "      --frequency=HZ   cycles a second, for that (1000000000)\n"
	 "      --trace=FILE     the trace, text or binary; -: standard input\n"
	 PROGRAM_HELP
	 "  -x, --field-separator=SEP\n"
	 "                       fields as perf stat -x orders them\n"
	 JSON_HELP},
	{"record", command_record, "-t TARGET -e EVENT:period=N,... [-o FILE]\n"
	 "                     --trace=FILE | -- PROGRAM [ARGUMENT...]",
	 "samples of a trace, or of a program, one in N events",
	 TARGET_HELP
	 "  -e, --event=EVENTS   what to count and sample\n"
	 "      --trace=FILE     the trace, text or binary; -: standard input\n"
	 PROGRAM_HELP
	 "  -o, --output=FILE    where the samples go (palmon.samples)\n"},
	{"report", command_report, "[-i FILE|FOLDER] [-n ROWS] [VIEW] [-x SEP | -j]",
	 "samples by address, and other views",
	 "  -i, --input=FILE     what record or fetch has written (palmon.samples)\n"
	 "  -n, --rows=ROWS      at most so many of each event (30; 0: all)\n"
	 "      --raw-ip         addresses as they were recorded, behind the instruction\n"
	 "  -x, --field-separator=SEP\n"
	 "                       fields with this between them\n"
	 JSON_HELP
	 "Views:\n"
	 "      --functions      samples by function\n"
	 "      --source         samples by source line, of the program's ELF file\n"
	 "      --elf=IMAGE      that file (what fetch has left)\n"
	 "      --callers        samples by function and who has called it\n"
	 "      --branch-callers likewise, if they are not known, by branch records\n"
	 "      --folded         lines for flame graphs: frame;frame;... count\n"
	 "      --sources        latencies of loads by who served them\n"
	 "      --calls          how often what has called what\n"
	 "      --blocks         how often basic blocks were executed\n"
	 "      --branches       how often branches were taken and not taken\n"
	 "      --registers      what registers had, of precise samples: trip counts\n"
	 "      --working-set    which pages and lines of memory were touched\n"
	 "      --average=FIRST-LAST/INSTRUCTIONS[,...]\n"
	 "                       executions of these blocks, by samples of instructions\n"},
	{"annotate", command_annotate, "[-i FILE|FOLDER] [-e EVENT] [--elf=IMAGE] [FUNCTION...]",
	 "instructions of the hottest functions, with samples",
	 "  -i, --input=FILE     what fetch has left, or make run (palmon.samples)\n"
	 "  -e, --event=EVENT    only this event's samples\n"
	 "  -n, --functions=N    the N hottest functions of each event (1; 0: all)\n"
	 "      --elf=IMAGE      the program (what fetch has left)\n"
	 "      --objdump=PROGRAM\n"
	 "                       that lists instructions (binutils' objdump)\n"
	 JSON_HELP
	 "FUNCTION is one that is to be listed instead of the hottest.\n"},
	{"fetch", command_fetch, "[-o FOLDER] [--elf=IMAGE] [--run=N] [--pass] LOG",
	 "what an image has measured, out of its console's log",
	 "  -o, --output=FOLDER  where samples, counts.json and symbols go (palmon.run)\n"
	 "      --elf=IMAGE      the image's ELF file, to be kept with them\n"
	 "      --run=N          the log's Nth run (the last one)\n"
	 "      --pass           print what is not a run's, while the log is written\n"
	 "      --board=FILE     with --pass: lines about the board go there\n"
	 "      --tap=FILE       with --pass: the self test's TAP goes there\n"
	 "      --summary        with --pass: a summary of the self test, failures\n"
	 "LOG is a file; -: standard input.\n"},
	{"board", command_board, "[-j] [--run=N] LOG [LOG]",
	 "what an image has found out about a board, or two",
	 "      --run=N          the log's Nth run (the last one)\n"
	 JSON_HELP
	 "LOG is the log of the image's console, or what the image has left with UEFI,\n"
	 "in a variable or a file; -: standard input. Of two, what they differ in.\n"},
	{"convert", command_convert, "[-i FILE|FOLDER] [-e EVENT] [--elf=IMAGE] FORM [FILE]",
	 "samples in the forms that other tools read",
	 "  -i, --input=FILE     what record or fetch has written (palmon.samples)\n"
	 "  -e, --event=EVENT    only this event's samples\n"
	 "      --elf=IMAGE      the program (what fetch has left)\n"
	 "      --branch-callers callers, where they are not known, by branch records\n"
	 "Forms, and where they go without FILE:\n"
	 "      --perf           for perf report, script and annotate (perf.data)\n"
	 "      --speedscope     for speedscope (speedscope.json)\n"
	 "      --pprof          for pprof (profile.pb.gz)\n"
	 "      --folded         lines for flame graphs: caller;...;function count\n"
	 "                       (standard output)\n"
	 "      --html           a page for browsers (palmon.html)\n"},
	{"diff", command_diff, "[--fail-above=PERCENT] [-j] FIRST SECOND",
	 "what two runs differ in: counts, metrics, functions",
	 "      --fail-above=PERCENT\n"
	 "                       status 1 if a count or metric differs by more\n"
	 JSON_HELP
	 "FIRST and SECOND are folders of fetch, or files of counts: counts.json, stat -j.\n"},
	{"top", command_top, "[--elf=IMAGE] [--pass] [-x SEP | -j] LOG",
	 "what an image counts while it runs: rates, hottest functions",
	 "      --elf=IMAGE      the image's ELF file, for names of functions\n"
	 "      --pass           print what is not an interval's\n"
	 "  -x, --field-separator=SEP\n"
	 "                       seconds, events, name, events a second\n"
	 JSON_HELP
	 "LOG is the log of a console, - for one that is being written: make run LIVE=1.\n"},
	{"trace", command_trace, "[-t TARGET] [--text] [-o FILE]\n"
	 "                    TRACE | -- PROGRAM [ARGUMENT...]",
	 "a trace in binary form, or as text; of a program",
	 "  -t, --target=TARGET  whose trace it is, if it does not say so\n"
	 "  -o, --output=FILE    where it goes\n"
	 "      --text           as text, by default to standard output\n"
	 PROGRAM_HELP},
	{"doctor", command_doctor, "[-j] [USE]",
	 "what this machine lacks for palmon, and in which packages",
	 JSON_HELP
	 "USE is one of those that it lists. The exit status is 1 if anything is missing.\n"},
	{"qemu", command_qemu, "[OPTION...] -- QEMU-ARGUMENT...", "QEMU, whose guests have a PMU: its plugin",
	 "      --report=FILE    what each PMU has counted, when QEMU ends\n"
	 "      --events=EVENTS  count the guest from outside: EVENT,... or EVENT/...\n"
	 "      --cr3=ADDRESS    only in this address space\n"
	 "      --pmu=NAME       the PMU (the first of palmon targets)\n"
	 "      --machine=NAME   the processor's caches and predictors, or a file of them\n"
	 "      --clock=timed    cycles take as long as the processor's description says\n"
	 "      --fault=NAME     with this fault in the PMU\n"
	 "      --overcount=interruptions\n"
	 "                       interrupts and faults add to counts\n"
	 "      --announce=off   the guest cannot ask which events there are\n"
	 "      --batch=off      pass each instruction to the PMU by itself\n"
	 "      --force          use versions of QEMU and processors that do not fit\n"
	 "      --system=NAME    qemu-system-NAME (x86_64)\n"
	 "      --print          print the command, and do not run it\n"
	 "QEMU= names another QEMU than the one on the path or in the cache.\n"
	 "See palmon-qemu(1).\n"},
	{"state", command_state, "[-j] FILE", "what a saved context has measured",
	 JSON_HELP
	 "FILE is the context's bytes, hexadecimal digits of them, or the log of an image\n"
	 "that has run with run=state; -: standard input.\n"},
};

#define COMMANDS (sizeof commands / sizeof *commands)

static const char grammar[] =
	"An EVENT is [PMU::]NAME[+UMASK...][:UMASK...][:MODIFIER...], in upper or lower\n"
	"case; {EVENT,EVENT...} are counted in one run. Instead of a name there can be\n"
	"  cycles, instructions     the target's event for them\n"
	"  rHEX, raw=N              what these bits of a control register select\n"
	"PMU is the target's name, or libpfm's, as palmon targets lists it. Modifiers:\n"
	"  u, k, plm=N              lowest level, highest level, levels as bits (1-15);\n"
	"                           u=0, k=0: not there\n"
	"  c=N, cmask=N, thres=N    threshold\n"
	"  i, e, t                  inverted, edges, any thread; also inv, edge, any;\n"
	"                           also =0, =1\n"
	"  ism=N                    instruction sets not to count in, as bits\n"
	"  iar=FIRST-LAST           instruction addresses\n"
	"  dar=FIRST-LAST           data addresses\n"
	"  opc=MATCH/MASK[/TYPES]   instruction encodings; types: some of m, i, f, b\n"
	"  lat=N, ldlat=N           event address samples, loads: latency\n"
	"  tlb=N                    event address samples: translation misses\n"
	"  btb=N                    branch samples: conditions\n"
	"  dear, iear               samples have the data, instruction event address\n"
	"  p                        samples are the processor's own records\n"
	"  lbr, lbr=N               samples have the last branches; but for those of N\n"
	"  pp                       p and lbr\n"
	"  spflt                    counts only while the program lets it, by SPFLT\n"
	"  open                     programs may read the counter\n"
	"  ev                       overflows are seen at a pin\n"
	"  oi=0                     overflows do not interrupt\n"
	"  msr=N                    value of the other register that the event needs\n"
	"  ctr=N                    counter\n"
	"  period=N                 sample each N events\n"
	"  jitter=N                 periods differ at random, by up to N percent\n"
	"  seed=N                   of these random periods\n";

static const struct command *find_command(const char *name)
{
	for (const struct command *c = commands; c < commands + COMMANDS; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static void print_overview(void)
{
	puts("usage: palmon COMMAND [OPTION...] [ARGUMENT...]\n\nCommands:");
	for (const struct command *c = commands; c < commands + COMMANDS; c++)
		printf("  %-9s %s\n", c->name, c->what);
	printf("  %-9s %s\n\n", "help", "more about a command: palmon help COMMAND");
	fputs(grammar, stdout);
	puts("\nExit status: 0 done, 1 failed, 2 wrong usage. See palmon(1).");
}

static void print_help(const struct command *c)
{
	printf("usage: palmon %s %s\n\npalmon %s: %s.\n\n%s", c->name, c->arguments, c->name, c->what, c->help);
	if (strstr(c->arguments, "EVENT"))
		printf("\n%s", grammar);
}

static int unknown_command(const char *name)
{
	fprintf(stderr, "palmon: there is no command '%s'%s; commands are:", name,
		nearest_of(commands, COMMANDS, sizeof *commands, name));
	for (const struct command *c = commands; c < commands + COMMANDS; c++)
		fprintf(stderr, " %s", c->name);
	fputc('\n', stderr);
	return PALMON_USAGE;
}

static int help(const char *name)
{
	const struct command *c = name ? find_command(name) : NULL;

	if (name && !c)
		return unknown_command(name);
	if (c)
		print_help(c);
	else
		print_overview();
	return PALMON_DONE;
}

// Handles the arguments of "palmon help": none, a command, or help itself.
static int help_command(char **argv)
{
	const char *const name = *argv;

	if (name && argv[1]) {
		complain("'%s': help is of one command", argv[1]);
		return usage_error();
	}
	if (name && (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h")))
		return help(NULL);
	if (name && *name == '-') {
		complain("unrecognized option '%s'", name);
		return usage_error();
	}
	return help(name);
}

// Whether the arguments ask for help.
static bool wants_help(char **argv)
{
	for (; *argv && strcmp(*argv, "--"); argv++)
		if (!strcmp(*argv, "--help") || !strcmp(*argv, "-h"))
			return true;
	return false;
}

static int run(int argc, char **argv)
{
	const char *name = argv[1];
	const struct command *c;
	static char full_name[32];

	if (!name) {
		complain("which command?");
		return usage_error();
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		return help(NULL);
	if (!strcmp(name, "help"))
		return help_command(argv + 2);
	if (!strcmp(name, "--version")) {
		puts("palmon " VERSION);
		return PALMON_DONE;
	}
	if (*name == '-') {
		complain("unrecognized option '%s'", name);
		return usage_error();
	}
	c = find_command(name);
	if (!c)
		return unknown_command(name);
	if (wants_help(argv + 2))
		return help(name);
	snprintf(full_name, sizeof full_name, "palmon %s", name);
	complain_as(full_name);
	argv[1] = full_name;
	return c->run(argc - 1, argv + 1);
}

// Reserves the file descriptors 0 to 2 if they are closed, so that no other file gets one. Writing
// to them still fails.
static void reserve_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	int status;

	reserve_standard_files();
	signal(SIGPIPE, SIG_DFL);
	status = run(argc, argv);
	if (ferror(stdout) | fclose(stdout)) {
		fputs("palmon: the output cannot be written\n", stderr);
		return PALMON_FAILED;
	}
	return status;
}
