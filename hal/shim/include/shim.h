/* SPDX-License-Identifier: BSD-2-Clause */
/* Control of the host shim, for tests and tools. */
#ifndef SHIM_H
#define SHIM_H

#include "vpmu.h"

/* Starts the machine anew with a reset PMU of `target`, with `fault` ("" for none), and interrupts
 * on. If the target's cores share a PMU, or the target is such a PMU, the machine is a package of
 * two cores with up to two threads each; the fault may be of either model, the target's first
 * (vpmu_fault_model). Otherwise the machine is one core with a CPU for each thread. It lives until
 * the next call or shim_end. False: unknown target or fault, or no memory. */
bool shim_start(const char *target, const char *fault);
void shim_end(void);

/* Selects the CPU that later calls come from; at first CPU 0. The CPU first takes its pending
 * overflow interrupt. The other CPUs stand still. */
void shim_cpu(unsigned cpu);

/* From now on, until the next shim_start or shim_end, each CPU is a thread of the host; it says
 * which one with shim_cpu, and all may call at once. The machine does one thing at a time: a
 * register access, some instructions. A CPU takes its interrupts between its instructions, when it
 * turns interrupts on, and in hal_relax. Not for shim_deliver and hal_cpu_call. */
void shim_threads(void);

/* The number of bus locks since the start. */
unsigned shim_bus_locks(void);

/* Ends of precise traps since the start: the handler returned to the instruction, or skipped it;
 * and how many of these were wrong, so that it executed twice or never. */
struct shim_traps {
	uint64_t retried, done, wrong;
};

struct shim_traps shim_traps(void);

/* Sets the instruction that hal_pmi_instruction reads in each precise trap, until the next
 * shim_start. Without this call it reads none. */
void shim_instruction(uint32_t instruction);

/* Sets the seed of register values that the manual leaves undefined, for the next shim_start. */
void shim_seed(uint64_t value);

/* Calls `watch` for each register write from now on, until the next shim_start. */
void shim_watch_writes(void (*watch)(uint32_t address, uint64_t value));

/* Numbers of the calling CPU's accesses since shim_start: reads and writes of PMU registers, and
 * calls for the interrupt controller (hal_pmi_mask, hal_pmi_unmask, hal_pmi_end). */
struct shim_accesses {
	uint64_t registers, controller;
};
struct shim_accesses shim_accesses(void);

/* The virtual PMU of the calling CPU's core. */
struct vpmu *shim_vpmu(void);

/* Passes up to `cycles` cycles with `signals` (model.h) on the target's PMU instead of the
 * instruction clock's, and stops after the cycle in which an overflow interrupt comes; its handler
 * takes no time. If the target is a package's PMU, the cores get no events. Returns the number of
 * passed cycles: call it again for the rest. `signals` must stay valid and unchanged until a call
 * with another array or `count`. */
uint64_t shim_deliver(const struct occurrence *signals, size_t count, uint64_t cycles);

/* Sets the memory that hal_memory_writable admits, and that the PMU may write records to. At first,
 * the memory of the program's variables. */
void shim_allow_memory(const void *start, size_t size);

/* Sets the processor's registers that records contain, in the order of model.h, until the next
 * shim_start. An instruction pointer of 0 stands for the CPU's own. At first all are 0. */
void shim_registers(const uint64_t values[MODEL_REGISTERS]);

#endif
