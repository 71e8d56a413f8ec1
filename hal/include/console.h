/* SPDX-License-Identifier: BSD-2-Clause */
/* The console: characters, ownership, screens. One CPU owns the console at a time, so that its text
 * stays in one piece. If a CPU keeps the console for much longer than any text takes, the other
 * CPUs stop waiting. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

/* Write to the console, whoever owns it. */
void hal_console_put(char c);
void hal_console_write(const char *text, size_t size);

/* true: screens do not show the following text, which is for tools. false: they show text again. */
void console_hide_screens(bool hide);

/* Clears screens and continues at their top; other consoles do nothing. */
void console_new_page(void);

/* Returns the first part of console= that names no console, or NULL. A machine with several
 * consoles selects them before the rest of the command line is read. */
const char *console_unknown(const char *asked);

/* Waits until the console is free, and takes it; returns at once if this CPU owns it already.
 * False: another CPU has faulted, but has not ended the run. */
bool console_take(void);

/* The same for a CPU that has faulted. From now on only such CPUs get the console. */
void console_take_to_end(void);

/* Releases the console if this CPU owns it. */
void console_give(void);

#endif
