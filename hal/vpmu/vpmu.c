// SPDX-License-Identifier: BSD-2-Clause
// The virtual PMU: hal/include/vpmu.h.

#include "vpmu.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct pmu_model *pmu_model_find(const char *name)
{
	for (const struct pmu_model *const *m = pmu_models; *m; m++)
		if (!strcmp((*m)->name, name))
			return *m;
	return NULL;
}

// "stuck:ADDRESS:BIT:VALUE"
static bool parse_stuck(struct vpmu *v, const char *s)
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
	v->stuck_address = (uint32_t)number[0];
	v->stuck_mask = 1ULL << number[1];
	v->stuck_value = number[2] << number[1];
	return true;
}

static void connect_wires(struct vpmu *v)
{
	size_t count = 0;
	const struct occurrence *wires = v->halted ? NULL : v->model->clock(v->thread, v->level, &count);

	v->model->wires(v->state, wires, count);
}

bool vpmu_start(struct vpmu *v, const struct pmu_model *model, void *state, unsigned thread, const char *fault,
		uint64_t seed)
{
	int number = -1;
	bool known = !fault || !*fault;

	*v = (struct vpmu){.model = model, .state = state, .thread = thread};
	for (int i = 0; !known && model->faults[i]; i++)
		if (!strcmp(fault, model->faults[i])) {
			number = i;
			known = true;
		}
	if (!known)
		known = parse_stuck(v, fault);
	model->reset(state, number, seed);
	connect_wires(v);
	return known;
}

void vpmu_set_level(struct vpmu *v, unsigned level)
{
	if (level != v->level) {
		v->level = level;
		connect_wires(v);
	}
}

void vpmu_set_halted(struct vpmu *v, bool halted)
{
	v->halted = halted;
	connect_wires(v);
}

bool vpmu_event_happens(const struct vpmu *v, uint16_t code, uint8_t umask)
{
	size_t count;
	const struct occurrence *o = v->model->clock(v->thread, v->level, &count);

	for (; count; o++, count--)
		if (o->code == code && (umask ? o->sub & umask : o->sub == 0))
			return true;
	return false;
}
