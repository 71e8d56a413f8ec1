// SPDX-License-Identifier: BSD-2-Clause
// Code of a known number of instructions, provided by arch/. The library links this file, too.

#include "arch.h"
#include "stimulus.h"

void hal_execute(uint64_t n)
{
	arch_execute(n);
}

bool hal_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n)
{
	return arch_execute_between(address, first, second, n);
}
