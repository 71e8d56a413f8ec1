/* SPDX-License-Identifier: BSD-2-Clause */
/* The timed clock (clock=timed): an out-of-order pipeline determines cycles
 * (hal/emu/model/pipeline.h), and each effect reaches the model in its own cycle. QEMU's own time,
 * for timers and the time-stamp counter, remains that of its instruction clock.
 *
 *     QEMU executes an instruction --> references, prediction --> pipeline_add --> cycle in which
 *                                                                                  it retires
 *
 * Retirement is known at once: cycles pass up to it, with the events of retired instructions, and
 * overflows stop the guest there. In those cycles the pipeline also executes later instructions,
 * which QEMU has not executed yet. So events of issue and execution are late: counters of them
 * advance when their cycles are final (struct pmu_model, count_late). Cycles of fetch and decode
 * are final later, because instructions wait in queues before they issue.
 *
 * While no overflow is near and counters need sums only, the plugin adds up retired instructions,
 * their events and cycles, and passes the sums to the model. It passes late cycles with the same
 * events together. With batch=off it passes each cycle separately.
 *
 * The machine has one time. CPUs execute alternately: a cycle belongs to one CPU, and to all
 * packages. */
#ifndef QEMU_TIMED_H
#define QEMU_TIMED_H

#include "../model/memory.h"
#include "cpu.h"

/* Sets the processor whose pipeline determines cycles. Without a reorder buffer it executes in
 * order: threads.h. False: its description lacks an entry that the timed clock needs (*error). */
bool timed_begin(const struct processor *processor, struct processor_error *error);

const struct processor *timed_processor(void);

/* Prints the number of instructions that the description lacks, if there are any. */
void timed_end(void);

/* Sets the number of packages; sets the lines in flight to a vCPU's core. */
void timed_begin_packages(unsigned count);
void timed_begin_fills(const struct cpu *c, const struct flights *flights);

/* The current instruction is about to execute. */
void timed_issue(struct cpu *c);

/* The current instruction, with these signals, retires; `next`: the linear address of its
 * successor. The cycles before it pass. */
void timed_retire(struct cpu *c, const struct instruction *i, uint64_t next,
		  const struct occurrence *signals, size_t count);

/* An iteration of the current repeated string, but the last one, has executed. */
void timed_iterate(struct cpu *c, const struct instruction *i);

/* Drops the references of the current instruction, which will not retire. */
void timed_drop(const struct cpu *c);

/* Passes all retired instructions to the model: the pipeline runs empty. */
void timed_settle(struct cpu *c);

/* The retiring instruction writes a PMU register and raises these signals. Connects its cycle,
 * which passes in the model as a part of the write. */
void timed_connect_write(struct cpu *c, const struct instruction *i,
			 const struct occurrence *signals, size_t count);

/* Only with the timed clock. timed_load: the vCPU's cycle for the loads of its current instruction,
 * which wait for their address. timed_refer: a reference of the current instruction; `reached`
 * NULL: it hit the first caches. */
uint64_t timed_load(const struct cpu *c);
void timed_refer(const struct cpu *c, enum access access, uint64_t linear, unsigned size,
		 const struct reached *reached);

/* timed_now: the vCPU's cycle for its other references. timed_wait: no instruction issues before
 * cycle `until`. With the unit clock, timed_now returns 0, and timed_wait has no effect. */
uint64_t timed_now(const struct cpu *c);
void timed_wait(const struct cpu *c, uint64_t until);

/* The current instruction locks the bus: all queues of its package are empty from cycle `until`
 * on. */
void timed_lock_bus(const struct cpu *c, uint64_t until);

/* The executing vCPU raises an event of a package, in this cycle or a later one. */
void timed_happens(void *context, unsigned package, enum cpu_event what, uint64_t address,
		   uint64_t cycle);

#endif
