// SPDX-License-Identifier: BSD-2-Clause
// Functions that the writers of several formats share: convert.h.

#include <errno.h>
#include <string.h>

#include "convert.h"
#include "palmon.h"

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
		if (profile_has(p, p->sample[i]->key.event) && p->sample[i]->cpu >= cpus)
			cpus = p->sample[i]->cpu + 1;
	return cpus;
}

const char *profile_function(const struct profile *p, uint64_t address, char text[NAMES_PLACE])
{
	const struct named *function = names_find(&p->file.names, address);

	return function ? function->name : names_place(&p->file.names, address, text);
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

bool output_bytes(struct output *output, struct bytes_out *bytes)
{
	const bool written = !bytes->failed && fwrite(bytes->byte, 1, bytes->size, output->file) == bytes->size;

	if (!written)
		complain("%s: %s", output->path, strerror(bytes->failed ? ENOMEM : errno));
	bytes_free(bytes);
	return written;
}
