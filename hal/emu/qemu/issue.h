/* SPDX-License-Identifier: BSD-2-Clause */
/* The two pipes of Knights Corner (../plugin/pipes.h), while a counter selects an event of theirs. */
#ifndef QEMU_ISSUE_H
#define QEMU_ISSUE_H

#include "cpu.h"

/* The current instruction retires: returns the set of happenings that it raises together with the one before it. */
uint64_t issue_raises(struct cpu *c, const struct instruction *i);

#endif
