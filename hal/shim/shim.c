// SPDX-License-Identifier: BSD-2-Clause
// The host shim: a machine as a process. Registers are function calls into the model; instructions are executed by
// saying so; interrupts are calls of the handler between two of them. Of several CPUs one executes at a time.

#include "shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal.h"

#define KNOWN_CODE_OVERHEAD	3	/* the way back from the lowest level */
#define INSTRUCTION_SIZE	4
#define ALARM_INSTRUCTIONS	40	/* length of the alarm's interrupt handler */

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

static struct cpu *this = &shim.cpu[0];	// the one that calls come from
static void *cpu_data[HAL_CPUS];	// until the next start: what was measured is asked for behind the end

// At first the program's own variables.
extern char __data_start[], end[];
uint64_t hal_memory_start = (uintptr_t)__data_start, hal_memory_end = (uintptr_t)end;

static uint64_t seed;		// of undefined register values, for the next start

void shim_seed(uint64_t value)
{
	seed = value;
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

// Where an instruction of a trace goes on. How long it is, no trace says: one byte.
static uint64_t behind(const struct occurrence *o)
{
	return o->branch & OCCURRENCE_TAKEN ? o->target : o->ip + 1;
}

// Where a CPU is: in a trace, behind the last occurrence that says where it is.
static uint64_t ip_of(const struct cpu *cpu)
{
	uint64_t ip = cpu->ip;

	for (const struct occurrence *o = shim.wires; o < shim.wires + shim.wire_count; o++)
		if (cpu->vpmu.state == this->vpmu.state && o->thread == cpu->vpmu.thread && o->ip)
			ip = behind(o);
	return ip;
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
	enter_interruption(&saved);
	handler(ip, level);
	leave_interruption(saved, level);
	this->interrupts = interrupts;
	this->pmi_active = false;
}

// A handler is not interrupted by its like.
static bool is_takeable(void)
{
	return (this->interrupts || this->pmi_delivery == HAL_PMI_NMI) && !this->pmi_active;
}

// Whether the line is a level, is up, and interrupts.
static bool is_held(const struct cpu *cpu)
{
	return vpmu_outputs(&cpu->vpmu)->held >> cpu->vpmu.thread & 1 && !cpu->pmi_masked;
}

// Calls the handler if the interrupt is pending and may be taken. A level that the handler leaves up interrupts again,
// but lets an instruction pass, which no processor does: a test is to end.
static void take_pmi(void)
{
	while (this->pmi_pending && is_takeable()) {
		this->pmi_pending = false;
		call_handler(this->pmi_handler, this->ip);
	}
	if (is_held(this) && is_takeable())
		call_handler(this->pmi_handler, this->ip);
}

// A trap at the instruction at `ip`, which nothing can mask: without a handler it is lost. `executed`: the instruction
// has, so that it is to be skipped.
static void take_precise(uint64_t ip, bool executed)
{
	struct model_outputs *outputs = vpmu_outputs(&this->vpmu);
	const uint32_t thread = 1u << this->vpmu.thread;

	if (!(outputs->precise & thread))
		return;
	outputs->precise &= ~thread;
	if (!this->pmi_handler)
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

// Masks the interrupt or lets it through: in the processor's own vector register if it has one, else where an
// interrupt controller would.
static void set_mask(bool masked)
{
	const struct pmu_model *model = this->vpmu.model;
	uint64_t vector;

	this->pmi_masked = masked;
	if (model->vector_address && reg_read(model->vector_address, &vector))
		reg_write(model->vector_address,
			  masked ? vector | model->vector_masked : vector & ~model->vector_masked);
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
	enter_interruption(&saved);
	advance(ALARM_INSTRUCTIONS);
	leave_interruption(saved, level);
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

static void execute(uint64_t n)
{
	while (n) {
		uint64_t piece = least(n, least(most_cycles(), until_alarm()));

		advance(piece);
		take_precise(this->ip + INSTRUCTION_SIZE * (piece - 1), false);
		this->ip += INSTRUCTION_SIZE * piece;
		n -= piece;
		take_interrupts();
	}
}

// A conditional branch to `target`, at the present instruction pointer.
static void execute_branch(uint64_t target, bool taken)
{
	vpmu_branch(&this->vpmu, &(struct occurrence){
		.ip = this->ip, .target = target,
		.branch = OCCURRENCE_BRANCH | OCCURRENCE_KIND_CONDITIONAL | (taken ? OCCURRENCE_TAKEN : 0),
	});
	this->ip = taken ? target : this->ip + INSTRUCTION_SIZE;
	shim.clock++;
	raise_pmis();
	take_interrupts();
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

void hal_execute_user(uint64_t n)
{
	vpmu_set_level(&this->vpmu, 3);
	hal_execute(n);
	vpmu_set_level(&this->vpmu, 0);
	execute(KNOWN_CODE_OVERHEAD);
}

// Behind the known code two moves; the second write is an instruction, too.
void hal_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n)
{
	reg_write(address, first);
	execute_known(n - 3);
	execute(2);
	vpmu_write(&this->vpmu, address, second, 1);
	shim.clock++;
	this->ip += INSTRUCTION_SIZE;
	raise_pmis();
	take_interrupts();
}

// The interrupted instruction: the first occurrence of this thread that says where it is.
static void locate(const struct occurrence *wires, size_t count)
{
	const struct occurrence *found = NULL;

	for (size_t i = 0; i < count; i++)
		if (wires[i].thread == this->vpmu.thread && (!found || (!found->ip && wires[i].ip)))
			found = &wires[i];
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
	vpmu_package_settle(&shim.package);
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
	vpmu_set_halted(&this->vpmu, true);
	while (!this->pmi_pending && !is_held(this) && shim.clock < this->poll_next && this->alarm_set &&
	       shim.clock < this->alarm)
		advance(least(most_cycles(), until_alarm()));
	vpmu_set_halted(&this->vpmu, false);
	woken();
	hal_interrupts_restore(true);
	hal_interrupts_disable();
}

//
// Registers
//

bool reg_read(uint32_t address, uint64_t *value)
{
	return vpmu_read(&this->vpmu, address, value);
}

bool hal_prefer(bool count)
{
	if (!vpmu_prefer(&this->vpmu, count, 1))
		return false;
	shim.clock++;
	this->ip += INSTRUCTION_SIZE;
	raise_pmis();
	take_interrupts();
	return true;
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
	if (shim.watch)
		shim.watch(address, value);
	return vpmu_write(&this->vpmu, address, value, 0);
}

bool reg_read_counter(uint32_t index, uint64_t *value)
{
	return vpmu_read_counter(&this->vpmu, index, value);
}

bool hal_read_counter_user(uint32_t index, uint64_t *value)
{
	bool ok;

	vpmu_set_level(&this->vpmu, 3);
	ok = reg_read_counter(index, value);
	vpmu_set_level(&this->vpmu, 0);
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
	vpmu_resume(&this->vpmu);
	take_pmi();
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
	shim.bus_locks++;
	vpmu_bus_lock(&this->vpmu);
	raise_pmis();
}

//
// Machine
//

void hal_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	registers[0] = registers[1] = registers[2] = registers[3] = 0;
	this->vpmu.model->identify(leaf, subleaf, registers);
}

const char *hal_carrier(void)
{
	return "host shim";
}

bool hal_event_happens(uint16_t code, uint8_t umask)
{
	size_t count = 0;
	const struct occurrence *o = shim.package.model ? shim.package.model->clock(0, 0, &count) : NULL;

	for (; count; o++, count--)
		if (o->code == code && o->sub == umask)
			return true;
	return vpmu_event_happens(&this->vpmu, code, umask);
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
