// SPDX-License-Identifier: BSD-2-Clause
// How a virtual PMU begins (hal/include/vpmu.h), with a fault switched on or none.

#include "vpmu.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// "stuck:ADDRESS:BIT:VALUE"
static bool parse_stuck(struct vpmu_stuck *stuck, const char *s)
{
	static const char prefix[] = "stuck:";
	unsigned long long number[3];

	if (strncmp(s, prefix, sizeof prefix - 1))
		return false;
	s += sizeof prefix - 1;
	for (int i = 0; i < 3; i++) {
		char *end;

		if (!isdigit((unsigned char)*s))
			return false;
		number[i] = strtoull(s, &end, 0);
		if (*end != (i < 2 ? ':' : '\0'))
			return false;
		s = end + 1;
	}
	if (number[0] > UINT32_MAX || number[1] > 63 || number[2] > 1)
		return false;
	stuck->address = (uint32_t)number[0];
	stuck->mask = 1ULL << number[1];
	stuck->value = number[2] << number[1];
	return true;
}

// What is behind "MODEL/"; NULL: that is another model.
static const char *own_name(const struct pmu_model *model, const char *fault)
{
	const size_t length = strlen(model->name);

	if (!strchr(fault, '/'))
		return fault;
	return !strncmp(fault, model->name, length) && fault[length] == '/' ? fault + length + 1 : NULL;
}

// One of a model's faults: its number, or -1 and what is stuck, if anything is. False: it has no such fault, and no
// fault is found.
static bool find_fault(const struct pmu_model *model, const char *fault, int *number, struct vpmu_stuck *stuck)
{
	*number = -1;
	*stuck = (struct vpmu_stuck){0};
	if (!fault || !*fault)
		return true;
	fault = own_name(model, fault);
	if (!fault)
		return false;
	for (int i = 0; model->faults[i]; i++)
		if (!strcmp(fault, model->faults[i])) {
			*number = i;
			return true;
		}
	return parse_stuck(stuck, fault);
}

static bool has_register(const struct pmu_model *model, uint32_t address)
{
	for (size_t i = 0; i < model->register_count; i++)
		if (address - model->registers[i].address < model->registers[i].count)
			return true;
	return false;
}

const struct pmu_model *vpmu_fault_model(const char *fault, const struct pmu_model *first,
					 const struct pmu_model *second)
{
	struct vpmu_stuck stuck;
	int number;

	if (second && find_fault(second, fault, &number, &stuck) && stuck.mask && has_register(second, stuck.address))
		return second;
	if (find_fault(first, fault, &number, &stuck))
		return first;
	return second && find_fault(second, fault, &number, &stuck) ? second : NULL;
}

bool vpmu_start(struct vpmu *v, const struct pmu_model *model, void *state, unsigned thread, const char *fault,
		uint64_t seed)
{
	int number;
	bool known;

	*v = (struct vpmu){.model = model, .state = state, .thread = thread};
	known = find_fault(model, fault, &number, &v->stuck);
	model->reset(state, number, seed);
	vpmu_resume(v);
	return known;
}

bool vpmu_package_start(struct vpmu_package *package, const struct pmu_model *model, void *state, const char *fault,
			uint64_t seed)
{
	int number;
	bool known;
	size_t count;
	const struct occurrence *wires = model->clock(0, 0, &count);

	*package = (struct vpmu_package){.model = model, .state = state};
	known = find_fault(model, fault, &number, &package->stuck);
	model->reset(state, number, seed);
	model->wires(state, wires, count);
	return known;
}
