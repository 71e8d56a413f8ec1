// SPDX-License-Identifier: BSD-2-Clause
// Prints the report: TAP version 13, one line per check, with expected and found value.

#include "suite.h"

#include <string.h>

char *selftest_text(char *end, const char *text)
{
	while (*text)
		*end++ = *text++;
	return end;
}

char *selftest_decimal(char *end, unsigned value)
{
	if (value >= 10)
		end = selftest_decimal(end, value / 10);
	*end++ = (char)('0' + value % 10);
	return end;
}

void selftest_print_plan(unsigned checks)
{
	char line[64], *end;

	end = selftest_decimal(selftest_text(line, "TAP version 13\n1.."), checks);
	*end++ = '\n';
	selftest_put(line, (size_t)(end - line));
}

#define NAME_MOST	128	/* bytes of a check's name, with the final 0 */
#define LINE_MOST	384	/* bytes of a line: a name, and less than 256 others */

static void print_bit(const char *name, const char *field, unsigned bit, bool expected, bool found)
{
	char line[LINE_MOST], *end = selftest_text(selftest_text(selftest_text(line, "#   "), name),
						   ".");

	end = selftest_decimal(selftest_text(selftest_text(end, field), ": bit "), bit);
	end = selftest_text(end, expected ? " expected 1" : " expected 0");
	end = selftest_text(end, found ? ", found 1\n" : ", found 0\n");
	selftest_put(line, (size_t)(end - line));
}

// Prints the fields of a register that differ, bit by bit.
static void print_difference(const struct selftest_register *r, uint64_t expected, uint64_t found)
{
	uint64_t difference = expected ^ found;

	for (unsigned i = 0; i < r->fields; i++) {
		const struct field *f = &r->field[i];
		uint64_t bits = difference & FIELD_MASK(f->low, f->width);

		for (; bits; bits &= bits - 1) {
			int bit = __builtin_ctzll(bits);

			print_bit(r->name, f->name, (unsigned)bit, expected >> bit & 1,
				  found >> bit & 1);
		}
	}
}

static char *append_hex(char *end, uint64_t value)
{
	unsigned digits = value ? (67 - (unsigned)__builtin_clzll(value)) / 4 : 1;

	for (end = selftest_text(end, "0x"); digits--;)
		*end++ = "0123456789abcdef"[value >> 4 * digits & 0xF];
	return end;
}

const char *selftest_register_name(uint32_t address)
{
	for (size_t i = 0; i < selftest_now()->register_count; i++)
		if (selftest_now()->registers[i].address == address)
			return selftest_now()->registers[i].name;
	return "register";
}

// Appends the problem to a line, after the expected and found value.
static char *append_problem(char *end, const struct selftest_result *result)
{
	switch (result->problem) {
	case SELFTEST_READ:
	case SELFTEST_WRITE:
		end = selftest_text(end, result->problem == SELFTEST_READ ? ": reading " :
				    ": writing ");
		end = selftest_text(selftest_text(end, selftest_register_name(result->address)),
				    ", ");
		return selftest_text(append_hex(end, result->address), ", faulted");
	case SELFTEST_READ_COUNTER:
		return selftest_text(append_hex(selftest_text(end, ": reading counter "),
						result->address), " faulted");
	case SELFTEST_STEP:
		return selftest_text(end, ": a step failed");
	default:
		return end;
	}
}

static bool passes(const struct selftest_result *result)
{
	return result->problem == SELFTEST_SKIP ||
	       (!result->problem && result->expected == result->found);
}

// Appends a check's name; `of` replaces '#'.
static char *append_name(char *end, const char *check, const char *of)
{
	if (strlen(check) + strlen(of) >= NAME_MOST)
		return selftest_text(end, "(name too long)");
	for (; *check; check++)
		if (*check == '#')
			end = selftest_text(end, of);
		else
			*end++ = *check;
	return end;
}

// Prints a line of the report. Without printf, which would take a large part of the self test's
// time: there are hundreds of lines at each boot.
static void print_result(unsigned number, const char *check, const char *of,
			 const struct selftest_result *result)
{
	char line[LINE_MOST], *end = line;

	end = selftest_text(end, passes(result) ? "ok " : "not ok ");
	end = selftest_decimal(end, number);
	end = append_name(selftest_text(end, " - "), check, of);
	if (result->problem == SELFTEST_SKIP) {
		end = selftest_text(selftest_text(end, " # SKIP "), result->reason);
	} else {
		end = append_hex(selftest_text(end, " (expected "), result->expected);
		end = append_hex(selftest_text(end, ", found "), result->found);
		end = selftest_text(append_problem(end, result), ")");
	}
	*end++ = '\n';
	selftest_put(line, (size_t)(end - line));
}

void selftest_report(struct selftest_tally *tally, const char *check, const char *of,
		     struct selftest_result result, const struct selftest_register *r)
{
	print_result(++tally->number, check, of, &result);
	tally->skipped += result.problem == SELFTEST_SKIP;
	if (passes(&result))
		return;
	tally->failed++;
	if (tally->report_failure)
		tally->report_failure(check, of, &result);
	if (r && !result.problem)
		print_difference(r, result.expected, result.found);
}
