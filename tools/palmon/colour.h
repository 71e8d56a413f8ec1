/* SPDX-License-Identifier: BSD-2-Clause */
/* Colour in text for people: where standard output is a terminal that has some, and NO_COLOR is not set or empty
 * (no-color.org). Elsewhere each of these is "". */
#ifndef COLOUR_H
#define COLOUR_H

#include <stdint.h>

enum colour {
	COLOUR_END,		/* back to the terminal's own */
	COLOUR_HEADING,
	COLOUR_FAINT,		/* what is beside the matter */
	COLOUR_HOT,
	COLOUR_WARM,
	COLOUR_WRONG,
	COLOURS
};

/* What switches a colour on. */
const char *colour(enum colour which);

/* That of a share, value / of: hot from 5 percent on, warm from 1 on, else none; COLOUR_END's ends each. */
const char *colour_of_share(uint64_t value, uint64_t of);

/* "", or COLOUR_END's behind one that is not "". */
const char *colour_end(const char *colour);

#endif
