/* SPDX-License-Identifier: BSD-2-Clause */
/* Control of the host shim, for tests and tools. */
#ifndef SHIM_H
#define SHIM_H

#include "vpmu.h"

/* Starts the machine anew with a PMU of `target`, reset, with `fault` switched on ("" for none), interrupts on.
 * If the target's cores share a PMU, or the target is such a PMU, the machine is a package of two cores, each of up to
 * two threads, and the fault may be of either model, first of the target's (vpmu_fault_model); else it is one core, and
 * has a CPU for each of its threads.
 * Lives until the next call or shim_end. False: there is no such target or fault, or no memory. */
bool shim_start(const char *target, const char *fault);
void shim_end(void);

/* From here on calls come from this CPU, which first takes the overflow interrupt that is pending for it. The others
 * stand still meanwhile. At first it is CPU 0. */
void shim_cpu(unsigned cpu);

/* From here on, until the next shim_start or shim_end, each CPU is a thread of the host, which says so with shim_cpu,
 * and all may call at once. The machine does one thing at a time: a register access, some instructions. A CPU takes
 * its interrupts between its instructions, when it turns interrupts on, and in hal_relax. Not for shim_feed and
 * hal_cpu_call. */
void shim_threads(void);

/* Bus locks since the start. */
unsigned shim_bus_locks(void);

/* How precise traps have ended since the start: the instruction executed again, or was skipped; how many of these were
 * wrong, so that it has executed twice or never. */
struct shim_traps {
	uint64_t retried, done, wrong;
};

struct shim_traps shim_traps(void);

/* The instruction that hal_pmi_instruction reads in each precise trap, until the next shim_start. Before the first call
 * it reads none. */
void shim_instruction(uint32_t instruction);

/* Chooses what register values are that the manual leaves undefined, for the next shim_start. */
void shim_seed(uint64_t value);

/* Calls `watch` with each register that is written from now on, until the next shim_start. */
void shim_watch_writes(void (*watch)(uint32_t address, uint64_t value));

/* What software on the calling CPU has accessed since shim_start: registers of the PMU; the interrupt controller, of
 * which the shim counts calls (hal_pmi_mask, hal_pmi_unmask, hal_pmi_end). */
struct shim_accesses {
	uint64_t registers, controller;
};
struct shim_accesses shim_accesses(void);

/* The virtual PMU beneath the calling CPU's registers: its core's. */
struct vpmu *shim_vpmu(void);

/* Lets cycles pass in which `signals` happen (model.h) on the target's PMU instead of the instruction clock's, up to
 * the one in which an overflow interrupt is taken; its handler runs in no time. Nothing happens on the cores of a
 * target that they share. Returns how many cycles have passed: call it again for the rest. The event signals must stay
 * until the next call. */
uint64_t shim_feed(const struct occurrence *signals, size_t count, uint64_t cycles);

/* Memory that hal_memory_writable admits, and that the PMU writes its records into. At first it is that of the
 * program's variables. */
void shim_allow_memory(const void *start, size_t size);

/* What the processor's registers hold when a record is written, from now on until the next shim_start, in the order of
 * model.h. An instruction pointer of 0 is where the CPU is. At first all are 0. */
void shim_registers(const uint64_t values[MODEL_REGISTERS]);

#endif
