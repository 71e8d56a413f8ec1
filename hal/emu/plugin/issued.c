// SPDX-License-Identifier: BSD-2-Clause
// What instructions raise because of the pipes that they issue in: issued.h.

#include "issued.h"

#include <string.h>

static struct {
	uint64_t ip, linear;
} accesses[ISSUED_MOST];
size_t issued_access_count;
bool issued_follows_accesses;
uint64_t issued_raises[ISSUED_MOST];

void issued_access(uint64_t ip, uint64_t linear)
{
	if (issued_access_count < ISSUED_MOST) {
		accesses[issued_access_count].ip = ip;
		accesses[issued_access_count++].linear = linear;
	}
}

// The first reference of the instruction there. 0: it is not known.
static uint64_t access_of(uint64_t ip)
{
	for (size_t i = 0; i < issued_access_count; i++)
		if (accesses[i].ip == ip)
			return accesses[i].linear;
	return 0;
}

void issued_retire(struct issuing *i, const struct block *block, size_t count, const struct block_before *before)
{
	uint64_t at = block->address;

	if (before->interrupted)
		memset(&i->pipes, 0, sizeof i->pipes);
	if (before->behind != block->address)
		pipes_part(&i->pipes);
	for (size_t n = 0; n < count && n < ISSUED_MOST; at += block->instruction[n++].length) {
		const uint64_t access = issued_follows_accesses ? access_of(at) : 0;

		issued_raises[n] = pipes_issue(&i->pipes, &block->instruction[n].pipes);
		if (issued_raises[n] & HAPPENING_SET(PAIRED_REFERENCES) && access && i->access &&
		    pipes_conflict(access, i->access))
			issued_raises[n] |= HAPPENING_SET(BANK_CONFLICT);
		i->access = access;
	}
}
