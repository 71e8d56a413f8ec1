// SPDX-License-Identifier: BSD-2-Clause
// The shim's interrupts: calls of a handler between two instructions. They follow the rules of a
// local APIC, or of a processor with its own vector register.

#include "callers.h"
#include "machine.h"

#define ALARM_INSTRUCTIONS	40	/* instructions of the alarm's interrupt handler */

static void enter_interruption(uint64_t *saved)
{
	const struct pmu_model *model = this->vpmu.model;

	*saved = 0;
	if (model->machine->interruption)
		model->machine->interruption(this->vpmu.state, this->vpmu.thread, saved);
	vpmu_set_level(&this->vpmu, 0);
}

static void leave_interruption(uint64_t saved, unsigned level)
{
	const struct pmu_model *model = this->vpmu.model;

	if (model->machine->resume)
		model->machine->resume(this->vpmu.state, this->vpmu.thread, saved);
	vpmu_set_level(&this->vpmu, level);
}

static void call_handler(hal_pmi_function *handler, uint64_t ip)
{
	bool interrupts = this->interrupts;
	unsigned level = this->vpmu.level;
	uint64_t saved;

	this->pmi_active = true;
	this->interrupts = false;
	shim_hold();
	enter_interruption(&saved);
	shim_release();
	handler(ip, level);
	shim_hold();
	leave_interruption(saved, level);
	shim_release();
	this->interrupts = interrupts;
	this->pmi_active = false;
}

//
// The overflow interrupt
//

static bool take_pending(void)
{
	bool taken;

	shim_hold();
	taken = this->pmi_pending && is_takeable();
	this->pmi_pending &= !taken;
	shim_release();
	return taken;
}

static bool take_held(void)
{
	bool taken;

	shim_hold();
	taken = is_held(this) && is_takeable();
	shim_release();
	return taken;
}

// Calls the handler if the interrupt is pending and may be taken. A level that the handler leaves
// active interrupts again, but after one more instruction, unlike on a processor, so that a test
// ends.
void shim_take_pmi(void)
{
	while (take_pending())
		call_handler(this->pmi_handler, this->ip);
	if (take_held())
		call_handler(this->pmi_handler, this->ip);
}

// Takes a trap at the instruction at `ip`. Nothing can mask it; without a handler it is lost.
// `executed`: the instruction has executed, and the handler should skip it.
void shim_take_precise(uint64_t ip, bool executed)
{
	struct model_outputs *outputs = vpmu_outputs(&this->vpmu);
	const uint32_t thread = 1u << this->vpmu.thread;
	bool trapped;

	shim_hold();
	trapped = outputs->precise & thread;
	outputs->precise &= ~thread;
	shim_release();
	if (!trapped || !this->pmi_handler)
		return;
	this->precise = true;
	this->precise_level = this->vpmu.level;
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

unsigned hal_pmi_level(void)
{
	return this->precise_level;
}

bool hal_pmi_instruction(uint32_t *instruction)
{
	*instruction = shim.instruction;
	return shim.has_instruction;
}

void shim_instruction(uint32_t instruction)
{
	shim.has_instruction = true;
	shim.instruction = instruction;
}

void hal_pmi_skip(void)
{
	this->skip = true;
}

// Masks or unmasks the interrupt: in the processor's vector register if the model has one,
// otherwise in the interrupt controller.
static void set_mask(bool masked)
{
	const struct pmu_model *model = this->vpmu.model;
	uint64_t vector;

	shim_hold();
	this->pmi_masked = masked;
	if (model->vector_address && vpmu_read(&this->vpmu, model->vector_address, &vector))
		shim_write_register(model->vector_address,
			       masked ? vector | model->vector_masked :
			       vector & ~model->vector_masked);
	shim_release();
}

// Handles a CPU's risen line. A local APIC drops the request if masked, otherwise masks and
// delivers it. A processor with a vector register has checked the mask itself. A level is checked
// when it may be taken.
static void raise_pmi(struct cpu *cpu)
{
	bool own_vector = cpu->vpmu.model->vector_address;

	if (!vpmu_take_request(&cpu->vpmu) || (cpu->pmi_masked && !own_vector) || is_held(cpu))
		return;
	cpu->pmi_masked = !own_vector;
	cpu->pmi_pending = true;
}

void shim_raise_pmis(void)
{
	for (unsigned i = 0; i < shim.cpus; i++)
		raise_pmi(&shim.cpu[i]);
}

void shim_advance(uint64_t cycles)
{
	vpmu_run(&this->vpmu, cycles);
	shim.clock += cycles;
	shim_raise_pmis();
}

void hal_pmi_attach(hal_pmi_function *handler, enum hal_pmi_delivery delivery)
{
	this->pmi_handler = handler;
	this->pmi_delivery = delivery;
	set_mask(false);
}

// The process's own code is never interrupted, so that it has no callers to unwind.
void hal_pmi_follow(hal_pmi_function *handler)
{
	this->pmi_handler = handler;
}

unsigned hal_callers(uint64_t ip, unsigned level, hal_function_start *function_start,
		     uint64_t *caller, unsigned most)
{
	(void)ip, (void)level, (void)function_start, (void)caller, (void)most;
	return 0;
}

void hal_pmi_mask(void)
{
	this->accesses.controller++;
	set_mask(true);
}

void hal_pmi_unmask(void)
{
	this->accesses.controller++;
	set_mask(false);
}

void hal_pmi_end(void)
{
	this->accesses.controller++;
}

//
// Alarm and poll
//

uint64_t shim_until_alarm(void)
{
	return this->alarm_set && this->alarm > shim.clock ? this->alarm - shim.clock : UINT64_MAX;
}

static uint64_t until_poll(void)
{
	return !this->poll ? UINT64_MAX : this->poll_next > shim.clock ? this->poll_next -
	       shim.clock : 1;
}

// The number of cycles that may pass at once: until a line can change, or until a poll.
uint64_t shim_most_cycles(void)
{
	if (is_held(this) && is_takeable())
		return 1;
	return least(vpmu_headroom(&this->vpmu), until_poll());
}

// The alarm's handler runs, and counts, at the highest level.
static void take_alarm(void)
{
	unsigned level = this->vpmu.level;
	uint64_t saved;

	if (!this->alarm_set || shim.clock < this->alarm || !this->interrupts)
		return;
	this->alarm_set = false;
	shim_hold();
	enter_interruption(&saved);
	shim_advance(ALARM_INSTRUCTIONS);
	leave_interruption(saved, level);
	shim_release();
}

void shim_take_poll(void)
{
	if (!this->poll || shim.clock < this->poll_next || !this->interrupts)
		return;
	this->poll_next = UINT64_MAX;
	call_handler(this->poll, this->ip);
	if (this->poll)
		this->poll_next = shim.clock + this->poll_ticks;
}

void shim_take_interrupts(void)
{
	shim_take_pmi();
	take_alarm();
	shim_take_poll();
}

void hal_alarm(uint32_t ticks)
{
	this->alarm_set = true;
	this->alarm = shim.clock + ticks;
}

void hal_poll(hal_pmi_function *function, uint64_t ticks)
{
	this->poll = function;
	this->poll_ticks = ticks;
	this->poll_next = function ? shim.clock + ticks : UINT64_MAX;
}

//
// Halts
//

bool hal_interrupts_disable(void)
{
	bool enabled = this->interrupts;

	this->interrupts = false;
	return enabled;
}

void hal_interrupts_restore(bool enabled)
{
	this->interrupts = enabled;
	shim_take_interrupts();
}

// Passes cycles until an overflow interrupt, a poll or the alarm. Without an alarm the halt might
// not end, so it returns at once.
void hal_halt(void (*woken)(void))
{
	shim_hold();
	vpmu_set_halted(&this->vpmu, true);
	while (!this->pmi_pending && !is_held(this) && shim.clock < this->poll_next &&
	       this->alarm_set &&
	       shim.clock < this->alarm)
		shim_advance(least(shim_most_cycles(), shim_until_alarm()));
	vpmu_set_halted(&this->vpmu, false);
	shim_release();
	woken();
	hal_interrupts_restore(true);
	hal_interrupts_disable();
}
