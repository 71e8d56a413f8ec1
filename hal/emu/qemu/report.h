/* SPDX-License-Identifier: BSD-2-Clause */
/* The report on the counts of the machine's PMUs, printed when QEMU ends (report=FILE). The report only reads the
 * models' registers.
 *
 * It assigns counts to the counter's selection and the privilege level at the time of the events. So it reads the
 * counters before either changes, and a value that software writes to a counter is no event. */
#ifndef QEMU_REPORT_H
#define QEMU_REPORT_H

#include <stdio.h>

#include "cpu.h"

/* Whether a report is requested: if not, do not call any other function of this file. */
extern bool reporting;

/* Opens the file. Returns NULL, or the problem in one line. */
const char *report_open(const char *file);

/* A vCPU has its PMU. */
void report_begin(struct cpu *c);

/* Call before the vCPU's level, or other state that software does not write, changes. */
void report_look(struct cpu *c);

/* Call before and after software on the vCPU writes a register of the PMU. */
void report_before_write(struct cpu *c, uint32_t address);
void report_after_write(struct cpu *c, uint32_t address);

/* Call before (after timeline_settle_all) and after a reset of all PMUs. */
void report_before_reset(void);
void report_after_reset(void);

/* Call after each instruction's cycle. */
void report_cycle(struct cpu *c);

/* Whether each cycle must pass separately, because the PMU may reload its own counters. */
bool report_each_cycle(const struct cpu *c);

/* The vCPU has left its block for an overflow interrupt. delivered: the interrupt controller has not masked it. */
void report_interrupt(struct cpu *c, bool delivered);

/* Prints the report at QEMU's end, after timeline_settle_all. The caller may print more until it closes the report. */
FILE *report_print(void);
void report_close(void);

#endif
