// SPDX-License-Identifier: BSD-2-Clause
// Whose the console is. Programs' CPUs are known by what they cannot change, and nothing here needs interrupts: a CPU
// that has faulted may ask.

#include "console.h"

#include "hal.h"

// A register dump at 115200 baud takes a sixth of a second: three of them are waited for, by a clock of 4 GHz.
#define CLOCKS_MOST (1ULL << 31)

static unsigned owner;		// the CPU's number and 1; 0: nobody
static bool to_end;		// a CPU has faulted

static bool is_own(unsigned own)
{
	unsigned nobody = 0;

	return __atomic_load_n(&owner, __ATOMIC_RELAXED) == own ||
	       __atomic_compare_exchange_n(&owner, &nobody, own, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

// Whether to wait for the faults of other CPUs, too.
static void take(bool behind_faults)
{
	const unsigned own = hal_cpu_user() + 1;
	const uint64_t start = hal_clock();

	while ((behind_faults && __atomic_load_n(&to_end, __ATOMIC_RELAXED)) || !is_own(own)) {
		if (hal_clock() - start > CLOCKS_MOST) {
			__atomic_store_n(&owner, own, __ATOMIC_RELAXED);
			return;
		}
		hal_relax();
	}
}

bool console_take(void)
{
	take(true);
	return !__atomic_load_n(&to_end, __ATOMIC_RELAXED);
}

void console_take_to_end(void)
{
	__atomic_store_n(&to_end, true, __ATOMIC_RELAXED);
	take(false);
}

void console_give(void)
{
	unsigned own = hal_cpu_user() + 1;

	__atomic_compare_exchange_n(&owner, &own, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}
