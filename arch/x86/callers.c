// SPDX-License-Identifier: BSD-2-Clause
// Unwinds the stack to find the callers of the interrupted code. After MOV RBP, RSP a function's
// frame pointer is in RBP. Functions without frame pointers, mostly the C library's, leave only
// return addresses on the stack; each is the address after a call. The search reads only code and
// the interrupted stack, whatever a program has done to its registers, and ends at any value that
// is no return address.

#include "arch.h"

#include "layout.h"
#include "x86/cpu.h"
#include "x86/this_cpu.h"
#include "x86/traps.h"

#define WORD		8
#define PROLOGUE	32	/* bytes of a function that may set up its frame */
#define FRAME_WORDS	128	/* words searched for a return address */

#define CALL_RELATIVE	0xE8
#define CALL_LENGTH	5
#define CALL_INDIRECT	0xFF	/* with 2 in the reg field of its ModRM byte (SDM volume 2, CALL) */
#define INDIRECT_LEAST	2	/* bytes of the instruction */
#define INDIRECT_MOST	7
#define FRAME_LENGTH	3	/* of MOV RBP, RSP, in bytes */
#define POP_RBP		0x5D
#define LEAVE		0xC9
#define RET		0xC3

extern const char text_start[], text_code_end[];	// linker script

// Position of the search: an address in a function, the stack of its callers, and its RBP.
struct search {
	uint64_t ip, sp, bp;
	uint64_t end;			/* of the stack */
	bool innermost;			/* the function is the interrupted one */
};

static bool is_code(uint64_t address)
{
	return address >= (uintptr_t)text_start + INDIRECT_MOST &&
	       address < (uintptr_t)text_code_end;
}

static const uint8_t *code_at(uint64_t address)
{
	return (const uint8_t *)(uintptr_t)address;
}

// Whether `words` words from the address on lie in the callers' stack.
static bool is_callers(const struct search *s, uint64_t address, unsigned words)
{
	return !(address % WORD) && address >= s->sp && address < s->end &&
	       s->end - address >= words * WORD;
}

static uint64_t word_at(uint64_t address)
{
	return *(const uint64_t *)(uintptr_t)address;
}

static bool is_behind_call(uint64_t address)
{
	const uint8_t *code = code_at(address);

	if (!is_code(address))
		return false;
	if (code[-CALL_LENGTH] == CALL_RELATIVE)
		return true;
	for (int length = INDIRECT_LEAST; length <= INDIRECT_MOST; length++)
		if (code[-length] == CALL_INDIRECT && (code[1 - length] >> 3 & 7) == 2)
			return true;
	return false;
}

static bool is_behind_call_of(uint64_t address, uint64_t function)
{
	int32_t distance;

	if (!is_code(address) || code_at(address)[-CALL_LENGTH] != CALL_RELATIVE)
		return false;
	// The compiler makes this one instruction; a call of the C library's memcpy is not possible
	// here.
	__builtin_memcpy(&distance, code_at(address) - sizeof distance, sizeof distance);
	return address + (uint64_t)(int64_t)distance == function;
}

// Whether the interrupted function is about to return: RBP is its caller's again, and only the
// return address is left of its frame.
static bool is_returning(const struct search *s, uint64_t function)
{
	const uint8_t *ip = code_at(s->ip);

	if (!s->innermost)
		return false;
	return is_behind_call_of(word_at(s->sp), function) ||
	       ((*ip == RET || ip[-1] == POP_RBP || ip[-1] == LEAVE) &&
		is_behind_call(word_at(s->sp)));
}

// Whether the code is MOV RBP, RSP.
static bool makes_frame(const uint8_t *code)
{
	return code[0] == 0x48 && code[1] == 0x89 && code[2] == 0xE5;
}

// Whether RBP is the function's own frame pointer.
static bool has_frame(const struct search *s, uint64_t function)
{
	const uint64_t end = s->ip - function < PROLOGUE ? s->ip : function + PROLOGUE;

	for (uint64_t a = function; a + FRAME_LENGTH <= end; a++)
		if (makes_frame(code_at(a)))
			return !is_returning(s, function);
	return false;
}

// Returns the place of the return address of a function without a frame pointer: the first one
// after a direct call of the function, otherwise the first one after any call, because the call may
// be indirect or a tail call. 0: none.
static uint64_t find_return(const struct search *s, uint64_t function)
{
	const uint64_t end = s->end - s->sp > FRAME_WORDS * WORD ? s->sp + FRAME_WORDS * WORD :
		s->end;

	for (uint64_t a = s->sp; a < end; a += WORD)
		if (is_behind_call_of(word_at(a), function))
			return a;
	for (uint64_t a = s->sp; a < end; a += WORD)
		if (is_behind_call(word_at(a)))
			return a;
	return 0;
}

static bool is_frame(const struct search *s, uint64_t bp)
{
	return is_callers(s, bp, 2) && is_behind_call(word_at(bp + WORD));
}

// Moves to the caller. A function without a frame pointer may have saved the caller's RBP between
// `saved` and `place`.
static void go_on(struct search *s, uint64_t place, uint64_t bp, uint64_t saved)
{
	s->ip = word_at(place) - 1;
	s->sp = place + WORD;
	s->bp = bp;
	s->innermost = false;
	for (; saved < place && !is_frame(s, s->bp); saved += WORD)
		s->bp = word_at(saved);
}

// A program begins on an empty stack, whose last word holds the return address of its first
// function.
static bool find_caller(struct search *s, uint64_t function)
{
	const uint64_t last = s->end - WORD, saved = s->sp;
	uint64_t place;

	if (!function)
		return false;
	if (has_frame(s, function)) {
		if (!is_frame(s, s->bp) || s->bp + WORD == last)
			return false;
		go_on(s, s->bp + WORD, word_at(s->bp), s->bp);
		return true;
	}
	place = find_return(s, function);
	if (!place || place == last)
		return false;
	go_on(s, place, s->bp, saved);
	return true;
}

unsigned arch_callers(uint64_t ip, unsigned level, arch_function_start *function_start,
		      uint64_t *caller, unsigned most)
{
	const unsigned cpu = x86_this_cpu.number;
	const uint64_t end = (uintptr_t)(level ? x86_user_stack_end(cpu) :
					 x86_stack_end(cpu, STACK_BOOT));
	const uint64_t size = level ? USER_STACK_STRIDE - SMALL_PAGE : STACK_BOOT_SIZE;
	struct search s = {.ip = ip, .sp = x86_this_cpu.interrupted_sp,
			   .bp = x86_this_cpu.interrupted_bp, .end = end,
			   .innermost = true};
	unsigned count = 0;

	if (!is_code(ip) || s.sp % WORD || s.sp < end - size || s.sp >= end)
		return 0;
	while (count < most && find_caller(&s, function_start(s.ip)))
		caller[count++] = s.ip;
	return count;
}

void arch_follow_calls(arch_pmi_function *handler)
{
	x86_this_cpu.following_handler = handler;
	x86_this_cpu.pmi_handler = x86_following_handler;
}
