// SPDX-License-Identifier: BSD-2-Clause
// Code whose number of instructions is known: the instruction set's own.

#include "arch.h"
#include "hal.h"

void hal_execute(uint64_t n)
{
	arch_execute(n);
}

void hal_execute_user(uint64_t n)
{
	arch_execute_user(n);
}

bool hal_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n)
{
	return arch_execute_between(address, first, second, n);
}
