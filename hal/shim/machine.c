// SPDX-License-Identifier: BSD-2-Clause
// The machine's state, and the lock with which a host thread owns it.

#include "machine.h"

#include <sched.h>

struct machine shim;
_Thread_local struct cpu *this = &shim.cpu[0];

// At first the program's variables.
extern char __data_start[], end[];
uint64_t hal_memory_start = (uintptr_t)__data_start, hal_memory_end = (uintptr_t)end;

void shim_allow_memory(const void *start, size_t size)
{
	hal_memory_start = (uintptr_t)start;
	hal_memory_end = hal_memory_start + size;
}

unsigned hal_cpu(void)
{
	return (unsigned)(this - shim.cpu);
}

// The shim and the models are compiled without the thread sanitizer, which therefore does not see
// this lock. The program under test must order its accesses itself.
void shim_hold_machine(void)
{
	const unsigned core = hal_cpu() / shim.threads;

	while (__atomic_exchange_n(&shim.host.held, true, __ATOMIC_ACQUIRE))
		sched_yield();
	if (shim.host.clock[core] != this)
		vpmu_resume(&this->vpmu);
	shim.host.clock[core] = this;
}

void shim_watch_writes(void (*watch)(uint32_t address, uint64_t value))
{
	shim.watch = watch;
}

bool shim_write_register(uint32_t address, uint64_t value)
{
	if (shim.watch)
		shim.watch(address, value);
	return vpmu_write(&this->vpmu, address, value, 0);
}
