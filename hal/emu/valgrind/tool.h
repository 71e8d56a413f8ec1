/* SPDX-License-Identifier: BSD-2-Clause */
/* The tool's parts: instrument.c inserts calls into programs, references.c serves them with the
 * models, reports.c counts. */
#ifndef TOOL_H
#define TOOL_H

#include "reported.h"

/* Number of instructions that have begun. Inserted code also adds to it directly, without a
 * call. */
extern uint64_t tool_executed;

/* 1 + the number of the line that was fetched last. */
extern uint64_t tool_line;

/* The program's entry address; whether a block that contains it has been translated. */
extern uint64_t tool_entry;
extern bool tool_entered;

/* Whether instructions are reported separately. If so, each calls tool_execute when tool_executed
 * exceeds tool_watched. */
extern bool tool_watches;
extern uint64_t tool_watched;

/* Called by programs, with an instruction's address. `begun`: instructions that have begun since
 * the last call or addition, this one included. tool_load and tool_store: the low TOOL_SIZE_BITS
 * bits are the size in bytes, `begun` follows above them. */
#define TOOL_SIZE_BITS	16
void tool_execute(uint64_t ip, uint64_t begun);
void tool_fetch(uint64_t ip, uint64_t address, uint64_t begun);
void tool_load(uint64_t ip, uint64_t address, uint64_t begun_and_size);
void tool_store(uint64_t ip, uint64_t address, uint64_t begun_and_size);

/* Reads palmon's request from the socket. Returns false if there is no socket, or the request
 * cannot be met. */
bool tool_begin(void);

/* Reports everything up to the current instruction. */
void tool_report(void);

/* Stops reporting, in a child process of the program. */
void tool_leave(void);

#endif
