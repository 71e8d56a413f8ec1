// SPDX-License-Identifier: BSD-2-Clause
// A machine with one console, without a choice.

#include <stddef.h>
#include <string.h>

#include "console.h"

const char *console_unknown(const char *asked)
{
	return strcmp(asked, "auto") ? asked : NULL;
}

void console_new_page(void)
{
}

void console_hide_screens(bool hide)
{
	(void)hide;
}
