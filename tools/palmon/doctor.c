// SPDX-License-Identifier: BSD-2-Clause
// palmon doctor: what this machine can do with palmon, what it lacks for the rest, and which Debian packages have that.

#define _GNU_SOURCE
#include <getopt.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "colour.h"
#include "disassemble.h"
#include "palmon.h"
#include "program.h"

// What can be done, and of which targets: NULL, of all.
static const struct use {
	const char *name, *what, *instructions;
} uses[] = {
	{"build", "the palmon command and the library: make", NULL},
	{"image-x86", "images: make run", "x86"},
	{"image-sparc64", "images: make run", "sparc64"},
	{"image-ia64", "images: make run", "ia64"},
	{"program", "stat, record, trace -- PROGRAM", "x86"},
	{"annotate", "instructions of images: annotate", NULL},
	{"perf", "perf.data: perf report", NULL},
};

#define USES (sizeof uses / sizeof *uses)

// A program, or a file's path, in which there can be *.
static const struct thing {
	const char *use, *name, *package;
	bool plugins;			/* a QEMU, which must have the plugins' interface that palmon's is for */
} things[] = {
	{"build", "gcc", "gcc", false},
	{"build", "make", "make", false},
	{"build", "/usr/include/stdlib.h", "libc6-dev", false},
	{"build", "/usr/include/jansson.h", "libjansson-dev", false},
	{"build", "/usr/include/gelf.h", "libelf-dev", false},
	{"build", "/usr/include/elfutils/libdw.h", "libdw-dev", false},
	{"build", "/usr/include/zlib.h", "zlib1g-dev", false},
	{"image-x86", "gcc", "gcc", false},
	{"image-x86", "ld", "binutils", false},
	{"image-x86", "xz", "xz-utils", false},
	{"image-x86", "/usr/src/newlib/newlib-*.tar.xz", "newlib-source", false},
	{"image-x86", "/usr/include/efi/efi.h", "gnu-efi", false},
	{"image-x86", "/usr/include/Zydis/Zydis.h", "libzydis-dev", false},
	{"image-x86", "qemu-system-x86_64", "qemu-system-x86", true},
	{"image-sparc64", "gcc", "gcc", false},
	{"image-sparc64", "sparc64-linux-gnu-gcc", "gcc-sparc64-linux-gnu", false},
	{"image-sparc64", "sparc64-linux-gnu-ld", "binutils-sparc64-linux-gnu", false},
	{"image-sparc64", "xz", "xz-utils", false},
	{"image-sparc64", "/usr/src/newlib/newlib-*.tar.xz", "newlib-source", false},
	{"image-sparc64", "/usr/include/Zydis/Zydis.h", "libzydis-dev", false},
	{"image-sparc64", "qemu-system-sparc64", "qemu-system-sparc", true},
	{"image-ia64", "gcc", "gcc", false},
	{"image-ia64", "g++", "g++", false},
	{"image-ia64", "ia64-linux-gnu-ld", "binutils-ia64-linux-gnu", false},
	{"image-ia64", "/usr/src/gcc-12/gcc-*-dfsg.tar.xz", "gcc-12-source", false},
	{"image-ia64", "/usr/src/newlib/newlib-*.tar.xz", "newlib-source", false},
	{"image-ia64", "/usr/include/*/gmp.h", "libgmp-dev", false},
	{"image-ia64", "/usr/include/mpfr.h", "libmpfr-dev", false},
	{"image-ia64", "/usr/include/mpc.h", "libmpc-dev", false},
	{"image-ia64", "flex", "flex", false},
	{"image-ia64", "bison", "bison", false},
	{"image-ia64", "xz", "xz-utils", false},
	{"program", "valgrind", "valgrind", false},
	{"perf", "perf", "linux-perf", false},
};

#define THINGS (sizeof things / sizeof *things)

// What has been found of a thing.
struct found {
	char *path;			/* NULL: it is not there */
	char note[80];
	bool wrong;			/* it is there, and will not do */
};

static bool exists(const char *path)
{
	return !access(path, R_OK);
}

// A program on the search path, or a file of that pattern. NULL: there is none.
static char *find(const char *name)
{
	char *path = NULL;
	glob_t files;

	if (*name != '/')
		return find_program(name);
	if (!glob(name, 0, NULL, &files))
		path = strdup(files.gl_pathv[0]);
	globfree(&files);
	return path;
}

// Reads a command's output, as far as there is room. False: it cannot be executed.
static bool output_of(const char *program, const char *arguments, char *text, size_t size)
{
	char *command;
	FILE *output;
	size_t length = 0;

	if (asprintf(&command, "'%s' %s 2>/dev/null </dev/null", program, arguments) < 0)
		return false;
	output = strchr(program, '\'') ? NULL : popen(command, "r");
	free(command);
	if (!output)
		return false;
	length = fread(text, 1, size - 1, output);
	text[length] = '\0';
	while (fgetc(output) != EOF)
		;
	return pclose(output) == 0;
}

#define PLUGINS_FIRST	4.02	/* QEMU's version that has them; their interface's version is 1 */
#define PLUGINS_BEHIND	9.00	/* and that takes none of that version any more */

// Whether a QEMU takes palmon's plugin: its version, and whether it was built with plugins, as its help says.
static void look_at_plugins(struct found *f)
{
	static const char word[] = "version ";
	static char text[65536];
	const char *version;
	unsigned major = 0, minor = 0;
	double number;

	if (!output_of(f->path, "--version", text, sizeof text) || !(version = strstr(text, word)) ||
	    sscanf(version + strlen(word), "%u.%u", &major, &minor) != 2) {
		strcpy(f->note, "its version is not known");
		f->wrong = true;
		return;
	}
	number = major + minor / 100.0;
	f->wrong = number < PLUGINS_FIRST || number >= PLUGINS_BEHIND;
	if (f->wrong)
		snprintf(f->note, sizeof f->note, "%u.%u has no plugins of version 1; QEMU 7.2 has", major, minor);
	else if (!output_of(f->path, "-help", text, sizeof text) || !strstr(text, "\n-plugin "))
		snprintf(f->note, sizeof f->note, "%u.%u was built without plugins", major, minor), f->wrong = true;
	else
		snprintf(f->note, sizeof f->note, "%u.%u, plugins of version 1", major, minor);
}

static struct found look_for(const struct thing *thing)
{
	struct found f = {.path = find(thing->name)};

	if (f.path && thing->plugins)
		look_at_plugins(&f);
	return f;
}

//
// Output
//

struct doctor {
	const char *use;		/* the only one; NULL: all */
	bool json;
	unsigned missing;
	char packages[1024];		/* that have what is missing */
};

static void want(struct doctor *d, const char *package)
{
	char word[128];

	snprintf(word, sizeof word, " %s ", package);
	if (!*d->packages)
		strcpy(d->packages, " ");
	if (!strstr(d->packages, word) && strlen(d->packages) + strlen(word) < sizeof d->packages)
		strcat(d->packages, word + 1);
}

static void print_thing(struct doctor *d, const struct thing *thing, const struct found *f)
{
	const bool good = f->path && !f->wrong;

	d->missing += !good;
	if (!good)
		want(d, thing->package);
	if (d->json) {
		print_json(json_pack("{s:s, s:s, s:s?, s:b, s:s, s:s?}", "use", thing->use, "needs", thing->name,
				     "found", f->path, "good", good, "package", thing->package, "note",
				     *f->note ? f->note : NULL));
		return;
	}
	// A file is called after its package, a program after itself.
	if (good)
		printf("  %-27s %s%s%s%s\n", *thing->name == '/' ? thing->package : thing->name, f->path,
		       *f->note ? " (" : "", f->note, *f->note ? ")" : "");
	else
		printf("  %s%-27s %s: package %s%s\n", colour(COLOUR_WRONG),
		       *thing->name == '/' ? thing->package : thing->name, f->path ? f->note : "MISSING",
		       thing->package, colour(COLOUR_END));
}

// " of TARGET, TARGET"
static void print_targets(const char *instructions)
{
	const char *before = " of ";

	for (const struct program_processor *p = program_processors; p->target; p++)
		if (!strcmp(p->instructions, instructions)) {
			printf("%s%s", before, p->target);
			before = ", ";
		}
}

static void print_use(struct doctor *d, const struct use *use)
{
	if (d->json)
		return;
	printf("%s%s%s: %s", colour(COLOUR_HEADING), use->name, colour(COLOUR_END), use->what);
	if (use->instructions)
		print_targets(use->instructions);
	putchar('\n');
}

static void look_at_use(struct doctor *d, const struct use *use)
{
	static const char *const architectures[] = {"x86_64", "sparc64", "ia64"};

	print_use(d, use);
	for (size_t i = 0; i < THINGS; i++)
		if (!strcmp(things[i].use, use->name)) {
			struct found f = look_for(&things[i]);

			print_thing(d, &things[i], &f);
			free(f.path);
		}
	for (size_t i = 0; !strcmp(use->name, "annotate") && i < sizeof architectures / sizeof *architectures; i++) {
		struct thing objdump = {.use = use->name};
		struct found f;

		objdump.name = objdump_for(architectures[i], &objdump.package);
		f = look_for(&objdump);
		print_thing(d, &objdump, &f);
		free(f.path);
	}
}

static void print_sum(const struct doctor *d)
{
	if (d->json)
		return;
	if (!d->missing)
		puts("\nnothing is missing");
	else
		printf("\nmissing: %u; all of it: apt-get install --no-install-recommends%.*s\n", d->missing,
		       (int)strlen(d->packages) - 1, d->packages);
	if (!exists("/etc/debian_version"))
		puts("this is not a Debian system: packages may have other names");
}

int command_doctor(int argc, char **argv)
{
	static const struct option known[] = {{"json", no_argument, NULL, 'j'}, {0}};
	struct doctor doctor = {.use = NULL};
	bool any = false;

	for (int option; (option = getopt_long(argc, argv, "j", known, NULL)) != -1;) {
		if (option == '?')
			return usage_error();
		doctor.json = true;
	}
	doctor.use = argv[optind];
	if (optind + 1 < argc) {
		complain("'%s': one use is enough", argv[optind + 1]);
		return usage_error();
	}
	for (size_t i = 0; i < USES; i++)
		if (!doctor.use || !strcmp(doctor.use, uses[i].name)) {
			look_at_use(&doctor, &uses[i]);
			any = true;
		}
	if (!any) {
		complain("there is no use '%s'%s; palmon doctor lists them", doctor.use,
			 nearest_of(uses, USES, sizeof *uses, doctor.use));
		return usage_error();
	}
	print_sum(&doctor);
	return doctor.missing ? PALMON_FAILED : PALMON_DONE;
}
