// SPDX-License-Identifier: BSD-2-Clause
#include "palmon.h"
int command_stat(int argc, char **argv) { (void)argc, (void)argv; return PALMON_FAILED; }
