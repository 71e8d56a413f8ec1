// SPDX-License-Identifier: BSD-2-Clause

#include "issue.h"

void issue_wait(struct issue *i, unsigned width, uint64_t until)
{
	if (until <= i->now)
		return;
	i->now = until;
	i->left = width;
}

uint64_t issue_next(struct issue *i, unsigned width, uint16_t reads)
{
	if (!i->left)
		issue_wait(i, width, i->now + 1);
	for (unsigned rest = reads; rest; rest &= rest - 1)
		issue_wait(i, width, i->ready[__builtin_ctz(rest)]);
	i->busy += i->left-- == width;
	return i->now;
}

void issue_write(struct issue *i, uint16_t writes, uint64_t from)
{
	for (unsigned rest = writes; rest; rest &= rest - 1)
		i->ready[__builtin_ctz(rest)] = from;
}
