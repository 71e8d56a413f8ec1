// SPDX-License-Identifier: BSD-2-Clause
// Why a run fails: the first refusal, which its last line repeats.

#include <stdarg.h>
#include <stdio.h>

#include "boot.h"

static char cause[BOOT_CAUSE];

const char *boot_cause(void)
{
	return cause;
}

void boot_keep_cause(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (!*cause)
		vsnprintf(cause, sizeof cause, format, arguments);
	va_end(arguments);
}

bool boot_refuse(const char *format, ...)
{
	char text[BOOT_CAUSE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	printf("palmon: %s\n", text);
	boot_keep_cause("%s", text);
	return false;
}
