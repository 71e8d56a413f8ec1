/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a run as end= asks for it; in 32-bit mode, too, where a run ends that cannot begin. */
#ifndef END_H
#define END_H

#include <stdnoreturn.h>

/* As hal_exit. */
noreturn void end_machine(int status);

#endif
