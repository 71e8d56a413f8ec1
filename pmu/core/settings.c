// SPDX-License-Identifier: BSD-2-Clause
// Registers that events need in addition to their counters: ranges, opcodes, filters. All sessions
// of a CPU share them; the threads of a core share some of them (core_registers.c).

#include "settings.h"

// Returns the first setting of the sessions from `s` up to `end` that has bits of `wanted`; with
// `differing`, the first one with another value for them.
static const struct pmu_setting *find(const struct pmu_session *s, const struct pmu_session *end,
				      const struct pmu_setting *wanted, bool differing)
{
	for (; s != end; s = s->next)
		for (unsigned i = 0; i < s->setting_count; i++) {
			const struct pmu_setting *other = &s->setting[i];
			uint64_t common = other->mask & wanted->mask;

			if (differing)
				common &= other->value ^ wanted->value;
			if (other->address == wanted->address && common)
				return other;
		}
	return NULL;
}

//
// Registers that the threads of a core share
//

static bool is_shared(const struct pmu_driver *driver, const struct pmu_setting *setting)
{
	const struct pmu_settings *settings = driver->settings;

	for (unsigned i = 0; i < settings->core_count; i++)
		if (settings->core[i].address == setting->address)
			return true;
	return false;
}

static enum pmu_error refuse(const struct pmu_setting *setting, uint32_t cpus,
			     struct pmu_refusal *refusal)
{
	refusal->address = setting->address;
	refusal->cpus = cpus;
	return PMU_SETTINGS;
}

static enum pmu_error take(const struct pmu_driver *driver, const struct pmu_setting *setting,
			   struct pmu_refusal *refusal)
{
	uint32_t cpus = 0;

	if (is_shared(driver, setting) &&
	    !pmu_core_registers_take(driver->settings, setting, &cpus))
		return PMU_FAULT;
	return cpus ? refuse(setting, cpus, refusal) : PMU_OK;
}

// Ends the use of a setting that no session of this CPU needs.
static bool give_back(const struct pmu_driver *driver, const struct pmu_setting *setting)
{
	return is_shared(driver, setting) ?
	       pmu_core_registers_give_back(driver->settings, setting) :
					    pmu_setting_put(setting, setting->idle);
}

// Releases the settings of a refused session, for which nothing has been written.
static void give_up(const struct pmu_driver *driver, const struct pmu_session *open,
		    const struct pmu_session *session)
{
	for (unsigned i = 0; i < session->setting_count; i++)
		if (is_shared(driver, &session->setting[i]) &&
		    !find(open, NULL, &session->setting[i], false))
			give_back(driver, &session->setting[i]);
}

enum pmu_error pmu_settings_take(const struct pmu_driver *driver, const struct pmu_session *open,
				 struct pmu_refusal *refusal)
{
	for (const struct pmu_session *s = open; s; s = s->next)
		for (unsigned i = 0; i < s->setting_count; i++) {
			const enum pmu_error error = take(driver, &s->setting[i], refusal);

			if (!error)
				continue;
			refusal->events = 0;
			for (s = open; s; s = s->next)
				give_up(driver, NULL, s);
			return error;
		}
	return PMU_OK;
}

//
// Sessions
//

static enum pmu_error collect(const struct pmu_cpu *cpu, struct pmu_session *session,
			      const struct event_request *requests, struct pmu_refusal *refusal)
{
	const struct pmu_driver *driver = cpu->driver;

	for (unsigned i = 0; i < session->count; i++) {
		struct pmu_setting *new = &session->setting[session->setting_count], *end;

		if (session->setting_count > PMU_SESSION_SETTINGS - PMU_EVENT_SETTINGS)
			return PMU_TOO_MANY;
		end = new + driver->settings->needed(&requests[i], session->counter[i].number, new);
		for (; new < end; new++) {
			const enum pmu_error error = find(session, NULL, new, true) ?
							     refuse(new, 0, refusal) : take(driver,
											    new,
											refusal);

			if (error) {
				refusal->events = 1ULL << i;
				return error;
			}
			if (!find(session, session->next, new, false))
				session->setting[session->setting_count++] = *new;
		}
	}
	return PMU_OK;
}

bool pmu_settings_apply(struct pmu_cpu *cpu, const struct pmu_session *session)
{
	bool ok = true;

	cpu->set_sessions += session->setting_count != 0;
	for (unsigned i = 0; i < session->setting_count; i++)
		ok &= pmu_setting_put(&session->setting[i], session->setting[i].value);
	return ok;
}

// In reverse order, so that a register's user is restored before the register.
bool pmu_settings_close(struct pmu_cpu *cpu, const struct pmu_session *session)
{
	bool ok = true;

	cpu->set_sessions -= session->setting_count != 0;
	for (unsigned i = session->setting_count; i--;)
		if (!find(cpu->open, NULL, &session->setting[i], false))
			ok &= give_back(cpu->driver, &session->setting[i]);
	return ok;
}

bool pmu_settings_end(struct pmu_cpu *cpu, const struct pmu_setting *unneeded)
{
	for (struct pmu_session *s = cpu->open; s; s = s->next)
		for (struct pmu_setting *n = s->setting, *end = n + s->setting_count; n < end; n++)
			if (n->address == unneeded->address && n->mask == unneeded->mask)
				n->value = n->idle;
	return pmu_setting_put(unneeded, unneeded->idle);
}

enum pmu_error pmu_settings_open(struct pmu_cpu *cpu, struct pmu_session *session,
				 const struct event_request *requests, struct pmu_refusal *refusal)
{
	enum pmu_error error = collect(cpu, session, requests, refusal);

	if (error) {
		give_up(cpu->driver, cpu->open, session);
	} else if (!pmu_settings_apply(cpu, session)) {
		pmu_settings_close(cpu, session);
		error = PMU_FAULT;
	}
	return error;
}
