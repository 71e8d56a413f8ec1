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
#define TARGET_HELP "  -t, --target=TARGET  the PMU; palmon targets lists them\n"
#define EVENTS_HELP \
	"      --events=FILE    also accept the events of FILE, an event file of Intel\n"
#define JSON_HELP "  -j, --json           one JSON object per line\n"
#define PROGRAM_HELP "  -- PROGRAM           trace this program instead (x86 targets only)\n"
#define PATTERN_HELP "PATTERN is a shell pattern or a part of a name. Case is ignored.\n"
	{"targets", command_targets, "[-j]", "lists the PMUs", JSON_HELP},
	{"list", command_list,
	 "-t TARGET [--events=FILE] [-j] [PATTERN]\n"
	 "                   -s [-t TARGET] [-j]",
	 "lists a target's events", TARGET_HELP
	 "  -s, --summary        number of events that are exact, modelled and absent\n"
	 "                       on an emulated machine, for each target or for one\n"
	 "      --events=FILE    list the events of FILE instead\n"
	 JSON_HELP
	 PATTERN_HELP},
	{"metrics", command_metrics, "-t TARGET [-j] [PATTERN]",
	 "lists metrics that are derived from counts", TARGET_HELP JSON_HELP
	 PATTERN_HELP},
	{"profiles", command_profiles, "-t TARGET [-j] [PATTERN]",
	 "lists sets of events that are measured together", TARGET_HELP JSON_HELP
	 PATTERN_HELP},
	{"encode", command_encode, "-t TARGET [--events=FILE [--translate]] [-j] EVENT...",
	 "prints the register writes that program events", TARGET_HELP EVENTS_HELP
	 "      --translate      print the EVENTs, with terms of perf for those of FILE\n"
	 JSON_HELP},
	{"decode", command_decode, "-t TARGET [-j] REG=VALUE...",
	 "explains register values field by field", TARGET_HELP JSON_HELP
	 "REG is a register's name or address, VALUE decimal or 0x.\n"},
	{"info", command_info, "-t TARGET [-j]", "prints the answer of PAL_PERF_MON_INFO",
	 TARGET_HELP JSON_HELP},
	{"selftest", command_selftest, "-t TARGET [--fault=NAME | --list-faults]\n"
	 "                [-t TARGET] --mutants [--all-checks]",
	 "runs the boot-time self test on a modelled PMU",
	 TARGET_HELP
	 "      --fault=NAME     inject this fault into the model, or one of\n"
	 "                       stuck:ADDRESS:BIT:VALUE, absent:ADDRESS\n"
	 "      --list-faults    list the faults\n"
	 "      --mutants        run the self test of TARGET, or of each target, on\n"
	 "                       each wrong model made from registers and events;\n"
	 "                       print those that it does not find, and a score\n"
	 "      --all-checks     print each check that finds a mutant\n"},
	{"stat", command_stat, "-t TARGET [-e EVENTS] [-M METRICS] [-P PROFILES]\n"
	 "                   [-x SEP | -j] --trace=FILE | -- PROGRAM [ARGUMENT...]",
	 "counts events of a trace or of a program",
	 TARGET_HELP
	 "  -e, --event=EVENTS   events: EVENT,... or {EVENT,...}, counted in one run\n"
	 EVENTS_HELP
	 "  -M, --metrics=METRICS\n"
	 "                       metrics of counts; palmon metrics lists them.\n"
	 "                       Modifiers, as in IPC:u, apply to all their events\n"
	 "  -P, --profiles=PROFILES\n"
	 "                       sets of events; palmon profiles lists them\n"
	 "  -I, --interval-print=MS\n"
	 "                       print rates every MS milliseconds\n"
	 "      --frequency=HZ   cycles per second, for -I (1000000000)\n"
	 "      --trace=FILE     the trace; -: standard input\n"
	 PROGRAM_HELP
	 "  -x, --field-separator=SEP\n"
	 "                       fields in the order of perf stat -x\n"
	 JSON_HELP},
	{"record", command_record, "-t TARGET -e EVENT:period=N,... [-o FILE]\n"
	 "                     --trace=FILE | -- PROGRAM [ARGUMENT...]",
	 "samples a trace or a program every N events",
	 TARGET_HELP
	 "  -e, --event=EVENTS   events to count and sample\n"
	 "      --trace=FILE     the trace; -: standard input\n"
	 PROGRAM_HELP
	 "  -o, --output=FILE    file for the samples (palmon.samples)\n"},
	{"report", command_report, "[-i FILE|FOLDER] [-n ROWS] [VIEW] [-x SEP | -j]",
	 "prints samples by address, and other views",
	 "  -i, --input=FILE     output of record or fetch (palmon.samples)\n"
	 "  -n, --rows=ROWS      at most ROWS rows per event (30; 0: all)\n"
	 "      --raw-ip         addresses as recorded, after the instruction\n"
	 "  -x, --field-separator=SEP\n"
	 "                       fields separated by SEP\n"
	 JSON_HELP
	 "Views:\n"
	 "      --functions      samples by function\n"
	 "      --source         samples by source line\n"
	 "      --elf=IMAGE      ELF file with code and source lines (copied by fetch)\n"
	 "      --callers        samples by function and its callers\n"
	 "      --branch-callers the same, with callers from branch records\n"
	 "      --folded         lines for flame graphs: frame;frame;... count\n"
	 "      --sources        latencies of loads by the level that served them\n"
	 "      --latencies      their distribution: samples by range of cycles\n"
	 "      --calls          numbers of calls by caller and callee\n"
	 "      --blocks         executions of basic blocks\n"
	 "      --branches       numbers of branches taken and not taken\n"
	 "      --registers      register contents in precise samples: trip counts\n"
	 "      --working-set    pages and lines that were accessed, and their home\n"
	 "      --shared         cache lines that several threads use, as perf c2c\n"
	 "      --average=FIRST-LAST/INSTRUCTIONS[,...]\n"
	 "                       executions of these blocks, from sampled instructions\n"},
	{"annotate", command_annotate, "[-i FILE|FOLDER] [-e EVENT] [--elf=IMAGE] [FUNCTION...]",
	 "lists instructions of the hottest functions with samples",
	 "  -i, --input=FILE     output of fetch or make run (palmon.samples)\n"
	 "  -e, --event=EVENT    only this event's samples\n"
	 "  -n, --functions=N    the N hottest functions of each event (1; 0: all)\n"
	 "      --elf=IMAGE      the program's ELF file (copied by fetch)\n"
	 "      --objdump=PROGRAM\n"
	 "                       the disassembler (objdump of binutils)\n"
	 JSON_HELP
	 "FUNCTION is listed instead of the hottest ones.\n"},
	{"fetch", command_fetch, "[-o FOLDER] [--elf=IMAGE] [--run=N] [--pass] LOG",
	 "extracts an image's measurements from a console log",
	 "  -o, --output=FOLDER  for samples, counts.json and symbols (palmon.run)\n"
	 "      --elf=IMAGE      the image's ELF file, which is copied to FOLDER\n"
	 "      --run=N          run N of the log (the last one)\n"
	 "      --pass           print other lines while the log is written\n"
	 "      --board=FILE     with --pass: write lines about the board to FILE\n"
	 "      --tap=FILE       with --pass: write the self test's TAP to FILE\n"
	 "      --summary        with --pass: summarize the self test\n"
	 "LOG is a file; -: standard input.\n"},
	{"board", command_board, "[-j] [--run=N] LOG [LOG]",
	 "reports on a board, or compares two boards",
	 "      --run=N          run N of the log (the last one)\n"
	 JSON_HELP
	 "LOG is a log of the image's console, or the variable or file that the image\n"
	 "wrote with UEFI; -: standard input. For two, the differences are printed.\n"},
	{"convert", command_convert, "[-i FILE|FOLDER] [-e EVENT] [--elf=IMAGE] FORM [FILE]",
	 "writes samples in other tools' formats",
	 "  -i, --input=FILE     output of record or fetch (palmon.samples)\n"
	 "  -e, --event=EVENT    only this event's samples\n"
	 "      --elf=IMAGE      the program's ELF file (copied by fetch)\n"
	 "      --branch-callers find missing callers in branch records\n"
	 "Formats, with the default of FILE:\n"
	 "      --perf           for perf report, script and annotate (perf.data)\n"
	 "      --folded         lines for flame graphs: caller;...;function count\n"
	 "                       (standard output)\n"
	 "      --html           a web page (palmon.html)\n"
	 "      --before=RUN     with --html: compare with this file or folder of samples\n"},
	{"diff", command_diff, "[--fail-above=PERCENT] [-j] FIRST SECOND",
	 "compares counts, metrics and functions of two runs",
	 "      --fail-above=PERCENT\n"
	 "                       status 1 if a count or metric differs by more\n"
	 JSON_HELP
	 "FIRST and SECOND are folders of fetch, or files of counts: counts.json, stat -j.\n"},
	{"top", command_top, "[--elf=IMAGE] [--pass] [-x SEP | -j] LOG",
	 "prints rates and hottest functions of a running image",
	 "      --elf=IMAGE      the image's ELF file, for names of functions\n"
	 "      --pass           print other lines, too\n"
	 "  -x, --field-separator=SEP\n"
	 "                       seconds, events, name, events per second\n"
	 JSON_HELP
	 "LOG is a console log; - for a live one: make run LIVE=1.\n"},
	{"doctor", command_doctor, "[-j] [USE]",
	 "lists missing programs and their packages",
	 JSON_HELP
	 "USE limits the list to one use. Exit status 1: something is missing.\n"},
	{"probe", command_probe, "[--from=FILE] [--raw | -j]",
	 "describes the PMU that this machine's CPUs report",
	 "      --from=FILE      read the CPUs' answers from FILE (-: standard input),\n"
	 "                       output of probe --raw or of cpuid -r\n"
	 "      --raw            print the answers themselves\n"
	 JSON_HELP
	 "Without root, only CPUID is read. No register is written.\n"},
	{"qemu", command_qemu, "[OPTION...] -- QEMU-ARGUMENT...",
	 "runs QEMU with the plugin that gives guests a PMU",
	 "      --report=FILE    write each PMU's counts when QEMU ends\n"
	 "      --events=EVENTS  count the guest from outside: EVENT,... or EVENT/...\n"
	 "      --cr3=ADDRESS    with --events: only in this address space\n"
	 "      --pmu=NAME       the PMU (the first of palmon targets); auto: that of -cpu\n"
	 "      --version=N      of the architectural PMU, 1 to 5\n"
	 "      --general=N      its general counters, 1 to 8\n"
	 "      --fixed=N        its fixed counters, 0 to 4\n"
	 "      --width=N        bits of its counters, 32 to 48\n"
	 "      --machine=NAME   caches and predictors: of a processor, or from a file\n"
	 "      --clock=timed    cycles by the processor's description\n"
	 "      --fault=NAME     inject this fault into the PMU\n"
	 "      --overcount=interruptions\n"
	 "                       interrupts and faults add to counts\n"
	 "      --announce=off   hide the list of countable events from the guest\n"
	 "      --batch=off      pass instructions to the PMU one by one\n"
	 "      --force          accept unsuitable versions of QEMU and processors\n"
	 "      --system=NAME    qemu-system-NAME (x86_64)\n"
	 "      --print          print the command instead of running it\n"
	 "The variable QEMU names another QEMU than the one on the path or in the cache.\n"
	 "See palmon-qemu(1).\n"},
	{"state", command_state, "[-j] FILE", "explains a saved context",
	 JSON_HELP
	 "FILE contains the context's bytes, their hexadecimal digits, or a console log of\n"
	 "an image with run=state; -: standard input.\n"},
};

#define COMMANDS (sizeof commands / sizeof *commands)

static const char grammar[] =
	"An EVENT is [PMU::]NAME[+UMASK...][:UMASK...][:MODIFIER...], in upper or lower\n"
	"case; {EVENT,EVENT...} are counted in one run. These can replace a name:\n"
	"  cycles, instructions     the target's event for these\n"
	"  rHEX, raw=N              the event selected by these control register bits\n"
	"  cpu/event=N,umask=N/u    the same, as perf writes it; terms: event, umask,\n"
	"                           cmask, inv, edge, any, ldlat, offcore_rsp\n"
	"PMU is the target's name, or libpfm's, as palmon targets lists it. Modifiers:\n"
	"  u, k, plm=N              lowest level, highest level, levels as bits (1-15);\n"
	"                           u=0, k=0: not at this level\n"
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
	"  lbr, lbr=N               samples have the last branches; N: except these kinds\n"
	"  pp                       p and lbr\n"
	"  spflt                    counts only while the program enables it with SPFLT\n"
	"  open                     programs may read the counter\n"
	"  ev                       overflows are visible at a pin\n"
	"  oi=0                     overflows do not interrupt\n"
	"  msr=N                    value of the event's additional register\n"
	"  ctr=N                    counter\n"
	"  period=N                 sample each N events\n"
	"  jitter=N                 periods vary at random by up to N percent\n"
	"  seed=N                   seed of the random periods\n";

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
	printf("  %-9s %s\n\n", "help", "explains a command: palmon help COMMAND");
	fputs(grammar, stdout);
	puts("\nExit status: 0 done, 1 failed, 2 wrong usage. See palmon(1).");
}

static void print_help(const struct command *c)
{
	printf("usage: palmon %s %s\n\npalmon %s: %s.\n\n%s", c->name, c->arguments, c->name,
	       c->what, c->help);
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
