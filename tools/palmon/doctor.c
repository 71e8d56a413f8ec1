// SPDX-License-Identifier: BSD-2-Clause
// palmon doctor: which uses of palmon this machine supports, and which Debian packages the other
// uses need.

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "colour.h"
#include "disassemble.h"
#include "needs.h"
#include "palmon.h"
#include "program.h"

// The uses of palmon. `instructions`: only of targets with this instruction set; NULL: of all.
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

#define GCC_SOURCE "/usr/src/gcc-*/gcc-*-dfsg.tar.xz"

// Built by tools/cross.
static const struct built
	ia64_compiler = {"gcc-*-ia64-linux-gnu-*/bin/ia64-linux-gnu-gcc", GCC_SOURCE},
	ia64_binutils = {"binutils-*-ia64-linux-gnu-*/bin/ia64-linux-gnu-ld",
			 "/usr/src/binutils/binutils-*.tar.xz"};

static const struct need needs[] = {
	{"build", "gcc", "gcc", NULL},
	{"build", "make", "make", NULL},
	{"build", "/usr/include/stdlib.h", "libc6-dev", NULL},
	{"build", "/usr/include/jansson.h", "libjansson-dev", NULL},
	{"build", "/usr/include/gelf.h", "libelf-dev", NULL},
	{"build", "/usr/include/elfutils/libdw.h", "libdw-dev", NULL},
	{"build", "/usr/include/zlib.h", "zlib1g-dev", NULL},
	{"build", "/usr/include/Zydis/Zydis.h", "libzydis-dev", NULL},
	{"image-x86", "gcc", "gcc", NULL},
	{"image-x86", "ld", "binutils", NULL},
	{"image-x86", "xz", "xz-utils", NULL},
	{"image-x86", "/usr/src/newlib/newlib-*.tar.xz", "newlib-source", NULL},
	{"image-x86", "/usr/include/efi/efi.h", "gnu-efi", NULL},
	{"image-x86", "/usr/include/Zydis/Zydis.h", "libzydis-dev", NULL},
	{"image-x86", "qemu-system-x86_64", NULL, NULL},
	{"image-sparc64", "gcc", "gcc", NULL},
	{"image-sparc64", "sparc64-linux-gnu-gcc", "gcc-sparc64-linux-gnu", NULL},
	{"image-sparc64", "sparc64-linux-gnu-ld", "binutils-sparc64-linux-gnu", NULL},
	{"image-sparc64", "xz", "xz-utils", NULL},
	{"image-sparc64", "/usr/src/newlib/newlib-*.tar.xz", "newlib-source", NULL},
	{"image-sparc64", "/usr/include/Zydis/Zydis.h", "libzydis-dev", NULL},
	{"image-sparc64", "qemu-system-sparc64", NULL, NULL},
	{"image-ia64", "gcc", "gcc", NULL},
	{"image-ia64", "g++", "g++", NULL},
	{"image-ia64", "ia64-linux-gnu-ld", "binutils-ia64-linux-gnu|binutils-source",
	 &ia64_binutils},
	{"image-ia64", GCC_SOURCE, "gcc-*-source", NULL},
	{"image-ia64", "ia64-linux-gnu-gcc", NULL, &ia64_compiler},
	{"image-ia64", "/usr/src/newlib/newlib-*.tar.xz", "newlib-source", NULL},
	{"image-ia64", "/usr/include/*/gmp.h", "libgmp-dev", NULL},
	{"image-ia64", "/usr/include/mpfr.h", "libmpfr-dev", NULL},
	{"image-ia64", "/usr/include/mpc.h", "libmpc-dev", NULL},
	{"image-ia64", "flex", "flex", NULL},
	{"image-ia64", "bison", "bison", NULL},
	{"image-ia64", "xz", "xz-utils", NULL},
	{"program", "valgrind", "valgrind", NULL},
	{"perf", "perf", "linux-perf", NULL},
};

#define NEEDS (sizeof needs / sizeof *needs)

//
// Output
//

struct doctor {
	const char *use;		/* the only one to check; NULL: all */
	bool json;
	unsigned missing;
	char packages[1024];		/* packages of the missing parts */
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

static void print_need(struct doctor *d, const struct need *need, const struct found *f)
{
	const bool missing = !f->good && !f->made;
	char *const package = need->package && missing ? need_package(need->package) : NULL;
	// Programs are shown by their own name, files by the name of their package.
	const char *const name = *need->name == '/' ? need->package : need->name;

	d->missing += missing;
	if (package)
		want(d, package);
	if (d->json)
		print_json(json_pack("{s:s, s:s, s:s?, s:b, s:b, s:s?, s:s?}", "use", need->use,
				     "needs", need->name,
				     "found", f->path, "good", f->good, "made", f->made, "package",
				     package ? package : need->package, "note",
				     *f->note ? f->note : NULL));
	else if (f->good)
		printf("  %-27s %s%s%s%s\n", name, f->path, *f->note ? " (" : "", f->note,
		       *f->note ? ")" : "");
	else if (f->made)
		printf("  %-27s %s\n", name, f->note);
	else
		printf("  %s%-27s %s%s%s%s\n", colour(COLOUR_WRONG), name,
		       *f->note ? f->note : "MISSING",
		       package ? ": package " : "", package ? package : "", colour(COLOUR_END));
	free(package);
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
	for (size_t i = 0; i < NEEDS; i++)
		if (!strcmp(needs[i].use, use->name)) {
			struct found f = need_find(&needs[i]);

			print_need(d, &needs[i], &f);
			free(f.path);
		}
	for (size_t i = 0;
	     !strcmp(use->name, "annotate") &&
		     i < sizeof architectures / sizeof *architectures; i++) {
		const struct need *const objdump = objdump_for(architectures[i]);
		struct found f = need_find(objdump);

		print_need(d, objdump, &f);
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
		printf("\nmissing: %u%s%.*s\n", d->missing,
		       *d->packages ? "; all of it: apt-get install --no-install-recommends" : "",
		       *d->packages ? (int)strlen(d->packages) - 1 : 0, d->packages);
	if (access("/etc/debian_version", R_OK))
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
