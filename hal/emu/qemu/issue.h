/* SPDX-License-Identifier: BSD-2-Clause */
/* The two pipes of Knights Corner (x86/pipes.h), computed while a counter selects one of their
 * events. */
#ifndef QEMU_ISSUE_H
#define QEMU_ISSUE_H

#include "cpu.h"

/* The current instruction retires. Returns the set of cpu events of its pairing with the previous
 * one. */
uint64_t issue_raises(struct cpu *c, const struct instruction *i);

#endif
