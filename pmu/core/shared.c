// SPDX-License-Identifier: BSD-2-Clause
// The PMU that the cores of a package share: pmu/README.md, "A PMU that cores share", has the protocol. What it keeps
// is pmu_package; a lock guards that, its registers, and the counters of its sessions.

#include <string.h>

#include "session.h"

#define FIRST_SESSION		0x80000000u	/* no number of a CPU's own sessions */
#define LOCK_TRIES		(1u << 20)

// A round: from an overflow until it has been served. Its number, and in the low half the CPUs that have taken their
// samples in it, and whether it is too late for that.
#define ROUND			(1ULL << 32)
#define CLOSED			(1ULL << 31)

static struct {
	bool locked;
	uint32_t cpus;		// take part
	uint32_t inside;	// CPUs that look at the counters of sessions without the lock
	uint64_t round;
} shared;

static uint32_t this_bit(void)
{
	return 1u << hal_cpu();
}

uint32_t pmu_shared_cpus(void)
{
	return shared.cpus;
}

// One that never signals has no rounds: its counters are looked at, and nothing has to be halted for that.
static bool signals(const struct pmu_driver *driver)
{
	return driver->cores->shared;
}

static void count_up(uint64_t *statistic)
{
	__atomic_fetch_add(statistic, 1, __ATOMIC_RELAXED);
}

//
// The lock
//

static bool try_lock(void)
{
	return !__atomic_exchange_n(&shared.locked, true, __ATOMIC_ACQUIRE);
}

bool pmu_shared_lock(void)
{
	for (unsigned tries = 0; tries < LOCK_TRIES; tries++)
		if (try_lock())
			return true;
	pmu_register_faulted(&pmu_package);
	return false;
}

static void unlock(void)
{
	__atomic_store_n(&shared.locked, false, __ATOMIC_RELEASE);
}

//
// Rounds
//

// Whether all CPUs have taken their samples, and nobody has served the overflows yet.
static bool is_complete(void)
{
	uint32_t arrived = (uint32_t)__atomic_load_n(&shared.round, __ATOMIC_ACQUIRE);

	return arrived && !(arrived & CLOSED) && !(shared.cpus & ~arrived);
}

static void serve_counter(const struct pmu_driver *driver, struct pmu_counter *c, bool throttle)
{
	const uint64_t count = pmu_count_overflow(&pmu_package, driver, c, c->address);

	pmu_arm_again(&pmu_package, driver, c, c->address, count, pmu_is_due(c, count), throttle);
}

static void serve_counters(const struct pmu_driver *driver, uint64_t overflowed)
{
	const bool throttle = --pmu_package.interrupts_left == 0 && pmu_is_storm(&pmu_package, hal_clock());

	for (uint64_t left = overflowed; left; left &= left - 1) {
		struct pmu_counter *c = pmu_package.counter[__builtin_ctzll(left)];

		if (c)
			serve_counter(driver, c, throttle);
		else
			pmu_package.statistics.unclaimed++;
	}
}

// Serves what has overflowed and ends the round, with the lock, all counters being frozen. The status is clear before
// the next round begins: who comes late finds either this round closed or no overflow.
static void serve(const struct pmu_driver *driver, uint64_t overflowed)
{
	__atomic_fetch_or(&shared.round, CLOSED, __ATOMIC_SEQ_CST);
	if (overflowed) {
		serve_counters(driver, overflowed);
		if (!driver->overflow_clear(overflowed))
			pmu_register_faulted(&pmu_package);
	}
	__atomic_store_n(&shared.round, (__atomic_load_n(&shared.round, __ATOMIC_RELAXED) & -ROUND) + ROUND,
			 __ATOMIC_SEQ_CST);
}

static void serve_complete(const struct pmu_driver *driver)
{
	uint64_t overflowed;

	if (!driver->overflow_status(&overflowed))
		pmu_register_faulted(&pmu_package);
	serve(driver, overflowed);
	if (!driver->enable(pmu_package.enabled))
		pmu_register_faulted(&pmu_package);
}

// Serves the round if it is complete. Who has the lock looks again behind it, so that a CPU which does not get it need
// not wait. Bounded: the next round is not complete without this CPU.
static void serve_if_complete(void)
{
	for (unsigned rounds = 0; rounds < PMU_ROUNDS && is_complete() && try_lock(); rounds++) {
		if (is_complete())
			serve_complete(pmu_package.driver);
		unlock();
	}
}

void pmu_shared_unlock(void)
{
	unlock();
	serve_if_complete();
}

//
// Samples
//

#define SAMPLES_MOST PMU_SESSION_EVENTS

// This CPU's samples of a round, not in its ring before it has arrived. Returns how many.
static unsigned take_samples(const struct pmu_driver *driver, uint64_t overflowed, uint64_t ip, unsigned level,
			     struct pmu_sample samples[SAMPLES_MOST])
{
	unsigned count = 0;

	for (; overflowed && count < SAMPLES_MOST; overflowed &= overflowed - 1) {
		const struct pmu_counter *c = pmu_package.counter[__builtin_ctzll(overflowed)];
		struct pmu_sample *sample = &samples[count];
		uint64_t residue;

		if (!c)
			continue;
		if (!driver->read(c->address, &residue))
			pmu_register_faulted(&pmu_package);
		*sample = (struct pmu_sample){.ip = ip, .clock = hal_clock(), .source = c->source};
		sample->count = c->wrap + residue;
		sample->source.level = (uint8_t)level;
		count += pmu_is_due(c, sample->count);
	}
	return count;
}

// The ring has one writer, but where this is not called by an interrupt a non-maskable one may write in between.
static void publish(const struct pmu_sample *sample)
{
	struct pmu_ring *ring = &pmu_this_cpu()->ring;
	uint32_t head = ring->head;

	do {
		if (head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >= PMU_RING_SAMPLES) {
			count_up(&pmu_package.statistics.dropped);
			return;
		}
		ring->sample[head % PMU_RING_SAMPLES] = *sample;
	} while (!__atomic_compare_exchange_n(&ring->head, &head, head + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

// Takes this CPU's samples of the present round. False: there is no overflow, or it has them, or the round has ended
// meanwhile, and what was taken in it is void.
static bool arrive(const struct pmu_driver *driver, uint64_t ip, unsigned level)
{
	uint64_t round = __atomic_load_n(&shared.round, __ATOMIC_SEQ_CST), seen, overflowed;
	struct pmu_sample samples[SAMPLES_MOST];
	unsigned count;

	if (!driver->overflow_status(&overflowed))
		pmu_register_faulted(&pmu_package);
	if (!overflowed || !(shared.cpus & this_bit()) || round & this_bit())
		return false;
	count = take_samples(driver, overflowed, ip, level, samples);
	seen = round;
	do {
		if (seen & CLOSED || (seen ^ round) >= ROUND)
			return false;
	} while (!__atomic_compare_exchange_n(&shared.round, &seen, seen | this_bit(), false, __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	for (unsigned i = 0; i < count; i++)
		publish(&samples[i]);
	return true;
}

// The shared PMU has signalled this CPU: called by the cores' overflow interrupt.
static void interrupt(uint64_t ip, unsigned level)
{
	count_up(&pmu_package.statistics.interrupts);
	__atomic_fetch_or(&shared.inside, this_bit(), __ATOMIC_SEQ_CST);
	if (!arrive(pmu_package.driver, ip, level))
		count_up(&pmu_package.statistics.spurious);
	__atomic_fetch_and(&shared.inside, ~this_bit(), __ATOMIC_SEQ_CST);
	serve_if_complete();
}

//
// Begin, start, stop
//

// With the lock: stops all counters, and serves what has overflowed until then, with a sample of this CPU's at `ip` if
// it has none yet. Ends the round whoever is missing in it.
static bool halt_and_serve(const struct pmu_driver *driver, uint64_t ip)
{
	uint64_t overflowed;
	bool ok;

	if (!signals(driver))
		return true;
	ok = driver->enable(0);
	ok &= driver->overflow_status(&overflowed);
	if (overflowed)
		arrive(driver, ip, 0);
	serve(driver, overflowed);
	return ok;
}

// A signal that came while the interrupt was masked.
static void look_for_signal(struct pmu_cpu *cpu, const struct pmu_driver *driver, uint64_t ip,
			    unsigned level)
{
	for (unsigned rounds = 0; rounds < PMU_ROUNDS; rounds++) {
		uint64_t status;

		if (!driver->overflow_status(&status))
			pmu_register_faulted(cpu);
		if (!(status & driver->shared))
			return;
		pmu_overflow_rounds(cpu, driver, driver->shared, ip, level, hal_clock(), 1);
	}
}

static void begin_anew(const struct pmu_driver *driver)
{
	pmu_clear_unit(&pmu_package, driver);
	pmu_package.sessions = FIRST_SESSION;
	shared.cpus = 0;
}

void pmu_shared_leave(void)
{
	// What the CPU that the program starts on finds before it has begun with any PMU is another machine's.
	if (!hal_cpu() && !pmu_this_cpu())
		memset(&shared, 0, sizeof shared);
	__atomic_fetch_and(&shared.cpus, ~this_bit(), __ATOMIC_SEQ_CST);
	serve_if_complete();
}

enum pmu_error pmu_shared_begin(const struct pmu_driver *driver, bool non_maskable)
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	bool takes_part = cpu && cpu->shared_interrupt, anew, ok = true;
	bool interrupts;

	if (!cpu || cpu->driver != driver->cores || takes_part) {
		if (pmu_begin(driver->cores, non_maskable) != PMU_OK)
			return PMU_FAULT;
		cpu = pmu_this_cpu();
	}
	interrupts = hal_interrupts_disable();
	if (!pmu_shared_lock()) {
		hal_interrupts_restore(interrupts);
		return PMU_FAULT;
	}
	anew = takes_part || !shared.cpus || pmu_package.driver != driver;
	if (anew) {
		begin_anew(driver);
		ok = driver->reset();
	}
	cpu->selected = &pmu_package;
	ok &= halt_and_serve(driver, (uintptr_t)__builtin_return_address(0));
	shared.cpus |= this_bit();
	cpu->shared_unmasked = look_for_signal;
	cpu->shared_interrupt = interrupt;
	ok &= !signals(driver) || driver->cores->listen(true);
	ok &= driver->enable(pmu_package.enabled);
	pmu_shared_unlock();
	hal_interrupts_restore(interrupts);
	return ok ? PMU_OK : PMU_FAULT;
}

enum pmu_error pmu_shared_open(struct pmu_session *session, const struct event_request *requests, unsigned count,
			       struct pmu_refusal *refusal)
{
	bool interrupts = hal_interrupts_disable();
	enum pmu_error error = PMU_FAULT;

	if (pmu_shared_lock()) {
		error = pmu_open_unit(&pmu_package, session, requests, count, refusal);
		pmu_shared_unlock();
	}
	hal_interrupts_restore(interrupts);
	return error;
}

enum pmu_error pmu_shared_close(struct pmu_session *session)
{
	bool interrupts = hal_interrupts_disable();
	enum pmu_error error = PMU_FAULT;

	if (pmu_shared_lock()) {
		error = pmu_close_unit(&pmu_package, session);
		pmu_shared_unlock();
	}
	hal_interrupts_restore(interrupts);
	return error;
}

// While this CPU has the lock no other one serves.
enum pmu_error pmu_shared_read(const struct pmu_session *session, const struct pmu_counter *c, uint64_t *count)
{
	bool interrupts = hal_interrupts_disable(), ok = pmu_shared_lock();

	if (ok) {
		*count = pmu_count(session->driver, c, c->start);
		if (session->running)
			ok = pmu_read_running(session->driver, c, count);
		pmu_shared_unlock();
	}
	hal_interrupts_restore(interrupts);
	return ok ? PMU_OK : PMU_FAULT;
}

void pmu_shared_look(void)
{
	const struct pmu_driver *driver = pmu_package.driver;

	if (!try_lock())
		return;
	for (uint64_t left = pmu_package.enabled; left; left &= left - 1) {
		const struct pmu_counter *c = pmu_package.counter[__builtin_ctzll(left)];
		uint64_t value;

		if (c && !driver->read(c->address, &value))
			pmu_register_faulted(&pmu_package);
	}
	pmu_shared_unlock();
}

enum pmu_error pmu_shared_start(const struct pmu_driver *driver, struct pmu_session *session)
{
	bool interrupts = hal_interrupts_disable(), ok = pmu_shared_lock();
	enum pmu_error error = PMU_STARTED;

	if (ok && !session->running) {
		ok &= halt_and_serve(driver, (uintptr_t)__builtin_return_address(0));
		ok &= driver->program(session->counter, session->count);
		session->running = true;
		pmu_package.enabled |= session->counters;
		ok &= driver->enable(pmu_package.enabled);
		error = PMU_OK;
	}
	if (error == PMU_OK || ok)
		pmu_shared_unlock();
	hal_interrupts_restore(interrupts);
	return ok ? error : PMU_FAULT;
}

// Waits until no CPU looks at counters that it has seen running.
static void wait_for_others(void)
{
	for (unsigned tries = 0; tries < LOCK_TRIES; tries++)
		if (!(__atomic_load_n(&shared.inside, __ATOMIC_SEQ_CST) & ~this_bit()))
			return;
}

enum pmu_error pmu_shared_stop(const struct pmu_driver *driver, struct pmu_session *session)
{
	bool interrupts = hal_interrupts_disable(), ok = pmu_shared_lock();
	enum pmu_error error = PMU_STOPPED;

	if (ok && session->running) {
		ok &= halt_and_serve(driver, (uintptr_t)__builtin_return_address(0));
		for (struct pmu_counter *c = session->counter, *end = c + session->count; c < end; c++) {
			uint64_t value = 0;

			ok &= driver->read(c->address, &value);
			pmu_collect(driver, c, value);
		}
		session->running = false;
		pmu_package.enabled &= ~session->counters;
		if (pmu_package.enabled || !signals(driver))
			ok &= driver->enable(pmu_package.enabled);
		error = PMU_OK;
	}
	if (error == PMU_OK || ok)
		pmu_shared_unlock();
	wait_for_others();
	hal_interrupts_restore(interrupts);
	return ok ? error : PMU_FAULT;
}
