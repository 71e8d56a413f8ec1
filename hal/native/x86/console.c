// SPDX-License-Identifier: BSD-2-Clause
// Writes to the consoles that early/console.c has found.

#include "console.h"

#include "consoles.h"
#include "hal.h"

static bool hidden;		// screens only

void hal_console_write(const char *text, size_t size)
{
	const uint32_t screens = consoles.screens;

	if (hidden)
		consoles.screens = 0;
	consoles_write(&consoles, text, (uint32_t)size);
	consoles.screens = screens;
}

void hal_console_put(char c)
{
	hal_console_write(&c, 1);
}

const char *console_unknown(const char *asked)
{
	(void)asked;
	return *consoles.problem ? consoles.problem : NULL;
}

void console_new_page(void)
{
	for (uint32_t i = 0; i < consoles.screens; i++)
		screen_clear(&consoles.screen[i]);
}

void console_hide_screens(bool hide)
{
	hidden = hide;
}
