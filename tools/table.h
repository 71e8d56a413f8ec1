/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables as text, a line an entry, for the compilers that turn them into C. '#' starts a comment. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* How entries are read. An entry begins with a pointer to its name. */
struct table_kind {
	const char *compiler;		/* the program's name */
	const char *entries;		/* what they are: "events" */
	size_t size;			/* of one, bytes */
	size_t most;			/* entries */
	void (*parse)(char *line);	/* adds the entries that a line makes: one, several, or none */
};

/* A new entry of the table that is being read, all 0, for `parse`. Ends the program if there are too many. */
void *table_add(void);

/* Reads the table that the arguments TARGET FILE name. *count entries, ordered by name (strcasecmp), without
 * duplicates. Ends the program with a message if something is wrong. */
void *table_read(const struct table_kind *kind, int argc, char **argv, size_t *count);

/* Prints "FILE:LINE: ..." of the line that is being read, and ends the program. */
__attribute__((noreturn, format(printf, 1, 2))) void table_fail(const char *format, ...);

/* The text up to the next '|' or, of a line's last field, to the end; without blanks around it. *text is behind it.
 * Ends the program with a message that calls it `name` if it is not there, is empty, or cannot stand in a C string. */
char *table_field(char **text, const char *name, bool last);

/* A target's name as C has it: '_' for '-'. Until the next call. */
const char *table_identifier(const char *target);

/* Whether text can stand in a C string as it is. */
bool table_is_printable(const char *text);

#endif
