// SPDX-License-Identifier: BSD-2-Clause
// Turns of many instructions while branches are told. Before the turn the way is planned that the guest will go from
// here: straight code, direct jumps and calls, and conditional branches the way that they are expected to go, up to an
// instruction that has to be executed alone, or to a branch whose target is not known. A way that comes back to its
// beginning is repeated. Where the guest would leave it, at the other side of a conditional branch, there is a
// breakpoint. So what it has executed is always the way's beginning, and the clock says how much of it, whether the
// turn ends by the alarm, a breakpoint, an interrupt, or an exception: nothing is guessed.
//
// The code on the way must not change meanwhile: its pages are write-protected, and a write to them is executed alone.
// What would change their addresses without being told to the processor (INVLPG, a write to CR3) has no defined effect.

#include "runs.h"

#include <stdbool.h>
#include <stdnoreturn.h>
#include <string.h>

#include "baton.h"
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
#include "room.h"

#define STEPS_MOST	64
#define TURN_MOST	65536	/* instructions, if the way is repeated */
#define SIDES_MOST	4	/* debug registers */

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
	bool is_direct;		// it goes nowhere else, and where it goes tells whether it was taken
};

// The way of the turn. One CPU executes at a time, and each turn is planned anew.
static struct {
	struct step step[STEPS_MOST];
	unsigned count;			// 0: the turn is not planned
	bool repeats;
	uint64_t pages[NESTED_CODE_PAGES];
	unsigned page_count;
	uint64_t sides[SIDES_MOST];	// linear addresses of breakpoints
	unsigned side_count;
	uint64_t debug[SIDES_MOST], dr6, dr7;	// the guest's, while they are there
} way;

// The instruction that the guest's turn has ended before was counted by the emulator's clock, and will be so again.
static bool fault_counted[SVM_CPUS];

// The guest's next instruction writes to code: it is executed alone.
static bool code_written;

// How long nothing can overflow, whatever is executed; found out again after a write of a register.
static struct {
	bool valid, steps;
	uint64_t until;
	unsigned level;
	uint64_t slice;
} quiet[SVM_CPUS];

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
// The way
//

// False: there are too many.
static bool add_page(const uint8_t *memory)
{
	const uint64_t page = (uintptr_t)memory & ~(SMALL_PAGE - 1ULL);

	for (unsigned i = 0; i < way.page_count; i++)
		if (way.pages[i] == page)
			return true;
	if (way.page_count == NESTED_CODE_PAGES)
		return false;
	way.pages[way.page_count++] = page;
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

// NULL: there is no memory, or too much of it on the way.
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
	for (unsigned i = 0; i < way.count; i++)
		if (way.step[i].ip == ip)
			return true;
	return false;
}

static bool is_side(uint64_t linear)
{
	for (unsigned i = 0; i < way.side_count; i++)
		if (way.sides[i] == linear)
			return true;
	return false;
}

// Has the turn end where a conditional branch goes if it does not go as expected. Not where the monitor itself is; nor
// in a segment that does not begin at 0, where QEMU 7.2 takes a breakpoint for a debugger's, and dies without one.
// False: the way must end with the branch.
static bool add_side(const struct vmcb *vmcb, uint64_t ip)
{
	const uint64_t linear = code_linear(vmcb, ip);

	if (linear != ip || has_been(ip) || (linear >= ROOM_START && linear < ROOM_END))
		return false;
	if (is_side(linear))
		return true;
	if (way.side_count == SIDES_MOST)
		return false;
	way.sides[way.side_count++] = linear;
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

// Plans the way from the guest's next instruction on.
static void plan(const struct vmcb *vmcb, uint64_t most)
{
	const unsigned bits = code_bits(vmcb);
	struct window window = {.vmcb = vmcb};
	uint64_t ip = vmcb->rip;

	way.count = way.page_count = way.side_count = 0;
	way.repeats = false;
	while (way.count < STEPS_MOST && way.count < most) {
		struct step *s = &way.step[way.count];

		if (is_side(code_linear(vmcb, ip)) || !look(s, &window, ip, bits))
			return;
		way.count++;
		if (!s->is_direct || (s->branch.kind == OCCURRENCE_KIND_CONDITIONAL && !add_side(vmcb, s->other)))
			return;
		ip = s->next;
		if (has_been(ip)) {
			way.repeats = ip == vmcb->rip;
			return;
		}
	}
}

//
// Breakpoints: the guest's own are not in use, and it gets its registers back
//

#define SET_DEBUG(n, value) __asm__ volatile("mov %0, %%db" #n : : "r"(value))
#define GET_DEBUG(n, value) __asm__ volatile("mov %%db" #n ", %0" : "=r"(value))

static void set_debug(const uint64_t addresses[SIDES_MOST])
{
	SET_DEBUG(0, addresses[0]);
	SET_DEBUG(1, addresses[1]);
	SET_DEBUG(2, addresses[2]);
	SET_DEBUG(3, addresses[3]);
}

// QEMU's processors obey the register that was loaded with MOV, others the one that VMRUN loads.
static void set_sides(struct vmcb *vmcb)
{
	uint64_t enables = 0;

	GET_DEBUG(0, way.debug[0]);
	GET_DEBUG(1, way.debug[1]);
	GET_DEBUG(2, way.debug[2]);
	GET_DEBUG(3, way.debug[3]);
	way.dr6 = vmcb->dr6;
	way.dr7 = vmcb->dr7;
	for (unsigned i = 0; i < way.side_count; i++)
		enables |= DR7_GLOBAL(i);
	set_debug(way.sides);
	SET_DEBUG(7, enables);
	vmcb->dr7 = enables;
}

static void remove_sides(struct vmcb *vmcb)
{
	SET_DEBUG(7, 0UL);
	set_debug(way.debug);
	vmcb->dr6 = way.dr6;
	vmcb->dr7 = way.dr7;
}

//
// Before the turn
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
	if (!quiet[m->cpu].valid || quiet[m->cpu].level != m->vpmu.level || quiet[m->cpu].slice != m->slice_start ||
	    clock + STEPS_MOST > quiet[m->cpu].until) {
		quiet[m->cpu].valid = true;
		quiet[m->cpu].level = m->vpmu.level;
		quiet[m->cpu].slice = m->slice_start;
		quiet[m->cpu].steps = counts_edges(&m->vpmu);
		quiet[m->cpu].until = clock + vpmu_branch_headroom(&m->vpmu);
	}
	return quiet[m->cpu].steps ? 0 : quiet[m->cpu].until - clock;
}

static void protect(struct vmcb *vmcb)
{
	const bool changed = nested_protect_code(way.pages, way.page_count);

	if (changed || baton_is_shared)
		vmcb->tlb_control = SVM_FLUSH_ALL;
}

void runs_begin(struct svm_frame *frame, bool alone)
{
	struct svm_monitor *m = frame->monitor;
	uint64_t most = !alone && !code_written && can_run(m, frame) ? headroom(m, frame->guest_clock) : 0;

	way.count = 0;
	code_written = false;
	quiet[m->cpu].valid &= m->watching;	// what is written meanwhile may not be told here
	fault_counted[m->cpu] &= m->watching && !m->watched && !frame->vmcb->event_injection;
	if (baton_is_shared && most > m->slice_end - frame->guest_clock)
		most = m->slice_end - frame->guest_clock;
	if (most > 1)
		plan(frame->vmcb, most < TURN_MOST ? most : TURN_MOST);
	if (way.count <= 1) {
		way.count = way.page_count = 0;
		protect(frame->vmcb);
		return;
	}
	protect(frame->vmcb);
	if (way.side_count)
		set_sides(frame->vmcb);
	if (!way.repeats)
		most = way.count;
	frame->alarm_after = most < TURN_MOST ? most : TURN_MOST;
	m->deadline = frame->guest_clock + frame->alarm_after;
}

//
// Behind the turn
//

// Tells the PMU of so many instructions of the way from its beginning.
static void tell(struct svm_monitor *m, uint64_t count)
{
	uint64_t straight = 0;

	for (unsigned i = 0; count; count--, i = i + 1 == way.count ? 0 : i + 1) {
		const struct step *s = &way.step[i];
		const uint8_t kind = s->branch.kind;
		const bool taken = kind != OCCURRENCE_KIND_CONDITIONAL || s->next != s->behind;
		const struct occurrence branch = {
			.branch = (uint8_t)(OCCURRENCE_BRANCH | kind | (taken ? OCCURRENCE_TAKEN : 0)),
			.ip = s->ip, .target = s->next,
		};

		straight++;
		if (!kind)
			continue;
		if (straight > 1)
			vpmu_run(&m->vpmu, straight - 1);
		straight = 0;
		vpmu_branch(&m->vpmu, &branch);
		if (kind == OCCURRENCE_KIND_CONDITIONAL)
			learn(s->ip, taken);
	}
	vpmu_run(&m->vpmu, straight);
}

static noreturn void lost(void)
{
	for (const char *c = "\nmonitor: the guest has not gone the way that it was to go\n"; *c; c++)
		hal_console_put(*c);
	hal_exit(1);
}

// The emulator's clock has counted an instruction that raises an exception without an attempt to execute it: what is
// undefined, or of a coprocessor that is absent. It does so again in the next turn, in which the exception is raised.
static void take_off_fault(struct svm_monitor *m, struct svm_frame *frame)
{
	const uint64_t executed = frame->guest_clock - m->accounted;
	const struct step *last = &way.step[way.count ? (executed - 1) % way.count : 0];
	const uint64_t ip = way.count ? last->ip : m->watched_ip;
	const bool branches = way.count && last->branch.kind;	// to itself, perhaps

	if (fault_counted[m->cpu] && executed)
		m->deadline = --frame->guest_clock;	// the alarm that ends the turn is due
	fault_counted[m->cpu] = m->watched && executed && !branches && frame->vmcb->rip == ip &&
				frame->vmcb->exit_code - SVM_EXIT_EXCEPTION < 32;
	if (fault_counted[m->cpu])
		frame->guest_clock--;
}

// The emulator executes a repeated string turn by turn, its clock counts each, and one more that finds the count 0. It
// retires once: when it is left.
static void take_off_repeat(struct svm_monitor *m, struct svm_frame *frame)
{
	if (m->watched && !way.count && frame->guest_clock == m->accounted + 1 && frame->vmcb->rip == m->watched_ip &&
	    fetch_is_repeat(frame->vmcb))
		m->deadline = --frame->guest_clock;
}

// Of the last instruction the monitor is told as if it had been alone.
static void account_way(struct svm_monitor *m, const struct svm_frame *frame)
{
	const uint64_t executed = frame->guest_clock - m->accounted, rip = frame->vmcb->rip;
	const struct step *last = &way.step[(executed - 1) % way.count];

	if (!executed)
		return;
	if ((executed > way.count && !way.repeats) || (last->is_direct && rip != last->next && rip != last->other))
		lost();
	if (executed > 1)
		tell(m, executed - 1);
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
		quiet[m->cpu].valid = false;
	take_off_fault(m, frame);
	take_off_repeat(m, frame);
	if (!way.count)
		return;
	if (way.side_count)
		remove_sides(vmcb);
	code_written = is_code_write(vmcb);
	own = code_written || (way.side_count && vmcb->exit_code == EXIT_DEBUG);
	account_way(m, frame);
	if (own) {
		vmcb->exit_code = SVM_EXIT_NMI;
		m->deadline = frame->guest_clock;
	}
}
