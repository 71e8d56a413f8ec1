/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours in text output: if standard output is a terminal with colours and NO_COLOR is unset or
 * empty (no-color.org). Otherwise each function returns "". */
#ifndef COLOUR_H
#define COLOUR_H

#include <stdint.h>

enum colour {
	COLOUR_END,		/* back to the terminal's default */
	COLOUR_HEADING,
	COLOUR_FAINT,		/* minor details */
	COLOUR_HOT,
	COLOUR_WARM,
	COLOUR_WRONG,
	COLOURS
};

/* The escape sequence that switches a colour on. */
const char *colour(enum colour which);

/* The sequence for a share, value / of: hot from 5 percent, warm from 1 percent, otherwise none;
 * ended by COLOUR_END. */
const char *colour_of_share(uint64_t value, uint64_t of);

/* The sequence of COLOUR_END after a colour's sequence; "" after "". */
const char *colour_end(const char *colour);

#endif
