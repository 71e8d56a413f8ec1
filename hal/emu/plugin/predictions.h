/* SPDX-License-Identifier: BSD-2-Clause */
/* The guests' branches through their cores' predictors (hal/emu/model). */
#ifndef PLUGIN_PREDICTIONS_H
#define PLUGIN_PREDICTIONS_H

#include "../model/processor.h"
#include "feed.h"

/* This CPU is a thread of a core, which all its threads name first. NULL: it predicts nothing. */
void predictions_start(unsigned cpu, unsigned core, unsigned thread, const struct processor_predictor *has);

/* Its guest has executed a branch, which is `c`, with something behind it: adds to it what its prediction was. */
void predictions_see(unsigned cpu, struct feed_instruction *branch, uint64_t behind);

#endif
