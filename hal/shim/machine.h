/* SPDX-License-Identifier: BSD-2-Clause */
/* The state that the shim's files share: CPUs, clock, ownership. */
#ifndef SHIM_MACHINE_H
#define SHIM_MACHINE_H

#include "hal.h"
#include "shim.h"

#define INSTRUCTION_SIZE	4

#define THREADS	2	/* of a core in a package, at most */
#define CORES	(HAL_CPUS / THREADS)

/* A CPU's state. */
struct cpu {
	struct vpmu vpmu;
	uint64_t ip;
	bool interrupts;
	hal_pmi_function *pmi_handler;
	enum hal_pmi_delivery pmi_delivery;
	bool pmi_masked, pmi_pending, pmi_active;
	bool precise, skip;		// in a precise trap; hal_pmi_skip was called
	unsigned precise_level;		// the trapped instruction's level
	bool alarm_set;
	uint64_t alarm;			// its time on shim.clock
	hal_pmi_function *poll;		// called every poll_ticks; NULL: none
	uint64_t poll_ticks, poll_next;
	struct shim_accesses accesses;
};

struct machine {
	struct cpu cpu[HAL_CPUS];
	unsigned cpus;
	void *state[CORES];
	struct model_processor processor[CORES];
	uint64_t registers[MODEL_REGISTERS];
	struct vpmu_package package;	// if the target has one
	unsigned threads;		// CPUs per core
	bool target_is_package;
	const struct occurrence *signals;	// events of a trace on the calling CPU's core
	size_t signal_count;
	uint64_t clock;			// instructions executed and cycles halted
	unsigned bus_locks;
	struct shim_traps traps;
	bool has_instruction;		// for handlers of precise traps
	uint32_t instruction;
	void (*watch)(uint32_t address, uint64_t value);
	struct {
		bool several;			// each CPU is a thread of the host
		bool held;			// a thread owns the machine
		const struct cpu *clock[CORES];	// whose instruction clock is connected
	} host;
};

extern struct machine shim;
extern _Thread_local struct cpu *this;	/* the calling CPU */

/* machine.c: waits until no other host thread owns the machine, and takes it; for the owner, writes
 * a register. */
void shim_hold_machine(void);
bool shim_write_register(uint32_t address, uint64_t value);

static inline void shim_hold(void)
{
	if (__builtin_expect(shim.host.several, false))
		shim_hold_machine();
}

static inline void shim_release(void)
{
	if (__builtin_expect(shim.host.several, false))
		__atomic_store_n(&shim.host.held, false, __ATOMIC_RELEASE);
}

/* records.c: the processor that a core's model reads when it writes a record. */
struct model_processor shim_processor(struct cpu *first);

/* interrupts.c: raises due interrupts after an event; for the owner of the machine, passes cycles
 * and raises interrupts; takes them between two instructions. */
void shim_raise_pmis(void);
void shim_advance(uint64_t cycles);
void shim_take_pmi(void);
void shim_take_precise(uint64_t ip, bool executed);
void shim_take_poll(void);
void shim_take_interrupts(void);

/* The number of cycles that may pass at once; the number until the alarm. */
uint64_t shim_most_cycles(void);
uint64_t shim_until_alarm(void);

/* execute.c: begins an instruction and takes the machine; ends it, releases the machine and takes
 * due interrupts. `next`: the next instruction's address. `executed`: a precise trap at this
 * instruction comes after it has executed. */
void shim_begin_instruction(void);
void shim_end_instruction(uint64_t next, bool executed);

/* A handler of the overflow interrupt is not interrupted by another one. */
static inline bool is_takeable(void)
{
	return (this->interrupts || this->pmi_delivery == HAL_PMI_NMI) && !this->pmi_active;
}

/* Whether the line is an active level and is not masked. False after shim_end, when tests still
 * read results. */
static inline bool is_held(const struct cpu *cpu)
{
	return cpu->vpmu.state && vpmu_outputs(&cpu->vpmu)->held >> cpu->vpmu.thread & 1 &&
	       !cpu->pmi_masked;
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
