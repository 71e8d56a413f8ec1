/* SPDX-License-Identifier: BSD-2-Clause */
/* The font of frame buffers. */
#ifndef FONT_H
#define FONT_H

#include <stdbool.h>
#include <stdint.h>

/* Dots of a character cell, including the empty column on the right and the empty rows below. */
#define FONT_COLUMNS	6
#define FONT_ROWS	10

/* Whether this dot of the character is set. A character that is not ASCII appears as a question
 * mark. */
bool font_has_dot(char c, uint32_t column, uint32_t row);

#endif
