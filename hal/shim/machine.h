/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine that the shim's files share: its CPUs, its clock, and who is at it. */
#ifndef SHIM_MACHINE_H
#define SHIM_MACHINE_H

#include "hal.h"
#include "shim.h"

#define INSTRUCTION_SIZE	4

#define THREADS	2	/* of a core, in a package of several, if it has so many */
#define CORES	(HAL_CPUS / THREADS)

/* What each CPU has of its own. */
struct cpu {
	struct vpmu vpmu;
	uint64_t ip;
	bool interrupts;
	hal_pmi_function *pmi_handler;
	enum hal_pmi_delivery pmi_delivery;
	bool pmi_masked, pmi_pending, pmi_active;
	bool precise, skip;		// the handler serves a precise trap; it has asked to go on behind it
	unsigned precise_level;		// at which this trap has come
	bool alarm_set;
	uint64_t alarm;			// clock at which it interrupts
	hal_pmi_function *poll;		// called each so many clocks; NULL: none
	uint64_t poll_clocks, poll_next;
	struct shim_accesses accesses;
};

struct machine {
	struct cpu cpu[HAL_CPUS];
	unsigned cpus;
	void *state[CORES];
	struct model_processor processor[CORES];
	uint64_t registers[MODEL_REGISTERS];
	struct vpmu_package package;	// if there is one
	unsigned threads;		// of each core, that are CPUs
	bool target_is_package;
	const struct occurrence *signals;	// of a trace, on the calling CPU's core
	size_t signal_count;
	uint64_t clock;			// instructions executed and cycles halted
	unsigned bus_locks;
	struct shim_traps traps;
	bool has_instruction;		// that handlers of precise traps read
	uint32_t instruction;
	void (*watch)(uint32_t address, uint64_t value);
	struct {
		bool several;			// CPUs are threads of the host
		bool held;			// one of them is at the machine
		const struct cpu *clock[CORES];	// whose instruction clock is connected to a core
	} host;
};

extern struct machine shim;
extern _Thread_local struct cpu *this;	/* the one that calls come from */

/* shim.c: of several host threads one is at the machine. */
void shim_hold_machine(void);

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

/* records.c: what a core's model sees of the machine when it writes a record. */
struct model_processor shim_processor(struct cpu *first);

/* interrupts.c: interrupts that are due are raised by what has happened, and taken between two instructions. */
void shim_raise_pmis(void);
void shim_take_pmi(void);
void shim_take_precise(uint64_t ip, bool executed);
void shim_take_poll(void);
void shim_take_interrupts(void);

/* How many cycles may pass at once; how many until the alarm. */
uint64_t shim_most_cycles(void);
uint64_t shim_until_alarm(void);

/* execute.c: takes the machine for one instruction; ends the instruction, releases the machine and takes the interrupts
 * that are due. `next`: the next instruction's address. `executed`: a precise trap at this one comes after it. */
void shim_begin_instruction(void);
void shim_end_instruction(uint64_t next, bool executed);

/* execute.c: cycles pass; a register is written by who is at the machine. */
void shim_advance(uint64_t cycles);
bool shim_write_register(uint32_t address, uint64_t value);

/* A handler is not interrupted by its like. */
static inline bool is_takeable(void)
{
	return (this->interrupts || this->pmi_delivery == HAL_PMI_NMI) && !this->pmi_active;
}

/* Whether the line is a level, is up, and interrupts. What was measured is asked for behind the machine's end, too. */
static inline bool is_held(const struct cpu *cpu)
{
	return cpu->vpmu.state && vpmu_outputs(&cpu->vpmu)->held >> cpu->vpmu.thread & 1 && !cpu->pmi_masked;
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
