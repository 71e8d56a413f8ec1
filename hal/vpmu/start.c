// SPDX-License-Identifier: BSD-2-Clause
// Creates a virtual PMU, with at most one fault (hal/include/vpmu.h).

#include "vpmu.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"

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

// "absent:ADDRESS"
static bool parse_absent(uint32_t *address, const char *s)
{
	static const char prefix[] = "absent:";
	unsigned long long number;
	char *end;

	if (strncmp(s, prefix, sizeof prefix - 1) || !isdigit((unsigned char)s[sizeof prefix - 1]))
		return false;
	number = strtoull(s + sizeof prefix - 1, &end, 0);
	*address = (uint32_t)number;
	return !*end && number <= UINT32_MAX;
}

// The fault's name without a prefix "MODEL/". NULL: the prefix names another model.
static const char *own_name(const struct pmu_model *model, const char *fault)
{
	const size_t length = strlen(model->name);

	if (!strchr(fault, '/'))
		return fault;
	return !strncmp(fault, model->name, length) && fault[length] == '/' ? fault + length + 1 :
	       NULL;
}

// A variant without defects of its own has those of its base. All such variants share the copy:
// there is one fault at a time.
const struct pmu_model *vpmu_with_defects(const struct pmu_model *model)
{
	static struct pmu_model variant;
	const struct pmu_model *base = pmu_model_base(model);

	for (unsigned i = 0; pmu_defective_models[i]; i++) {
		const struct pmu_model *all = pmu_defective_models[i](),
			*own = pmu_model_named(all, model->name);

		if (own)
			return own;
		if (strcmp(all->name, base->name))
			continue;
		variant = *all;
		variant.name = model->name;
		variant.processor = model->processor;
		variant.registers = model->registers;
		variant.register_count = model->register_count;
		variant.persist = model->persist;
		return &variant;
	}
	return model;
}

const char *const *vpmu_faults(const struct pmu_model *model)
{
	static const char *const none[] = {NULL};
	const char *const *names = vpmu_with_defects(model)->faults;

	return names ? names : none;
}

size_t vpmu_state_size(const struct pmu_model *model)
{
	return vpmu_with_defects(model)->size;
}

struct fault {
	int number;			// index in the model's list of faults; -1: none
	struct vpmu_stuck stuck;	// mask 0: none
	bool absent;			// the register at `address` is absent
	uint32_t address;		// of the absent register
};

// False: the model has no such fault; *found is then empty.
static bool find_fault(const struct pmu_model *model, const char *fault, struct fault *found)
{
	*found = (struct fault){.number = -1};
	if (!fault || !*fault)
		return true;
	fault = own_name(model, fault);
	if (!fault)
		return false;
	for (const char *const *name = vpmu_faults(model); *name; name++)
		if (!strcmp(fault, *name)) {
			found->number = (int)(name - vpmu_faults(model));
			return true;
		}
	if (parse_stuck(&found->stuck, fault))
		found->address = found->stuck.address;
	else
		found->absent = parse_absent(&found->address, fault);
	if ((found->absent || found->stuck.mask) && model_register(model, found->address))
		return true;
	*found = (struct fault){.number = -1};
	return false;
}

const struct pmu_model *vpmu_fault_model(const char *fault, const struct pmu_model *first,
					 const struct pmu_model *second)
{
	struct fault found;

	if (find_fault(first, fault, &found))
		return first;
	return second && find_fault(second, fault, &found) ? second : NULL;
}

// The model's fault whose name is nearest to `name`, or NULL.
static const char *nearest_fault(const struct pmu_model *model, const char *name, unsigned *nearer)
{
	const char *const *const faults = vpmu_faults(model);
	size_t count = 0;

	while (faults[count])
		count++;
	return pmu_nearest_within(faults, count, sizeof *faults, name, strlen(name), nearer);
}

static void explain_register(const char *fault, uint32_t address, char *text, size_t size)
{
	snprintf(text, size, "'%s': there is no register at address 0x%" PRIx32, fault, address);
}

void vpmu_explain_fault(const char *fault, const struct pmu_model *first,
			const struct pmu_model *second, char *text, size_t size)
{
	const char *const slash = strchr(fault, '/'), *const name = slash ? slash + 1 : fault;
	unsigned nearer = pmu_unlike(strlen(name));
	const char *const nearest = nearest_fault(first, name, &nearer);
	const char *const other = second ? nearest_fault(second, name, &nearer) : NULL;
	struct vpmu_stuck bit;
	uint32_t address;

	if (parse_stuck(&bit, name))
		explain_register(fault, bit.address, text, size);
	else if (parse_absent(&address, name))
		explain_register(fault, address, text, size);
	else if (!strncmp(name, "stuck:", 6))
		snprintf(text, size,
			 "'%s' is not stuck:ADDRESS:BIT:VALUE, with a register's address, a bit "
			 "from 0 to "
			 "63, and 0 or 1", fault);
	else if (!strncmp(name, "absent:", 7))
		snprintf(text, size, "'%s' is not absent:ADDRESS, with a register's address",
			 fault);
	else if (other || nearest)
		snprintf(text, size, "there is no fault '%s'; the nearest name is %s%s%s", fault,
			 !slash ? "" : other ? second->name : first->name, slash ? "/" : "",
			 other ? other : nearest);
	else
		snprintf(text, size,
			 "there is no fault '%s'; palmon selftest --list-faults lists all", fault);
}

// A copy of the model that lacks one register. All virtual PMUs that are started with this fault
// share it: there is one fault at a time. Models without a fault are not copied.
static struct {
	struct pmu_model model;
	struct model_user user;
	const struct pmu_model *whole;
	uint32_t address;
} lacking;

static bool lacking_read(void *state, unsigned thread, uint32_t address, uint64_t *value)
{
	return address != lacking.address && lacking.whole->read(state, thread, address, value);
}

static bool lacking_write(void *state, unsigned thread, uint32_t address, uint64_t value,
			  uint64_t instructions)
{
	return address != lacking.address &&
	       lacking.whole->write(state, thread, address, value, instructions);
}

// If any level can access a register (model.h, open_address), the counter at that index is the same
// register.
static bool lacks_counter(uint32_t index)
{
	return index < lacking.whole->user->open_count && lacking.whole->user->open_address +
	       index == lacking.address;
}

static bool lacking_read_counter(void *state, unsigned thread, uint32_t index, uint64_t *value)
{
	return !lacks_counter(index) &&
	       lacking.whole->user->read_counter(state, thread, index, value);
}

static bool lacking_write_counter(void *state, unsigned thread, uint32_t index, uint64_t value,
				  uint64_t instructions)
{
	return !lacks_counter(index) &&
	       lacking.whole->user->write_counter(state, thread, index, value, instructions);
}

static const struct pmu_model *without_register(const struct pmu_model *model, uint32_t address)
{
	if (model == &lacking.model)
		return model;
	lacking.model = *model;
	lacking.model.read = lacking_read;
	lacking.model.write = lacking_write;
	if (model->user) {
		lacking.user = *model->user;
		lacking.user.read_counter = lacking_read_counter;
		lacking.user.write_counter = model->user->write_counter ? lacking_write_counter :
			NULL;
		lacking.model.user = &lacking.user;
	}
	lacking.whole = model;
	lacking.address = address;
	return &lacking.model;
}

bool vpmu_start(struct vpmu *v, const struct pmu_model *model, void *state, unsigned thread,
		const char *fault, uint64_t seed)
{
	struct fault found;
	bool known = find_fault(model, fault, &found);

	if (found.number >= 0)
		model = vpmu_with_defects(model);
	if (found.absent)
		model = without_register(model, found.address);
	*v = (struct vpmu){.model = model, .state = state, .thread = thread, .stuck = found.stuck};
	model->reset(model, state, found.number, seed);
	vpmu_resume(v);
	return known;
}

bool vpmu_package_start(struct vpmu_package *package, const struct pmu_model *model, void *state,
			const char *fault, uint64_t seed)
{
	struct fault found;
	bool known = find_fault(model, fault, &found);
	size_t count;
	const struct occurrence *signals = model_clock(model, 0, 0, &count);

	if (found.number >= 0)
		model = vpmu_with_defects(model);
	if (found.absent)
		model = without_register(model, found.address);
	*package = (struct vpmu_package){.model = model, .state = state, .stuck = found.stuck};
	model->reset(model, state, found.number, seed);
	vpmu_package_connect(package, signals, count);
	return known;
}
