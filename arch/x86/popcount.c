// SPDX-License-Identifier: BSD-2-Clause
// Counts bits, for the compiler, on processors without POPCNT. libgcc's function begins with
// ENDBR64, which old processors need not execute as a no-operation.

#include <stdint.h>

int __popcountdi2(uint64_t bits);

// Sums of two, then four, then eight neighbouring bits; the product's highest byte is the sum of
// all bytes.
int __popcountdi2(uint64_t bits)
{
	bits -= bits >> 1 & 0x5555555555555555;
	bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
	bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F;
	return (int)(bits * 0x0101010101010101 >> 56);
}
