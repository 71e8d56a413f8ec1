// SPDX-License-Identifier: BSD-2-Clause
// The current check: problems, requirements, its expected value, accesses that must fault.

#include "suite.h"

#include "stimulus.h"

HAL_STATE_PLACE(struct selftest_now, selftest_now)

void selftest_note(enum selftest_problem problem, uint32_t address)
{
	if (!selftest_now()->present.problem) {
		selftest_now()->present.problem = problem;
		selftest_now()->present.address = address;
	}
}

void selftest_require(bool ok)
{
	if (!ok)
		selftest_note(SELFTEST_STEP, 0);
}

// The check's result stays that of the first requirement that is not met, whatever it does then.
bool selftest_require_equal(uint64_t found, uint64_t required)
{
	struct selftest_now *now = selftest_now();

	if (found != required && !now->present.problem) {
		now->present.problem = SELFTEST_STEP;
		now->present.found = found;
		now->ended = true;
	}
	return now->present.problem < SELFTEST_STEP;
}

void selftest_skip(const char *reason)
{
	selftest_now()->present.problem = SELFTEST_SKIP;
	selftest_now()->present.reason = reason;
}

uint64_t selftest_read_counter(uint32_t index)
{
	uint64_t value = 0;

	if (!reg_read_counter(index, &value))
		selftest_note(SELFTEST_READ_COUNTER, index);
	return value;
}

void selftest_execute_between(uint32_t address, uint64_t first, uint64_t second, uint64_t n)
{
	if (!hal_execute_between(address, first, second, n))
		selftest_note(SELFTEST_WRITE, address);
}

void selftest_expect(uint64_t expected)
{
	if (!selftest_now()->ended)
		selftest_now()->present.expected = expected;
}

uint64_t selftest_more(void)
{
	return selftest_now()->more;
}

bool selftest_read_faults(uint32_t address)
{
	uint64_t value;

	return !reg_read(address, &value);
}

bool selftest_write_faults(uint32_t address, uint64_t value)
{
	return !reg_write(address, value);
}

bool selftest_counter_faults(uint32_t index)
{
	uint64_t value;

	return !reg_read_counter(index, &value);
}

void selftest_require_absent(uint32_t address)
{
	if (selftest_require_equal(selftest_read_faults(address), true))
		selftest_require_equal(selftest_write_faults(address, 0), true);
}

void *selftest_own(void)
{
	return selftest_now()->own;
}

struct selftest_result selftest_compare(uint64_t expected, uint64_t found)
{
	struct selftest_result result = selftest_now()->present;

	selftest_now()->present = (struct selftest_result){0};
	result.expected = expected;
	result.found = found;
	return result;
}
