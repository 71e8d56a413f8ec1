// SPDX-License-Identifier: BSD-2-Clause
// Ownership of the console. A CPU's number comes from state that programs cannot change, and no
// function here needs interrupts, so that a CPU that has faulted can call them.

#include "console.h"

#include "hal.h"

// Waits for three register dumps at 115200 baud, which take a sixth of a second each, on a clock of
// 4 GHz.
#define CLOCKS_MOST (1ULL << 31)

static unsigned owner;		// CPU number + 1; 0: free
static bool to_end;		// a CPU has faulted

static bool is_own(unsigned own)
{
	unsigned nobody = 0;

	return __atomic_load_n(&owner, __ATOMIC_RELAXED) == own ||
	       __atomic_compare_exchange_n(&owner, &nobody, own, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

// after_faults: whether to wait also while a CPU that has faulted ends the run.
static void take(bool after_faults)
{
	const unsigned own = hal_cpu_user() + 1;
	const uint64_t start = hal_clock();

	while ((after_faults && __atomic_load_n(&to_end, __ATOMIC_RELAXED)) || !is_own(own)) {
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
