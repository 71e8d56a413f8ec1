// SPDX-License-Identifier: BSD-2-Clause
// The cause of a failed run: the first refusal. The run's last line repeats it.

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
