// SPDX-License-Identifier: BSD-2-Clause
// The PMU that the cores of a package share; pmu/README.md describes the protocol. Its state is
// pmu_package. A lock guards the state, the registers, and the counters of its sessions. Interrupts
// read the counters without the lock; therefore the counters change only while the round is closed
// and no CPU is inside an interrupt.

#include "package.h"

#include <string.h>

#include "overflow.h"

#define FIRST_SESSION		0x80000000u	/* differs from the numbers of a CPU's own
						 * sessions */

// A round lasts from an overflow until its service. pmu_shared.round holds its number in the upper
// half; in the lower half the CPUs that have taken their samples, and CLOSED: it is too late to
// take them.
#define ROUND			(1ULL << 32)
#define CLOSED			(1ULL << 31)

HAL_STATE_PLACE(struct pmu_shared, pmu_shared)

static uint32_t this_bit(void)
{
	return 1u << hal_cpu();
}

uint32_t pmu_shared_cpus(void)
{
	return __atomic_load_n(&pmu_shared()->cpus, __ATOMIC_SEQ_CST);
}

// Returns whether the PMU signals overflows. Otherwise its counters are polled, and it has no
// rounds.
static bool signals(const struct pmu_driver *driver)
{
	return driver->cores->package;
}

// Counts statistics without the lock. A register access that faults without the lock is counted for
// this CPU.
static void count_up(uint64_t *statistic)
{
	__atomic_fetch_add(statistic, 1, __ATOMIC_RELAXED);
}

//
// The lock
//

static bool try_lock(void)
{
	return !__atomic_exchange_n(&pmu_shared()->locked, true, __ATOMIC_SEQ_CST);
}

bool pmu_shared_lock(bool *interrupts)
{
	*interrupts = hal_interrupts_disable();
	for (unsigned tries = 0; tries < PMU_LOCK_TRIES; tries++) {
		if (try_lock())
			return true;
		hal_relax();
	}
	hal_interrupts_restore(*interrupts);
	pmu_register_faulted(pmu_this_cpu());
	return false;
}

// After the release the caller must check the round: a CPU that found the lock taken relies on that
// check.
static void unlock(void)
{
	__atomic_store_n(&pmu_shared()->locked, false, __ATOMIC_SEQ_CST);
}

//
// Rounds
//

// Returns whether all CPUs have taken their samples and no CPU has served the overflows.
static bool is_complete(void)
{
	uint32_t arrived = (uint32_t)__atomic_load_n(&pmu_shared()->round, __ATOMIC_SEQ_CST);

	return arrived && !(arrived & CLOSED) && !(pmu_shared_cpus() & ~arrived);
}

static void serve_counter(const struct pmu_driver *driver, struct pmu_counter *c, bool throttle)
{
	const uint64_t count = pmu_count_overflow(pmu_package(), driver, c);

	pmu_arm_again(pmu_package(), driver, c, count, pmu_is_due(c, count), throttle);
}

// Serves the overflows of a closed round, with all counters frozen.
static void serve(const struct pmu_driver *driver, uint64_t overflowed)
{
	const bool throttle = overflowed && __atomic_exchange_n(&pmu_shared()->throttle, false,
								__ATOMIC_SEQ_CST);

	for (uint64_t left = overflowed; left; left &= left - 1) {
		struct pmu_counter *c = pmu_package()->counter[__builtin_ctzll(left)];

		if (c)
			serve_counter(driver, c, throttle);
		else
			pmu_package()->statistics.unclaimed++;
	}
	if (overflowed && !driver->overflow_clear(overflowed))
		pmu_register_faulted(pmu_package());
}

static void close_round(void)
{
	__atomic_fetch_or(&pmu_shared()->round, CLOSED, __ATOMIC_SEQ_CST);
}

// The status must be clear, and changes of counters visible, before the next round begins. A late
// CPU then finds either the old round closed or no overflow.
bool pmu_shared_go_on(const struct pmu_driver *driver)
{
	__atomic_store_n(&pmu_shared()->round,
			 (__atomic_load_n(&pmu_shared()->round, __ATOMIC_RELAXED) & -ROUND) + ROUND,
			 __ATOMIC_SEQ_CST);
	return driver->enable(pmu_package()->enabled);
}

static void serve_complete(const struct pmu_driver *driver)
{
	uint64_t overflowed;

	if (!driver->overflow_status(&overflowed))
		pmu_register_faulted(pmu_package());
	close_round();
	serve(driver, overflowed);
	if (!pmu_shared_go_on(driver))
		pmu_register_faulted(pmu_package());
}

// Serves the round if it is complete. The CPU with the lock checks again after the release, so that
// a CPU that does not get the lock need not wait. Each pass of the loop needs an arrival of this
// CPU, or the end of its participation: an interrupt makes one pass, a call makes one for each NMI
// that arrives while it has the lock. The loop must not end earlier, because the NMI relies on it.
static void serve_if_complete(void)
{
	while (is_complete() && try_lock()) {
		if (is_complete())
			serve_complete(pmu_package()->driver);
		unlock();
	}
}

static void unlock_and_serve(void)
{
	unlock();
	serve_if_complete();
}

void pmu_shared_unlock(bool interrupts)
{
	unlock_and_serve();
	hal_interrupts_restore(interrupts);
}

//
// Samples
//

#define SAMPLES_MOST PMU_SESSION_EVENTS

// Prepares this CPU's samples of a round and returns their number. They enter the ring after the
// CPU's arrival.
static unsigned take_samples(const struct pmu_driver *driver, uint64_t overflowed, uint64_t ip,
			     unsigned level, struct pmu_sample samples[SAMPLES_MOST])
{
	unsigned count = 0;

	for (; overflowed && count < SAMPLES_MOST; overflowed &= overflowed - 1) {
		const struct pmu_counter *c = pmu_package()->counter[__builtin_ctzll(overflowed)];
		struct pmu_sample *sample = &samples[count];
		uint64_t residue;

		if (!c)
			continue;
		if (!driver->read(c->address, &residue))
			pmu_register_faulted(pmu_this_cpu());
		*sample = (struct pmu_sample){.ip = ip, .clock = hal_clock(), .source = c->source};
		sample->count = c->wrap + residue;
		sample->source.level = (uint8_t)level;
		count += pmu_is_due(c, sample->count);
	}
	return count;
}

// Makes space in the ring while the package's counters are frozen: after the arrival another CPU
// may start them.
static void make_room(struct pmu_cpu *cpu, unsigned samples)
{
	const uint32_t room = PMU_RING_SAMPLES - (cpu->ring.head - cpu->ring.tail);

	for (; samples > room && cpu->take_out; samples--)
		cpu->take_out(cpu, 0);
}

// Takes this CPU's samples of the current round. False: there is no overflow, this CPU has taken
// them before, the round has ended meanwhile, or an NMI has taken them meanwhile; the samples
// prepared here are then discarded.
static bool arrive(const struct pmu_driver *driver, uint64_t ip, unsigned level)
{
	uint64_t round = __atomic_load_n(&pmu_shared()->round, __ATOMIC_SEQ_CST), seen, overflowed;
	struct pmu_sample samples[SAMPLES_MOST];
	unsigned count;

	if (!driver->overflow_status(&overflowed))
		pmu_register_faulted(pmu_this_cpu());
	if (!overflowed || !(pmu_shared_cpus() & this_bit()) || round & (CLOSED | this_bit()))
		return false;
	count = take_samples(driver, overflowed, ip, level, samples);
	make_room(pmu_this_cpu(), count);
	seen = round;
	do {
		if (seen & (CLOSED | this_bit()) || (seen ^ round) >= ROUND)
			return false;
	} while (!__atomic_compare_exchange_n(&pmu_shared()->round, &seen, seen | this_bit(), false,
					      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	for (unsigned i = 0; i < count; i++)
		if (!pmu_put_shared(&samples[i]))
			count_up(&pmu_package()->statistics.dropped);
	return true;
}

// Called by the cores' overflow interrupt after a signal of the shared PMU to this CPU. A CPU that
// no longer participates ignores the signal.
static void interrupt(uint64_t ip, unsigned level, bool throttle)
{
	// Already inside: this is an NMI in look_for_signal, which still reads counters afterwards.
	const bool nested = __atomic_fetch_or(&pmu_shared()->inside, this_bit(),
					      __ATOMIC_SEQ_CST) & this_bit();
	const bool takes_part = pmu_shared_cpus() & this_bit();

	if (throttle)
		__atomic_store_n(&pmu_shared()->throttle, true, __ATOMIC_SEQ_CST);
	if (!takes_part)
		pmu_this_cpu()->statistics.unclaimed++;
	else
		count_up(&pmu_package()->statistics.interrupts);
	if (takes_part && !arrive(pmu_package()->driver, ip, level))
		count_up(&pmu_package()->statistics.spurious);
	if (!nested)
		__atomic_fetch_and(&pmu_shared()->inside, ~this_bit(), __ATOMIC_SEQ_CST);
	if (takes_part)
		serve_if_complete();
}

//
// Begin, start, stop
//

// Waits until no other CPU is inside. False: a CPU stayed inside too long.
static bool wait_for_others(void)
{
	for (unsigned tries = 0; tries < PMU_LOCK_TRIES; tries++) {
		if (!(__atomic_load_n(&pmu_shared()->inside, __ATOMIC_SEQ_CST) & ~this_bit()))
			return true;
		hal_relax();
	}
	return false;
}

bool pmu_shared_halt(const struct pmu_driver *driver, uint64_t ip)
{
	uint64_t overflowed;
	bool ok;

	if (!signals(driver))
		return true;
	ok = driver->enable(0);
	ok &= driver->overflow_status(&overflowed);
	if (overflowed)
		arrive(driver, ip, 0);
	close_round();
	ok &= wait_for_others();
	serve(driver, overflowed);
	return ok;
}

// Serves a signal that arrived while the interrupt was masked.
static void look_for_signal(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip,
			    unsigned level)
{
	struct pmu_service s = {.cpu = cpu, .driver = driver, .ip = ip, .level = level};

	for (unsigned rounds = 0; rounds < PMU_ROUNDS; rounds++) {
		uint64_t status;

		if (!driver->overflow_status(&status))
			pmu_register_faulted(cpu);
		if (!(status & driver->package->status))
			return;
		s.now = hal_clock();
		s.throttle = rounds == PMU_ROUNDS - 1;
		pmu_serve(&s, driver->package->status);
	}
}

// Restarts the shared PMU when no CPU participates any more.
static bool begin_anew(const struct pmu_driver *driver)
{
	bool ok;

	__atomic_store_n(&pmu_shared()->cpus, 0, __ATOMIC_SEQ_CST);
	ok = wait_for_others();
	if (pmu_package()->driver != driver)	// other CPUs may be reading it
		pmu_package()->driver = driver;
	pmu_clear_unit(pmu_package());
	pmu_package()->sessions = FIRST_SESSION;
	__atomic_store_n(&pmu_shared()->throttle, false, __ATOMIC_SEQ_CST);
	return driver->reset() && ok;
}

void pmu_shared_leave(void)
{
	// The state found here belongs to an earlier program, as in pmu_begin.
	if (!hal_cpu() && !pmu_this_cpu())
		memset(pmu_shared(), 0, sizeof *pmu_shared());
	__atomic_fetch_and(&pmu_shared()->cpus, ~this_bit(), __ATOMIC_SEQ_CST);
	// An INIT may have interrupted this CPU inside.
	__atomic_fetch_and(&pmu_shared()->inside, ~this_bit(), __ATOMIC_SEQ_CST);
	serve_if_complete();
}

enum pmu_error pmu_shared_begin(const struct pmu_driver *driver, bool anew)
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	bool ok = true, interrupts;

	if (!pmu_shared_lock(&interrupts))
		return PMU_FAULT;
	if (anew || !pmu_shared_cpus() || pmu_package()->driver != driver)
		ok = begin_anew(driver);
	cpu->selected = pmu_package();
	ok &= pmu_shared_halt(driver, (uintptr_t)__builtin_return_address(0));
	__atomic_fetch_or(&pmu_shared()->cpus, this_bit(), __ATOMIC_SEQ_CST);
	cpu->shared_unmasked = look_for_signal;
	cpu->shared_interrupt = interrupt;
	ok &= !signals(driver) || driver->cores->package->listen(true);
	ok &= pmu_shared_go_on(driver);
	pmu_shared_unlock(interrupts);
	return ok ? PMU_OK : PMU_FAULT;
}

void pmu_shared_look(void)
{
	if (!try_lock())
		return;
	for (uint64_t left = pmu_package()->enabled; left; left &= left - 1) {
		const struct pmu_counter *c = pmu_package()->counter[__builtin_ctzll(left)];
		uint64_t value;

		if (c && !pmu_package()->driver->read(c->address, &value))
			pmu_register_faulted(pmu_package());
	}
	unlock_and_serve();
}

enum pmu_error pmu_shared_start(const struct pmu_driver *driver, struct pmu_session *session)
{
	enum pmu_error error = PMU_STARTED;
	bool interrupts, ok;

	if (!pmu_shared_lock(&interrupts))
		return PMU_FAULT;
	if (!session->running) {
		ok = pmu_shared_halt(driver, (uintptr_t)__builtin_return_address(0));
		ok &= driver->program(session->counter, session->count);
		session->running = true;
		pmu_package()->enabled |= session->counters;
		ok &= pmu_shared_go_on(driver);
		error = ok ? PMU_OK : PMU_FAULT;
	}
	pmu_shared_unlock(interrupts);
	return error;
}

enum pmu_error pmu_shared_stop_locked(const struct pmu_driver *driver, struct pmu_session *session,
				      uint64_t ip)
{
	bool ok = pmu_shared_halt(driver, ip);

	for (struct pmu_counter *c = session->counter, *end = c + session->count; c < end; c++) {
		uint64_t value = 0;

		ok &= driver->read(c->address, &value);
		pmu_collect(driver, c, value);
	}
	session->running = false;
	pmu_package()->enabled &= ~session->counters;
	return pmu_shared_go_on(driver) && ok ? PMU_OK : PMU_FAULT;
}

enum pmu_error pmu_shared_stop(const struct pmu_driver *driver, struct pmu_session *session)
{
	enum pmu_error error = PMU_STOPPED;
	bool interrupts;

	if (!pmu_shared_lock(&interrupts))
		return PMU_FAULT;
	if (session->running)
		error = pmu_shared_stop_locked(driver, session,
					       (uintptr_t)__builtin_return_address(0));
	pmu_shared_unlock(interrupts);
	return error;
}

//
// Statistics
//

_Static_assert(sizeof(struct pmu_statistics) % sizeof(uint64_t) == 0, "words");

// Interrupts update some of the members without the lock.
void pmu_shared_statistics(struct pmu_statistics *statistics)
{
	const uint64_t *from = (const uint64_t *)&pmu_package()->statistics;
	uint64_t *to = (uint64_t *)statistics;
	bool interrupts;

	memset(statistics, 0, sizeof *statistics);
	if (!pmu_shared_lock(&interrupts))
		return;
	for (unsigned i = 0; i < sizeof *statistics / sizeof *to; i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
	pmu_shared_unlock(interrupts);
}
