/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends the run as end= requests. Also for 32-bit code, if the run cannot begin. */
#ifndef END_H
#define END_H

#include <stdnoreturn.h>

/* Like hal_exit. */
noreturn void end_machine(int status);

#endif
