/* SPDX-License-Identifier: BSD-2-Clause */
/* The early alarm: ends the quantum of a CPU's guest behind the block of code that executes next. For the monitor it is
 * an NMI, as its own alarm is. */
#ifndef PLUGIN_EARLY_ALARM_H
#define PLUGIN_EARLY_ALARM_H

#include <stdbool.h>

/* Connects with the emulator, of so many CPUs. */
void early_alarm_connect(int cpus);

/* Whether that has been possible. */
bool early_alarm_is_there(void);

/* Call before the CPU executes a block, or VMRUN, or while the block is translated that it would execute next: that one
 * is not executed any more. When it returns, the emulator has raised the NMI. */
void early_alarm_raise(unsigned cpu);

/* Call before a guest goes on: ends the run, if the last one has not been raised. */
void early_alarm_check(void);

#endif
