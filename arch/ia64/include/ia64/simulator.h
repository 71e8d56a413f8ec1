/* SPDX-License-Identifier: BSD-2-Clause */
/* What a simulator does for its program (break 80001H; r15: what). The first ones are Ski's, the others our own
 * machine's (hal/emu/ia64/README.md). */
#ifndef IA64_SIMULATOR_H
#define IA64_SIMULATOR_H

#define SIMULATOR_BREAK		0x80001
#define SIMULATOR_PUT_CHAR	31	/* r32 */
#define SIMULATOR_EXIT		66	/* with the status r32 */
#define SIMULATOR_HALT		0x1001	/* until an external interrupt is pending */
#define SIMULATOR_HAPPENS	0x1002	/* r8: whether an event of code r32, unit mask r33 ever happens: 0 or 1 */
#define SIMULATOR_UNKNOWN	2	/* or this: there is no simulator */

#ifndef __ASSEMBLER__

#include <stdint.h>

uint64_t ia64_simulator(uint64_t a, uint64_t b, uint64_t what);

#endif
#endif
