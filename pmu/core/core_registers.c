// SPDX-License-Identifier: BSD-2-Clause
// Registers that the threads of a core share, and their owners. A lock guards owners and registers:
// a CPU becomes an owner before it writes, so no other CPU clears the register.

#include "settings.h"

HAL_STATE_PLACE(struct pmu_core_registers, pmu_core_registers)

void pmu_core_registers_forget(void)
{
	*pmu_core_registers() = (struct pmu_core_registers){0};
}

bool pmu_setting_put(const struct pmu_setting *setting, uint64_t value)
{
	const bool interrupts = hal_interrupts_disable();
	uint64_t present;
	const bool ok = reg_read(setting->address, &present) &&
			reg_write(setting->address, (present & ~setting->mask) | value);

	hal_interrupts_restore(interrupts);
	return ok;
}

// Interrupts must be disabled. False: another CPU held the lock too long.
static bool lock(void)
{
	for (unsigned tries = 0; tries < PMU_LOCK_TRIES; tries++) {
		if (!__atomic_exchange_n(&pmu_core_registers()->locked, true, __ATOMIC_ACQUIRE))
			return true;
		hal_relax();
	}
	return false;
}

static void unlock(void)
{
	__atomic_store_n(&pmu_core_registers()->locked, false, __ATOMIC_RELEASE);
}

// Returns the register's place in the driver's list. The register must be in the list.
static unsigned place_of(const struct pmu_settings *settings, uint32_t address)
{
	unsigned i = 0;

	while (settings->core[i].address != address)
		i++;
	return i;
}

static bool are_of_one_core(unsigned a, unsigned b)
{
	unsigned core_of_a, core_of_b, thread;

	hal_topology(a, &core_of_a, &thread);
	hal_topology(b, &core_of_b, &thread);
	return core_of_a == core_of_b;
}

// Returns the other owners in this CPU's core, as a bit mask. All need the same value.
static uint32_t other_owners(unsigned i)
{
	uint32_t owners = pmu_core_registers()->of[i].owners & ~(1u << hal_cpu());

	for (uint32_t left = owners; left; left &= left - 1)
		if (!are_of_one_core((unsigned)__builtin_ctz(left), hal_cpu()))
			owners &= ~(left & -left);
	return owners;
}

bool pmu_core_registers_take(const struct pmu_settings *settings, const struct pmu_setting *setting,
			     uint32_t *cpus)
{
	const unsigned i = place_of(settings, setting->address);
	const bool interrupts = hal_interrupts_disable(), locked = lock();

	if (locked) {
		*cpus = other_owners(i);
		if (*cpus &&
		    pmu_core_registers()->of[i].value[__builtin_ctz(*cpus)] == setting->value)
			*cpus = 0;
		if (!*cpus) {
			pmu_core_registers()->of[i].owners |= 1u << hal_cpu();
			pmu_core_registers()->of[i].value[hal_cpu()] = setting->value;
		}
		unlock();
	}
	hal_interrupts_restore(interrupts);
	return locked;
}

// Restores a register, if it is not idle already: a CPU may own a register without having written
// it, or be the last of several owners.
static bool clear(const struct pmu_setting *setting)
{
	uint64_t present;

	if (!reg_read(setting->address, &present))
		return false;
	return (present & setting->mask) == setting->idle ||
	       pmu_setting_put(setting, setting->idle);
}

bool pmu_core_registers_give_back(const struct pmu_settings *settings,
				  const struct pmu_setting *setting)
{
	const unsigned i = place_of(settings, setting->address);
	const bool interrupts = hal_interrupts_disable();
	bool ok = lock();

	if (ok) {
		pmu_core_registers()->of[i].owners &= ~(1u << hal_cpu());
		ok = other_owners(i) || clear(setting);
		unlock();
	}
	hal_interrupts_restore(interrupts);
	return ok;
}

bool pmu_core_registers_reset(const struct pmu_settings *settings)
{
	const bool interrupts = hal_interrupts_disable(), locked = lock();
	const uint32_t others = ~(1u << hal_cpu());
	bool ok = locked;

	for (unsigned i = 0; locked && i < settings->core_count; i++) {
		const uint32_t left = pmu_core_registers()->of[i].owners &= others;

		if (!left || !other_owners(i))
			ok &= reg_write(settings->core[i].address, 0);
	}
	if (locked)
		unlock();
	hal_interrupts_restore(interrupts);
	return ok;
}
