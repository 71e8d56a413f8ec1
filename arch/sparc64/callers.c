// SPDX-License-Identifier: BSD-2-Clause
// Unwinds register windows to find the callers of the interrupted code: first the windows that were
// in registers, then those on the interrupted stack. A function that has not executed its SAVE uses
// its caller's window, and %o7 holds its call. The search reads only code and that stack, and ends
// at any value that is no call.

#include "arch.h"

#include "layout.h"
#include "sparc64/this_cpu.h"

#define PROLOGUE	64	/* instructions of a function that may contain its SAVE */
#define WINDOW_SIZE	128	/* bytes in a stack frame */
#define SAVED_I6	112
#define SAVED_I7	120

/* Instructions (UltraSPARC Architecture 2005, chapter 7 and appendix A). */
#define OP(instruction)		((instruction) >> 30)
#define OP3(instruction)	((instruction) >> 19 & 0x3F)
#define OP_CALL			1
#define OP_ARITHMETIC		2
#define OP3_JMPL		0x38
#define OP3_RETURN		0x39
#define OP3_SAVE		0x3C

extern const char text_start[], text_code_end[];	// linker script
extern char stack_boot_end[], stack_user_end[];		// vectors.S

// Position of the search. Window 0 is the interrupted one.
struct search {
	uint64_t sp;			/* stack pointer of window `depth` */
	unsigned depth, in_registers;
	uint64_t start, end;		/* the stack's bounds */
};

static bool is_code(uint64_t address)
{
	return !(address % 4) && address >= (uintptr_t)text_start &&
	       address < (uintptr_t)text_code_end;
}

static uint32_t instruction_at(uint64_t address)
{
	return *(const uint32_t *)(uintptr_t)address;
}

static bool is(uint32_t instruction, unsigned op3)
{
	return OP(instruction) == OP_ARITHMETIC && OP3(instruction) == op3;
}

static bool is_call(uint64_t address)
{
	return is_code(address) &&
	       (OP(instruction_at(address)) == OP_CALL || is(instruction_at(address), OP3_JMPL));
}

// Whether the function has executed its SAVE before `ip`.
static bool has_window(uint64_t function, uint64_t ip)
{
	const uint64_t end = ip - function < PROLOGUE * 4 ? ip : function + PROLOGUE * 4;

	if (ip > function && is(instruction_at(ip - 4), OP3_RETURN))
		return false;
	for (uint64_t a = function; a < end; a += 4)
		if (is(instruction_at(a), OP3_SAVE))
			return true;
	return false;
}

static const struct sparc64_window *noted(unsigned below_entry)
{
	return &sparc64_this_cpu.window[(sparc64_this_cpu.entry_window - below_entry) % WINDOWS];
}

static bool is_on_stack(const struct search *s, uint64_t sp)
{
	const uint64_t address = sp + STACK_BIAS;

	return !(address % 16) && address >= s->start && address < s->end &&
	       s->end - address >= WINDOW_SIZE;
}

static struct sparc64_window window_of(const struct search *s)
{
	if (s->depth < s->in_registers)
		return *noted(s->depth + 1);
	return (struct sparc64_window){
		.i6 = *(const uint64_t *)(uintptr_t)(s->sp + STACK_BIAS + SAVED_I6),
		.i7 = *(const uint64_t *)(uintptr_t)(s->sp + STACK_BIAS + SAVED_I7),
	};
}

// Returns the call that led to the current window, and moves to its caller's window. 0: none was
// found.
static uint64_t leave_window(struct search *s)
{
	const struct sparc64_window window = window_of(s);

	if (!is_call(window.i7) || !is_on_stack(s, window.i6) || window.i6 <= s->sp)
		return 0;
	s->sp = window.i6;
	s->depth++;
	return window.i7;
}

// Returns the call of a function that uses its caller's window. 0: it has its own window, or there
// is no call.
static uint64_t caller_of_leaf(uint64_t ip, arch_function_start *function_start)
{
	// the interrupted window's %o7
	const uint64_t function = function_start(ip), call = noted(0)->i7;

	if (!function || has_window(function, ip) || !is_call(call) ||
	    function_start(call) == function)
		return 0;
	return call;
}

// A program's first frame is at the end of its stack; the code that started it is not a caller.
static bool is_start(const struct search *s)
{
	return s->sp + STACK_BIAS + STACK_FRAME == s->end;
}

unsigned arch_callers(uint64_t ip, unsigned level, arch_function_start *function_start,
		      uint64_t *caller, unsigned most)
{
	const uint64_t end = (uintptr_t)(level ? stack_user_end : stack_boot_end);
	struct search s = {
		.sp = noted(0)->i6, .end = end,
		.start = end - (level ? STACK_USER_SIZE : STACK_BOOT_SIZE),
		.in_registers = (unsigned)(level ? sparc64_this_cpu.other_windows :
					   sparc64_this_cpu.own_windows),
	};
	unsigned count = 0;
	uint64_t call;

	// Privileged code is code of known length, or the window trap handlers.
	if (level == 1 || !is_code(ip) || !is_on_stack(&s, s.sp))
		return 0;
	for (call = caller_of_leaf(ip, function_start) ?: leave_window(&s);
	     call && count < most && !is_start(&s);
	     call = leave_window(&s))
		caller[count++] = call;
	return count;
}

void arch_follow_calls(arch_pmi_function *handler)
{
	sparc64_this_cpu.following_handler = handler;
	sparc64_this_cpu.pmi_handler = sparc64_following_handler;
}
