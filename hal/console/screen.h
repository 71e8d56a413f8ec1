/* SPDX-License-Identifier: BSD-2-Clause */
/* Text on a screen: a VGA in text mode, or a frame buffer. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdint.h>

struct screen {
	uint64_t address;
	uint32_t depth;			/* bits of a pixel: 16, 24, 32; 0: VGA text mode */
	uint32_t pitch;			/* bytes from a line of pixels to the next */
	uint32_t scale;			/* pixels per dot of the font, in both directions */
	uint32_t columns, rows;		/* of characters */
	uint32_t column, row;		/* of the next character */
};

/* Starts a VGA text screen of 80 x 25 characters at this address. */
void screen_start_text(struct screen *screen, uint64_t address);

/* Starts a frame buffer; `width` and `height` in pixels. */
void screen_start_pixels(struct screen *screen, uint64_t address, uint32_t depth, uint32_t pitch,
			 uint32_t width, uint32_t height);

/* Writes text. After the last row it continues in the first one; the row after the newest text is
 * empty. Scrolling would read a screen's memory, which is far slower than writing it. */
void screen_write(struct screen *screen, const char *text, uint32_t size);

/* Clears the screen. The next text goes to the first row. */
void screen_clear(struct screen *screen);

#endif
