// SPDX-License-Identifier: BSD-2-Clause
// Steps of checks as table rows, until all checks are functions.
#include "suite.h"
#include "hal.h"
#include "stimulus.h"

static uint64_t statistic(size_t offset)
{
	struct pmu_statistics s;

	pmu_statistics(&s);
	return *(const uint64_t *)((const char *)&s + offset);
}

// A running check: the item it runs for and its counter; the CPU of HERE, the CPU that runs the
// next step, and the one of THERE; the next step; the value of the previous step.
struct run {
	unsigned of, counter, here, cpu, there;
	uint64_t more;
	const struct selftest_step *step;
	uint64_t found;
};

static void begin(void *)
{
	selftest_require(pmu_begin(selftest_now()->suite->driver, false) == PMU_OK);
}

static unsigned begin_there(struct run *run)
{
	run->there = selftest_thread(run->of);
	selftest_call(run->there, begin, NULL);
	return run->there;
}

static void take(void *argument)
{
	struct run *run = argument;
	const struct selftest_step *s = run->step;
	const unsigned it = run->counter;
	const uint64_t bit = 1ULL << it, more = run->more;
	uint64_t found = run->found;

	switch (s->action) {
	case SELFTEST_THERE: run->cpu = s->a ? begin_there(run) : run->here; break;
	case SELFTEST_BY: run->counter = (unsigned)s->a; break;
	case SELFTEST_SET: selftest_set(it, (unsigned)s->a, s->b); break;
	case SELFTEST_SET_EVENT: selftest_set_event(it, s->event, s->b); break;
	case SELFTEST_SET_ALL:
		for (unsigned i = 0; i < selftest_now()->counter_count; i++)
			selftest_set(selftest_now()->counter[i].number, (unsigned)s->a, s->b);
		break;
	case SELFTEST_FLIP: selftest_flip(it, s->a); break;
	case SELFTEST_PUT: selftest_write(selftest_now()->suite->driver->address(it), s->a); break;
	case SELFTEST_CONTROL: selftest_write(selftest_now()->suite->driver->control(it), s->a); break;
	case SELFTEST_WRITE_REGISTER: selftest_write((uint32_t)s->a, s->b); break;
	case SELFTEST_RUN: selftest_run_counters(bit, s->a + more); break;
	case SELFTEST_RUN_ALL: s->b ? selftest_run_alone(it, s->a + more) : selftest_run_all(s->a + more); break;
	case SELFTEST_RUN_BY: selftest_run_by(s->execute, it, s->a + more); break;
	case SELFTEST_ENABLE: selftest_enable(s->a ? bit : 0); break;
	case SELFTEST_EXECUTE: s->execute(s->a + more); break;
	case SELFTEST_ALARM: hal_alarm((uint32_t)s->a); break;
	case SELFTEST_INTERRUPTS_ON: hal_interrupts_restore(true); break;
	case SELFTEST_INTERRUPTS_OFF: hal_interrupts_disable(); break;
	case SELFTEST_PMI_DROP: hal_pmi_mask(); break;
	case SELFTEST_PMI_DELIVER: hal_pmi_unmask(); break;
	case SELFTEST_WATCH: selftest_watch(it, (unsigned)s->a, (uint32_t)s->b); break;
	case SELFTEST_ACKNOWLEDGE: selftest_acknowledge(s->b ? bit : s->a); break;
	case SELFTEST_START: selftest_start(s->event ? s->event : selftest_now()->suite->sessions[s->a]); break;
	case SELFTEST_STOP: selftest_stop(); break;
	case SELFTEST_FIND: found = s->find(run->of, s->a); break;
	case SELFTEST_CYCLES: found = selftest_count_cycles(it, s->event, s->a, 0); break;
	case SELFTEST_VALUE: found = selftest_value(it); break;
	case SELFTEST_SUM:
		found = 0;
		for (unsigned i = 0; i < selftest_now()->counter_count; i++)
			if (s->a & selftest_now()->counter[i].bit)
				found += selftest_value(selftest_now()->counter[i].number);
		break;
	case SELFTEST_READ_REGISTER: found = selftest_read((uint32_t)s->a); break;
	case SELFTEST_READ_CONTROL: found = selftest_read(selftest_now()->suite->driver->control(it)); break;
	case SELFTEST_READ_FAULTS: found = !reg_read((uint32_t)s->a, &found); break;
	case SELFTEST_WRITE_FAULTS: found = !reg_write((uint32_t)s->a, s->b); break;
	case SELFTEST_COUNTER_FAULTS: found = !reg_read_counter((uint32_t)s->a, &found); break;
	case SELFTEST_OVERFLOWED: found = selftest_overflowed(); break;
	case SELFTEST_SEEN: found = *(const uint64_t *)((const char *)selftest_seen() + s->a); break;
	case SELFTEST_FROZEN: found = selftest_frozen(); break;
	case SELFTEST_COUNT: found = selftest_count(s->b ? run->of : (unsigned)s->a); break;
	case SELFTEST_SAMPLED: found = selftest_now()->session.counter[run->of].samples; break;
	case SELFTEST_STATISTIC: found = statistic(s->a); break;
	case SELFTEST_SAMPLES: found = selftest_samples((unsigned)s->a); break;
	case SELFTEST_BITS: found = found & s->a; break;
	case SELFTEST_ABOVE: found = found > s->a; break;
	case SELFTEST_PER: found = found / s->a; break;
	case SELFTEST_REQUIRE: selftest_require(found == s->a); break;
	case SELFTEST_EXPECT: selftest_now()->present.expected = s->a ? s->a * found : bit; break;
	}
	run->found = found;
}

// A problem in a step ends the check.
uint64_t selftest_take_steps(const struct selftest_case *check, unsigned of)
{
	const unsigned here = hal_cpu();
	const unsigned counter = check->names ? selftest_now()->counter->number : of;
	const uint64_t more = selftest_more();
	struct run run = {of, counter, here, here, here, more, check->step, 0};

	for (; run.step->action && selftest_now()->present.problem < SELFTEST_STEP; run.step++)
		if (run.cpu == here)
			take(&run);
		else
			selftest_call(run.cpu, take, &run);
	if (run.there != here)
		selftest_call(run.there, begin, NULL);
	return run.found;
}

