/* SPDX-License-Identifier: BSD-2-Clause */
/* The console beyond its characters (hal.h): one CPU owns it at a time, so that its text stays in one piece. If a CPU
 * keeps it for much longer than any text takes, others no longer wait. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>

/* hide: screens do not show the following text, which is for tools; or show text again. */
void console_hide_screens(bool hide);

/* Clears screens and continues at their top; other consoles do nothing. */
void console_new_page(void);

/* The part of console= that is no console, or NULL. If a machine has several consoles, it selects them before the rest
 * of the command line is read. */
const char *console_unknown(const char *asked);

/* Waits until the console is free, and takes it; at once, if this CPU has it already. False: another CPU has faulted,
 * but has not ended the run. */
bool console_take(void);

/* The same for a CPU that has faulted: from now on only such CPUs get it. */
void console_take_to_end(void);

/* Releases it, if this CPU has it. */
void console_give(void);

#endif
