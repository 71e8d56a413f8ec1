/* SPDX-License-Identifier: BSD-2-Clause */
/* The guests' branches through their cores' predictors (hal/emu/model). */
#ifndef QEMU_PREDICTIONS_H
#define QEMU_PREDICTIONS_H

#include "../model/processor.h"
#include "happening.h"

/* This CPU is a thread of a core, which all its threads name first. NULL: it predicts nothing. */
void predictions_start(unsigned cpu, unsigned core, unsigned thread, const struct processor_predictor *has);

/* What the prediction of a branch was: what it raises, and what it adds to `branch` of struct occurrence. */
struct prediction {
	uint64_t raises;
	uint8_t branch;
};

/* A branch, as in struct occurrence, with something behind it, that has gone there. */
struct prediction predictions_of(unsigned cpu, unsigned branch, uint64_t ip, uint64_t behind, uint64_t to);

#endif
