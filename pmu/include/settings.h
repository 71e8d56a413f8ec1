/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers that events need besides their counters: the open sessions of a CPU share them, and the threads of a core
 * some of them, too. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "pmu_unit.h"

/* Registers that the threads of a core share, at most. */
#define PMU_CORE_REGISTERS 4

/* The owners of each register that the threads of a core share, by its place in the driver's list, in all cores: the
 * CPUs whose open sessions need it, as bits, and the value they need. The lock guards them. */
struct pmu_core_registers {
	bool locked;
	struct {
		uint32_t owners;
		uint64_t value[HAL_CPUS];
	} of[PMU_CORE_REGISTERS];
};

HAL_STATE(struct pmu_core_registers, pmu_core_registers)

/* Collects the settings that a session's events need, after counters were assigned, and writes them. */
enum pmu_error pmu_settings_open(struct pmu_cpu *cpu, struct pmu_session *session,
				 const struct event_request *requests, struct pmu_refusal *refusal);

/* Restores those that no other open session needs. False: a register access faulted. */
bool pmu_settings_close(struct pmu_cpu *cpu, const struct pmu_session *session);

/* Writes those of a restored session. */
bool pmu_settings_apply(struct pmu_cpu *cpu, const struct pmu_session *session);

/* Makes a setting idle that an open session's counter no longer needs. False: a register access faulted. */
bool pmu_settings_end(struct pmu_cpu *cpu, const struct pmu_setting *unneeded);

/* Makes this CPU an owner of its core's registers that sessions to be restored need. PMU_SETTINGS: another thread needs
 * another value in one; then this CPU owns none. */
enum pmu_error pmu_settings_take(const struct pmu_driver *driver, const struct pmu_session *open,
				 struct pmu_refusal *refusal);

/* Sets a setting's bits, with interrupts off, because another program, or this one in an interruption, may change other
 * bits of the register. False: a register access faulted. */
bool pmu_setting_put(const struct pmu_setting *setting, uint64_t value);

/* Makes this CPU an owner of the core's register of a setting, unless CPUs of the core need another value: *cpus, as
 * bits. False: another CPU held the lock too long. */
bool pmu_core_registers_take(const struct pmu_settings *settings, const struct pmu_setting *setting, uint32_t *cpus);

/* No session of this CPU needs such a setting any more: restores the register, unless another owner is left. False: a
 * register access faulted, or another CPU held the lock too long. */
bool pmu_core_registers_give_back(const struct pmu_settings *settings, const struct pmu_setting *setting);

/* This CPU begins, and owns none. Resets those without an owner. */
bool pmu_core_registers_reset(const struct pmu_settings *settings);

/* At the program's beginning: no CPU owns any. */
void pmu_core_registers_forget(void);

#endif
