/* SPDX-License-Identifier: BSD-2-Clause */
/* The procedures, one file per family. pal.c dispatches to them. */
#ifndef PAL_PROCEDURES_H
#define PAL_PROCEDURES_H

#include "pal.h"

/* Same arguments in the same registers as pal_call, so that the dispatch is a jump. */
typedef struct pal_ret pal_procedure(uint64_t index, uint64_t a1, uint64_t a2, uint64_t a3);

pal_procedure pal_debug_info, pal_version, pal_processor_info;			/* processor.c */
pal_procedure palmon_monitor;							/* features.c */
pal_procedure pal_halt_light, pal_halt_info;					/* halt.c */

#endif
