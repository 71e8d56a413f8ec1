/* SPDX-License-Identifier: BSD-2-Clause */
/* Report of the counts of all PMUs, printed when QEMU ends (report=FILE). It only reads the models'
 * registers.
 *
 * Counts are assigned to the counter's selection and the privilege level at the time of the events.
 * So the counters are read before either changes. A value that software writes to a counter adds no
 * events. */
#ifndef QEMU_REPORT_H
#define QEMU_REPORT_H

#include <stdio.h>

#include "cpu.h"

/* A report is requested; if not, no other function of this file may be called. */
extern bool reporting;

/* Opens the file. Returns NULL, or the problem in one line. */
const char *report_open(const char *file);

/* Call when a vCPU has got its PMU. */
void report_begin(struct cpu *c);

/* Call before a change of the vCPU's level or of other state that software does not write. */
void report_look(struct cpu *c);

/* Call before and after software on the vCPU writes a PMU register. */
void report_before_write(struct cpu *c, uint32_t address);
void report_after_write(struct cpu *c, uint32_t address);

/* Call before (after timeline_settle_all) and after a reset of all PMUs. */
void report_before_reset(void);
void report_after_reset(void);

/* Call after each instruction's cycle. */
void report_cycle(struct cpu *c);

/* Returns true if each cycle must pass separately, because the PMU may reload its own counters. */
bool report_each_cycle(const struct cpu *c);

/* Reports that the vCPU has left its block for an overflow interrupt. delivered: not masked by the
 * interrupt controller. */
void report_interrupt(struct cpu *c, bool delivered);

/* Prints the report when QEMU ends, after timeline_settle_all. The caller may append to it before
 * report_close. */
FILE *report_print(void);
void report_close(void);

#endif
