// SPDX-License-Identifier: BSD-2-Clause
// palmon qemu: runs QEMU with palmon's plugin. The plugin and the script that finds a recent QEMU
// are in one folder: this program's folder in the build tree, or the one that make install filled.

#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "palmon.h"

#define PLUGIN		"palmon-qemu.so"
#define FINDER		"find-qemu"
#define ARGUMENT_MOST	(4 * PATH_MOST)

// Options that are passed to the plugin under the same name.
static const struct option known[] = {
	{"pmu", required_argument, NULL, 0}, {"version", required_argument, NULL, 0},
	{"general", required_argument, NULL, 0}, {"width", required_argument, NULL, 0},
	{"fixed", required_argument, NULL, 0}, {"fault", required_argument, NULL, 0},
	{"machine", required_argument, NULL, 0}, {"clock", required_argument, NULL, 0},
	{"overcount", required_argument, NULL, 0},
	{"report", required_argument, NULL, 0}, {"events", required_argument, NULL, 0},
	{"cr3", required_argument, NULL, 0}, {"announce", required_argument, NULL, 0},
	{"batch", required_argument, NULL, 0},
	{"force", no_argument, NULL, 0}, {"system", required_argument, NULL, 's'},
	{"print", no_argument, NULL, 'p'}, {0},
};

#define KNOWN (sizeof known / sizeof *known)

struct qemu_options {
	const char *value[KNOWN];	// per option; NULL: not given
	const char *system;		// QEMU's name of the architecture
	bool print;
};

static bool read_options(int argc, char **argv, struct qemu_options *options)
{
	char name[32];
	int index;

	for (int option; (option = getopt_long(argc, argv, "+", known, &index)) != -1;) {
		if (option == '?')
			return false;
		options->print |= option == 'p';
		snprintf(name, sizeof name, "--%s", known[index].name);
		if (option == 's' && !take_once(&options->system, optarg, name))
			return false;
		if (!option && !take_once(&options->value[index], optarg ? optarg : "on", name))
			return false;
	}
	return true;
}

// Whether a folder, `relative` to this program's folder, contains the file. `folder`: its path.
static bool is_in(const char *relative, const char *name, char folder[PATH_MOST])
{
	if (!find_in_folder(relative, name, folder, PATH_MOST))
		return false;
	*strrchr(folder, '/') = '\0';
	return true;
}

static bool is_in_folder(const char *name, char folder[PATH_MOST])
{
	return is_in("../plugin", name, folder) || is_in("../lib/palmon", name, folder);
}

char *qemu_finder(void)
{
	char folder[PATH_MOST], *path = NULL;

	if (is_in_folder(FINDER, folder) && asprintf(&path, "%s/" FINDER, folder) < 0)
		return NULL;
	return path;
}

static bool find_folder(char folder[PATH_MOST])
{
	if (is_in_folder(PLUGIN, folder))
		return true;
	complain("there is no plugin (%s): make install puts it into PREFIX/lib/palmon, make "
		 "build/plugin/%s builds it", PLUGIN, PLUGIN);
	return false;
}

// Appends `text` to a shell command as one quoted word.
static void add_word(char *command, size_t size, const char *text)
{
	add_text(command, size, "%s'", *command ? " " : "");
	for (; *text; text++)
		add_text(command, size, *text == '\'' ? "'\\''" : "%c", *text);
	add_text(command, size, "'");
}

// Runs the script, which prints the path of a QEMU or explains why there is none.
static bool find_qemu(const char *folder, const char *system, char qemu[PATH_MOST])
{
	char script[PATH_MOST + sizeof FINDER], program[PATH_MOST], command[4 * PATH_MOST] = "";
	FILE *output;

	snprintf(script, sizeof script, "%s/%s", folder, FINDER);
	snprintf(program, sizeof program, "qemu-system-%s", system ? system : "x86_64");
	add_word(command, sizeof command, script);
	add_word(command, sizeof command, program);
	output = popen(command, "r");
	if (!output || !fgets(qemu, PATH_MOST, output))
		*qemu = '\0';
	qemu[strcspn(qemu, "\n")] = '\0';
	return output && !pclose(output) && *qemu;
}

// Appends a value to a QEMU option, with commas doubled.
static void add_value(char *text, size_t size, const char *value)
{
	for (; *value; value++)
		add_text(text, size, *value == ',' ? ",," : "%c", *value);
}

static void make_plugin(const struct qemu_options *options, const char *folder,
			char text[ARGUMENT_MOST])
{
	*text = '\0';
	add_value(text, ARGUMENT_MOST, folder);
	add_text(text, ARGUMENT_MOST, "/%s", PLUGIN);
	for (size_t i = 0; i < KNOWN; i++) {
		const char *value = !i && !options->value[i] ? pmu_drivers[0]->name :
			options->value[i];

		if (!value)
			continue;
		add_text(text, ARGUMENT_MOST, ",%s=", known[i].name);
		add_value(text, ARGUMENT_MOST, value);
	}
}

static bool is_plain(const char *word)
{
	return *word &&
	       !word[strspn(word,
			    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,"
			    "@%")];
}

// Prints words quoted for a shell.
static void print_command(char *const *words)
{
	for (; *words; words++) {
		char word[2 * ARGUMENT_MOST] = "";

		if (!is_plain(*words))
			add_word(word, sizeof word, *words);
		printf("%s%c", is_plain(*words) ? *words : word, words[1] ? ' ' : '\n');
	}
}

int command_qemu(int argc, char **argv)
{
	struct qemu_options options = {0};
	char folder[PATH_MOST], qemu[PATH_MOST], plugin[ARGUMENT_MOST];
	char **command;

	if (!read_options(argc, argv, &options))
		return usage_error();
	if (strcmp(argv[optind - 1], "--")) {
		complain("%s%s%s: QEMU's arguments come after --",
			 optind < argc ? "'" : "-- is missing",
			 optind < argc ? argv[optind] : "", optind < argc ? "'" : "");
		return usage_error();
	}
	if (!find_folder(folder) || !find_qemu(folder, options.system, qemu))
		return PALMON_FAILED;
	make_plugin(&options, folder, plugin);
	command = calloc((size_t)(argc - optind) + 4, sizeof *command);
	if (!command) {
		complain("%s", strerror(errno));
		return PALMON_FAILED;
	}
	command[0] = qemu;
	command[1] = strdup("-plugin");
	command[2] = plugin;
	memcpy(command + 3, argv + optind, (size_t)(argc - optind) * sizeof *command);
	if (options.print) {
		print_command(command);
		return PALMON_DONE;
	}
	execv(qemu, command);
	complain("%s: %s", qemu, strerror(errno));
	return PALMON_FAILED;
}
