/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses words of the command line before the runtime's parser can. */
#ifndef EARLY_WORDS_H
#define EARLY_WORDS_H

#include <stdbool.h>

/* Whether the text begins with `word`; if so, moves past it. */
static inline bool begins(const char **text, const char *word)
{
	const char *t = *text;

	while (*word && *t == *word)
		t++, word++;
	if (*word)
		return false;
	*text = t;
	return true;
}

/* A word ends at a blank; a value also ends at a comma. */
static inline bool is_end(char c)
{
	return !c || c == ' ' || c == ',';
}

/* Whether the next value is exactly `word`; if so, moves past it. */
static inline bool is_word(const char **text, const char *word)
{
	const char *t = *text;

	if (!begins(&t, word) || !is_end(*t))
		return false;
	*text = t;
	return true;
}

#endif
