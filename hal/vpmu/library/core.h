/* SPDX-License-Identifier: BSD-2-Clause */
/* What a vPMU is inside the library. */
#ifndef CORE_H
#define CORE_H

#include "palmon/vpmu.h"
#include "vpmu.h"

#define CORE_LEVELS	4	/* of privilege */
#define THREADS_MOST	8	/* of a core */
#define GROUPS_MOST	4	/* of counters */
#define SELECTS_MOST	9	/* registers that say what is counted, of a thread */

struct core_thread {
	uint8_t level;
	bool halted;
	bool held;		/* what was last said of its line */
	uint64_t enabled, running;

	/* What a guest sees of selects and their model does not hold, or not so. */
	struct shown {
		uint64_t mask, value;
	} shown[SELECTS_MOST];
};

struct vpmu_core {
	struct vpmu vpmu;		/* of the thread that was looked at last */
	struct vpmu_core *trial;	/* another one, in which an image is tried; it has none itself */
	uint8_t exposed[GROUPS_MOST];	/* counters of each group */
	struct vpmu_features features;	/* that are exposed: those that it was made with, or fewer, of an image */
	struct vpmu_event list[VPMU_EVENTS_MOST];	/* its events, if they are not those that it was made with */
	uint8_t offered[GROUPS_MOST];	/* what it was made with */
	struct vpmu_features offers;
	struct core_thread thread[THREADS_MOST];
	bool attached;
	struct model_processor processor;
};

/* What an event adds at most (struct model_most): a line of events.tab without a condition. Ended by no target. */
struct event_most {
	const char *target;
	uint16_t code;
	uint8_t umask, care;		/* unit-mask bits that matter */
	bool joins;			/* the unit mask can be joined with those of its like */
	uint8_t instruction, cycle;
};
extern const struct event_most event_most[];

/* Resets the model and what is around it. */
void core_reset(struct vpmu_core *core, uint64_t seed);

/* Whether the core, which may be NULL, has the thread. */
static inline bool core_has_thread(const struct vpmu_core *core, unsigned thread)
{
	return core && thread < core->vpmu.model->threads;
}

/* Makes another thread the one that executes. */
void core_switch(struct vpmu_core *core, unsigned thread);

/* Makes the thread the one that executes, if it is not. False: the core has no such thread. */
static inline bool core_look_at(struct vpmu_core *core, unsigned thread)
{
	if (!core_has_thread(core, thread))
		return false;
	if (core->vpmu.thread != thread)
		core_switch(core, thread);
	return true;
}

/* The thread was to run for so many cycles, and did. */
static inline void core_pass_time(struct vpmu_core *core, unsigned thread, uint64_t cycles)
{
	core->thread[thread].enabled += cycles;
	core->thread[thread].running += cycles;
}

/* Whether two pieces of memory have a byte in common; whether bytes are in the vPMU's memory. */
bool core_overlap(const void *one, size_t size, const void *other, size_t other_size);
bool core_contains(const struct vpmu_core *core, const void *bytes, size_t size);

/* Whether a write of the register can change anything. */
bool core_has_effect(const struct register_description *r);

/* How many registers say what is counted. */
unsigned core_selects(const struct pmu_model *model);

/* How many counters of each group are exposed; false: the processor has not so many, or always has more. */
bool features_counters(const struct pmu_model *model, const struct vpmu_features *features,
		       uint8_t exposed[GROUPS_MOST]);

/* Whether classes of reported events, and the list of events, are such as palmon/vpmu.h describes them. */
bool features_are_valid(const struct vpmu_features *features);

/* Whether the list of these features allows the event. */
bool features_allow(const struct vpmu_features *features, uint16_t code, uint8_t umask);

/* The first reason why the list of `needs` may allow more than that of `offers`, entry by entry: an entry that none of
 * `offers` covers alone; or an exclusion of `offers` that meets an entry of `needs` and that no exclusion there covers
 * alone. NULL: it allows no more. */
const struct vpmu_event *features_lack(const struct vpmu_features *offers, const struct vpmu_features *needs);

/* What a value that a guest writes to a register becomes, and what it is shown of it later, if that is another one.
 * False: the write faults. */
bool features_filter(const struct vpmu_core *core, uint32_t address, uint64_t *value, unsigned *select,
		  struct shown *shown);

/* No register says what is counted. */
#define NO_SELECT SELECTS_MOST

/* What a guest is shown of a value that was read. */
uint64_t features_show(const struct vpmu_core *core, unsigned thread, uint32_t address, uint64_t value);

/* Whether a register, or a counter's index, is one of a counter that is not exposed. */
bool features_hides(const struct vpmu_core *core, uint32_t address);
bool features_hides_index(const struct vpmu_core *core, uint32_t index);

/* Has the thread's counters not count cycles without an event that nobody reports. */
void features_leave_out(struct vpmu_core *core, unsigned thread);

/* Makes registers, as they are after a reset, hold only what is exposed. */
void features_apply(struct vpmu_core *core);

/* Whether counters that are not exposed are as after a reset: they hold, select and count nothing. */
bool features_rest(const struct vpmu_core *core);

/* The address of select register number `select`. */
uint32_t features_select_address(const struct vpmu_core *core, unsigned select);

/* The features, as the model gets them; its context is `core`. */
struct model_features features_of(const struct vpmu_core *core);

#endif
