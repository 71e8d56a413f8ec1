// SPDX-License-Identifier: BSD-2-Clause
// Text on a screen. After the last row it continues in the first.

#include "screen.h"

#include "font.h"

#define VGA_COLUMNS	80
#define VGA_ROWS	25
#define VGA_GREY	0x0700		/* attribute: grey on black */

#define TAB		8		/* columns */
#define COLUMNS_TO_HAVE	80		/* choose the largest dots that leave so many columns */

// Draws a dot of the font as a square of pixels. Sets all bits of a pixel, whatever the colour
// format. Stores to a frame buffer are slow.
static void draw_dot(const struct screen *s, uint32_t x, uint32_t y, uint8_t value)
{
	const uint32_t bytes = s->depth / 8 * s->scale;

	for (uint32_t line = 0; line < s->scale; line++) {
		volatile uint8_t *to = (void *)(uintptr_t)(s->address + (y * s->scale + line) *
							   s->pitch + x * bytes);
		uint32_t i = 0;

		for (; i + sizeof(uint32_t) <= bytes; i += sizeof(uint32_t))
			*(volatile uint32_t *)(to + i) = value * 0x01010101u;
		for (; i < bytes; i++)
			to[i] = value;
	}
}

static void draw(const struct screen *s, char c)
{
	const uint32_t x = s->column, y = s->row;
	volatile uint16_t *cells = (void *)(uintptr_t)s->address;

	if (!s->depth) {
		cells[y * s->columns + x] = VGA_GREY | (uint8_t)c;
		return;
	}
	for (uint32_t row = 0; row < FONT_ROWS; row++)
		for (uint32_t column = 0; column < FONT_COLUMNS; column++)
			draw_dot(s, x * FONT_COLUMNS + column, y * FONT_ROWS + row,
				 font_has_dot(c, column, row) ? 0xFF : 0);
}

static void empty_row(struct screen *s)
{
	for (s->column = 0; s->column < s->columns; s->column++)
		draw(s, ' ');
	s->column = 0;
}

// Keeps the row after the newest text empty, to show where the text ends.
static void next_row(struct screen *s)
{
	const uint32_t row = (s->row + 1) % s->rows;

	s->row = (row + 1) % s->rows;
	empty_row(s);
	s->row = row;
}

void screen_clear(struct screen *s)
{
	for (s->row = 0; s->row < s->rows; s->row++)
		empty_row(s);
	s->row = 0;
}

void screen_start_text(struct screen *s, uint64_t address)
{
	*s = (struct screen){.address = address, .columns = VGA_COLUMNS, .rows = VGA_ROWS};
	screen_clear(s);
}

void screen_start_pixels(struct screen *s, uint64_t address, uint32_t depth, uint32_t pitch,
			 uint32_t width, uint32_t height)
{
	uint32_t scale = width / (COLUMNS_TO_HAVE * FONT_COLUMNS);

	if (!scale)
		scale = 1;
	*s = (struct screen){
		.address = address, .depth = depth, .pitch = pitch, .scale = scale,
		.columns = width / (FONT_COLUMNS * scale), .rows = height / (FONT_ROWS * scale),
	};
	screen_clear(s);
}

void screen_write(struct screen *s, const char *text, uint32_t size)
{
	for (const char *const end = text + size; text < end; text++) {
		if (*text == '\n' || s->column == s->columns)
			next_row(s);
		if (*text == '\t')
			s->column = (s->column / TAB + 1) * TAB % s->columns;
		else if (*text >= ' ') {
			draw(s, *text);
			s->column++;
		}
	}
}
