// SPDX-License-Identifier: BSD-2-Clause
// Samples in memory for the writers of formats: convert.h.

#include "convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "palmon.h"

#define KEY	offsetof(struct origin, steps)

static size_t origin_size(const struct origin *o)
{
	return offsetof(struct origin, step) + (o->steps + o->frames) * sizeof *o->step;
}

static bool is_same(const void *element, const void *key, size_t size)
{
	const struct origin *o = element;

	return origin_size(o) - KEY == size && !memcmp((const char *)o + KEY, key, size);
}

static bool no_memory(void)
{
	complain("%s", strerror(ENOMEM));
	return false;
}

// Adds a sample's origin to the set. NULL after a complaint.
static struct origin *add_origin(struct profile *p, const struct origin *o)
{
	void **found = distinct_find(&p->origins, &o->steps, origin_size(o) - KEY, is_same);

	if (found && !*found) {
		*found = malloc(origin_size(o));
		if (*found)
			memcpy(*found, o, origin_size(o));
	}
	if (!found || !*found) {
		no_memory();
		return NULL;
	}
	((struct origin *)*found)->samples += o->times;
	return *found;
}

// The frames of a sample's origin.
static void set_frames(struct origin *o, const struct sample *s)
{
	memset(&o->step[o->steps], 0, s->frames * sizeof *o->step);
	o->frames = s->frames;
	for (unsigned i = 0; i < s->frames; i++)
		o->step[o->steps + i].address = s->frame[i];
}

bool profile_take_callers(void *profile, const struct sample *s)
{
	struct origin o;

	memset(&o, 0, offsetof(struct origin, step));
	o.event = s->key.event;
	o.address = s->key.address;
	o.times = s->times;
	set_frames(&o, s);
	return add_origin(profile, &o);
}

bool profile_take(void *profile, const struct sample *s)
{
	struct profile *p = profile;
	struct profile_sample *more = grow(p->sample, p->count, &p->room, sizeof *more);
	struct sample_key key = s->key;
	struct origin o;

	if (!more)
		return no_memory();
	p->sample = more;
	if (!sampled_code_add_data(&p->program, &p->file, s, &key))
		return false;
	memset(&o, 0, offsetof(struct origin, step));
	o.event = s->key.event;
	o.place = s->key.place;
	o.has_data = key.has_data;
	o.has_level = s->key.has_level;
	o.has_source = s->key.has_source;
	o.has_latency = s->has_latency;
	o.address = s->key.address;
	o.level = s->key.level;
	o.served = s->served;
	o.access = s->access;
	o.times = s->times;
	o.steps = s->key.steps;
	memcpy(o.step, s->key.step, o.steps * sizeof *o.step);
	set_frames(&o, s);
	p->sample[p->count] = (struct profile_sample){
		add_origin(p, &o), s->clock, key.data, s->latency, s->line, s->cpu,
	};
	return p->sample[p->count++].origin;
}

void profile_free(struct profile *p)
{
	free(p->sample);
	code_close(p->program.code);
	distinct_free(&p->origins, free);
	samples_free(&p->file);
}

unsigned profile_events(const struct profile *p)
{
	unsigned events = 0;

	for (unsigned i = 0; i < p->file.event_count; i++)
		events += profile_has(p, i);
	return events;
}

unsigned profile_cpus(const struct profile *p)
{
	unsigned cpus = 1;

	for (size_t i = 0; i < p->count; i++)
		if (profile_has(p, p->sample[i].origin->event) && p->sample[i].cpu >= cpus)
			cpus = p->sample[i].cpu + 1;
	return cpus;
}

unsigned numbers_find(struct numbers *n, const char *name, bool *is_new)
{
	json_t *number;

	if (!n->of)
		n->of = json_object();
	number = json_object_get(n->of, name);
	*is_new = !number;
	if (number)
		return (unsigned)json_integer_value(number);
	json_object_set_new_nocheck(n->of, name, json_integer((json_int_t)json_object_size(n->of)));
	return (unsigned)json_object_size(n->of) - 1;
}
