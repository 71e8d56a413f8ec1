// SPDX-License-Identifier: BSD-2-Clause
// The address space in which a guest reads which events this machine raises: palmon-qemu(1), with
// numeric addresses.

#include "hyper.h"

static uint64_t ask(uint64_t address)
{
	uint64_t answer;

	__asm__ volatile("ldxa [%1] 0x6D, %0" : "=r"(answer) : "r"(address));
	return answer;
}

// An event is its sl and its mask (Table 10-2).
static uint64_t is_raised(uint64_t sl, uint64_t mask)
{
	return ask(8 * (1ULL << 32 | mask << 16 | sl));
}

void check_announcement(void)
{
	check("signature: palmonpl", 0, 0x70616C6D6F6E706C, ask(0));
	check("version 1, unit clock", 0, 1, ask(8));
	check("Instr_all, when the architecture says so", 0, 3, is_raised(3, 0x3F));
	check("DC_miss_nospec, by a model of the cache", 0, 1, is_raised(16, 0x07));
	check("DTLB_miss_asynch, never", 0, 0, is_raised(17, 0x3F));
	end_check("the machine says which events it raises");
}
