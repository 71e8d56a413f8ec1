/* SPDX-License-Identifier: BSD-2-Clause */
/* What a test's caches have raised: how often each of it, by core. */
#ifndef HAPPENED_H
#define HAPPENED_H

#include <stdint.h>
#include <string.h>

#include "../../../hal/emu/model/memory.h"

static unsigned happened[PACKAGE_CORES][HAPPENING_COUNT];

static inline void count_happening(void *context, unsigned core, enum happening what, uint64_t address)
{
	(void)context, (void)address;
	happened[core][what]++;
}

static inline void forget_happenings(void)
{
	memset(happened, 0, sizeof happened);
}

/* All that core 0 has raised of four that stand together. */
static inline unsigned all_states(enum happening first)
{
	return happened[0][first] + happened[0][first + 1] + happened[0][first + 2] + happened[0][first + 3];
}

#endif
