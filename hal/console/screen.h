/* SPDX-License-Identifier: BSD-2-Clause */
/* Text on a screen: a VGA in a mode of text, or a frame buffer. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdint.h>

struct screen {
	uint64_t address;
	uint32_t depth;			/* bits of a pixel: 16, 24, 32; 0: VGA's characters, with a colour each */
	uint32_t pitch;			/* bytes from a line of pixels to the next one */
	uint32_t scale;			/* pixels of a dot of the font, in both directions */
	uint32_t columns, rows;		/* of characters */
	uint32_t column, row;		/* of the next one */
};

/* A VGA's, of 80 x 25 characters, at this address. */
void screen_start_text(struct screen *screen, uint64_t address);

/* A frame buffer's, of so many pixels. */
void screen_start_pixels(struct screen *screen, uint64_t address, uint32_t depth, uint32_t pitch, uint32_t width,
			 uint32_t height);

/* At the end of the last row it goes on in the first one; the row behind the last one written is empty. Reading a
 * screen's memory, to move it, takes far longer than writing it. */
void screen_write(struct screen *screen, const char *text, uint32_t size);

/* All empty, and the first row the next one. */
void screen_clear(struct screen *screen);

#endif
