/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a machine that palmon uses: whether they are present, and the Debian packages that
 * contain them. */
#ifndef NEEDS_H
#define NEEDS_H

#include <stdbool.h>

/* A tool that make builds: its path in palmon's cache, and the file it is built from. Both are
 * patterns and can contain *. */
struct built {
	const char *cached, *source;
};

struct need {
	const char *use;		/* its purpose (palmon doctor) */
	const char *name;		/* name of a program, or pattern of a file's path */
	const char *package;		/* as tools/setup spells it; NULL: not in a package */
	const struct built *built;	/* NULL: make does not build it; both NULL: a QEMU */
};

struct found {
	char *path;			/* to be freed; NULL: not found */
	char note[400];			/* its version, or why it is missing or unusable; or "" */
	bool good;			/* found and usable */
	bool made;			/* otherwise: make builds or fetches it */
};

struct found need_find(const struct need *need);

/* The path of the newest copy in the cache, to be freed. NULL: none. */
char *need_cached(const struct built *built);

/* Translates `word`, a package name as tools/setup spells it, to a package of this Debian release,
 * as far as apt knows. To be freed. NULL: no memory. */
char *need_package(const char *word);

#endif
