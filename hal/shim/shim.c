// SPDX-License-Identifier: BSD-2-Clause
// The host shim: the machine of one CPU as a process. Registers are function calls into the model; instructions
// are executed by saying so; interrupts are calls of the handler between two of them.

#include "shim.h"

#include <stdio.h>
#include <stdlib.h>

#include "hal.h"

#define KNOWN_CODE_OVERHEAD	3	/* constant part of hal_execute, as on x86: shift, jump, return */
#define ALARM_INSTRUCTIONS	40	/* length of the alarm's interrupt handler */

static struct {
	struct vpmu vpmu;
	void *state;
	uint64_t clock;			// instructions executed and cycles halted
	uint64_t ip;
	bool interrupts;
	void (*watch)(uint32_t address, uint64_t value);

	hal_pmi_function *pmi_handler;
	enum hal_pmi_delivery pmi_delivery;
	bool pmi_masked, pmi_pending, pmi_active;
	bool alarm_set;
	uint64_t alarm;			// clock at which it interrupts
} shim;

uint64_t hal_memory_start, hal_memory_end;

static uint64_t seed;		// of undefined register values, for the next start

void shim_seed(uint64_t value)
{
	seed = value;
}

bool shim_start(const char *target, const char *fault)
{
	const struct pmu_model *model = pmu_model_find(target);
	size_t size = model ? (model->size + MODEL_ALIGNMENT - 1) & -MODEL_ALIGNMENT : 0;

	shim_end();
	shim.state = model ? aligned_alloc(MODEL_ALIGNMENT, size) : NULL;
	shim.interrupts = shim.pmi_masked = true;
	return shim.state && vpmu_start(&shim.vpmu, model, shim.state, 0, fault, seed);
}

void shim_end(void)
{
	free(shim.state);
	shim = (__typeof__(shim)){0};
}

void shim_watch_writes(void (*watch)(uint32_t address, uint64_t value))
{
	shim.watch = watch;
}

struct vpmu *shim_vpmu(void)
{
	return &shim.vpmu;
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
	const struct pmu_model *model = shim.vpmu.model;

	*saved = 0;
	if (model->interruption)
		model->interruption(shim.state, shim.vpmu.thread, saved);
	vpmu_set_level(&shim.vpmu, 0);
}

static void leave_interruption(uint64_t saved, unsigned level)
{
	const struct pmu_model *model = shim.vpmu.model;

	if (model->resume)
		model->resume(shim.state, shim.vpmu.thread, saved);
	vpmu_set_level(&shim.vpmu, level);
}

// Calls the handler if the interrupt is pending and may be taken; a handler is not interrupted by its like.
static void take_pmi(void)
{
	bool takeable = shim.interrupts || shim.pmi_delivery == HAL_PMI_NMI;

	while (shim.pmi_pending && takeable && !shim.pmi_active) {
		bool interrupts = shim.interrupts;
		unsigned level = shim.vpmu.level;
		uint64_t saved;

		shim.pmi_pending = false;
		shim.pmi_active = true;
		shim.interrupts = false;
		enter_interruption(&saved);
		shim.pmi_handler(shim.ip, level);
		leave_interruption(saved, level);
		shim.interrupts = interrupts;
		shim.pmi_active = false;
	}
}

// Masks the interrupt or lets it through: in the processor's own vector register if it has one, else where an
// interrupt controller would.
static void set_mask(bool masked)
{
	const struct pmu_model *model = shim.vpmu.model;
	uint64_t vector;

	shim.pmi_masked = masked;
	if (model->vector_address && reg_read(model->vector_address, &vector))
		reg_write(model->vector_address,
			  masked ? vector | model->vector_masked : vector & ~model->vector_masked);
}

// The line has risen. A local APIC drops the request if masked, else masks and delivers it; a processor with a vector
// register of its own has looked at the mask itself.
static void raise_pmi(void)
{
	bool own_vector = shim.vpmu.model->vector_address;

	if (!vpmu_take_request(&shim.vpmu) || (shim.pmi_masked && !own_vector))
		return;
	shim.pmi_masked = !own_vector;
	shim.pmi_pending = true;
}

void hal_interrupts_start(void)
{
	shim.interrupts = true;
}

bool hal_interrupts_disable(void)
{
	bool enabled = shim.interrupts;

	shim.interrupts = false;
	return enabled;
}

void hal_pmi_attach(hal_pmi_function *handler, enum hal_pmi_delivery delivery)
{
	shim.pmi_handler = handler;
	shim.pmi_delivery = delivery;
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

uint64_t hal_clock(void)
{
	return shim.clock;
}

static void advance(uint64_t cycles)
{
	vpmu_run(&shim.vpmu, cycles);
	shim.clock += cycles;
	raise_pmi();
}

static uint64_t until_alarm(void)
{
	return shim.alarm_set && shim.alarm > shim.clock ? shim.alarm - shim.clock : UINT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

// The alarm's handler runs at the highest level, and is counted there.
static void take_alarm(void)
{
	unsigned level = shim.vpmu.level;
	uint64_t saved;

	if (!shim.alarm_set || shim.clock < shim.alarm || !shim.interrupts)
		return;
	shim.alarm_set = false;
	enter_interruption(&saved);
	advance(ALARM_INSTRUCTIONS);
	leave_interruption(saved, level);
}

void hal_interrupts_restore(bool enabled)
{
	shim.interrupts = enabled;
	take_pmi();
	take_alarm();
}

static void execute(uint64_t n)
{
	while (n) {
		uint64_t piece = least(n, least(vpmu_headroom(&shim.vpmu), until_alarm()));

		advance(piece);
		shim.ip += 4 * piece;
		n -= piece;
		take_pmi();
		take_alarm();
	}
}

void hal_execute(uint64_t n)
{
	execute(n + KNOWN_CODE_OVERHEAD);
}

void hal_execute_user(uint64_t n)
{
	vpmu_set_level(&shim.vpmu, 3);
	execute(n + KNOWN_CODE_OVERHEAD);
	vpmu_set_level(&shim.vpmu, 0);
	execute(KNOWN_CODE_OVERHEAD);
}

void hal_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n)
{
	reg_write(address, first);
	execute(n);
	execute(1);
	reg_write(address, second);
}

// The interrupted instruction: the first occurrence of this thread that says where it is.
static void locate(const struct occurrence *wires, size_t count)
{
	const struct occurrence *found = NULL;

	for (size_t i = 0; i < count; i++)
		if (wires[i].thread == shim.vpmu.thread && (!found || (!found->ip && wires[i].ip)))
			found = &wires[i];
	shim.ip = found ? found->ip : 0;
	shim.vpmu.level = found ? found->level : 0;
}

uint64_t shim_feed(const struct occurrence *wires, size_t count, uint64_t cycles)
{
	uint64_t piece;

	shim.vpmu.model->wires(shim.state, wires, count);
	piece = least(cycles, vpmu_headroom(&shim.vpmu));
	vpmu_run(&shim.vpmu, piece);
	shim.clock += piece;
	if (vpmu_outputs(&shim.vpmu)->requests)
		raise_pmi();
	if (shim.pmi_pending) {
		locate(wires, count);
		take_pmi();
		if (count > 1)		// the level is again the last occurrence's, not the interrupted one's
			shim.vpmu.model->wires(shim.state, wires, count);
	}
	return piece;
}

void hal_alarm(uint32_t ticks)
{
	shim.alarm_set = true;
	shim.alarm = shim.clock + ticks;
}

// Nothing else than the alarm and the overflow interrupt can end a halt: without either it would not end.
void hal_halt(void (*woken)(void))
{
	vpmu_set_halted(&shim.vpmu, true);
	while (!shim.pmi_pending && shim.alarm_set && shim.clock < shim.alarm)
		advance(least(vpmu_headroom(&shim.vpmu), until_alarm()));
	vpmu_set_halted(&shim.vpmu, false);
	woken();
	hal_interrupts_restore(true);
	hal_interrupts_disable();
}

//
// Registers
//

bool reg_read(uint32_t address, uint64_t *value)
{
	return vpmu_read(&shim.vpmu, address, value);
}

bool reg_write(uint32_t address, uint64_t value)
{
	if (shim.watch)
		shim.watch(address, value);
	return vpmu_write(&shim.vpmu, address, value, 0);
}

bool reg_read_counter(uint32_t index, uint64_t *value)
{
	return vpmu_read_counter(&shim.vpmu, index, value);
}

//
// CPUs: one
//

static void *cpu_data;

void *hal_cpu_data(void)
{
	return cpu_data;
}

void hal_cpu_set_data(void *data)
{
	cpu_data = data;
}

unsigned hal_cpus_start(void)
{
	return 1;
}

void hal_cpu_call(unsigned cpu, void (*function)(void *argument), void *argument)
{
	(void)cpu, (void)function, (void)argument;
}

bool hal_cpus_wait(uint32_t cpus, uint64_t clocks)
{
	(void)clocks;
	return !cpus;
}

void hal_topology(unsigned cpu, unsigned *core, unsigned *thread)
{
	(void)cpu;
	*core = *thread = 0;
}

void hal_bus_lock(void)
{
	vpmu_bus_lock(&shim.vpmu);
}

//
// Machine
//

void hal_identify(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
	registers[0] = registers[1] = registers[2] = registers[3] = 0;
	shim.vpmu.model->identify(leaf, subleaf, registers);
}

const char *hal_carrier(void)
{
	return "host shim";
}

bool hal_event_happens(uint16_t code, uint8_t umask)
{
	return vpmu_event_happens(&shim.vpmu, code, umask);
}

struct hal_overhead hal_overhead(void)
{
	return (struct hal_overhead){0};
}

void hal_console_put(char c)
{
	putchar(c);
}

noreturn void hal_exit(int status)
{
	exit(status);
}

const char *hal_emulate(const char *target, const char *fault)
{
	return shim_start(target, fault) ? NULL : "there is no such target or fault";
}
