// SPDX-License-Identifier: BSD-2-Clause
// palmon convert --speedscope: JSON for speedscope (file-format-schema.json), with a profile of
// samples for each event and CPU. The weight of a sample is the number of events that it stands
// for.

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "convert.h"
#include "palmon.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct scope {
	const struct profile *profile;
	struct numbers numbers;
	json_t *frames, *profiles;
};

static json_t *stack_of(struct scope *scope, const struct sample *s)
{
	json_t *stack = json_array();
	char text[NAMES_PLACE];

	for (unsigned i = s->frames + 1; i--;) {
		const char *name = profile_function(scope->profile, profile_frame(s, i), text);
		bool is_new;
		const unsigned number = numbers_find(&scope->numbers, name, &is_new);

		if (is_new)
			json_array_append_new(scope->frames, json_pack("{s:s}", "name", name));
		json_array_append_new(stack, json_integer(number));
	}
	return stack;
}

static void add_profile(struct scope *scope, unsigned event, unsigned cpu, unsigned cpus)
{
	const struct profile *p = scope->profile;
	json_t *samples = json_array(), *weights = json_array();
	uint64_t end = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct sample *s = p->sample[i];

		if (s->key.event != event || s->cpu != cpu)
			continue;
		json_array_append_new(samples, stack_of(scope, s));
		json_array_append_new(weights, json_integer((json_int_t)profile_weight(p, s)));
		end += profile_weight(p, s);
	}
	json_array_append_new(scope->profiles, json_pack(
		"{s:s, s:o, s:s, s:i, s:I, s:o, s:o}", "type", "sampled", "name", cpus > 1 ?
		json_sprintf("%s, CPU %u", p->file.event[event].name, cpu) : json_string(p->file.event[event].name),
		"unit", "none", "startValue", 0, "endValue", (json_int_t)end, "samples", samples, "weights", weights));
}

bool write_speedscope(const struct profile *p, struct output *output)
{
	struct scope scope = {.profile = p, .frames = json_array(), .profiles = json_array()};
	const unsigned cpus = profile_cpus(p);
	bool ok;

	for (unsigned i = 0; i < p->file.event_count; i++)
		for (unsigned cpu = 0; profile_has(p, i) && cpu < cpus; cpu++)
			add_profile(&scope, i, cpu, cpus);
	ok = output_json(output, json_pack(
		"{s:s, s:s, s:s, s:{s:o}, s:o}", "$schema", SCHEMA, "name", p->file.trace, "exporter", "palmon",
		"shared", "frames", scope.frames, "profiles", scope.profiles));
	json_decref(scope.numbers.of);
	return ok;
}
