/* SPDX-License-Identifier: BSD-2-Clause */
/* Services of a simulator for its program, by break 80001H with the number in r15. The first two
 * are Ski's, the others our own machine's (hal/emu/ia64/README.md). */
#ifndef IA64_SIMULATOR_H
#define IA64_SIMULATOR_H

#define SIMULATOR_BREAK		0x80001
#define SIMULATOR_PUT_CHAR	31	/* character in r32 */
#define SIMULATOR_EXIT		66	/* status in r32 */
#define SIMULATOR_HALT		0x1001	/* waits until an external interrupt is pending */
#define SIMULATOR_HAPPENS	0x1002	/* r8: 1 if the event of code r32, unit mask r33 can
					 * occur, otherwise 0 */

#ifndef __ASSEMBLER__

#include <stdint.h>

uint64_t ia64_simulator(uint64_t a, uint64_t b, uint64_t what);

#endif
#endif
