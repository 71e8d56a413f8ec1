/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a host that both examples share: one CPU's interrupts while palmon's runtime has it. */
#ifndef HOST_H
#define HOST_H

#include <stdint.h>

/* Exceptions and interrupts come here from now on; those of devices are masked. Then all is as before. */
void host_take_interrupts(void);
void host_give_interrupts_back(void);

/* Provided by the example: an exception that nobody expects, at this address. */
void host_end(unsigned vector, uint64_t ip);

#endif
