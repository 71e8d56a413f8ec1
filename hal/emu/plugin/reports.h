/* SPDX-License-Identifier: BSD-2-Clause */
/* What the emulator has to report of the guests: nothing at first, so that nothing pays for it before a counter counts,
 * or looks at references. */
#ifndef PLUGIN_REPORTS_H
#define PLUGIN_REPORTS_H

#include "qemu.h"

/* What code reports that is translated: the number of the guests' instructions, and what depends on it (numbers.h);
 * their blocks; and their references to memory, with their blocks. */
enum reports { REPORTS_NOTHING, REPORTS_NUMBERS, REPORTS_BLOCKS, REPORTS_REFERENCES };
extern enum reports reports_what;

/* From here on it reports so much, at least. What has been translated is translated anew for that, before a guest
 * executes any more. */
void reports_add(enum reports what);

/* Connects the plugin with the emulator, by `connect`: now, and again when code is to be translated anew. */
void reports_begin(qemu_plugin_id_t id, void (*connect)(qemu_plugin_id_t id));

#endif
