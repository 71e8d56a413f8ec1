// SPDX-License-Identifier: BSD-2-Clause
// The callers of what the overflow interrupt has interrupted. A function with a frame pointer has it in RBP, once it
// has executed MOV RBP, RSP. Of others, those of the C library above all, there are only the return addresses on the
// stack: each is behind a call. Whatever a program has done to its registers and its stack, nothing is read but code
// and that stack, and what is no return address ends the search.

#include "arch.h"

#include "layout.h"
#include "x86/cpu.h"
#include "x86/this_cpu.h"
#include "x86/traps.h"

#define WORD		8
#define PROLOGUE	32	/* bytes of a function, in which it makes its frame */
#define FRAME_WORDS	128	/* of a function without a frame pointer, in which its return address is looked for */

#define CALL_RELATIVE	0xE8
#define CALL_LENGTH	5
#define CALL_INDIRECT	0xFF	/* with 2 in the reg field of its ModRM byte (SDM volume 2, CALL) */
#define INDIRECT_LEAST	2	/* bytes */
#define INDIRECT_MOST	7
#define FRAME_LENGTH	3	/* of MOV RBP, RSP */
#define POP_RBP		0x5D
#define LEAVE		0xC9
#define RET		0xC3

extern const char text_start[], text_code_end[];	// linker script

// Where the search is: a function, the stack that is its callers', and what RBP was in it.
struct search {
	uint64_t ip, sp, bp;
	uint64_t end;			/* of the stack */
	bool innermost;			/* the interrupted function itself */
};

static bool is_code(uint64_t address)
{
	return address >= (uintptr_t)text_start + INDIRECT_MOST && address < (uintptr_t)text_code_end;
}

static const uint8_t *code_at(uint64_t address)
{
	return (const uint8_t *)(uintptr_t)address;
}

// Whether so many words from the address on are those of callers.
static bool is_callers(const struct search *s, uint64_t address, unsigned words)
{
	return !(address % WORD) && address >= s->sp && address < s->end && s->end - address >= words * WORD;
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
	// One instruction: the C library's memcpy is called in this freestanding code.
	__builtin_memcpy(&distance, code_at(address) - sizeof distance, sizeof distance);
	return address + (uint64_t)(int64_t)distance == function;
}

// Whether the interrupted function is about to return: RBP is its caller's again, and its return address is all that it
// has on the stack.
static bool is_returning(const struct search *s, uint64_t function)
{
	const uint8_t *ip = code_at(s->ip);

	if (!s->innermost)
		return false;
	return is_behind_call_of(word_at(s->sp), function) ||
	       ((*ip == RET || ip[-1] == POP_RBP || ip[-1] == LEAVE) && is_behind_call(word_at(s->sp)));
}

// MOV RBP, RSP.
static bool makes_frame(const uint8_t *code)
{
	return code[0] == 0x48 && code[1] == 0x89 && code[2] == 0xE5;
}

// Whether the function has its frame pointer where it is.
static bool has_frame(const struct search *s, uint64_t function)
{
	const uint64_t end = s->ip - function < PROLOGUE ? s->ip : function + PROLOGUE;

	for (uint64_t a = function; a + FRAME_LENGTH <= end; a++)
		if (makes_frame(code_at(a)))
			return !is_returning(s, function);
	return false;
}

// Where the return address of a function without a frame pointer is: that of a call of it, else the first one that
// there is. It may have been called by way of another one's last jump, or by a pointer. 0: nowhere.
static uint64_t find_return(const struct search *s, uint64_t function)
{
	const uint64_t end = s->end - s->sp > FRAME_WORDS * WORD ? s->sp + FRAME_WORDS * WORD : s->end;

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

// Goes on to the caller, whose RBP may be among what a function without a frame pointer has saved from `saved` on.
static void go_on(struct search *s, uint64_t place, uint64_t bp, uint64_t saved)
{
	s->ip = word_at(place) - 1;
	s->sp = place + WORD;
	s->bp = bp;
	s->innermost = false;
	for (; saved < place && !is_frame(s, s->bp); saved += WORD)
		s->bp = word_at(saved);
}

// Programs begin in an empty stack, and in its last word is where they return to.
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

unsigned arch_callers(uint64_t ip, unsigned level, arch_function_start *function_start, uint64_t *caller,
		      unsigned most)
{
	const unsigned cpu = x86_this_cpu.number;
	const uint64_t end = (uintptr_t)(level ? x86_user_stack_end(cpu) : x86_stack_end(cpu, STACK_BOOT));
	const uint64_t size = level ? USER_STACK_STRIDE - SMALL_PAGE : STACK_BOOT_SIZE;
	struct search s = {.ip = ip, .sp = x86_this_cpu.interrupted_sp, .bp = x86_this_cpu.interrupted_bp, .end = end,
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
