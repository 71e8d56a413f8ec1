// SPDX-License-Identifier: BSD-2-Clause
// The consoles that were found before the runtime began (early/console.c).

#include "console.h"

#include "consoles.h"
#include "hal.h"

void hal_console_write(const char *text, size_t size)
{
	consoles_write(&consoles, text, (uint32_t)size);
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
