/* SPDX-License-Identifier: BSD-2-Clause */
/* What palmon needs of a machine: whether it is there, and the Debian package that has it. */
#ifndef NEEDS_H
#define NEEDS_H

#include <stdbool.h>

/* Built by make: where it is then in palmon's cache, and the file of which it is built. In both there can be *. */
struct built {
	const char *cached, *source;
};

struct need {
	const char *use;		/* what for (palmon doctor) */
	const char *name;		/* a program's name, or a file's path, in which there can be * */
	const char *package;		/* as tools/setup writes names; NULL: make has it without a package */
	const struct built *built;	/* NULL: make does not build it. No package, either: it is a QEMU */
};

struct found {
	char *path;			/* NULL: it is not there. To be freed */
	char note[400];			/* its version; or why it is not there, or will not do. Empty: nothing */
	bool good;			/* it is there, and will do */
	bool made;			/* if not: make will build or fetch it */
};

struct found need_find(const struct need *need);

/* The newest that is in the cache. To be freed. NULL: there is none. */
char *need_cached(const struct built *built);

/* The name of a package in this release of Debian, as far as apt knows: `word` as tools/setup writes names. To be
 * freed. NULL: there is no memory. */
char *need_package(const char *word);

#endif
