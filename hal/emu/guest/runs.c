// SPDX-License-Identifier: BSD-2-Clause
// Quanta of many instructions while branches are reported. Before the quantum its trace is planned, from
// the guest's next instruction on: straight code, direct jumps and calls, and conditional branches in the direction
// that they are expected to go, up to an instruction that has to be executed alone, or to a branch whose target is not
// known. A trace that comes back to its beginning is repeated. Where the guest would leave it, at the other side of a
// conditional branch, there is a breakpoint. So what it has executed is always the beginning of the trace, and the
// clock says how much of it, whether the quantum ends by the alarm, a breakpoint, an interrupt, or an exception:
// nothing is guessed.
//
// The code of the trace must not change meanwhile: its pages are write-protected, and a write to them is executed
// alone. What would change their addresses without being reported to the processor (INVLPG, a write to CR3) has no
// defined effect.

#include "runs.h"

#include <stdbool.h>
#include <stdnoreturn.h>
#include <string.h>

#include "run_token.h"
#include "branch.h"
#include "code.h"
#include "counts.h"
#include "fetch.h"
#include "hal.h"
#include "layout.h"
#include "length.h"
#include "model.h"
#include "monitor.h"
#include "nested.h"
#include "monitor_memory.h"

#define STEPS_MOST	64
#define QUANTUM_MOST	65536	/* instructions, if the trace is repeated */
#define SIDE_EXITS_MOST	4	/* debug registers */

#define EXIT_DEBUG		0x41
#define EXIT_NESTED_FAULT	0x400
#define FAULT_WRITE		(1u << 1)	/* exit_info1 */
#define RFLAGS_RF		(1u << 16)
#define DR7_ENABLES		0xFFu
#define DR7_GLOBAL(n)		(2u << 2 * (n))	/* and the fields that say which access: 0, execution */

struct step {
	uint64_t ip, behind;	// the instruction, and the one behind it
	uint64_t next, other;	// what is expected next; where else a conditional branch may go
	struct decoded branch;
	bool is_direct;		// it goes nowhere else, and where it goes says whether it was taken
};

// The trace of the quantum. One CPU executes at a time, and each quantum is planned anew.
static struct {
	struct step step[STEPS_MOST];
	unsigned count;			// 0: the quantum is not planned
	bool repeats;
	uint64_t pages[NESTED_CODE_PAGES];
	unsigned page_count;
	uint64_t side_exits[SIDE_EXITS_MOST];	// linear addresses of breakpoints
	unsigned side_exit_count;
	uint64_t debug[SIDE_EXITS_MOST], dr6, dr7;	// the guest's, while they are there
} trace;

// The instruction that the guest's quantum has ended before was counted by the emulator's clock, and will be so again.
static bool fault_counted[SVM_CPUS];

// The guest's next instruction writes to code: it is executed alone.
static bool code_written;

// How long nothing can overflow, whatever is executed; found out again after a write of a register.
static struct {
	bool valid, steps;
	uint64_t until;
	unsigned level;
	uint64_t slice;
} branch_headroom[SVM_CPUS];

//
// Expectations: of a conditional branch, by its address, how it went the last times
//

#define LEANS 1024

enum { LEAN_UNKNOWN, LEAN_NOT_MUCH, LEAN_NOT, LEAN_TAKEN, LEAN_TAKEN_MUCH };

static uint8_t leans[LEANS];

// For the first time: backwards it is taken.
static bool expect_taken(uint64_t ip, uint64_t target)
{
	const uint8_t lean = leans[ip % LEANS];

	return lean == LEAN_UNKNOWN ? target <= ip : lean >= LEAN_TAKEN;
}

static void learn(uint64_t ip, bool taken)
{
	uint8_t *lean = &leans[ip % LEANS];

	if (*lean == LEAN_UNKNOWN)
		*lean = taken ? LEAN_TAKEN : LEAN_NOT;
	else if (taken && *lean < LEAN_TAKEN_MUCH)
		++*lean;
	else if (!taken && *lean > LEAN_NOT_MUCH)
		--*lean;
}

//
// The trace
//

// False: there are too many.
static bool add_page(const uint8_t *memory)
{
	const uint64_t page = (uintptr_t)memory & ~(SMALL_PAGE - 1ULL);

	for (unsigned i = 0; i < trace.page_count; i++)
		if (trace.pages[i] == page)
			return true;
	if (trace.page_count == NESTED_CODE_PAGES)
		return false;
	trace.pages[trace.page_count++] = page;
	return true;
}

// The code at a linear address; what has been looked up last is remembered.
struct window {
	const struct vmcb *vmcb;
	uint64_t page;
	const uint8_t *memory;
	uint8_t bytes[DECODE_LONGEST];
};

static bool open_window(struct window *w, uint64_t linear)
{
	const uint64_t page = linear & ~(SMALL_PAGE - 1ULL);

	if (w->memory && w->page == page)
		return true;
	w->page = page;
	w->memory = code_reach(w->vmcb, page);
	return w->memory && add_page(w->memory);
}

// An instruction that is on two pages; what is on the second is left out if it is not there.
static const uint8_t *view_across(struct window *w, uint64_t linear, size_t *size)
{
	const size_t first = SMALL_PAGE - linear % SMALL_PAGE;

	memcpy(w->bytes, w->memory + linear % SMALL_PAGE, first);
	*size = first;
	if (!length_decode(w->bytes, first, code_bits(w->vmcb)).instruction && open_window(w, linear + first)) {
		memcpy(w->bytes + first, w->memory, DECODE_LONGEST - first);
		*size = DECODE_LONGEST;
	}
	return w->bytes;
}

// NULL: there is no memory, or too much of it on the trace.
static const uint8_t *view(struct window *w, uint64_t linear, size_t *size)
{
	*size = DECODE_LONGEST;
	if (!open_window(w, linear))
		return NULL;
	return linear % SMALL_PAGE <= SMALL_PAGE - DECODE_LONGEST ? w->memory + linear % SMALL_PAGE
								  : view_across(w, linear, size);
}

static uint64_t displacement(const uint8_t *end, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)(end - size)[i] << 8 * i;
	return (uint64_t)((int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size));
}

static bool has_been(uint64_t ip)
{
	for (unsigned i = 0; i < trace.count; i++)
		if (trace.step[i].ip == ip)
			return true;
	return false;
}

static bool is_side(uint64_t linear)
{
	for (unsigned i = 0; i < trace.side_exit_count; i++)
		if (trace.side_exits[i] == linear)
			return true;
	return false;
}

// Has the quantum end where a conditional branch goes if it does not go as expected. Not where the monitor itself is;
// nor in a segment that does not begin at 0, where QEMU 7.2 takes a breakpoint for a debugger's, and dies without one.
// False: the trace must end with the branch.
static bool add_side(const struct vmcb *vmcb, uint64_t ip)
{
	const uint64_t linear = code_linear(vmcb, ip);

	if (linear != ip || has_been(ip) || (linear >= MONITOR_START && linear < MONITOR_END))
		return false;
	if (is_side(linear))
		return true;
	if (trace.side_exit_count == SIDE_EXITS_MOST)
		return false;
	trace.side_exits[trace.side_exit_count++] = linear;
	return true;
}

// Of what instruction the next step is. False: it is not known, or to be executed alone.
static bool look(struct step *s, struct window *w, uint64_t ip, unsigned bits)
{
	size_t size;
	const uint8_t *bytes = view(w, code_linear(w->vmcb, ip), &size);
	struct length length;
	uint64_t target;

	if (!bytes)
		return false;
	length = length_decode(bytes, size, bits);
	if (!length.instruction)
		return false;
	s->branch = length.is_branch ? branch_decode(bytes, size, ip, bits) : (struct decoded){0};
	s->ip = ip;
	s->behind = s->next = s->other = (ip + length.instruction) & ip_mask(bits);
	s->is_direct = !s->branch.kind || (length.displacement && !s->branch.condition);
	if (!length.displacement)
		return true;
	target = (s->behind + displacement(bytes + length.instruction, length.displacement)) & ip_mask(bits);
	if (s->branch.kind != OCCURRENCE_KIND_CONDITIONAL)
		s->next = s->other = target;
	else if (expect_taken(ip, target))
		s->next = target;
	else
		s->other = target;
	return true;
}

// Plans the trace from the guest's next instruction on.
static void plan(const struct vmcb *vmcb, uint64_t most)
{
	const unsigned bits = code_bits(vmcb);
	struct window window = {.vmcb = vmcb};
	uint64_t ip = vmcb->rip;

	trace.count = trace.page_count = trace.side_exit_count = 0;
	trace.repeats = false;
	while (trace.count < STEPS_MOST && trace.count < most) {
		struct step *s = &trace.step[trace.count];

		if (is_side(code_linear(vmcb, ip)) || !look(s, &window, ip, bits))
			return;
		trace.count++;
		if (!s->is_direct || (s->branch.kind == OCCURRENCE_KIND_CONDITIONAL && !add_side(vmcb, s->other)))
			return;
		ip = s->next;
		if (has_been(ip)) {
			trace.repeats = ip == vmcb->rip;
			return;
		}
	}
}

//
// Breakpoints: the guest's own are not in use, and it gets its registers back
//

#define SET_DEBUG(n, value) __asm__ volatile("mov %0, %%db" #n : : "r"(value))
#define GET_DEBUG(n, value) __asm__ volatile("mov %%db" #n ", %0" : "=r"(value))

static void set_debug(const uint64_t addresses[SIDE_EXITS_MOST])
{
	SET_DEBUG(0, addresses[0]);
	SET_DEBUG(1, addresses[1]);
	SET_DEBUG(2, addresses[2]);
	SET_DEBUG(3, addresses[3]);
}

// QEMU's processors obey the register that was loaded with MOV, others the one that VMRUN loads.
static void set_side_exits(struct vmcb *vmcb)
{
	uint64_t enables = 0;

	GET_DEBUG(0, trace.debug[0]);
	GET_DEBUG(1, trace.debug[1]);
	GET_DEBUG(2, trace.debug[2]);
	GET_DEBUG(3, trace.debug[3]);
	trace.dr6 = vmcb->dr6;
	trace.dr7 = vmcb->dr7;
	for (unsigned i = 0; i < trace.side_exit_count; i++)
		enables |= DR7_GLOBAL(i);
	set_debug(trace.side_exits);
	SET_DEBUG(7, enables);
	vmcb->dr7 = enables;
}

static void remove_side_exits(struct vmcb *vmcb)
{
	SET_DEBUG(7, 0UL);
	set_debug(trace.debug);
	vmcb->dr6 = trace.dr6;
	vmcb->dr7 = trace.dr7;
}

//
// Before the quantum
//

static bool can_run(const struct svm_monitor *m, const struct svm_frame *frame)
{
	const struct vmcb *vmcb = frame->vmcb;

	return m->watched && !m->locks_mattered && !m->stepping && !m->halting && m->accounted == frame->guest_clock &&
	       !(vmcb->rflags & (SVM_RFLAGS_TF | RFLAGS_RF)) && !(vmcb->dr7 & DR7_ENABLES);
}

// Instructions until something can overflow; 0: that is not known.
static uint64_t headroom(struct svm_monitor *m, uint64_t clock)
{
	if (!branch_headroom[m->cpu].valid || branch_headroom[m->cpu].level != m->pmu.level ||
	    branch_headroom[m->cpu].slice != m->slice_start ||
	    clock + STEPS_MOST > branch_headroom[m->cpu].until) {
		branch_headroom[m->cpu].valid = true;
		branch_headroom[m->cpu].level = m->pmu.level;
		branch_headroom[m->cpu].slice = m->slice_start;
		branch_headroom[m->cpu].steps = counts_edges(&m->pmu);
		branch_headroom[m->cpu].until = clock + svm_pmu_branch_headroom(&m->pmu);
	}
	return branch_headroom[m->cpu].steps ? 0 : branch_headroom[m->cpu].until - clock;
}

static void protect(struct vmcb *vmcb)
{
	const bool changed = nested_protect_code(trace.pages, trace.page_count);

	if (changed || run_token_is_shared)
		vmcb->tlb_control = SVM_FLUSH_ALL;
}

void runs_begin(struct svm_frame *frame, bool alone)
{
	struct svm_monitor *m = frame->monitor;
	uint64_t most = !alone && !code_written && can_run(m, frame) ? headroom(m, frame->guest_clock) : 0;

	trace.count = 0;
	code_written = false;
	branch_headroom[m->cpu].valid &= m->watching;	// what is written meanwhile may not be reported here
	fault_counted[m->cpu] &= m->watching && !m->watched && !frame->vmcb->event_injection;
	if (run_token_is_shared && most > m->slice_end - frame->guest_clock)
		most = m->slice_end - frame->guest_clock;
	if (most > 1)
		plan(frame->vmcb, most < QUANTUM_MOST ? most : QUANTUM_MOST);
	if (trace.count <= 1) {
		trace.count = trace.page_count = 0;
		protect(frame->vmcb);
		return;
	}
	protect(frame->vmcb);
	if (trace.side_exit_count)
		set_side_exits(frame->vmcb);
	if (!trace.repeats)
		most = trace.count;
	frame->alarm_after = most < QUANTUM_MOST ? most : QUANTUM_MOST;
	m->deadline = frame->guest_clock + frame->alarm_after;
}

//
// Behind the quantum
//

// Reports so many instructions of the trace, from its beginning, to the PMU.
static void report(struct svm_monitor *m, uint64_t count)
{
	uint64_t straight = 0;

	for (unsigned i = 0; count; count--, i = i + 1 == trace.count ? 0 : i + 1) {
		const struct step *s = &trace.step[i];
		const uint8_t kind = s->branch.kind;
		const bool taken = kind != OCCURRENCE_KIND_CONDITIONAL || s->next != s->behind;
		const unsigned branch = OCCURRENCE_BRANCH | kind | (taken ? OCCURRENCE_TAKEN : 0);

		straight++;
		if (!kind)
			continue;
		if (straight > 1)
			svm_pmu_run(&m->pmu, straight - 1);
		straight = 0;
		svm_pmu_branch(&m->pmu, (uint8_t)branch, s->ip, s->next);
		if (kind == OCCURRENCE_KIND_CONDITIONAL)
			learn(s->ip, taken);
	}
	svm_pmu_run(&m->pmu, straight);
}

static noreturn void lost(void)
{
	for (const char *c = "\nmonitor: the guest has left its trace\n"; *c; c++)
		hal_console_put(*c);
	hal_exit(1);
}

// The emulator's clock has counted an instruction that raises an exception without an attempt to execute it: what is
// undefined, or of a coprocessor that is absent. It does so again in the next quantum, in which the exception is
// raised.
static void take_off_fault(struct svm_monitor *m, struct svm_frame *frame)
{
	const uint64_t executed = frame->guest_clock - m->accounted;
	const struct step *last = &trace.step[trace.count ? (executed - 1) % trace.count : 0];
	const uint64_t ip = trace.count ? last->ip : m->watched_ip;
	const bool branches = trace.count && last->branch.kind;	// to itself, perhaps

	if (fault_counted[m->cpu] && executed)
		m->deadline = --frame->guest_clock;	// the alarm that ends the quantum is due
	fault_counted[m->cpu] = m->watched && executed && !branches && frame->vmcb->rip == ip &&
				frame->vmcb->exit_code - SVM_EXIT_EXCEPTION < 32;
	if (fault_counted[m->cpu])
		frame->guest_clock--;
}

// The emulator executes a repeated string iteration by iteration, its clock counts each, and one more that finds the
// count 0. It retires once: when it is left.
static void take_off_repeat(struct svm_monitor *m, struct svm_frame *frame)
{
	if (m->watched && !trace.count && frame->guest_clock == m->accounted + 1 && frame->vmcb->rip == m->watched_ip &&
	    fetch_is_repeat(frame->vmcb))
		m->deadline = --frame->guest_clock;
}

// The last instruction is reported to the monitor as if it had been alone.
static void account_way(struct svm_monitor *m, const struct svm_frame *frame)
{
	const uint64_t executed = frame->guest_clock - m->accounted, rip = frame->vmcb->rip;
	const struct step *last = &trace.step[(executed - 1) % trace.count];

	if (!executed)
		return;
	if ((executed > trace.count && !trace.repeats) || (last->is_direct && rip != last->next && rip != last->other))
		lost();
	if (executed > 1)
		report(m, executed - 1);
	if (last->branch.kind == OCCURRENCE_KIND_CONDITIONAL)
		learn(last->ip, rip != last->behind);
	m->accounted = frame->guest_clock - 1;
	m->watched_ip = last->ip;
	m->instruction = last->branch;
}

static bool is_code_write(const struct vmcb *vmcb)
{
	return vmcb->exit_code == EXIT_NESTED_FAULT && vmcb->exit_info1 & FAULT_WRITE &&
	       nested_is_code(vmcb->exit_info2);
}

void runs_end(struct svm_frame *frame)
{
	struct svm_monitor *m = frame->monitor;
	struct vmcb *vmcb = frame->vmcb;
	bool own;

	if (vmcb->exit_code == SVM_EXIT_MSR)
		branch_headroom[m->cpu].valid = false;
	take_off_fault(m, frame);
	take_off_repeat(m, frame);
	if (!trace.count)
		return;
	if (trace.side_exit_count)
		remove_side_exits(vmcb);
	code_written = is_code_write(vmcb);
	own = code_written || (trace.side_exit_count && vmcb->exit_code == EXIT_DEBUG);
	account_way(m, frame);
	if (own) {
		vmcb->exit_code = SVM_EXIT_NMI;
		m->deadline = frame->guest_clock;
	}
}
