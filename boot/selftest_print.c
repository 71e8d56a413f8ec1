// SPDX-License-Identifier: BSD-2-Clause
// Where the self test's report goes: standard output. In a library it is the host's (hal/runtime).

#include <stdio.h>

#include "selftest.h"

void selftest_put(const char *text, size_t size)
{
	fwrite(text, 1, size, stdout);
}
