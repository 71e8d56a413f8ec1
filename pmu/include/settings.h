/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers that events need in addition to their counters. The open sessions of a CPU share them;
 * the threads of a core share some of them. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "pmu_unit.h"

/* Registers shared by the threads of a core, at most. */
#define PMU_CORE_REGISTERS 4

/* The owners of each register that the threads of a core share. `of` is indexed by the register's
 * place in the driver's list, for all cores. `owners`: bit mask of CPUs whose open sessions need
 * the register. `value`: the value that each owner needs. `locked` guards them. */
struct pmu_core_registers {
	bool locked;
	struct {
		uint32_t owners;
		uint64_t value[HAL_CPUS];
	} of[PMU_CORE_REGISTERS];
};

HAL_STATE(struct pmu_core_registers, pmu_core_registers)

/* After counters were assigned: collects the settings that a session's events need, and writes
 * them. */
enum pmu_error pmu_settings_open(struct pmu_cpu *cpu, struct pmu_session *session,
				 const struct event_request *requests, struct pmu_refusal *refusal);

/* Restores registers that no other open session needs. False: a register access faulted. */
bool pmu_settings_close(struct pmu_cpu *cpu, const struct pmu_session *session);

/* Writes the settings of a restored session. */
bool pmu_settings_apply(struct pmu_cpu *cpu, const struct pmu_session *session);

/* Sets the bits of a setting that an open session's counter no longer needs to their idle value.
 * False: a register access faulted. */
bool pmu_settings_end(struct pmu_cpu *cpu, const struct pmu_setting *unneeded);

/* Makes this CPU an owner of the core registers that the sessions of a context need, before the
 * restore. PMU_SETTINGS: another thread needs another value in one of them; this CPU then owns
 * none. */
enum pmu_error pmu_settings_take(const struct pmu_driver *driver, const struct pmu_session *open,
				 struct pmu_refusal *refusal);

/* Sets a setting's bits by read-modify-write. Interrupts are disabled meanwhile, because another
 * program, or an interrupt handler of this one, may change other bits of the register. False: a
 * register access faulted. */
bool pmu_setting_put(const struct pmu_setting *setting, uint64_t value);

/* Makes this CPU an owner of a setting's core register, unless CPUs of the core need another value;
 * *cpus is then their bit mask. False: another CPU held the lock too long. */
bool pmu_core_registers_take(const struct pmu_settings *settings, const struct pmu_setting *setting,
			     uint32_t *cpus);

/* Ends this CPU's ownership of a setting's core register. The last owner restores the register.
 * False: a register access faulted, or another CPU held the lock too long. */
bool pmu_core_registers_give_back(const struct pmu_settings *settings,
				  const struct pmu_setting *setting);

/* At pmu_begin: this CPU owns none. Resets registers without an owner. */
bool pmu_core_registers_reset(const struct pmu_settings *settings);

/* At the program's start: no CPU owns any register. */
void pmu_core_registers_forget(void);

#endif
