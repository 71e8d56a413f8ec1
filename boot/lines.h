/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbered lines with a checksum: how what an image has measured leaves it over the console, for a tool that reads the
 * console's log and finds out what of it is missing. The form is that of palmon-samples(5). */
#ifndef BOOT_LINES_H
#define BOOT_LINES_H

#define LINES_TEXT 2048		/* characters of a line, at most; what is more is cut off */

/* Adds to the line, as printf. */
__attribute__((format(printf, 1, 2))) void lines_add(const char *format, ...);

/* Prints it with its number and checksum. The first line's number is 0. */
void lines_end(void);

/* Adds, and ends the line. */
#define lines_print(...) (lines_add(__VA_ARGS__), lines_end())

#endif
