// SPDX-License-Identifier: BSD-2-Clause
#include "palmon.h"
int command_report(int argc, char **argv) { (void)argc, (void)argv; return PALMON_FAILED; }
