/* SPDX-License-Identifier: BSD-2-Clause */
/* The tool's parts: instrument.c makes programs call what references.c asks the models for; reports.c counts. */
#ifndef TOOL_H
#define TOOL_H

#include "reported.h"

/* Instructions that have begun so far. Code that calls no function adds to it directly. */
extern uint64_t tool_executed;

/* The line that was fetched last, counted from 1. */
extern uint64_t tool_line;

/* The address of the program's entry; and whether a block with that address has been made. */
extern uint64_t tool_entry;
extern bool tool_entered;

/* Whether instructions are reported alone: then each calls tool_execute if more than `tool_watched` have begun. */
extern bool tool_watches;
extern uint64_t tool_watched;

/* What programs call, with an instruction's address. `begun`: instructions that have begun since the last call or
 * addition, this one included; in tool_load and tool_store above the size in bytes, TOOL_SIZE_BITS bits. */
#define TOOL_SIZE_BITS	16
void tool_execute(uint64_t ip, uint64_t begun);
void tool_fetch(uint64_t ip, uint64_t address, uint64_t begun);
void tool_load(uint64_t ip, uint64_t address, uint64_t begun_and_size);
void tool_store(uint64_t ip, uint64_t address, uint64_t begun_and_size);

/* Takes palmon's wishes from the socket. False: it is not there, or they cannot be met. */
bool tool_begin(void);

/* Reports what has happened up to here. */
void tool_report(void);

/* In a child of the program: it reports nothing. */
void tool_leave(void);

#endif
