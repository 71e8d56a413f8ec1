/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions and source lines of a profile's hottest functions, for the HTML page. */
#ifndef HTML_CODE_H
#define HTML_CODE_H

#include <jansson.h>

#include "convert.h"

/* Returns {"note": why instructions are missing or "", "functions": [{"name", "start", "rows"}]}.
 * `start`: the function's address, hexadecimal. A row is an instruction, [offset from start, text],
 * or the source line of the next instructions, ["file:line", text or null]. */
json_t *html_code(const struct profile *profile, const struct names *lines);

#endif
