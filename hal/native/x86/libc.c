// SPDX-License-Identifier: BSD-2-Clause
// The C library on several CPUs: each CPU has its own state (errno, standard output, random
// numbers), and locks protect the shared parts (heap, environment). It belongs to programs' code,
// and its data to programs' data.

#include <reent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/lock.h>

#include "hal.h"
#include "libc.h"

static struct _reent states[HAL_CPUS];

void libc_start(void)
{
	for (unsigned cpu = 0; cpu < HAL_CPUS; cpu++)
		_REENT_INIT_PTR(&states[cpu]);
}

struct _reent *__getreent(void)
{
	return &states[hal_cpu_user()];
}

// The owning CPU can take a lock again.
struct __lock {
	unsigned owner;		// CPU number + 1; 0: free
	unsigned depth;
};

struct __lock __lock___sinit_recursive_mutex, __lock___sfp_recursive_mutex,
__lock___atexit_recursive_mutex,
	__lock___at_quick_exit_mutex, __lock___malloc_recursive_mutex, __lock___env_recursive_mutex,
	__lock___tz_mutex, __lock___dd_hash_mutex, __lock___arc4random_mutex;

// Shared by all files whose own lock finds no memory.
static struct __lock common;

void __retarget_lock_init_recursive(_LOCK_T *lock)
{
	*lock = calloc(1, sizeof **lock);
	if (!*lock)
		*lock = &common;
}

void __retarget_lock_close_recursive(_LOCK_T lock)
{
	if (lock != &common)
		free(lock);
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
	const unsigned own = hal_cpu_user() + 1;
	unsigned nobody = 0;

	if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != own &&
	    !__atomic_compare_exchange_n(&lock->owner, &nobody, own, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return 0;
	lock->depth++;
	return 1;
}

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
	while (!__retarget_lock_try_acquire_recursive(lock))
		hal_relax();
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
	if (!--lock->depth)
		__atomic_store_n(&lock->owner, 0, __ATOMIC_RELEASE);
}

void __retarget_lock_init(_LOCK_T *lock)
{
	__retarget_lock_init_recursive(lock);
}

void __retarget_lock_close(_LOCK_T lock)
{
	__retarget_lock_close_recursive(lock);
}

int __retarget_lock_try_acquire(_LOCK_T lock)
{
	return __retarget_lock_try_acquire_recursive(lock);
}

void __retarget_lock_acquire(_LOCK_T lock)
{
	__retarget_lock_acquire_recursive(lock);
}

void __retarget_lock_release(_LOCK_T lock)
{
	__retarget_lock_release_recursive(lock);
}
