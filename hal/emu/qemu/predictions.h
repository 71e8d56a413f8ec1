/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the guests' branches through their cores' predictors (hal/emu/model). */
#ifndef QEMU_PREDICTIONS_H
#define QEMU_PREDICTIONS_H

#include "../model/processor.h"
#include "cpu_event.h"

/* Declares a CPU as a thread of a core. Every thread of a core must be declared before any of them
 * predicts. A processor without predictors predicts nothing. */
void predictions_start(unsigned cpu, unsigned core, unsigned thread,
		       const struct processor_predictor *has);

/* The result of a prediction: set of raised cpu events; for `branch` of struct occurrence, the bits
 * of a wrong prediction. */
struct prediction {
	uint64_t raises;
	uint8_t branch;
};

/* Predicts a branch (encoded as in struct occurrence). `behind`: address after it; `to`: its
 * destination. */
struct prediction predictions_of(unsigned cpu, unsigned branch, uint64_t ip, uint64_t behind,
				 uint64_t to);

#endif
