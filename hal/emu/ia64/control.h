/* SPDX-License-Identifier: BSD-2-Clause */
/* Control registers, external interrupts, the interval timer (manual, volume 2, sections 3.3.4 and
 * 5.8). */
#ifndef IA64_CONTROL_H
#define IA64_CONTROL_H

#include <stdint.h>

struct machine;
struct op;

/* A control register's value; the monitor's model holds some of them. */
uint64_t ia64_control_value(struct machine *m, unsigned cr);

/* ITC. Instruction `op` sets it: the next instruction finds `value`. */
uint64_t ia64_itc(struct machine *m);
void ia64_set_itc(struct machine *m, const struct op *op, uint64_t value);

/* Requests the timer's interrupt if ITC has reached ITM. Otherwise sets when the machine must check
 * again. */
void ia64_look_at_timer(struct machine *m);

/* Makes an external interrupt of this vector pending. */
void ia64_request(struct machine *m, uint64_t vector);

/* The vector of the highest pending interrupt that neither TPR nor an interrupt in service masks;
 * -1: none. */
int ia64_acceptable(const struct machine *m);

#endif
