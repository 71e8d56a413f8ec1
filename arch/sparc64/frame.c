// SPDX-License-Identifier: BSD-2-Clause
// The interrupted code's address and privilege level.

#include <stdint.h>

#include "arch.h"
#include "layout.h"
#include "sparc64/frame.h"

extern const char arch_privileged_table[], arch_privileged_end[];	// vectors.S
extern const char arch_privileged_code[];				// execute.S

uint64_t arch_frame_ip(const struct arch_frame *frame)
{
	return frame->tpc;
}

// Privileged code is the privileged trap table and sparc64_execute_privileged.
unsigned arch_frame_level(const struct arch_frame *frame)
{
	if (!(frame->tstate & TSTATE_PRIV))
		return 3;
	return (frame->tpc >= (uintptr_t)arch_privileged_table &&
		frame->tpc < (uintptr_t)arch_privileged_end) ||
	       frame->tpc - (uintptr_t)arch_privileged_code < PRIVILEGED_CODE_SIZE;
}
