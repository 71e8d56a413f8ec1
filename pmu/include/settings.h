/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers that events need set beside their counters: the open sessions of a CPU share them, and the threads of a
 * core some of them, too. */
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

/* Collects the settings that a session's events need, its counters being assigned, and writes them. */
enum pmu_error pmu_settings_open(struct pmu_cpu *cpu, struct pmu_session *session,
				 const struct event_request *requests, struct pmu_refusal *refusal);

/* Takes back those that no other open session needs. False: a register access faulted. */
bool pmu_settings_close(struct pmu_cpu *cpu, const struct pmu_session *session);

/* Writes those of a session that is brought back. */
bool pmu_settings_apply(struct pmu_cpu *cpu, const struct pmu_session *session);

/* An open session's counter needs this setting no more: it is idle from now on. False: a register access faulted. */
bool pmu_settings_end(struct pmu_cpu *cpu, const struct pmu_setting *unneeded);

/* Makes this CPU an owner of its core's registers that sessions which are to be brought back need. PMU_SETTINGS:
 * another thread needs one otherwise; then it is the owner of none. */
enum pmu_error pmu_settings_take(const struct pmu_driver *driver, const struct pmu_session *open,
				 struct pmu_refusal *refusal);

/* Sets a setting's bits. With interrupts off: other bits of the register may be what another program, or this one in
 * an interruption, changes. False: a register access faulted. */
bool pmu_setting_put(const struct pmu_setting *setting, uint64_t value);

/* Makes this CPU an owner of the core's register that a setting is written to, unless CPUs of the core need it
 * otherwise: *cpus, as bits. False: another CPU has stayed too long. */
bool pmu_core_registers_take(const struct pmu_settings *settings, const struct pmu_setting *setting, uint32_t *cpus);

/* No session of this CPU needs such a setting any more: takes it back, unless another owner is left. False: a register
 * access faulted, or another CPU has stayed too long. */
bool pmu_core_registers_give_back(const struct pmu_settings *settings, const struct pmu_setting *setting);

/* This CPU begins: it owns none. Clears those that have no owner. */
bool pmu_core_registers_reset(const struct pmu_settings *settings);

/* No CPU owns any: the program is at its beginning. */
void pmu_core_registers_forget(void);

#endif
