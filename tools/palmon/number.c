// SPDX-License-Identifier: BSD-2-Clause
// Numbers of the command line.

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "palmon.h"

bool read_number(const char *text, char end, uint64_t *value)
{
	const bool hexadecimal = text[0] == '0' && (text[1] | 0x20) == 'x';
	char *rest;

	errno = 0;
	*value = strtoull(text, &rest, hexadecimal ? 16 : 10);
	return isdigit((unsigned char)*text) && !errno && *rest == end;
}
