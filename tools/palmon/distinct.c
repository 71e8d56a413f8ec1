// SPDX-License-Identifier: BSD-2-Clause
// Sets of distinct elements: distinct.h. An open hash table, at most half full.

#include "distinct.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST	256

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9E3779B97F4A7C15;	// 2^64 divided by the golden ratio
	return hash ^ hash >> 32;
}

static uint64_t hash_of(const unsigned char *key, size_t size)
{
	uint64_t hash = size, word;

	for (; size >= sizeof word; size -= sizeof word, key += sizeof word) {
		memcpy(&word, key, sizeof word);
		hash = mix(hash, word);
	}
	for (; size; size--)
		hash = mix(hash, *key++);
	return hash;
}

static bool make_room(struct distinct *set)
{
	const size_t room = set->room ? 2 * set->room : ROOM_LEAST;
	struct distinct_slot *slot;

	if (2 * (set->count + 1) <= set->room)
		return true;
	slot = calloc(room, sizeof *slot);
	for (size_t i = 0; slot && i < set->room; i++) {
		size_t to = set->slot[i].hash & (room - 1);

		if (!set->slot[i].element)
			continue;
		while (slot[to].element)
			to = (to + 1) & (room - 1);
		slot[to] = set->slot[i];
	}
	if (!slot)
		return false;
	free(set->slot);
	set->slot = slot;
	set->room = room;
	return true;
}

void **distinct_find(struct distinct *set, const void *key, size_t size,
		     bool (*same)(const void *element, const void *key, size_t size))
{
	const uint64_t hash = hash_of(key, size);
	struct distinct_slot *slot;
	size_t i;

	if (!make_room(set))
		return NULL;
	for (i = hash & (set->room - 1);; i = (i + 1) & (set->room - 1)) {
		slot = &set->slot[i];
		if (!slot->element)
			break;
		if (slot->hash == hash && same(slot->element, key, size))
			return &slot->element;
	}
	slot->hash = hash;
	set->count++;
	return &slot->element;
}

void distinct_free(struct distinct *set, void (*release)(void *element))
{
	for (size_t i = 0; i < set->room; i++)
		release(set->slot[i].element);		// NULL for an unused slot, as free takes it
	free(set->slot);
	*set = (struct distinct){0};
}
