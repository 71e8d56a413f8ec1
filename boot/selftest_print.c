// SPDX-License-Identifier: BSD-2-Clause
// The self test's report goes to standard output. In a library the host receives it (hal/runtime).

#include <stdio.h>

#include "selftest.h"

void selftest_put(const char *text, size_t size)
{
	fwrite(text, 1, size, stdout);
}
