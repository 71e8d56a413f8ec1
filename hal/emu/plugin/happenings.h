/* SPDX-License-Identifier: BSD-2-Clause */
/* What happens in the guests' caches, TLBs and memory, as models of these say (hal/emu/model): it adds up, as far as
 * counters select it, until it is reported to the PMUs. */
#ifndef PLUGIN_HAPPENINGS_H
#define PLUGIN_HAPPENINGS_H

#include "feed.h"
#include "happening.h"
#include "mailbox.h"
#include "vpmu.h"

/* This CPU's monitor has started, and its guest has this PMU. In the machine, cores have VPMU_CPUS numbers for each
 * package. */
void happenings_start(unsigned cpu, struct vpmu *v, unsigned package, unsigned core);

/* A reference of this CPU's makes it happen, on some core of the machine, by an address. */
void happenings_raise(unsigned cpu, unsigned core, enum happening what, uint64_t address);

/* What some counter of the machine selects. */
extern bool happenings_wanted[HAPPENING_COUNT];

/* Whether some counter selects anything of it. */
bool happenings_matter(void);

/* Whether some counter of the CPU's core selects what retires with loads. */
bool happenings_of_loads_matter(unsigned cpu);

/* The CPU has written a register: perhaps what is counted is another event. */
void happenings_select(unsigned cpu, uint32_t address, uint64_t value);

/* Hands the PMUs what has happened, in the last of the call's cycles. Before each call but MAILBOX_NEXT, which takes
 * what has happened on its CPU for the cycle of its instruction: how many occurrences. */
#define HAPPENINGS_TAKEN_MOST FEED_BESIDE_MOST
void happenings_report(unsigned cpu, struct mailbox *box);
size_t happenings_take(unsigned cpu, struct occurrence occurrences[HAPPENINGS_TAKEN_MOST]);

/* Instructions after which what has happened must be reported, as a counter of it may overflow. */
uint64_t happenings_headroom(unsigned cpu);

/* Of events that are recorded an overflow must come with a quantum's last instruction: what one may raise of these. How
 * many occurrences, one for each counter. */
#define HAPPENINGS_RECORDED_MOST 8
size_t happenings_recorded(unsigned cpu, struct occurrence may[HAPPENINGS_RECORDED_MOST]);

/* Whether a register qualifies events of the model. */
bool happenings_qualifies(const struct pmu_model *model, uint32_t address);

/* Whether this event ever happens in this machine, as it is selected. */
bool happenings_can_raise(unsigned cpu, bool of_package, uint16_t code, uint8_t umask);

#endif
