/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads text tables, one entry per line, for the compilers that turn them into C. '#' starts a
 * comment. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* How to read entries. An entry is a structure that begins with a pointer to its name. */
struct table_kind {
	const char *compiler;		/* the program's name */
	const char *entries;		/* plural for messages: "events" */
	size_t size;			/* of an entry, in bytes */
	size_t most;			/* entries, at most */
	void (*parse)(char *line);	/* adds the entries of a line: one, several or none */
};

/* A new entry of the table being read, all zero, for `parse`. Exits if there are too many. */
void *table_add(void);

/* Reads the table of the arguments TARGET FILE. Returns *count entries, sorted by name (strcasecmp)
 * and unique. Exits with a message after an error. */
void *table_read(const struct table_kind *kind, int argc, char **argv, size_t *count);

/* Prints "FILE:LINE: ..." for the line being read, and exits. */
__attribute__((noreturn, format(printf, 1, 2))) void table_fail(const char *format, ...);

/* The text up to the next '|', or for a line's last field to its end, without surrounding blanks.
 * Moves *text past it. Exits with a message that calls the field `name` if it is missing, empty, or
 * not valid in a C string. */
char *table_field(char **text, const char *name, bool last);

/* A target's name as a C identifier: '_' for '-'. Valid until the next call. */
const char *table_identifier(const char *target);

/* Whether a C string can contain the text unchanged. */
bool table_is_printable(const char *text);

#endif
