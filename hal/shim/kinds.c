// SPDX-License-Identifier: BSD-2-Clause
// The shim's instructions of known kinds: loads, atomics, branches, misses. Each raises the model's
// events (`raised`) for its CPU events (cpu_event.h).

#include "machine.h"
#include "stimulus.h"

#define HAPPEN_MOST	4

struct kind {
	enum cpu_event happens[HAPPEN_MOST];	// CPU events of each such instruction
	bool commits;				// next-to-commit instruction (SPARC): it executes
						// before its trap
};

#define ONLY(what)	BOTH(what, COUNT)
#define BOTH(a, b)	ALL(a, b, COUNT, COUNT)		/* CPU_EVENT_COUNT: no event */
#define ALL(a, b, c, d)	.happens = {CPU_EVENT_##a, CPU_EVENT_##b, CPU_EVENT_##c, CPU_EVENT_##d}

static size_t raised_by(const struct kind *kind, struct occurrence occurrences[VPMU_KINDS_MOST])
{
	const struct vpmu *v = &this->vpmu;
	size_t count = 0;

	for (const struct model_raised *r = v->model->machine->raised;
	     r && r->cpu_event != CPU_EVENT_COUNT; r++)
		for (unsigned i = 0; i < HAPPEN_MOST; i++)
			if (model_is_raised_by(r, kind->happens[i]) &&
			    model_is_by_clock(r, MODEL_UNIT_CLOCK) &&
			    count < VPMU_KINDS_MOST)
				occurrences[count++] = (struct occurrence){
					.code = r->code, .sub = r->sub, .n = 1, .ip = this->ip,
					.thread = (uint8_t)v->thread, .level = (uint8_t)v->level,
				};
	return count;
}

// Executes next-to-commit instructions one by one.
static void execute_kind(const struct kind *kind, uint64_t n)
{
	struct occurrence signals[VPMU_CLOCK_MOST + VPMU_KINDS_MOST], occurrences[VPMU_KINDS_MOST];
	uint64_t piece;

	for (; n; n -= piece) {
		shim_begin_instruction();
		vpmu_connect_occurrences(&this->vpmu, signals, occurrences,
					 raised_by(kind, occurrences));
		piece = kind->commits ? 1 : least(n, least(shim_most_cycles(), shim_until_alarm()));
		if (kind->commits)
			vpmu_commit(&this->vpmu);
		else
			vpmu_run(&this->vpmu, piece);
		vpmu_resume(&this->vpmu);
		shim.clock += piece - 1;
		this->ip += INSTRUCTION_SIZE * (piece - 1);
		shim_end_instruction(this->ip + INSTRUCTION_SIZE, kind->commits);
	}
}

void hal_read_lines(uint64_t lines)
{
	static const struct kind load = {ALL(LOADS, L1D_LOAD_I, L2_LOAD_I, LOADED_MEMORY)};

	execute_kind(&load, lines);
}

#define KINDS_ADDRESS	0x10000

void hal_execute_kinds(uint64_t rounds)
{
	static const struct kind kinds[] = {
		[HAL_COUNTED] = {BOTH(PLAIN, SOFTWARE_COUNT)},
		[HAL_ATOMIC] = {BOTH(PLAIN, ATOMIC), .commits = true},
		[HAL_PREFETCH] = {BOTH(PLAIN, PREFETCH)}, [HAL_BLOCK_STORE] = {BOTH(STORES, BLOCK)},
		[HAL_LOAD] = {ONLY(LOADS)}, [HAL_STORE] = {ONLY(STORES)},
		[HAL_STATE_WRITE] = {ONLY(REGISTER), .commits = true},
		[HAL_NOT_TAKEN] = {ONLY(BRANCH_NOT_TAKEN)},
		[HAL_DELAY_SLOT] = {ONLY(PLAIN)}, [HAL_ARITHMETIC] = {ONLY(PLAIN)},
		[HAL_TAKEN] = {ONLY(BRANCH_CONDITIONAL)}, [HAL_TAKEN + 1] = {ONLY(PLAIN)},
	};
	static const struct kind not_taken = {ONLY(BRANCH_NOT_TAKEN)};
	const uint64_t behind = this->ip;

	for (; rounds; rounds--) {
		this->ip = KINDS_ADDRESS;
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			execute_kind(i == HAL_TAKEN && rounds == 1 ? &not_taken : &kinds[i], 1);
	}
	this->ip = behind;
}

uint64_t hal_kind_address(enum hal_kind kind)
{
	return KINDS_ADDRESS + kind * INSTRUCTION_SIZE;
}

void hal_execute_random(uint64_t branches)
{
	static const struct kind branch = {BOTH(BRANCH_CONDITIONAL, MISPREDICTED_CONDITIONAL)};

	execute_kind(&branch, branches);
}

#define FAR_JUMPS	320

void hal_execute_far(void)
{
	static const struct kind jump = {ALL(BRANCH_JUMP, MISSED_TAKEN, FETCHED_MEMORY, COUNT)};

	execute_kind(&jump, FAR_JUMPS);
}
