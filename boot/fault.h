/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a run after an unexpected exception. */
#ifndef BOOT_FAULT_H
#define BOOT_FAULT_H

#include "board.h"

/* From now on an unexpected exception ends the run with a register dump and this report. */
void fault_start(const struct summary *summary, struct board_end *end);

#endif
