// SPDX-License-Identifier: BSD-2-Clause
// Colours in text output: colour.h.

#define _GNU_SOURCE
#include "colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_wanted(void)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0;
}

const char *colour(enum colour which)
{
	// Select Graphic Rendition (ECMA-48), from the eight colours that every terminal supports.
	static const char *const sequences[COLOURS] = {
		[COLOUR_END] = "\033[0m", [COLOUR_HEADING] = "\033[1m", [COLOUR_FAINT] = "\033[2m",
		[COLOUR_HOT] = "\033[1;31m", [COLOUR_WARM] = "\033[33m",
		[COLOUR_WRONG] = "\033[1;31m",
	};
	static int wanted = -1;

	if (wanted < 0)
		wanted = is_wanted();
	return wanted ? sequences[which] : "";
}

const char *colour_of_share(uint64_t value, uint64_t of)
{
	if (value > of / 20)
		return colour(COLOUR_HOT);
	return value && value >= of / 100 ? colour(COLOUR_WARM) : "";
}

const char *colour_end(const char *begun)
{
	return *begun ? colour(COLOUR_END) : "";
}
