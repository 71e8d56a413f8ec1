// SPDX-License-Identifier: BSD-2-Clause
// The shim's instructions: plain ones, of which only the number matters, and those that affect the
// PMU.

#include "image_run.h"
#include "machine.h"
#include "stimulus.h"

#define KNOWN_CODE_OVERHEAD	3	/* instructions of the return from the lowest level */
#define LOAD_LATENCY		64	/* of a load from memory, in cycles */
#define PIECE_MOST		1000	/* instructions while other CPUs wait */

//
// Time
//

// The processor's clock instruction: reads the model's clock register, which software can write, if
// there is one. The shim's own clock, which times alarms and polls, is independent.
uint64_t hal_clock(void)
{
	const uint32_t address = this->vpmu.model ? this->vpmu.model->clock_address : 0;
	uint64_t clock;
	bool read;

	if (!address)
		return shim.clock;
	shim_hold();
	read = vpmu_read(&this->vpmu, address, &clock);
	shim_release();
	return read ? clock : shim.clock;
}

// Takes pending interrupts first: no instruction executes between another CPU's request and the
// interrupt.
void shim_begin_instruction(void)
{
	shim_hold();
	while (shim.host.several && this->pmi_pending && is_takeable()) {
		shim_release();
		shim_take_interrupts();
		shim_hold();
	}
}

void shim_end_instruction(uint64_t next, bool executed)
{
	shim.clock++;
	shim_raise_pmis();
	shim_release();
	shim_take_precise(this->ip, executed);
	this->ip = next;
	shim_take_interrupts();
}

//
// Known code
//

static void execute(uint64_t n)
{
	while (n) {
		uint64_t piece = shim.host.several ? least(n, PIECE_MOST) : n;

		shim_begin_instruction();
		piece = least(piece, least(shim_most_cycles(), shim_until_alarm()));
		shim_advance(piece);
		shim_release();
		shim_take_precise(this->ip + INSTRUCTION_SIZE * (piece - 1), false);
		this->ip += INSTRUCTION_SIZE * piece;
		n -= piece;
		shim_take_interrupts();
	}
}

// Executes a conditional branch to `target` at the current instruction pointer.
static void execute_branch(uint64_t target, bool taken)
{
	shim_begin_instruction();
	vpmu_branch(&this->vpmu, &(struct occurrence){
		.ip = this->ip, .target = target,
		.branch = OCCURRENCE_BRANCH | OCCURRENCE_KIND_CONDITIONAL |
			(taken ? OCCURRENCE_TAKEN : 0),
	});
	shim_end_instruction(taken ? target : this->ip + INSTRUCTION_SIZE, false);
}

// Code of known length, the same as on x86 (arch/x86/execute.S): a jump over an odd instruction,
// then rounds of two. If branches matter to the model, executes each branch.
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

static void set_level(unsigned level)
{
	shim_hold();
	vpmu_set_level(&this->vpmu, level);
	shim_release();
}

// One instruction that changes the level. A precise trap at it comes after it has executed.
static void change_level(unsigned level)
{
	shim_begin_instruction();
	vpmu_change_level(&this->vpmu, level, NULL, 0);
	shim_end_instruction(this->ip + INSTRUCTION_SIZE, true);
}

// Enters a lower level. SPARC needs one instruction to leave hyperprivileged mode and another to
// leave privileged mode. On other targets the descent counts no instruction.
static void go_down(unsigned level)
{
	if (this->vpmu.model->machine->commit) {
		change_level(1);
		change_level(level);
	} else {
		set_level(level);
	}
}

static void execute_at(unsigned level, uint64_t n)
{
	go_down(level);
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

int hal_run_user(int (*function)(void))
{
	int result;

	go_down(3);
	result = function();
	set_level(0);
	return result;
}

//
// Single instructions
//

// After the known code there are two moves; the second write is an instruction, too.
bool hal_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n)
{
	bool ok;

	if (!reg_write(address, first))
		return false;
	execute_known(n - 3);
	execute(2);
	shim_begin_instruction();
	ok = vpmu_write(&this->vpmu, address, second, 1);
	shim_end_instruction(this->ip + INSTRUCTION_SIZE, true);
	return ok;
}

// Stores nothing: the package's PMU gets the write.
void hal_write_lines(uint64_t address, unsigned lines)
{
	for (; lines; lines--, address += 64) {
		shim_begin_instruction();
		vpmu_run(&this->vpmu, 1);
		vpmu_transaction(&this->vpmu, address, true);
		shim_end_instruction(this->ip + INSTRUCTION_SIZE, false);
	}
}

void hal_load(const volatile uint64_t *address)
{
	shim_begin_instruction();
	vpmu_load(&this->vpmu, &(struct occurrence){
		.ip = this->ip, .type = OCCURRENCE_TYPE_M, .data = 1, .address = (uintptr_t)address,
		.latency = LOAD_LATENCY,
	});
	shim_end_instruction(this->ip + INSTRUCTION_SIZE, false);
	execute(2 * LOAD_LATENCY);
}

bool hal_spflt(bool count)
{
	bool executed;

	shim_begin_instruction();
	executed = vpmu_spflt(&this->vpmu, count, 1);
	if (executed)
		shim_end_instruction(this->ip + INSTRUCTION_SIZE, true);
	else
		shim_release();
	return executed;
}

//
// Registers
//

bool reg_read(uint32_t address, uint64_t *value)
{
	bool ok;

	if (!this->vpmu.model)
		return false;
	this->accesses.registers++;
	shim_hold();
	ok = vpmu_read(&this->vpmu, address, value);
	shim_release();
	return ok;
}

bool reg_write(uint32_t address, uint64_t value)
{
	bool ok;

	this->accesses.registers++;
	shim_hold();
	ok = shim_write_register(address, value);
	shim_release();
	return ok;
}

struct shim_accesses shim_accesses(void)
{
	return this->accesses;
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

bool reg_read_counter(uint32_t index, uint64_t *value)
{
	bool ok;

	shim_hold();
	ok = vpmu_read_counter(&this->vpmu, index, value);
	shim_release();
	return ok;
}

static bool read_counter_at(unsigned level, uint32_t index, uint64_t *value)
{
	bool ok;

	set_level(level);
	ok = reg_read_counter(index, value);
	set_level(0);
	return ok;
}

bool hal_read_counter_user(uint32_t index, uint64_t *value)
{
	return read_counter_at(3, index, value);
}

bool hal_read_counter_privileged(uint32_t index, uint64_t *value)
{
	return read_counter_at(1, index, value);
}

bool hal_write_counter_user(uint32_t index, uint32_t value)
{
	bool ok;

	set_level(3);
	shim_hold();
	ok = vpmu_write_counter(&this->vpmu, index, value, 0);
	shim_release();
	set_level(0);
	return ok;
}
