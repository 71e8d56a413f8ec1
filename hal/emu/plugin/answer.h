/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's PMUs. */
#ifndef PLUGIN_ANSWER_H
#define PLUGIN_ANSWER_H

#include <stdint.h>

/* A CPU has rung at this physical address: answers its call, if there is its mailbox. */
void answer_call(unsigned cpu, uint64_t address);

/* A CPU's guest has been left: says what for. */
void answer_leave(unsigned cpu, void *unused);

/* Mailboxes' headroom is at most so much: MAILBOX_FAR, or less, for a benchmark. */
extern uint64_t answer_headroom_most;

#endif
