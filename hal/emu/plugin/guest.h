/* SPDX-License-Identifier: BSD-2-Clause */
/* What a PMU sees of the guest of the monitor: its registers where the monitor keeps them, its memory. */
#ifndef PLUGIN_GUEST_H
#define PLUGIN_GUEST_H

#include <stdint.h>

#include "mailbox.h"
#include "model.h"
#include "vpmu.h"

/* One core. */
struct guest {
	uint64_t frame[VPMU_CPUS];	/* of each hardware thread, by its number; 0: there is none */
	uint64_t memory[2], hidden[2];	/* where its memory is (mailbox.h) */
	struct model_processor processor;
};

/* Prepares a core for `attach`, without threads. */
void guest_start(struct guest *guest, const struct mailbox_start *start);

#endif
