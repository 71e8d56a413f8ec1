/* SPDX-License-Identifier: BSD-2-Clause */
/* The console beyond its characters (hal.h). Whose it is: one CPU's at a time, so that what it writes stays together.
 * Nobody is waited for who keeps it for much longer than any text takes. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>

/* What follows is not for people: screens do not show it, or show what follows again. */
void console_hide_screens(bool hide);

/* Screens go on at their top, empty; other consoles do nothing. */
void console_new_page(void);

/* Of what the command line has asked for by console=, what is no console; NULL: nothing. Where there are several, they
 * are chosen before the command line is read otherwise. */
const char *console_unknown(const char *asked);

/* Waits until the console is free, and has it from then on; at once, if it is this CPU's already. False: another CPU
 * has faulted, and the run, which it should have ended, goes on. */
bool console_take(void);

/* The same for a CPU that has faulted: from now on only such CPUs get it. */
void console_take_to_end(void);

/* Gives it away, if it is this CPU's. */
void console_give(void);

#endif
