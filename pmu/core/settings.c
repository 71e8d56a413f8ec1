// SPDX-License-Identifier: BSD-2-Clause
// Registers that events need set beside their counters: ranges, opcodes, filters. All sessions of a CPU share them.

#include "cpu.h"

// The first setting of the sessions from `s` up to `end` that concerns bits of `wanted`; with `differing`, only one
// that sets them otherwise.
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

static enum pmu_error collect(const struct pmu_cpu *cpu, struct pmu_session *session,
			      const struct event_request *requests, struct pmu_refusal *refusal)
{
	const struct pmu_driver *driver = cpu->driver;

	for (unsigned i = 0; i < session->count; i++) {
		struct pmu_setting *new = &session->setting[session->setting_count], *end;

		if (session->setting_count > PMU_SESSION_SETTINGS - PMU_EVENT_SETTINGS)
			return PMU_TOO_MANY;
		for (end = new + driver->settings(&requests[i], session->counter[i].number, new); new < end; new++) {
			if (find(session, NULL, new, true)) {
				refusal->events = 1ULL << i;
				refusal->address = new->address;
				return PMU_SETTINGS;
			}
			if (!find(session, session->next, new, false))
				session->setting[session->setting_count++] = *new;
		}
	}
	return PMU_OK;
}

// With interrupts off: other bits of the register may be what another program, or this one in an interruption, changes.
static bool put(const struct pmu_setting *setting, uint64_t value)
{
	const bool interrupts = hal_interrupts_disable();
	uint64_t present;
	const bool ok = reg_read(setting->address, &present) &&
			reg_write(setting->address, (present & ~setting->mask) | value);

	hal_interrupts_restore(interrupts);
	return ok;
}

bool pmu_settings_apply(const struct pmu_session *session)
{
	bool ok = true;

	for (unsigned i = 0; i < session->setting_count; i++)
		ok &= put(&session->setting[i], session->setting[i].value);
	return ok;
}

// In reverse: what makes use of a register goes before it.
bool pmu_settings_close(const struct pmu_cpu *cpu, const struct pmu_session *session)
{
	bool ok = true;

	for (unsigned i = session->setting_count; i--;)
		if (!find(cpu->open, NULL, &session->setting[i], false))
			ok &= put(&session->setting[i], session->setting[i].idle);
	return ok;
}

enum pmu_error pmu_settings_open(const struct pmu_cpu *cpu, struct pmu_session *session,
				 const struct event_request *requests, struct pmu_refusal *refusal)
{
	enum pmu_error error = collect(cpu, session, requests, refusal);

	if (!error && !pmu_settings_apply(session)) {
		pmu_settings_close(cpu, session);
		error = PMU_FAULT;
	}
	return error;
}
