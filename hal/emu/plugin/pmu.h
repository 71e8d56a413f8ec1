/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's PMUs. */
#ifndef PLUGIN_PMU_H
#define PLUGIN_PMU_H

#include <stdint.h>

/* A CPU has rung at this physical address: answers its call, if there is its mailbox. */
void pmu_answer(unsigned cpu, uint64_t address);

#endif
