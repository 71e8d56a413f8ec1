// SPDX-License-Identifier: BSD-2-Clause
// Registers by name and address, from the model's descriptions.

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#include "palmon.h"

// Register i of a description. The numbers in names differ by as much as the addresses.
static struct palmon_register one(const struct register_description *d, unsigned i)
{
	return (struct palmon_register){
		.description = d, .address = d->address + i * d->distance,
		.number = d->first < 0 ? -1 : d->first + (int)(i * d->distance),
	};
}

bool register_from(const struct pmu_model *model, uint64_t least, struct palmon_register *found)
{
	bool any = false;

	for (size_t k = 0; k < model->register_count; k++)
		for (unsigned i = 0; i < model->registers[k].count; i++) {
			struct palmon_register r = one(&model->registers[k], i);

			if (r.address >= least && (!any || r.address < found->address)) {
				*found = r;
				any = true;
			}
		}
	return any;
}

bool register_by_address(const struct pmu_model *model, uint32_t address,
			 struct palmon_register *found)
{
	return register_from(model, address, found) && found->address == address;
}

bool register_by_name(const struct pmu_model *model, const char *text,
		      struct palmon_register *found)
{
	char name[REGISTER_NAME_SIZE];

	if (isdigit((unsigned char)*text)) {
		uint64_t address;

		return read_number(text, '\0', &address) && address <= UINT32_MAX &&
		       register_by_address(model, (uint32_t)address, found);
	}
	for (uint64_t least = 0; register_from(model, least, found);
	     least = found->address + 1ULL) {
		register_name(found, name);
		if (!strcasecmp(name, text))
			return true;
	}
	return false;
}

void register_name(const struct palmon_register *r, char name[REGISTER_NAME_SIZE])
{
	if (r->number < 0)
		snprintf(name, REGISTER_NAME_SIZE, "%s", r->description->name);
	else
		snprintf(name, REGISTER_NAME_SIZE, "%s%d", r->description->name, r->number);
}

const char *const register_scopes[] = {
	[REGISTER_OF_THREAD] = "thread", [REGISTER_OF_CORE] = "core",
	[REGISTER_OF_PACKAGE] = "package",
};

enum register_scope register_scope(const struct pmu_model *model, const struct palmon_register *r)
{
	return model->package ? REGISTER_OF_PACKAGE : r->description->scope;
}
