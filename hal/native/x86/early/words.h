/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of the command line, before it is read otherwise. */
#ifndef EARLY_WORDS_H
#define EARLY_WORDS_H

#include <stdbool.h>

/* Whether the text begins so; moves behind it. */
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

/* Words end at a blank, values also at a comma. */
static inline bool is_end(char c)
{
	return !c || c == ' ' || c == ',';
}

/* Whether this value is there, whole; moves behind it. */
static inline bool is_word(const char **text, const char *word)
{
	const char *t = *text;

	if (!begins(&t, word) || !is_end(*t))
		return false;
	*text = t;
	return true;
}

#endif
