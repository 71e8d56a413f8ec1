// SPDX-License-Identifier: BSD-2-Clause
// Scales counts of a guest that did not run all the time.

#include "palmon/vpmu.h"

// Divides 128 by 64 bits, bit by bit, because the compiler would call a library function. `upper`
// is smaller than `divisor`, so the quotient has 64 bits.
static uint64_t divide(uint64_t upper, uint64_t lower, uint64_t divisor)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		const bool carry = upper >> 63;

		upper = upper << 1 | lower >> 63;
		lower <<= 1;
		if (carry || upper >= divisor) {
			upper -= divisor;
			lower |= 1;
		}
	}
	return lower;
}

bool vpmu_scale(uint64_t count, uint64_t enabled, uint64_t running, uint64_t *scaled)
{
	const unsigned __int128 product = (unsigned __int128)count * enabled;
	const uint64_t upper = (uint64_t)(product >> 64);

	if (!scaled)
		return false;
	*scaled = 0;
	if (!running)
		return false;
	if (upper >= running) {
		*scaled = UINT64_MAX;
		return false;
	}
	*scaled = divide(upper, (uint64_t)product, running);
	return true;
}
