// SPDX-License-Identifier: BSD-2-Clause
// The host shim: a machine as a process. Registers are function calls into the model; instructions are executed by
// saying so; interrupts are calls of the handler between two of them. Of several CPUs one executes at a time, or each
// is a host thread, and the machine does one thing at a time.

#include "shim.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal.h"

#define KNOWN_CODE_OVERHEAD	3	/* the return from the lowest level */
#define INSTRUCTION_SIZE	4
#define ALARM_INSTRUCTIONS	40	/* length of the alarm's interrupt handler */
#define LOAD_LATENCY		64	/* of a load from memory, cycles */

#define THREADS	2	/* of a core, in a package of several, if it has so many */
#define CORES	(HAL_CPUS / THREADS)

// What each CPU has of its own.
struct cpu {
	struct vpmu vpmu;
	uint64_t ip;
	bool interrupts;
	hal_pmi_function *pmi_handler;
	enum hal_pmi_delivery pmi_delivery;
	bool pmi_masked, pmi_pending, pmi_active;
	bool precise, skip;		// the handler serves a precise trap; it has asked to go on behind it
	bool alarm_set;
	uint64_t alarm;			// clock at which it interrupts
	hal_pmi_function *poll;		// called each so many clocks; NULL: none
	uint64_t poll_clocks, poll_next;
};

static struct {
	struct cpu cpu[HAL_CPUS];
	unsigned cpus;
	void *state[CORES];
	struct vpmu_package package;	// if there is one
	unsigned threads;		// of each core, that are CPUs
	bool target_is_package;
	const struct occurrence *wires;	// of a trace, on the calling CPU's core
	size_t wire_count;
	uint64_t clock;			// instructions executed and cycles halted
	unsigned bus_locks;
	struct shim_traps traps;
	void (*watch)(uint32_t address, uint64_t value);
} shim;

static _Thread_local struct cpu *this = &shim.cpu[0];	// the one that calls come from
static void *cpu_data[HAL_CPUS];	// until the next start: what was measured is asked for behind the end

// At first the program's own variables.
extern char __data_start[], end[];
uint64_t hal_memory_start = (uintptr_t)__data_start, hal_memory_end = (uintptr_t)end;

static uint64_t seed;		// of undefined register values, for the next start

void shim_seed(uint64_t value)
{
	seed = value;
}

//
// Host threads
//

#define PIECE_MOST	1000	/* instructions in which no other CPU does anything */

static struct {
	bool several;			// threads
	bool held;			// one of them is at the machine
	const struct cpu *clock[CORES];	// whose instruction clock is connected to a core
} host_threads;

void shim_threads(void)
{
	memset(&host_threads, 0, sizeof host_threads);
	host_threads.several = true;
}

// This file and the models are compiled without the thread sanitizer, which sees nothing of this: what comes before
// what, by its leave, is the program's to say.
static void hold_machine(void)
{
	unsigned core;

	if (__builtin_expect(!host_threads.several, true))
		return;
	core = hal_cpu() / shim.threads;
	while (__atomic_exchange_n(&host_threads.held, true, __ATOMIC_ACQUIRE))
		sched_yield();
	if (host_threads.clock[core] != this)
		vpmu_resume(&this->vpmu);
	host_threads.clock[core] = this;
}

static void release_machine(void)
{
	if (__builtin_expect(host_threads.several, false))
		__atomic_store_n(&host_threads.held, false, __ATOMIC_RELEASE);
}

static void *new_state(const struct pmu_model *model)
{
	return aligned_alloc(MODEL_ALIGNMENT, (model->size + MODEL_ALIGNMENT - 1) & -MODEL_ALIGNMENT);
}

//
// What PEBS sees of the machine: memory that the program has allowed, and registers
//

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	if (!hal_memory_writable(address, size))
		return false;
	memcpy(to, (const void *)(uintptr_t)address, size);
	return true;
}

static bool write_memory(void *context, uint64_t address, const void *from, size_t size)
{
	(void)context;
	if (!hal_memory_writable(address, size))
		return false;
	memcpy((void *)(uintptr_t)address, from, size);
	return true;
}

#define FLAGS		2U	/* the bit of RFLAGS that is always set */

static uint64_t registers[MODEL_REGISTERS];

void shim_registers(const uint64_t values[MODEL_REGISTERS])
{
	memcpy(registers, values, sizeof registers);
}

// Where a cycle of a trace goes on behind an instruction: to the target if one of its lines is a branch that was taken.
// How long it is, no trace says: one byte.
static uint64_t behind(unsigned thread, uint64_t ip)
{
	uint64_t target = UINT64_MAX;
	bool taken = false;

	for (const struct occurrence *o = shim.wires; o < shim.wires + shim.wire_count; o++)
		if (o->thread == thread && o->ip == ip && o->branch & OCCURRENCE_TAKEN) {
			taken = true;
			target = o->target < target ? o->target : target;
		}
	return taken ? target : ip + 1;
}

// The last instruction of a cycle of a trace: a branch that was taken, or the one with the highest address. 0: none.
static uint64_t last_instruction(unsigned thread)
{
	uint64_t last = 0;
	bool taken = false;

	for (const struct occurrence *o = shim.wires; o < shim.wires + shim.wire_count; o++) {
		const bool takes = o->branch & OCCURRENCE_TAKEN;

		if (o->thread != thread || (taken && !takes))
			continue;
		if (o->ip > last || (takes && !taken))
			last = o->ip;
		taken |= takes;
	}
	return last;
}

// Where a CPU is when a record is written: in a trace, behind what is recorded, or behind the whole cycle.
static uint64_t ip_of(const struct cpu *cpu)
{
	const struct occurrence *recorded = vpmu_outputs(&cpu->vpmu)->recorded;
	uint64_t ip;

	if (cpu->vpmu.state != this->vpmu.state)
		return cpu->ip;
	ip = recorded && recorded->ip ? recorded->ip : last_instruction(cpu->vpmu.thread);
	return ip ? behind(cpu->vpmu.thread, ip) : cpu->ip;
}

// `context` is the first CPU of the core.
static void read_registers(void *context, unsigned thread, uint64_t values[MODEL_REGISTERS])
{
	const struct cpu *cpu = (const struct cpu *)context + thread;

	memcpy(values, registers, sizeof registers);
	values[0] |= FLAGS;
	values[1] = registers[1] ? registers[1] : ip_of(cpu);
}

static struct model_processor processors[CORES];

// A core, with CPUs for so many of its threads. False: no memory.
static bool start_core(const struct pmu_model *model, unsigned core, unsigned threads, const char *fault)
{
	shim.state[core] = new_state(model);
	processors[core] = (struct model_processor){&shim.cpu[shim.cpus], read_memory, write_memory, read_registers};
	for (unsigned thread = 0; shim.state[core] && thread < threads; thread++) {
		struct cpu *cpu = &shim.cpu[shim.cpus++];

		*cpu = (struct cpu){.interrupts = true, .pmi_masked = true, .poll_next = UINT64_MAX};
		vpmu_start(&cpu->vpmu, model, shim.state[core], thread, fault, seed);
	}
	if (shim.state[core] && model->attach)
		model->attach(shim.state[core], &processors[core]);
	return shim.state[core];
}

static bool start_package(const struct pmu_model *cores, const struct pmu_model *shared, const char *core_fault,
			  const char *package_fault)
{
	void *state = new_state(shared);
	bool started = state;

	if (!state)
		return false;
	vpmu_package_start(&shim.package, shared, state, package_fault, seed);
	shim.threads = cores->threads < THREADS ? cores->threads : THREADS;
	for (unsigned core = 0; core < CORES; core++)
		started &= start_core(cores, core, shim.threads, core_fault);
	for (unsigned i = 0; started && i < shim.cpus; i++)
		vpmu_join(&shim.cpu[i].vpmu, &shim.package, i / shim.threads);
	vpmu_resume(&this->vpmu);
	return started;
}

bool shim_start(const char *target, const char *fault)
{
	const struct pmu_model *model = pmu_model_find(target), *cores = model, *shared, *faulty;

	shim_end();
	memset(cpu_data, 0, sizeof cpu_data);
	memset(registers, 0, sizeof registers);
	if (!model)
		return false;
	shim.target_is_package = model->cores;
	if (model->cores)
		cores = pmu_model_find(model->cores);
	shared = pmu_model_package(cores);
	faulty = vpmu_fault_model(fault, model, shim.target_is_package ? cores : shared);
	if (!faulty)
		return false;
	if (shared)
		return start_package(cores, shared, faulty == cores ? fault : "", faulty == shared ? fault : "");
	shim.threads = model->threads < HAL_CPUS ? model->threads : HAL_CPUS;
	if (!start_core(model, 0, shim.threads, fault))
		return false;
	vpmu_resume(&this->vpmu);
	return true;
}

void shim_end(void)
{
	for (unsigned i = 0; i < CORES; i++)
		free(shim.state[i]);
	free(shim.package.state);
	shim = (__typeof__(shim)){0};
	host_threads.several = false;
	this = &shim.cpu[0];
}

void shim_watch_writes(void (*watch)(uint32_t address, uint64_t value))
{
	shim.watch = watch;
}

struct vpmu *shim_vpmu(void)
{
	return &this->vpmu;
}

unsigned shim_bus_locks(void)
{
	return shim.bus_locks;
}

struct shim_traps shim_traps(void)
{
	return shim.traps;
}

void shim_allow_memory(const void *start, size_t size)
{
	hal_memory_start = (uintptr_t)start;
	hal_memory_end = hal_memory_start + size;
}

//
// Interrupts
//

static void enter_interruption(uint64_t *saved)
{
	const struct pmu_model *model = this->vpmu.model;

	*saved = 0;
	if (model->interruption)
		model->interruption(this->vpmu.state, this->vpmu.thread, saved);
	vpmu_set_level(&this->vpmu, 0);
}

static void leave_interruption(uint64_t saved, unsigned level)
{
	const struct pmu_model *model = this->vpmu.model;

	if (model->resume)
		model->resume(this->vpmu.state, this->vpmu.thread, saved);
	vpmu_set_level(&this->vpmu, level);
}

static void call_handler(hal_pmi_function *handler, uint64_t ip)
{
	bool interrupts = this->interrupts;
	unsigned level = this->vpmu.level;
	uint64_t saved;

	this->pmi_active = true;
	this->interrupts = false;
	hold_machine();
	enter_interruption(&saved);
	release_machine();
	handler(ip, level);
	hold_machine();
	leave_interruption(saved, level);
	release_machine();
	this->interrupts = interrupts;
	this->pmi_active = false;
}

// A handler is not interrupted by its like.
static bool is_takeable(void)
{
	return (this->interrupts || this->pmi_delivery == HAL_PMI_NMI) && !this->pmi_active;
}

// Whether the line is a level, is up, and interrupts. What was measured is asked for behind the machine's end, too.
static bool is_held(const struct cpu *cpu)
{
	return cpu->vpmu.state && vpmu_outputs(&cpu->vpmu)->held >> cpu->vpmu.thread & 1 && !cpu->pmi_masked;
}

static bool take_pending(void)
{
	bool taken;

	hold_machine();
	taken = this->pmi_pending && is_takeable();
	this->pmi_pending &= !taken;
	release_machine();
	return taken;
}

static bool take_held(void)
{
	bool taken;

	hold_machine();
	taken = is_held(this) && is_takeable();
	release_machine();
	return taken;
}

// Calls the handler if the interrupt is pending and may be taken. A level that the handler leaves up interrupts again,
// but lets an instruction pass, which no processor does: a test is to end.
static void take_pmi(void)
{
	while (take_pending())
		call_handler(this->pmi_handler, this->ip);
	if (take_held())
		call_handler(this->pmi_handler, this->ip);
}

// A trap at the instruction at `ip`, which nothing can mask: without a handler it is lost. `executed`: the instruction
// has, so that it is to be skipped.
static void take_precise(uint64_t ip, bool executed)
{
	struct model_outputs *outputs = vpmu_outputs(&this->vpmu);
	const uint32_t thread = 1u << this->vpmu.thread;
	bool trapped;

	hold_machine();
	trapped = outputs->precise & thread;
	outputs->precise &= ~thread;
	release_machine();
	if (!trapped || !this->pmi_handler)
		return;
	this->precise = true;
	this->skip = false;
	call_handler(this->pmi_handler, ip);
	this->precise = false;
	shim.traps.retried += !this->skip;
	shim.traps.done += this->skip;
	shim.traps.wrong += this->skip != executed;
}

bool hal_pmi_precise(void)
{
	return this->precise && !this->skip;
}

void hal_pmi_skip(void)
{
	this->skip = true;
}

static bool write_register(uint32_t address, uint64_t value)
{
	if (shim.watch)
		shim.watch(address, value);
	return vpmu_write(&this->vpmu, address, value, 0);
}

// Masks the interrupt or lets it through: in the processor's own vector register if it has one, else where an
// interrupt controller would.
static void set_mask(bool masked)
{
	const struct pmu_model *model = this->vpmu.model;
	uint64_t vector;

	hold_machine();
	this->pmi_masked = masked;
	if (model->vector_address && vpmu_read(&this->vpmu, model->vector_address, &vector))
		write_register(model->vector_address,
			       masked ? vector | model->vector_masked : vector & ~model->vector_masked);
	release_machine();
}

// A CPU's line has risen. A local APIC drops the request if masked, else masks and delivers it; a processor with a
// vector register of its own has looked at the mask itself; a level is looked at when it may be taken.
static void raise_pmi(struct cpu *cpu)
{
	bool own_vector = cpu->vpmu.model->vector_address;

	if (!vpmu_take_request(&cpu->vpmu) || (cpu->pmi_masked && !own_vector) || is_held(cpu))
		return;
	cpu->pmi_masked = !own_vector;
	cpu->pmi_pending = true;
}

static void raise_pmis(void)
{
	for (unsigned i = 0; i < shim.cpus; i++)
		raise_pmi(&shim.cpu[i]);
}

void hal_interrupts_start(void)
{
	this->interrupts = true;
}

bool hal_interrupts_disable(void)
{
	bool enabled = this->interrupts;

	this->interrupts = false;
	return enabled;
}

void hal_pmi_attach(hal_pmi_function *handler, enum hal_pmi_delivery delivery)
{
	this->pmi_handler = handler;
	this->pmi_delivery = delivery;
	set_mask(false);
}

void hal_pmi_mask(void)
{
	set_mask(true);
}

void hal_pmi_unmask(void)
{
	set_mask(false);
}

void hal_pmi_end(void)
{
}

//
// Time and instructions
//

// What the processor's clock instruction reads: a register that can be written, if the model has one. The shim's own
// clock, by which alarms and polls come, goes on.
uint64_t hal_clock(void)
{
	const uint32_t address = this->vpmu.model ? this->vpmu.model->clock_address : 0;
	uint64_t clock;

	return address && reg_read(address, &clock) ? clock : shim.clock;
}

static void advance(uint64_t cycles)
{
	vpmu_run(&this->vpmu, cycles);
	shim.clock += cycles;
	raise_pmis();
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t until_alarm(void)
{
	return this->alarm_set && this->alarm > shim.clock ? this->alarm - shim.clock : UINT64_MAX;
}

static uint64_t until_poll(void)
{
	return !this->poll ? UINT64_MAX : this->poll_next > shim.clock ? this->poll_next - shim.clock : 1;
}

// How many cycles may pass at once.
static uint64_t most_cycles(void)
{
	if (is_held(this) && is_takeable())
		return 1;
	return least(vpmu_headroom(&this->vpmu), until_poll());
}

// The alarm's handler runs at the highest level, and is counted there.
static void take_alarm(void)
{
	unsigned level = this->vpmu.level;
	uint64_t saved;

	if (!this->alarm_set || shim.clock < this->alarm || !this->interrupts)
		return;
	this->alarm_set = false;
	hold_machine();
	enter_interruption(&saved);
	advance(ALARM_INSTRUCTIONS);
	leave_interruption(saved, level);
	release_machine();
}

static void take_poll(void)
{
	if (!this->poll || shim.clock < this->poll_next || !this->interrupts)
		return;
	this->poll_next = shim.clock + this->poll_clocks;
	call_handler(this->poll, this->ip);
}

static void take_interrupts(void)
{
	take_pmi();
	take_alarm();
	take_poll();
}

void hal_interrupts_restore(bool enabled)
{
	this->interrupts = enabled;
	take_interrupts();
}

// No instruction comes between another CPU's request and the interrupt.
static void hold_to_execute(void)
{
	hold_machine();
	while (host_threads.several && this->pmi_pending && is_takeable()) {
		release_machine();
		take_interrupts();
		hold_machine();
	}
}

// The instruction that holds the machine has happened.
static void end_instruction(uint64_t next)
{
	this->ip = next;
	shim.clock++;
	raise_pmis();
	release_machine();
	take_interrupts();
}

static void execute(uint64_t n)
{
	while (n) {
		uint64_t piece = host_threads.several ? least(n, PIECE_MOST) : n;

		hold_to_execute();
		piece = least(piece, least(most_cycles(), until_alarm()));
		advance(piece);
		release_machine();
		take_precise(this->ip + INSTRUCTION_SIZE * (piece - 1), false);
		this->ip += INSTRUCTION_SIZE * piece;
		n -= piece;
		take_interrupts();
	}
}

// A conditional branch to `target`, at the present instruction pointer.
static void execute_branch(uint64_t target, bool taken)
{
	hold_to_execute();
	vpmu_branch(&this->vpmu, &(struct occurrence){
		.ip = this->ip, .target = target,
		.branch = OCCURRENCE_BRANCH | OCCURRENCE_KIND_CONDITIONAL | (taken ? OCCURRENCE_TAKEN : 0),
	});
	end_instruction(taken ? target : this->ip + INSTRUCTION_SIZE);
}

// Code of known length as it is on x86 (arch/x86/execute.S), branch by branch where that matters: a jump over an odd
// instruction, then rounds of two.
static void execute_known(uint64_t n)
{
	uint64_t loop = this->ip + 2 * INSTRUCTION_SIZE;

	if (!vpmu_branches_matter(&this->vpmu)) {
		execute(n + 1);
		return;
	}
	execute_branch(loop, n % 2 == 0);
	execute(n % 2);
	for (uint64_t rounds = n / 2; rounds; rounds--) {
		execute(1);
		execute_branch(loop, rounds > 1);
	}
}

void hal_execute(uint64_t n)
{
	execute(1);
	execute_known(n);
	execute(1);
}

int hal_run_user(int (*function)(void))
{
	return function();
}

static void set_level(unsigned level)
{
	hold_machine();
	vpmu_set_level(&this->vpmu, level);
	release_machine();
}

// One instruction, which changes the level, and has executed when it traps.
static void change_level(unsigned level)
{
	hold_to_execute();
	vpmu_change_level(&this->vpmu, level);
	shim.clock++;
	raise_pmis();
	release_machine();
	take_precise(this->ip, true);
	this->ip += INSTRUCTION_SIZE;
	take_interrupts();
}

// SPARC leaves hyperprivileged mode by one instruction, privileged mode by another one; elsewhere the descent is not
// counted.
static void execute_at(unsigned level, uint64_t n)
{
	if (this->vpmu.model->commit) {
		change_level(1);
		change_level(level);
	} else {
		set_level(level);
	}
	hal_execute(n);
	set_level(0);
	execute(KNOWN_CODE_OVERHEAD);
}

void hal_execute_user(uint64_t n)
{
	execute_at(3, n);
}

void hal_execute_privileged(uint64_t n)
{
	execute_at(1, n);
}

// Behind the known code two moves; the second write is an instruction, too.
bool hal_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n)
{
	bool ok;

	if (!reg_write(address, first))
		return false;
	execute_known(n - 3);
	execute(2);
	hold_to_execute();
	ok = vpmu_write(&this->vpmu, address, second, 1);
	end_instruction(this->ip + INSTRUCTION_SIZE);
	return ok;
}

// Nothing is stored: the write goes to the PMU.
void hal_write_lines(uint64_t address, unsigned lines)
{
	for (; lines; lines--, address += 64) {
		hold_to_execute();
		vpmu_transaction(&this->vpmu, address, true);
		end_instruction(this->ip + INSTRUCTION_SIZE);
	}
}

void hal_load(const volatile uint64_t *address)
{
	hold_to_execute();
	vpmu_load(&this->vpmu, &(struct occurrence){
		.ip = this->ip, .type = OCCURRENCE_TYPE_M, .data = 1, .address = (uintptr_t)address,
		.latency = LOAD_LATENCY,
	});
	end_instruction(this->ip + INSTRUCTION_SIZE);
	execute(2 * LOAD_LATENCY);
}

// The interrupted instruction: of this thread's in the cycle the one with the lowest address, in whichever order they
// are on the wires.
static void locate(const struct occurrence *wires, size_t count)
{
	const struct occurrence *found = NULL;

	for (const struct occurrence *o = wires; o < wires + count; o++)
		if (o->thread == this->vpmu.thread &&
		    (!found || (!found->ip && o->ip) || (o->ip && o->ip < found->ip) ||
		     (o->ip == found->ip && o->level > found->level)))
			found = o;
	this->ip = found ? found->ip : 0;
	this->vpmu.level = found ? found->level : 0;
}

// Whether a line of any core has risen.
static bool any_requests(void)
{
	uint32_t requests = 0;

	for (unsigned core = 0; core < CORES && shim.state[core]; core++)
		requests |= ((const struct model_outputs *)shim.state[core])->requests;
	return requests;
}

static inline void connect(const struct occurrence *wires, size_t count)
{
	const struct vpmu *v = &this->vpmu;

	if (__builtin_expect(!shim.target_is_package, true)) {
		shim.wires = wires;
		shim.wire_count = count;
		v->model->wires(v->state, wires, count);
		return;
	}
	v->model->wires(v->state, NULL, 0);
	vpmu_package_sync(&shim.package);
	shim.package.model->wires(shim.package.state, wires, count);
}

// Whether the instruction of such a cycle has executed when a precise trap is taken at it.
static bool has_executed(const struct occurrence *wires, size_t count)
{
	bool executed = false;

	for (size_t i = 0; i < count; i++)
		executed |= wires[i].thread == this->vpmu.thread && wires[i].type & OCCURRENCE_TYPE_COMMIT;
	return executed;
}

uint64_t shim_feed(const struct occurrence *wires, size_t count, uint64_t cycles)
{
	struct cpu *cpu = this;
	const struct model_outputs *outputs = vpmu_outputs(&cpu->vpmu);
	uint64_t piece;

	connect(wires, count);
	piece = least(cycles, vpmu_headroom(&cpu->vpmu));
	if (__builtin_expect(outputs->held || cpu->poll, false))
		piece = least(piece, most_cycles());
	vpmu_run(&cpu->vpmu, piece);
	shim.clock += piece;
	if (outputs->requests || (cpu->vpmu.package && any_requests()))
		raise_pmis();
	if (__builtin_expect(cpu->pmi_pending | (outputs->precise | outputs->held) | (cpu->poll != NULL), false)) {
		locate(wires, count);
		take_precise(cpu->ip, has_executed(wires, count));
		take_pmi();
		take_poll();
		if (count > 1)		// the level is again the last occurrence's, not the interrupted one's
			connect(wires, count);
	}
	return piece;
}

void hal_alarm(uint32_t ticks)
{
	this->alarm_set = true;
	this->alarm = shim.clock + ticks;
}

void hal_poll(hal_pmi_function *function, uint64_t clocks)
{
	this->poll = function;
	this->poll_clocks = clocks;
	this->poll_next = function ? shim.clock + clocks : UINT64_MAX;
}

// Nothing else than alarm, overflow interrupt and poll can end a halt: without any it would not end.
void hal_halt(void (*woken)(void))
{
	hold_machine();
	vpmu_set_halted(&this->vpmu, true);
	while (!this->pmi_pending && !is_held(this) && shim.clock < this->poll_next && this->alarm_set &&
	       shim.clock < this->alarm)
		advance(least(most_cycles(), until_alarm()));
	vpmu_set_halted(&this->vpmu, false);
	release_machine();
	woken();
	hal_interrupts_restore(true);
	hal_interrupts_disable();
}

//
// Registers
//

bool reg_read(uint32_t address, uint64_t *value)
{
	bool ok;

	if (!this->vpmu.model)
		return false;
	hold_machine();
	ok = vpmu_read(&this->vpmu, address, value);
	release_machine();
	return ok;
}

bool hal_spflt(bool count)
{
	bool executed;

	hold_to_execute();
	executed = vpmu_spflt(&this->vpmu, count, 1);
	if (executed) {
		shim.clock++;
		this->ip += INSTRUCTION_SIZE;
		raise_pmis();
	}
	release_machine();
	take_interrupts();
	return executed;
}

uint64_t reg_read_next(uint32_t address, uint64_t *fault)
{
	uint64_t value;

	if (reg_read(address, &value))
		return value;
	*fault = 1;
	return 0;
}

void reg_write_next(uint32_t address, uint64_t value, uint64_t *fault)
{
	if (!reg_write(address, value))
		*fault = 1;
}

bool reg_write(uint32_t address, uint64_t value)
{
	bool ok;

	hold_machine();
	ok = write_register(address, value);
	release_machine();
	return ok;
}

bool reg_read_counter(uint32_t index, uint64_t *value)
{
	bool ok;

	hold_machine();
	ok = vpmu_read_counter(&this->vpmu, index, value);
	release_machine();
	return ok;
}

bool hal_read_counter_user(uint32_t index, uint64_t *value)
{
	bool ok;

	set_level(3);
	ok = reg_read_counter(index, value);
	set_level(0);
	return ok;
}

//
// CPUs
//

unsigned hal_cpu(void)
{
	return (unsigned)(this - shim.cpu);
}

void *hal_cpu_data(void)
{
	return cpu_data[hal_cpu()];
}

void hal_cpu_set_data(void *data)
{
	cpu_data[hal_cpu()] = data;
}

void shim_cpu(unsigned cpu)
{
	this = &shim.cpu[cpu];
	hold_machine();
	vpmu_resume(&this->vpmu);
	release_machine();
	take_pmi();
}

void hal_relax(void)
{
	if (host_threads.several) {
		take_interrupts();
		sched_yield();
	}
}

unsigned hal_cpus_start(void)
{
	return shim.cpus;
}

void hal_cpu_call(unsigned cpu, void (*function)(void *argument), void *argument)
{
	unsigned caller = hal_cpu();

	shim_cpu(cpu);
	function(argument);
	shim_cpu(caller);
}

bool hal_cpu_init(unsigned cpu)
{
	(void)cpu;
	return false;
}

bool hal_cpus_wait(uint32_t cpus, uint64_t clocks)
{
	(void)clocks;
	return !(cpus >> shim.cpus);
}

void hal_topology(unsigned cpu, unsigned *core, unsigned *thread)
{
	*core = cpu / shim.threads;
	*thread = cpu % shim.threads;
}

void hal_bus_lock(void)
{
	hold_machine();
	shim.bus_locks++;
	vpmu_bus_lock(&this->vpmu);
	raise_pmis();
	release_machine();
}

//
// Machine
//

void hal_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	registers[0] = registers[1] = registers[2] = registers[3] = 0;
	this->vpmu.model->identify(leaf, subleaf, registers);
}

const char *hal_backend(void)
{
	return "host shim";
}

bool hal_event_happens(bool shared, uint16_t code, uint8_t umask)
{
	return vpmu_event_happens(&this->vpmu, shared, code, umask);
}

struct hal_overhead hal_overhead(void)
{
	return (struct hal_overhead){0};
}

void hal_console_put(char c)
{
	putchar(c);
}

void hal_console_write(const char *text, size_t size)
{
	fwrite(text, 1, size, stdout);
}

uint64_t hal_instructions(uint64_t clock)
{
	return clock;
}

noreturn void hal_exit(int status)
{
	exit(status);
}

const char *hal_emulate(const char *target, const char *fault)
{
	return shim_start(target, fault) ? NULL : "there is no such target or fault";
}
