// SPDX-License-Identifier: BSD-2-Clause
// The MSR permission map: permissions.h.

#include "permissions.h"

#define RANGE_BYTES 0x800	/* of 2000H registers, of two bits each */

void permissions_set(const struct vmcb *vmcb, uint32_t msr, unsigned intercepted)
{
	const unsigned range = msr < 0xC0000000u ? 0 : msr < 0xC0010000u ? 1 : 2, shift = msr % 4 * 2;
	uint8_t *byte = (uint8_t *)(uintptr_t)vmcb->msrpm_base + range * RANGE_BYTES + (msr & 0x1FFF) / 4;

	*byte = (uint8_t)((*byte & ~(3u << shift)) | intercepted << shift);
}
