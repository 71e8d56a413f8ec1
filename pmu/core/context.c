// SPDX-License-Identifier: BSD-2-Clause
// Context switches: saves and restores the sessions of a CPU. A saved counter is like a stopped
// one: if it takes samples, `start` holds its register's value. A pending overflow is the bit above
// the register's width in `start`, so that the count is right meanwhile; it is served after the
// restore (pmu_pending, counter.h).

#include "counter.h"
#include "overflow.h"
#include "package.h"
#include "poll.h"
#include "records.h"
#include "settings.h"

static bool ran(const struct pmu_session *session, uint64_t enabled)
{
	return session->counters & enabled;
}

// The value may be one that software cannot write to the register (a counter whose samples were
// stopped), or too close to the overflow.
static void put_aside(const struct pmu_driver *driver, struct pmu_counter *c, uint64_t value)
{
	if (pmu_can_start_from(driver, c, value & pmu_greatest(driver, c)))
		c->start = value;
	else
		pmu_restart_from(driver, c, value);
}

static bool save_counters(const struct pmu_driver *driver, struct pmu_session *session,
			  uint64_t overflowed)
{
	bool ok = true;

	for (struct pmu_counter *c = session->counter, *end = c + session->count; c < end; c++) {
		uint64_t value = 0;

		ok &= driver->read(c->address, &value);
		if (overflowed >> c->number & 1)
			value += pmu_modulus(driver, c);
		if (c->precise)
			pmu_collect(driver, c, value);	// its records have been taken: no overflow
							// is pending
		else if (pmu_continues_from_zero(driver, c))
			c->wrap += value;
		else
			put_aside(driver, c, value);
	}
	session->running = false;
	return ok;
}

static bool counter_records(const struct pmu_session *s)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->counter[i].payload || s->counter[i].precise)
			return true;
	return false;
}

// Returns whether a switch saves and restores the registers of the group `records`. If samples
// carry their contents (`payload`), only sessions with such samples or with settings use them. Most
// sessions have neither, and their switches are shorter.
static bool keeps_records(const struct pmu_context *context)
{
	const struct pmu_records *const group = context->driver->records;

	if (!group || !group->payload)
		return group;
	for (const struct pmu_session *s = context->open; s; s = s->next)
		if (s->setting_count || counter_records(s))
			return true;
	return false;
}

static bool save_recorded(struct pmu_context *context)
{
	const struct pmu_driver *driver = context->driver;
	bool ok = true;

	if (driver->records->save)
		return driver->records->save(context->recorded);
	for (unsigned i = 0; i < driver->records->count; i++)
		ok &= reg_read(driver->records->registers[i], &context->recorded[i]);
	return ok;
}

// Writes the settings that enable recording before the registers that hold the records.
static bool restore_recorded(const struct pmu_driver *driver, const uint64_t values[PMU_RECORDED])
{
	bool ok = true;

	if (driver->records->restore)
		return driver->records->restore(values);
	for (unsigned i = 0; i < driver->records->count; i++)
		ok &= reg_write(driver->records->registers[i], values[i]);
	return ok;
}

// The lock guards the package's counters from other CPUs. Disabled interrupts guard a CPU's own
// counters from its overflow interrupt.
static bool enter(const struct pmu_driver *driver, bool *interrupts)
{
	if (driver->cores)
		return pmu_shared_lock(interrupts);
	*interrupts = hal_interrupts_disable();
	hal_pmi_mask();
	return true;
}

static bool leave(struct pmu_cpu *cpu, const struct pmu_context *context, bool interrupts)
{
	const struct pmu_driver *driver = context->driver;
	bool ok = true;

	if (driver->cores) {
		ok = pmu_shared_go_on(driver);
		pmu_shared_unlock(interrupts);
		return ok;
	}
	pmu_unmask(cpu, driver, context->ip, context->level);
	if (cpu->enabled)
		ok = driver->enable(cpu->enabled);
	hal_interrupts_restore(interrupts);
	return ok;
}

static const uint64_t nothing_recorded[PMU_RECORDED];

enum pmu_error pmu_save_unit(struct pmu_cpu *cpu, struct pmu_context *context, uint64_t ip,
			     unsigned level)
{
	const struct pmu_driver *driver = cpu->driver;
	bool interrupts, recorded, ok;
	uint64_t overflowed;

	if (!enter(driver, &interrupts))
		return PMU_FAULT;
	*context = (struct pmu_context){.driver = driver, .open = cpu->open,
					.enabled = cpu->enabled, .ip = ip,
					.level = level};
	ok = driver->enable(0);
	if (driver->cores)
		ok &= pmu_shared_halt(driver, ip);
	ok &= driver->overflow_status(&overflowed);
	overflowed &= cpu->served;
	if (~cpu->served) {
		ok &= pmu_take_records(cpu, level, hal_clock(), false);
		overflowed |= pmu_records_status(driver);	// these bits must be cleared
	}
	recorded = keeps_records(context);
	if (recorded)
		ok &= save_recorded(context);
	cpu->enabled = 0;
	cpu->served = ~0ULL;
	for (struct pmu_session *s = context->open; s; s = s->next) {
		if (ran(s, context->enabled))
			ok &= save_counters(driver, s, overflowed);
		for (unsigned i = 0; i < s->count; i++)
			cpu->counter[s->counter[i].number] = NULL;
		cpu->taken &= ~s->counters;
		cpu->open = s->next;
		ok &= driver->release(s->counter, s->count);
		ok &= pmu_settings_close(cpu, s);
	}
	pmu_counters_changed(cpu);
	if (recorded)
		ok &= restore_recorded(driver, nothing_recorded);
	ok &= driver->overflow_clear(overflowed & ~pmu_package_status(driver));
	return leave(cpu, context, interrupts) && ok ? PMU_OK : PMU_FAULT;
}

enum pmu_error pmu_context_save(struct pmu_context *context, uint64_t ip, unsigned level)
{
	return pmu_save_unit(pmu_this_cpu()->selected, context, ip, level);
}

// Restores a session's counters. Returns the overflow status that they had at the save.
static uint64_t restore_counters(struct pmu_cpu *cpu, struct pmu_session *session, bool *ok)
{
	const struct pmu_driver *driver = cpu->driver;
	uint64_t overflowed = 0;

	for (struct pmu_counter *c = session->counter, *end = c + session->count; c < end; c++) {
		overflowed |= pmu_pending(driver, c) << c->number;
		c->start &= pmu_greatest(driver, c);
	}
	session->running = true;
	*ok &= ~cpu->served ? driver->precise->program(session->counter, session->count) :
			      driver->program(session->counter, session->count);
	return overflowed;
}

static bool needs_buffer(const struct pmu_context *context)
{
	for (const struct pmu_session *s = context->open; s; s = s->next)
		for (unsigned i = 0; i < s->count; i++)
			if (s->counter[i].precise)
				return true;
	return false;
}

enum pmu_error pmu_restore_unit(struct pmu_cpu *cpu, struct pmu_context *context)
{
	const struct pmu_driver *driver = context->driver;
	bool interrupts, ok = true;
	uint64_t overflowed = 0;
	enum pmu_error error;

	if (cpu->driver != driver || (!driver->cores && cpu->open))
		return PMU_CONFLICT;
	if (needs_buffer(context) && !cpu->has_buffer)
		return PMU_NO_BUFFER;
	error = pmu_settings_take(driver, context->open, &context->refusal);
	if (error)
		return error;
	if (!enter(driver, &interrupts))
		return PMU_FAULT;
	if (driver->cores && cpu->open) {
		pmu_shared_unlock(interrupts);
		return PMU_CONFLICT;
	}
	if (driver->cores)
		ok = pmu_shared_halt(driver, context->ip);
	cpu->open = context->open;
	for (struct pmu_session *s = context->open; s; s = s->next) {
		for (unsigned i = 0; i < s->count; i++)
			pmu_own(cpu, &s->counter[i]);
		cpu->taken |= s->counters;
		if (cpu->sessions <= s->number)
			cpu->sessions = s->number + 1;		// no later session gets this number
		ok &= pmu_settings_apply(cpu, s);
		if (ran(s, context->enabled))
			overflowed |= restore_counters(cpu, s, &ok);
	}
	pmu_counters_changed(cpu);
	if (keeps_records(context))
		ok &= restore_recorded(driver, context->recorded);
	if (overflowed)
		pmu_overflow_rounds(&(struct pmu_service){cpu, driver, context->ip, context->level,
							  false, hal_clock()},
				    overflowed, PMU_ROUNDS);
	cpu->enabled = context->enabled;
	ok &= leave(cpu, context, interrupts);
	context->open = NULL;
	return ok ? PMU_OK : PMU_FAULT;
}

enum pmu_error pmu_context_restore(struct pmu_context *context)
{
	return pmu_restore_unit(pmu_this_cpu()->selected, context);
}
