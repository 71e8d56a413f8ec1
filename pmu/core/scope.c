// SPDX-License-Identifier: BSD-2-Clause
// Scopes: the processes that this CPU's sessions monitor.

#include "pmu_unit.h"

enum pmu_error pmu_choose_scope(enum pmu_scope scope, enum pmu_privilege privilege,
				struct pmu_scope_status *status)
{
	struct pmu_cpu *cpu = pmu_this_cpu();
	const struct pmu_scopes *scopes = cpu->driver->scope;

	if (!scopes)
		return PMU_UNFIT;
	if (cpu->open)
		return PMU_CONFLICT;
	cpu->scope = scope;
	cpu->scoped = scopes->choose(scope, privilege, &cpu->scope_status);
	*status = cpu->scope_status;
	return cpu->scoped ? PMU_OK : PMU_FAULT;
}

bool pmu_switch_process(enum pmu_process process)
{
	const struct pmu_cpu *cpu = pmu_this_cpu();
	const struct pmu_scope_status *status = &cpu->scope_status;
	const bool monitored = process == PMU_PROCESS_OWN ||
		(process == PMU_PROCESS_CHOSEN && cpu->scope != PMU_SCOPE_PROCESS);

	return cpu->scoped &&
	       cpu->driver->scope->enter(monitored ? status->monitored : status->others);
}
