/* SPDX-License-Identifier: BSD-2-Clause */
/* A virtual PMU: a model, one of its hardware threads, and the instruction clock that drives it.
 * For backends that execute instructions and can count them: the QEMU plugin, the host shim. */
#ifndef VPMU_H
#define VPMU_H

#include <stdbool.h>
#include <stdint.h>

#include "model.h"

#define VPMU_CPUS 4	/* most CPUs of a package for palmon's images */
#define VPMU_PACKAGE_CPUS 32	/* most CPUs that share the PMU of a package */

struct vpmu;

/* A bit (`mask`) of one register that always reads as in `value`; mask 0: none. */
struct vpmu_stuck {
	uint32_t address;
	uint64_t mask, value;
};

/* A PMU that the cores of a package share, and the virtual PMUs of their threads. */
struct vpmu_package {
	const struct pmu_model *model;
	void *state;		/* as in struct vpmu */
	struct vpmu_stuck stuck;
	uint64_t pending;	/* past cycles that the model has not received yet */
	const struct occurrence *signals;	/* the model's inputs; signal_count of them */
	size_t signal_count;
	void (*run)(struct vpmu_package *package, uint64_t cycles);	/* passes them to the model;
									 * NULL: the model's
									 * function does */
	struct vpmu *cpu[VPMU_PACKAGE_CPUS];
	unsigned cpus;
};

struct vpmu {
	const struct pmu_model *model;
	void *state;		/* the caller's; model->size bytes, aligned to MODEL_ALIGNMENT */
	unsigned thread;	/* number among the model's hardware threads */
	unsigned level;		/* privilege level of the instructions */
	bool halted;
	bool references_separate;	/* its clock signals lack the time-stamp counter's cycles:
					 * the caller connects these */
	const struct occurrence *signals;	/* of each cycle: signal_count, as vpmu_connect set
						 * them */
	size_t signal_count;
	struct vpmu_package *package;	/* or NULL */
	unsigned core;			/* core number in the package */
	struct vpmu_stuck stuck;
};

/* Connects model and state, and resets the PMU. `fault` is NULL or "" for none, a name from
 * model->faults, "stuck:ADDRESS:BIT:VALUE": bit BIT (0-63) of the model's register at ADDRESS reads
 * VALUE (0 or 1); or "absent:ADDRESS": the model lacks the register there, and each access faults.
 * All may have the prefix "MODEL/". False: the fault is none of these; the PMU is reset and has no
 * fault. `seed` determines undefined values. */
bool vpmu_start(struct vpmu *v, const struct pmu_model *model, void *state, unsigned thread,
		const char *fault, uint64_t seed);

/* The model with its defects (defects.h), if they are linked, otherwise the model itself; the names
 * of its defects, ended by NULL; the size of its state in bytes. */
const struct pmu_model *vpmu_with_defects(const struct pmu_model *model);
const char *const *vpmu_faults(const struct pmu_model *model);
size_t vpmu_state_size(const struct pmu_model *model);

/* Returns which of two models that are started together has this fault: the model that its prefix
 * names; for a stuck bit or an absent register, the model with the register; otherwise the first
 * that has a fault of this name. `second` may be NULL. NULL: neither. */
const struct pmu_model *vpmu_fault_model(const char *fault, const struct pmu_model *first,
					 const struct pmu_model *second);

/* Writes a message why neither model has this fault: it is malformed, or unknown; then with the
 * nearest name. `second` may be NULL. */
void vpmu_explain_fault(const char *fault, const struct pmu_model *first,
			const struct pmu_model *second, char *text, size_t size);

/* Starts another thread of the PMU of `other`: it shares that PMU's model, state and fault. */
void vpmu_start_thread(struct vpmu *v, const struct vpmu *other, unsigned thread);

/* Makes a package with this model. `fault` as in vpmu_start; false: the model does not have it. */
bool vpmu_package_start(struct vpmu_package *package, const struct pmu_model *model, void *state,
			const char *fault, uint64_t seed);

/* Adds a CPU, a thread of core number `core`, to a package with space for it. */
void vpmu_join(struct vpmu *v, struct vpmu_package *package, unsigned core);

/* Advances the package's PMU by the pending cycles, and notifies the CPUs of its signals. */
void vpmu_package_sync(struct vpmu_package *package);

/* Reads a register's stuck bit. */
static inline void vpmu_stick(const struct vpmu_stuck *stuck, uint32_t address, uint64_t *value)
{
	if (address == stuck->address)
		*value = (*value & ~stuck->mask) | stuck->value;
}

/* Access to the package's registers. False: there is none at this address, or the access faults. */
bool vpmu_package_read(struct vpmu *v, uint32_t address, uint64_t *value);
bool vpmu_package_write(struct vpmu *v, uint32_t address, uint64_t value, uint64_t instructions);

/* A bus lock by one of the package's CPUs. */
void vpmu_bus_lock(struct vpmu *v);

/* Sets the occurrences of each following cycle of the model, in an array as in struct pmu_model,
 * `advance`. */
static inline void vpmu_connect(struct vpmu *v, const struct occurrence *signals, size_t count)
{
	v->signals = signals;
	v->signal_count = count;
	v->model->advance(v->state, 0, signals, count);
}

static inline void vpmu_package_connect(struct vpmu_package *package,
					const struct occurrence *signals, size_t count)
{
	package->signals = signals;
	package->signal_count = count;
	package->model->advance(package->state, 0, signals, count);
}

/* Makes this CPU the one that executes, of the CPUs that share a model's state, and connects its
 * instruction clock. */
void vpmu_resume(struct vpmu *v);

/* One instruction has executed, with these occurrences (of the executing thread, at most
 * VPMU_STEP_MOST) in addition to those of the instruction clock. */
#define VPMU_STEP_MOST MODEL_BRANCH_MOST
void vpmu_step(struct vpmu *v, const struct occurrence *occurrences, size_t count);

/* Connects the occurrences of the instruction clock and the given ones, as vpmu_step does for one
 * instruction. `signals`, with space for VPMU_CLOCK_MOST + count, must stay valid until
 * vpmu_resume. */
#define VPMU_CLOCK_MOST 12
void vpmu_connect_occurrences(struct vpmu *v, struct occurrence *signals,
			      const struct occurrence *occurrences,
			 size_t count);

/* One next-to-commit instruction (OCCURRENCE_TYPE_COMMIT) has executed. */
void vpmu_commit(struct vpmu *v);

static inline void vpmu_package_run(struct vpmu *v, uint64_t cycles)
{
	struct vpmu_package *package = v->package;

	if (package) {
		package->pending += cycles;
		if (__builtin_expect(package->pending >
				     ((const struct model_outputs *)package->state)->headroom,
				     false))
			vpmu_package_sync(package);
	}
}

/* Passes `cycles` cycles with the connected occurrences. */
static inline void vpmu_run(struct vpmu *v, uint64_t cycles)
{
	v->model->advance(v->state, cycles, v->signals, v->signal_count);
	vpmu_package_run(v, cycles);
}

/* Passes `cycles` cycles with other occurrences, and connects these. */
static inline void vpmu_advance(struct vpmu *v, uint64_t cycles, const struct occurrence *signals,
				size_t count)
{
	v->signals = signals;
	v->signal_count = count;
	vpmu_run(v, cycles);
}

/* Register access with the privilege of the thread's most privileged software. False: it faults. A
 * write takes effect after `instructions` more: 1 if the access is an executed instruction, 0 if it
 * is a call. */
static inline bool vpmu_read(struct vpmu *v, uint32_t address, uint64_t *value)
{
	if (__builtin_expect(!v->model->read(v->state, v->thread, address, value), false))
		return vpmu_package_read(v, address, value);
	vpmu_stick(&v->stuck, address, value);
	return true;
}

static inline bool vpmu_write(struct vpmu *v, uint32_t address, uint64_t value,
			      uint64_t instructions)
{
	if (__builtin_expect(!v->model->write(v->state, v->thread, address, value, instructions),
			     false))
		return vpmu_package_write(v, address, value, instructions);
	vpmu_package_run(v, instructions);
	return true;
}

static inline bool vpmu_read_counter(struct vpmu *v, uint32_t index, uint64_t *value)
{
	*value = 0;
	return v->model->user && v->model->user->read_counter(v->state, v->thread, index, value);
}

static inline bool vpmu_write_counter(struct vpmu *v, uint32_t index, uint64_t value,
				      uint64_t instructions)
{
	const struct model_user *user = v->model->user;

	return user && user->write_counter &&
	       user->write_counter(v->state, v->thread, index, value, instructions);
}

/* SPFLT, by which a program turns its user filter on or off; `instructions` as in vpmu_write.
 * False: this processor has no such instruction. */
static inline bool vpmu_spflt(struct vpmu *v, bool count, uint64_t instructions)
{
	if (!v->model->user || !v->model->user->spflt)
		return false;
	v->model->user->spflt(v->state, v->thread, count, instructions);
	vpmu_package_run(v, instructions);
	return true;
}

/* From now on instructions execute at this privilege level (0-3; SPARC: 0 hyperprivileged, 1
 * privileged, 3 user). */
void vpmu_set_level(struct vpmu *v, unsigned level);

/* One instruction has executed that changes the thread's level. SPARC's WRPR %pstate and WRHPR
 * %hpstate are next-to-commit instructions: the clock's occurrences of the instruction are at the
 * old level, those of the cycle already at the new one (SPARC T4 Supplement, 10.2, the last
 * programming note). On other processors both are at the old level. `beside`: additional
 * occurrences in its cycle, at most VPMU_STEP_MOST. */
void vpmu_change_level(struct vpmu *v, unsigned level, const struct occurrence *beside,
		       size_t other_count);

/* Halts the processor, or ends its halt. While it is halted, no instruction executes, and only
 * cycles without events count. */
void vpmu_set_halted(struct vpmu *v, bool halted);

static inline struct model_outputs *vpmu_outputs(const struct vpmu *v)
{
	return v->state;
}

/* Returns the number of the cycle after `headroom` cycles of the core, or of an earlier one that
 * the package needs; 1 is the next cycle. */
static inline uint64_t vpmu_behind(const struct vpmu *v, uint64_t headroom)
{
	if (v->package) {
		uint64_t shared = ((const struct model_outputs *)v->package->state)->headroom;

		if (shared < MODEL_FAR && shared - v->package->pending < headroom)
			headroom = shared - v->package->pending;
	}
	return headroom >= MODEL_FAR ? MODEL_FAR : headroom + 1;
}

/* Returns, for the present signals, the number of the cycle in which an overflow raises the line,
 * or the model reads the processor; 1 is the next cycle. */
static inline uint64_t vpmu_headroom(const struct vpmu *v)
{
	return vpmu_behind(v, vpmu_outputs(v)->headroom);
}

/* Whether an overflow interrupt, or trap, of the thread is due. */
static inline bool vpmu_is_due(const struct vpmu *v)
{
	const struct model_outputs *outputs = vpmu_outputs(v);

	return (outputs->requests | outputs->held) >> v->thread & 1;
}

/* Whether counts depend on the level that vpmu_set_level sets. */
static inline bool vpmu_level_matters(const struct vpmu *v)
{
	return vpmu_outputs(v)->level_matters;
}

/* Whether each branch, each bus lock must be reported. */
static inline bool vpmu_branches_matter(const struct vpmu *v)
{
	return vpmu_outputs(v)->branches_matter;
}

static inline bool vpmu_locks_matter(const struct vpmu *v)
{
	return v->package && ((const struct model_outputs *)v->package->state)->locks_matter;
}

/* A branch has retired: one instruction, as vpmu_step. `branch` has its address, target, kind and
 * direction. */
void vpmu_branch(struct vpmu *v, const struct occurrence *branch);

/* A load that misses the caches nearest to the processor has retired: one instruction, as
 * vpmu_step. `load` has its address, data address and latency. */
void vpmu_load(struct vpmu *v, const struct occurrence *load);

/* Gets the occurrences of a branch in its cycle, in addition to those of the clock. Returns their
 * number. */
size_t vpmu_branch_raises(const struct pmu_model *model, const struct occurrence *branch,
			  struct occurrence occurrences[MODEL_BRANCH_MOST]);

/* The CPU event of a branch, by OCCURRENCE_KIND and OCCURRENCE_TAKEN. */
enum cpu_event vpmu_branch_cpu_event(unsigned branch);

/* Returns the number of cycles that can pass, with any of these occurrences in each, before a cycle
 * that can overflow or that needs more than counting. */
#define VPMU_KINDS_MOST 96	/* no model has more rows of instructions */
uint64_t vpmu_headroom_with(struct vpmu *v, const struct occurrence *occurrences, size_t count);

/* One of the package's CPUs has written, or read, the line at this address in memory. */
void vpmu_transaction(struct vpmu *v, uint64_t address, bool write);

/* The number of a thread's counters, in all groups. */
unsigned vpmu_counters(const struct pmu_model *model);

/* The event that one of a thread's counters selects; numbers begin with the first group. False:
 * none. */
bool vpmu_selects(const struct pmu_model *model, void *state, unsigned thread, unsigned counter,
		  struct model_event *event);

/* Whether the counter counts the events of all threads of the core. */
bool vpmu_selects_any_thread(const struct pmu_model *model, void *state, unsigned thread,
			     unsigned counter);

/* Whether the register at this address selects events of counters. */
static inline bool vpmu_is_select(const struct pmu_model *model, uint32_t address)
{
	for (const struct model_counters *g = model->groups; g < model->groups + model->group_count;
	     g++)
		if (address - g->select < (g->distance ? (uint32_t)g->count * g->distance : 1))
			return true;
	return false;
}

/* Whether the row raises this event. `setting`: the selection in another register, if the event has
 * one, or VPMU_ANY_SETTING. */
#define VPMU_ANY_SETTING UINT64_MAX
bool vpmu_row_counts(const struct pmu_model *model, const struct model_raised *r, uint16_t code,
		     uint8_t umask, uint64_t setting);

/* Whether the instruction clock raises this event of a thread at this level. */
bool vpmu_clock_raises(const struct pmu_model *model, unsigned thread, unsigned level,
		       uint16_t code, uint8_t umask);

/* Whether an emulated machine with `packages` and this clock ever raises this event, of any thread:
 * by its clock, by reads and writes of memory, or by its CPU events. *exact: the architecture
 * defines all of these. */
bool vpmu_happens(const struct pmu_model *model, uint16_t code, uint8_t umask, uint64_t setting,
		  unsigned packages, enum model_clock_kind clock, bool *exact);

/* Whether the instruction clock ever raises this event, given by the counter's code and unit mask,
 * in the core or, with `shared`, in the package. */
bool vpmu_event_happens(const struct vpmu *v, bool shared, uint16_t code, uint8_t umask);

/* Whether the line has risen since the last vpmu_take_request. */
static inline bool vpmu_has_request(const struct vpmu *v)
{
	return vpmu_outputs(v)->requests >> v->thread & 1;
}

/* The same, and clears the request. */
static inline bool vpmu_take_request(struct vpmu *v)
{
	struct model_outputs *outputs = vpmu_outputs(v);
	bool risen = vpmu_has_request(v);

	outputs->requests &= ~(1u << v->thread);
	return risen;
}

#endif
