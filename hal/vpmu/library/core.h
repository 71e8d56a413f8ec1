/* SPDX-License-Identifier: BSD-2-Clause */
/* The library's internal state of a vPMU, and its internal functions. */
#ifndef CORE_H
#define CORE_H

#include "palmon/vpmu.h"
#include "vpmu.h"

#define CORE_LEVELS	4	/* privilege levels */
#define THREADS_MOST	8	/* hardware threads of a core */
#define GROUPS_MOST	6	/* groups of counters */
#define SELECTS_MOST	9	/* select registers of a thread */

struct core_thread {
	uint8_t level;
	bool halted;
	bool held;		/* the line's level at the last vpmu_core_take_lines */
	uint64_t enabled, running;

	/* The guest's view of select registers where it differs from the model's registers. */
	struct shown {
		uint64_t mask, value;
	} shown[SELECTS_MOST];
};

struct vpmu_core {
	struct vpmu vpmu;		/* with the thread that executes at present */
	struct vpmu_core *trial;	/* a second vPMU, to try images; its own is NULL */
	uint8_t exposed[GROUPS_MOST];	/* counters of each group */
	struct vpmu_features features;	/* exposed at present: those of vpmu_core_create, or fewer
					 * after a load */
	struct vpmu_event list[VPMU_EVENTS_MOST];	/* events of a loaded image, if they differ
							 * from those of vpmu_core_create */
	uint8_t offered[GROUPS_MOST];	/* exposed at creation */
	struct vpmu_features offers;
	struct core_thread thread[THREADS_MOST];
	bool attached;
	struct model_processor processor;
};

/* The maximum that an event adds (struct model_most): an unconditional line of events.tab. The last
 * entry's target is NULL. */
struct event_most {
	const char *target;
	uint16_t code;
	uint8_t umask, care;		/* unit mask, and its bits that matter */
	bool joins;			/* the unit mask can be combined with others of this kind */
	uint8_t instruction, cycle;
};
extern const struct event_most event_most[];

/* Resets the model and the vPMU's state outside the model. */
void core_reset(struct vpmu_core *core, uint64_t seed);

/* Whether the core has the thread; false if `core` is NULL. */
static inline bool core_has_thread(const struct vpmu_core *core, unsigned thread)
{
	return core && thread < core->vpmu.model->threads;
}

/* Makes `thread` the one that executes. */
void core_switch(struct vpmu_core *core, unsigned thread);

/* Makes `thread` the one that executes, unless it is already. False: the core has no such
 * thread. */
static inline bool core_look_at(struct vpmu_core *core, unsigned thread)
{
	if (!core_has_thread(core, thread))
		return false;
	if (core->vpmu.thread != thread)
		core_switch(core, thread);
	return true;
}

/* Adds `cycles` to the thread's enabled and running times. */
static inline void core_pass_time(struct vpmu_core *core, unsigned thread, uint64_t cycles)
{
	core->thread[thread].enabled += cycles;
	core->thread[thread].running += cycles;
}

/* Whether two ranges of memory overlap; whether a range overlaps the vPMU's memory. */
bool core_overlap(const void *one, size_t size, const void *other, size_t other_size);
bool core_contains(const struct vpmu_core *core, const void *bytes, size_t size);

/* Whether the register has writable bits. */
bool core_has_effect(const struct register_description *r);

/* The number of select registers of a thread. */
unsigned core_selects(const struct pmu_model *model);

/* Computes the number of exposed counters of each group. False: the processor has fewer, or cannot
 * hide so many. */
bool features_counters(const struct pmu_model *model, const struct vpmu_features *features,
		       uint8_t exposed[GROUPS_MOST]);

/* Whether reports and events are valid (palmon/vpmu.h). */
bool features_are_valid(const struct vpmu_features *features);

/* Whether the features' list allows the event. */
bool features_allow(const struct vpmu_features *features, uint16_t code, uint8_t umask);

/* The first reason why the list of `needs` may allow more than that of `offers`: an entry of
 * `needs` that no single entry of `offers` covers, or an exclusion of `offers` that overlaps an
 * entry of `needs` and that no single exclusion of `needs` covers. NULL: `needs` allows no more. */
const struct vpmu_event *features_lack(const struct vpmu_features *offers,
				       const struct vpmu_features *needs);

/* Changes a guest's register value to the value that the model gets. If the register is a select,
 * sets its number and the bits of the guest's value to show on later reads. False: the write
 * faults. */
bool features_filter(const struct vpmu_core *core, uint32_t address, uint64_t *value,
		     unsigned *select,
		  struct shown *shown);

/* Number of no select register. */
#define NO_SELECT SELECTS_MOST

/* The value that the guest reads, from the model's value. */
uint64_t features_show(const struct vpmu_core *core, unsigned thread, uint32_t address,
		       uint64_t value);

/* Whether a register (by address), or a counter (by RDPMC index), belongs to a hidden counter. */
bool features_hides(const struct vpmu_core *core, uint32_t address);
bool features_hides_index(const struct vpmu_core *core, uint32_t index);

/* Stops the thread's counters from counting cycles without an event that the hypervisor does not
 * report. */
void features_leave_out(struct vpmu_core *core, unsigned thread);

/* After a reset: clears the registers' parts that belong to hidden counters or events. */
void features_apply(struct vpmu_core *core);

/* Whether hidden counters have their reset state: they hold, select and count nothing. */
bool features_rest(const struct vpmu_core *core);

/* The address of select register number `select`. */
uint32_t features_select_address(const struct vpmu_core *core, unsigned select);

/* The features in the model's form; their context is `core`. */
struct model_features features_of(const struct vpmu_core *core);

#endif
