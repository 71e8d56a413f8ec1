// SPDX-License-Identifier: BSD-2-Clause
// What the guest executes: all that begins between the monitor's RETRY and the software trap by which it is entered
// (hal/emu/hyper/switch.S). The emulator says which block comes next. So all before it has been executed, and its
// conditional branch has gone there, or not. Of the last one the trap's address says how much has been executed.

#include "sparc64_observe.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../hyper/frame.h"
#include "memory.h"
#include "predictions.h"
#include "sparc64_access.h"
#include "sparc64_block.h"
#include "sparc64_references.h"

#define CPU		0

static struct sparc64_block nothing = {.target = SPARC64_NOWHERE, .goes_to = SPARC64_NOWHERE};

#define BEGIN	3	// blocks in which the first instruction, a branch, has its delay slot, and its target
#define RECENT	32	// more than the monitor accounts for one by one (monitor.c, DESCENT_MOST)

static struct {
	const struct hyper_frame *frame;	// NULL: there is no PMU yet
	bool inside;				// the guest executes
	bool refers;				// and its references matter
	bool predicts;				// and its branches' predictions

	// The quantum.
	struct sparc64_block *first;		// executed last for the first time, or NULL
	struct sparc64_block *last;		// executed last, or `nothing`
	struct sparc64_block *begin[BEGIN];	// executed first,
	struct sparc64_block *recent[RECENT];	// and last, by number
	uint64_t executed;			// how many
	uint64_t begin_predicted[BEGIN];	// what the prediction of each one's branch raises
	uint64_t recent_predicted[RECENT];
	uint32_t predicted[HAPPENING_INSTRUCTIONS];	// and of all together
	bool first_is_seen;			// that of the first instruction, which has been reported
	struct sparc64_block *cut;		// its conditional branch's delay slot is in `last`
	uint64_t type;				// the trap that has ended it
	int asi;				// at its begin

	// When the monitor has called.
	bool settled;
	size_t of_last;				// so many of `last`'s instructions have been executed
	uint64_t left;				// instructions that are not passed to the model yet
	uint32_t raised[HAPPENING_INSTRUCTIONS];	// by all of the quantum's
	uint64_t own;				// what the one raises that has trapped, if any has

	uint64_t instructions;			// of all quanta
	uint64_t before;			// the monitor began to count
	bool checked;				// it has said how many there were
} guest = {.last = &nothing, .settled = true};

static uint64_t miscount;

void sparc64_miscount(uint64_t entries)
{
	miscount = entries;
}

void sparc64_start(uint64_t frame)
{
	guest.frame = memory_at(frame, sizeof *guest.frame);
}

int sparc64_asi_ahead(void)
{
	return guest.last->count ? guest.last->asi_behind : guest.asi;
}

//
// Quanta
//

static struct sparc64_block *recent(uint64_t number)
{
	return number < BEGIN ? guest.begin[number] : guest.recent[number % RECENT];
}

// Where it went, now that the block behind its delay slot is known: if that block has more than the delay slot, to what
// follows that.
static void follow_cut(const struct sparc64_block *next)
{
	if (guest.cut && guest.last->count == 1)
		guest.cut->taken += next->address == guest.cut->target;
	guest.cut = guest.last->cut ? guest.last : NULL;
}

// It is the one of this number in the quantum.
static inline void begin(struct sparc64_block *block, uint64_t number)
{
	if (!block->begun++) {
		block->before = guest.first;
		guest.first = block;
	}
	guest.last = block;
	if (__builtin_expect(number < BEGIN, false))
		guest.begin[number] = block;
	guest.recent[number % RECENT] = block;
}

static uint64_t number_in(const uint64_t *place)
{
	return be64toh(*place);
}

// Whether a conditional branch that has been executed has gone to its target: that of the n-th block. Behind the last
// one the trap's addresses show it.
static bool has_gone(uint64_t number)
{
	const struct sparc64_block *block = recent(number);
	const uint64_t pc = number_in(&guest.frame->trap.tpc), npc = number_in(&guest.frame->trap.tnpc);
	const uint64_t behind = guest.executed - 1 - number;	// blocks that have followed

	if (!block->cut && behind)
		return recent(number + 1)->address == block->goes_to;
	if (!block->cut)
		return guest.of_last == block->count ? pc == block->goes_to : npc == block->target;
	if (behind == 0 || (behind == 1 && guest.of_last == 0))
		return npc == block->target;
	if (recent(number + 1)->count > 1)
		return false;
	return (behind > 1 ? recent(number + 2)->address : pc) == block->target;
}

// Where the branch of the n-th block that is predicted has led. Behind the last one the trap's addresses show it.
static uint64_t led_to(uint64_t number)
{
	const struct sparc64_block *block = recent(number);
	const uint64_t address = block->address + block->seen * SPARC64_INSTRUCTION;
	const uint64_t pc = number_in(&guest.frame->trap.tpc), npc = number_in(&guest.frame->trap.tnpc);
	const uint64_t behind = guest.executed - 1 - number;

	if (block->target != SPARC64_NOWHERE)
		return has_gone(number) ? block->target : address + 2 * SPARC64_INSTRUCTION;
	if (!sparc64_block_is_cut(block) && behind)
		return recent(number + 1)->address;
	if (!sparc64_block_is_cut(block))
		return guest.of_last == block->count ? pc : npc;
	if (behind == 0 || (behind == 1 && guest.of_last == 0))
		return npc;
	if (recent(number + 1)->count > 1)
		return address + 2 * SPARC64_INSTRUCTION;
	return behind > 1 ? recent(number + 2)->address : pc;
}

//
// Predictions
//

static uint64_t *predicted_of(uint64_t number)
{
	return number < BEGIN ? &guest.begin_predicted[number] : &guest.recent_predicted[number % RECENT];
}

// A branch leads there. What its prediction raises. The predictor gets addresses of instructions, not of bytes.
static uint64_t predict(uint64_t address, uint64_t to, unsigned kind)
{
	const uint64_t behind = address + 2 * SPARC64_INSTRUCTION;
	const bool taken = kind != OCCURRENCE_KIND_CONDITIONAL || to != behind;
	struct feed_instruction i = {
		.ip = address / SPARC64_INSTRUCTION, .to = to / SPARC64_INSTRUCTION,
		.branch = (uint8_t)(kind | OCCURRENCE_BRANCH | (taken ? OCCURRENCE_TAKEN : 0)),
	};

	predictions_see(CPU, &i, behind / SPARC64_INSTRUCTION);
	return i.predicted;
}

// That of the n-th block has executed, and where it led can be seen.
static void predict_of(uint64_t number)
{
	const struct sparc64_block *block = recent(number);
	uint64_t raises;

	if (number == 0 && block->seen == 0 && guest.first_is_seen)
		return;
	raises = predict(block->address + block->seen * SPARC64_INSTRUCTION, led_to(number), block->kind);
	*predicted_of(number) = raises;
	for (; raises; raises &= raises - 1)
		guest.predicted[__builtin_ctzll(raises)]++;
}

// A block has begun: the branch of the one before, if its delay slot is not in this one; else that of the one before
// that.
static void predict_behind(void)
{
	const uint64_t number = guest.executed - 1;
	const struct sparc64_block *before = number ? recent(number - 1) : &nothing;

	*predicted_of(number) = 0;
	if (number > 1 && sparc64_block_is_cut(recent(number - 2)))
		predict_of(number - 2);
	if (before->seen < before->count && !sparc64_block_is_cut(before))
		predict_of(number - 1);
}

static void predict_last(void)
{
	const struct sparc64_block *last = guest.last;

	if (guest.executed > 1 && sparc64_block_is_cut(recent(guest.executed - 2)))
		predict_of(guest.executed - 2);
	if (guest.executed && guest.of_last > last->seen)
		predict_of(guest.executed - 1);
}

void sparc64_execute(unsigned cpu, void *context)
{
	struct sparc64_block *block = context;

	(void)cpu;
	if (!guest.inside)
		return;
	if (__builtin_expect(guest.last->cut || guest.cut, false))
		follow_cut(block);
	guest.last->taken += guest.last->goes_to == block->address;
	begin(block, guest.executed++);
	if (guest.predicts)
		predict_behind();
	if (guest.refers)
		sparc64_fetch(block->address, block->address + block->count * SPARC64_INSTRUCTION);
}

void sparc64_reach_device(uint64_t address)
{
	struct sparc64_block *block = guest.last;
	const uint64_t count = (address - block->address) / SPARC64_INSTRUCTION + 1;

	if (!guest.inside || count >= block->count)
		return;
	block->left++;
	begin(sparc64_block_part(block, count), guest.executed - 1);
}

// Entries of trap tables have 32 bytes, and those of all trap types follow each other.
#define TYPES 0x200

void sparc64_enter(unsigned cpu, void *entry)
{
	(void)cpu;
	if (!guest.inside)
		return;
	guest.inside = guest.refers = false;
	guest.settled = false;
	sparc64_references_end();
	guest.type = (uintptr_t)entry >> HYPER_ENTRY_SHIFT & (TYPES - 1);
}

#define TSTATE_ASI(tstate) ((int)((tstate) >> 24 & 0xFF))

// The guest goes on in the trap's state, or in that of its own table's entry.
static int asi_there(void)
{
	const struct hyper_frame *f = guest.frame;
	const bool at_entry = f && number_in(&f->leave_tl) == number_in(&f->entry.tl_or_tt);

	return !f ? SPARC64_ASI_UNKNOWN : TSTATE_ASI(number_in(at_entry ? &f->entry.tstate : &f->trap.tstate));
}

static _Noreturn void disagree(uint64_t counted, uint64_t said)
{
	fprintf(stderr, "palmon plugin: %" PRIu64 " instructions have executed, the instruction clock says %" PRIu64
		"; up to address 0x%" PRIx64 "\n", counted, said, number_in(&guest.frame->trap.tpc));
	fflush(stderr);
	_exit(1);
}

static void begin_quantum(void)
{
	if (guest.left)
		disagree(guest.instructions - guest.before, guest.instructions - guest.before - guest.left);
	for (struct sparc64_block *block = guest.first; block; block = block->before)
		block->begun = block->left = block->taken = 0;
	guest.first = guest.cut = NULL;
	guest.last = &nothing;
	guest.executed = 0;
	guest.left = 0;
	guest.asi = asi_there();
	guest.inside = true;
	guest.first_is_seen = guest.frame && number_in(&guest.frame->reported);
	guest.refers = sparc64_references_begin(guest.first_is_seen);
	guest.predicts = feeds[CPU].predicted;
	memset(guest.predicted, 0, sizeof guest.predicted);
}

void sparc64_go_back(unsigned cpu, void *unused)
{
	(void)cpu;
	(void)unused;
	if (!guest.inside)
		begin_quantum();
}

//
// Settlement
//

// Whether a trap of this type comes between instructions: an interrupt (41h to 4Fh), or because the next one cannot be
// fetched (08h to 0Ah, 64h to 67h). A bit for each type below 80h.
static bool is_between(uint64_t type)
{
	static const uint64_t between[2] = {0x700, 0xF00000FFFE};

	return type < 0x80 && between[type / 64] >> type % 64 & 1;
}

// What an executed instruction of the n-th block raises.
static uint64_t raised_by(uint64_t number, size_t instruction)
{
	const struct sparc64_block *block = recent(number);
	const struct sparc64_class c = sparc64_block_class(block, instruction);

	const bool goes = c.goes == SPARC64_IF ? has_gone(number) : c.goes == SPARC64_ALWAYS;
	const bool predicted = guest.predicts && instruction == block->seen;

	return c.raises | sparc64_branch_raises(&c, goes) | (predicted ? *predicted_of(number) : 0);
}

// The conditional branches of which the quantum's blocks do not say it.
static void follow_last(void)
{
	struct sparc64_block *last = guest.last;

	if (guest.cut)
		guest.cut->taken += has_gone(guest.executed - 2);
	if (last->target != SPARC64_NOWHERE && guest.of_last > last->branch)
		last->taken += has_gone(guest.executed - 1);
}

static void add_up(uint64_t counted)
{
	const struct sparc64_block *last = guest.last;

	for (const struct sparc64_block *block = guest.first; block; block = block->before) {
		const uint64_t executions = block->begun - block->left;
		const uint64_t branches = block->target == SPARC64_NOWHERE ? 0 :
			executions - (block == last && guest.of_last <= last->branch);

		for (uint64_t rest = counted; rest; rest &= rest - 1)
			guest.raised[__builtin_ctzll(rest)] +=
				(uint32_t)(executions * block->raises[__builtin_ctzll(rest)]);
		guest.raised[HAPPENING_BRANCH_CONDITIONAL] += (uint32_t)block->taken;
		guest.raised[HAPPENING_BRANCH_NOT_TAKEN] += (uint32_t)(branches - block->taken);
	}
	for (uint64_t rest = guest.predicts ? counted : 0; rest; rest &= rest - 1)
		guest.raised[__builtin_ctzll(rest)] += guest.predicted[__builtin_ctzll(rest)];
	for (size_t i = guest.of_last; i < last->count; i++) {
		const struct sparc64_class c = sparc64_block_class(last, i);
		uint64_t not_raised = c.raises;

		if (c.goes != SPARC64_IF)
			not_raised |= sparc64_branch_raises(&c, c.goes == SPARC64_ALWAYS);
		for (not_raised &= counted; not_raised; not_raised &= not_raised - 1)
			guest.raised[__builtin_ctzll(not_raised)]--;
	}
}

// Of the last block: up to the instruction that has trapped, or all.
static size_t executed_of_last(void)
{
	const uint64_t behind = number_in(&guest.frame->trap.tpc) - guest.last->address;
	const bool inside = behind < guest.last->count * SPARC64_INSTRUCTION;

	return inside && !is_between(guest.type) ? behind / SPARC64_INSTRUCTION : guest.last->count;
}

// What the next instruction refers to, if it is reported.
static void refer_next(const struct mailbox *box)
{
	const struct hyper_frame *frame = guest.frame;
	uint64_t registers[32];

	for (unsigned i = 0; i < 32; i++)
		registers[i] = number_in(&frame->registers[i]);
	sparc64_refer_next(number_in(&frame->trap.tpc), (uint32_t)box->value,
			   TSTATE_ASI(number_in(&frame->trap.tstate)), registers);
}

void sparc64_settle(struct feed *f, const struct mailbox *box)
{
	if (guest.frame && box->call == MAILBOX_NEXT)
		refer_next(box);
	if (guest.inside || guest.settled || !guest.frame)
		return;
	guest.settled = true;
	guest.of_last = executed_of_last();
	guest.own = guest.of_last < guest.last->count ? sparc64_block_class(guest.last, guest.of_last).raises : 0;
	guest.left = guest.of_last;
	for (const struct sparc64_block *block = guest.first; block; block = block->before)
		guest.left += (block->begun - block->left - (block == guest.last)) * block->count;
	if (miscount && !--miscount)
		guest.left++;
	guest.instructions += guest.left;
	if (!guest.checked)
		guest.before = guest.instructions - box->executed;
	guest.checked = true;
	if (guest.instructions - guest.before != box->executed)
		disagree(guest.instructions - guest.before, box->executed);
	memset(guest.raised, 0, sizeof guest.raised);
	follow_last();
	if (guest.predicts)
		predict_last();
	if (f->counted)
		add_up(f->counted);
}

//
// What of it is passed on
//

static void add(uint32_t raised[HAPPENING_INSTRUCTIONS], uint64_t raises, uint32_t n)
{
	for (; raises; raises &= raises - 1)
		raised[__builtin_ctzll(raises)] += n;
}

// What the last instructions raise, so many.
static void add_last(uint64_t instructions, uint32_t raised[HAPPENING_INSTRUCTIONS])
{
	for (uint64_t number = guest.executed - 1; instructions; number--) {
		size_t left = number == guest.executed - 1 ? guest.of_last : recent(number)->count;

		for (; instructions && left; instructions--)
			add(raised, raised_by(number, --left), 1);
	}
}

void sparc64_take(struct feed *f, uint64_t instructions)
{
	uint32_t kept[HAPPENING_INSTRUCTIONS] = {0};

	if (instructions > guest.left)
		instructions = guest.left;
	if (!instructions)
		return;
	guest.left -= instructions;
	if (guest.left && f->counted)
		add_last(guest.left, kept);
	for (uint64_t rest = f->counted; rest; rest &= rest - 1) {
		const int what = __builtin_ctzll(rest);

		f->happened[what] += guest.raised[what] - kept[what];
		guest.raised[what] = kept[what];
	}
	f->position += instructions;
}

void sparc64_drop(struct feed *f)
{
	if (!guest.left)
		return;
	guest.left--;
	add(guest.raised, raised_by(0, 0) & f->counted, (uint32_t)-1);
}

uint64_t sparc64_raises_next(uint32_t instruction, bool *commits)
{
	const struct hyper_frame *frame = guest.frame;
	const uint64_t tstate = number_in(&frame->trap.tstate);
	const struct sparc64_class c = sparc64_classify(instruction, TSTATE_ASI(tstate));
	struct sparc64_state state = {.ccr = (uint8_t)(tstate >> 32), .fsr = number_in(&frame->fsr)};
	const uint64_t pc = number_in(&frame->trap.tpc);
	uint64_t predicted = 0;
	bool goes;

	for (unsigned i = 0; i < 32; i++)
		state.registers[i] = number_in(&frame->registers[i]);
	*commits = c.commits;
	goes = sparc64_goes(instruction, &state);
	if (c.branch && c.goes != SPARC64_NEVER && feeds[CPU].predicted)
		predicted = predict(pc, !goes ? pc + 2 * SPARC64_INSTRUCTION :
					c.displacement ? pc + (uint64_t)(int64_t)c.displacement :
					sparc64_access_address(instruction, state.registers), c.branch);
	return c.raises | sparc64_branch_raises(&c, goes) | predicted;
}

uint64_t sparc64_raises_own(void)
{
	return guest.own;
}
