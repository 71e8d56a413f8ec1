/* SPDX-License-Identifier: BSD-2-Clause */
/* The report on what the machine's PMUs have counted, which QEMU's user gets when QEMU ends (report=FILE). The guest
 * cannot influence it but by counting: the report reads the models' registers and writes none.
 *
 * A counter's events belong to what the counter selects, and to the privilege level, when they happen. So the counters
 * are read before either changes, and a value that software writes to a counter is no event. */
#ifndef QEMU_REPORT_H
#define QEMU_REPORT_H

#include <stdio.h>

#include "cpu.h"

/* Whether there will be a report: if not, no other function of this file may be called. */
extern bool reporting;

/* Opens the file. NULL, or the problem in one line. */
const char *report_open(const char *file);

/* A vCPU has its PMU. */
void report_begin(struct cpu *c);

/* The vCPU's level, or anything else that software does not write, is about to change. */
void report_look(struct cpu *c);

/* Before and after software on the vCPU writes a register of the PMU. */
void report_before_write(struct cpu *c, uint32_t address);
void report_after_write(struct cpu *c, uint32_t address);

/* Before and after a reset of all PMUs; before it, after timeline_settle_all. */
void report_before_reset(void);
void report_after_reset(void);

/* An instruction of the vCPU has had its cycle. */
void report_cycle(struct cpu *c);

/* Whether each cycle must pass by itself: the PMU may set its own counters. */
bool report_each_cycle(const struct cpu *c);

/* The vCPU has left its block for an overflow interrupt. delivered: the interrupt controller has not masked it. */
void report_interrupt(struct cpu *c, bool delivered);

/* QEMU ends: prints the report, to which more may be added until it is closed. After timeline_settle_all. */
FILE *report_print(void);
void report_close(void);

#endif
