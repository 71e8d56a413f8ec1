/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes interruptions that have been raised (manual, volume 2, section 5.5). */
#ifndef IA64_DELIVERY_H
#define IA64_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

/* Delivers machine.interruption to the processor. Returns false if software has no table of
 * handlers (IVA is 0), or if the interruption goes to firmware. */
bool ia64_deliver(struct machine *m);

/* Makes r16 to r31 those of the bank that `psr` selects (PSR.bn). */
void ia64_switch_bank(struct machine *m, uint64_t psr);

#endif
