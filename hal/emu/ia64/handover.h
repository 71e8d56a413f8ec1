/* SPDX-License-Identifier: BSD-2-Clause */
/* The state in which a program starts. */
#ifndef IA64_HANDOVER_H
#define IA64_HANDOVER_H

#include <stdbool.h>

struct machine;

/* Writes boot parameters with the command line `arguments` to the last page of memory. Returns
 * false if the command line is too long. */
bool ia64_hand_over(struct machine *m, const char *arguments);

#endif
