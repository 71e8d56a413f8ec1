/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the guests' branches through their cores' predictors (hal/emu/model). */
#ifndef QEMU_PREDICTIONS_H
#define QEMU_PREDICTIONS_H

#include "../model/processor.h"
#include "happening.h"

/* This CPU is a thread of a core. All threads of a core call this before they predict. NULL: it predicts nothing. */
void predictions_start(unsigned cpu, unsigned core, unsigned thread, const struct processor_predictor *has);

/* The result of a branch's prediction: the raised happenings, and bits for `branch` of struct occurrence. */
struct prediction {
	uint64_t raises;
	uint8_t branch;
};

/* Predicts a branch (as in struct occurrence). `behind`: the address after it; `to`: where it went. */
struct prediction predictions_of(unsigned cpu, unsigned branch, uint64_t ip, uint64_t behind, uint64_t to);

#endif
