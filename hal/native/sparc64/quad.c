// SPDX-License-Identifier: BSD-2-Clause
// A long double of 128 bits as a double, in integers.

#include <stdint.h>

#define QUAD_BIAS	16383
#define DOUBLE_BIAS	1023
#define DOUBLE_INFINITE	2047

uint64_t quad_to_double(const uint64_t quad[2]);

// Rounds to nearest, ties to even; what is too small for a normal double becomes 0.
uint64_t quad_to_double(const uint64_t quad[2])
{
	uint64_t sign = quad[0] & 1ULL << 63, rest = quad[1] << 4;
	uint64_t fraction = (quad[0] & 0xFFFFFFFFFFFF) << 4 | quad[1] >> 60;
	int64_t exponent = (int64_t)(quad[0] >> 48 & 0x7FFF);

	if (exponent == 0x7FFF)
		return sign | (uint64_t)DOUBLE_INFINITE << 52 | (fraction | rest ? 1ULL << 51 : 0);
	exponent += DOUBLE_BIAS - QUAD_BIAS;
	if (exponent <= 0)
		return sign;
	if (exponent >= DOUBLE_INFINITE)
		return sign | (uint64_t)DOUBLE_INFINITE << 52;
	// A carry out of the fraction is the next exponent.
	return sign | (((uint64_t)exponent << 52 | fraction) +
		       (rest > 1ULL << 63 || (rest == 1ULL << 63 && fraction & 1)));
}
