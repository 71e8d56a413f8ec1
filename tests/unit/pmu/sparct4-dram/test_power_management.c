// SPDX-License-Identifier: BSD-2-Clause
// Power management, which owns counters 2 and 3, changes its half between any two of our calls. It
// always finds its half as it left it, with all events since counted; and so do we with ours. The
// SPARC T4 Supplement, section 10.5.

#include "machine.h"

#include <stdio.h>
#include <string.h>

#include "../core/random.h"

static uint64_t seed;

static uint64_t below(uint64_t limit)
{
	return random_next(&seed) % limit;
}

//
// Power management
//

static struct {
	uint64_t select[2];		// of counters 2 and 3
	uint64_t count[2];		// with the sticky bit, 31
} its[4];

#define ITS_SELECTS 0xFF00

// Table 10-6: counter 3 is the upper half.
static uint64_t its_counts(unsigned controller)
{
	return its[controller].count[1] << 32 | its[controller].count[0];
}

static uint64_t its_selects(unsigned controller)
{
	return its[controller].select[0] << 8 | its[controller].select[1] << 12;
}

static void it_finds_its_half_as_it_must_be(void)
{
	for (unsigned i = 0; i < 4; i++) {
		if ((peek(CTL + i) & ITS_SELECTS) != its_selects(i))
			fail_msg("controller %u: its selects are %llx, not %llx", i,
				 (unsigned long long)(peek(CTL + i) & ITS_SELECTS),
				 (unsigned long long)its_selects(i));
		if (peek(COUNT23 + i) != its_counts(i))
			fail_msg("controller %u: its counts are %llx, not %llx", i,
				 (unsigned long long)peek(COUNT23 + i),
				 (unsigned long long)its_counts(i));
	}
}

static void it_sets_up(void)
{
	for (unsigned i = 0; i < 4; i++) {
		its[i].select[0] = its[i].select[1] = STARVES;
		poke(CTL + i, (peek(CTL + i) & ~ITS_SELECTS) | its_selects(i));
	}
}

// 8: all reads, A: all writes; neither: 9.
static void it_changes_something(void)
{
	static const uint8_t selects[] = {8, 9, 10};
	const unsigned i = (unsigned)below(4), n = (unsigned)below(2);

	if (below(2)) {
		its[i].select[n] = selects[below(3)];
		poke(CTL + i, (peek(CTL + i) & ~ITS_SELECTS) | its_selects(i));
	} else {
		its[i].count[n] = below(3) ? below(2 * MODULUS) : below(2) * MODULUS |
			(MODULUS - 1 - below(20));
		poke(COUNT23 + i, its_counts(i));
	}
}

static void it_counts(unsigned controller, uint16_t what, uint64_t events)
{
	for (unsigned n = 0; n < 2; n++)
		if (its[controller].select[n] == (what == READ ? 8 : 10)) {
			uint64_t *count = &its[controller].count[n],
				sum = (*count & (MODULUS - 1)) + events;

			*count = (*count & MODULUS) | (sum & (MODULUS - 1)) |
				(sum >= MODULUS ? MODULUS : 0);
		}
}

// Called before each of our writes reaches the hardware.
static void look_at_write(uint32_t address, uint64_t value)
{
	const unsigned controller = address % 4;

	if (address >= CTL && address < CTL + 4) {
		assert_int_equal(value & ITS_SELECTS, its_selects(controller));
		return;
	}
	if (address >= COUNT01)
		assert_int_equal(address, COUNT01 + controller);
}

//
// We
//

#define SESSIONS 3

static struct ours {
	struct pmu_session session;
	bool open, running;
	unsigned count;
	uint8_t controller[2];
	uint16_t what[2];		// READ, WRITE
	uint64_t expected[2];
} ours[SESSIONS];

static void traffic(void)
{
	const unsigned controller = (unsigned)below(4);
	const uint16_t what = below(2) ? READ : WRITE;
	const uint64_t cycles = 1 + below(5), n = below(4) ? 1 + below(200) : below(MODULUS / 8);

	happens(cycles, controller, what, (uint16_t)below(8), (uint32_t)n);
	it_counts(controller, what, cycles * n);
	for (unsigned s = 0; s < SESSIONS; s++)
		for (unsigned e = 0; e < ours[s].count && ours[s].open && ours[s].running; e++)
			if (ours[s].controller[e] == controller && ours[s].what[e] == what)
				ours[s].expected[e] += cycles * n;
}

// A session that does not fit together with the others is refused.
static void open_one(struct ours *o)
{
	char text[64] = "";

	memset(o, 0, sizeof *o);
	o->count = 1 + (unsigned)below(2);
	for (unsigned e = 0; e < o->count; e++) {
		o->controller[e] = (uint8_t)below(4);
		o->what[e] = below(2) ? READ : WRITE;
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s.MCU%u",
			 e ? "," : "", o->what[e] == READ ? "READS" : "WRITES", o->controller[e]);
	}
	o->open = try_session(&o->session, text) == PMU_OK;
}

static void check_counts(struct ours *o)
{
	for (unsigned e = 0; e < o->count; e++)
		assert_int_equal(count_of(&o->session, e), o->expected[e]);
}

static void do_something(void)
{
	struct ours *o = &ours[below(SESSIONS)];
	static struct pmu_session refused;

	switch (below(8)) {
	case 0:
		if (o->open) {
			assert_int_equal(pmu_close(&o->session), PMU_OK);
			o->open = false;
		} else {
			open_one(o);
		}
		break;
	case 1:
	case 2:
	case 3:
		if (o->open)
			assert_int_equal(o->running ? pmu_stop(&o->session) :
					 pmu_start(&o->session), PMU_OK);
		o->running = o->open && !o->running;
		break;
	case 4:
		assert_int_equal(try_session(&refused, "READS.MCU0:ctr=2"), PMU_UNFIT);
		break;
	default:
		if (o->open)
			check_counts(o);
	}
}

// Polls all counters, so that no counter of ours wraps twice between two polls.
static void look_at_all(void)
{
	for (unsigned s = 0; s < SESSIONS; s++)
		if (ours[s].open)
			check_counts(&ours[s]);
}

static void begin_again(void)
{
	assert_int_equal(pmu_begin(dram, false), PMU_OK);
	memset(ours, 0, sizeof ours);
}

static void take_turns(void)
{
	memset(its, 0, sizeof its);
	memset(ours, 0, sizeof ours);
	shim_seed(seed);
	assert_int_equal(start(NULL), 0);
	it_sets_up();
	shim_watch_writes(look_at_write);
	for (unsigned turn = 0; turn < 4000; turn++) {
		it_changes_something();
		if (below(200) == 0)
			begin_again();
		else
			do_something();
		it_finds_its_half_as_it_must_be();
		traffic();
		look_at_all();
		it_finds_its_half_as_it_must_be();
	}
	shim_watch_writes(NULL);
	shim_end();
}

static void neither_half_loses_anything(void **state)
{
	(void)state;
	for (seed = 1; seed <= 5; seed++) {
		const uint64_t this = seed;

		take_turns();
		seed = this;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neither_half_loses_anything),
	};

	return cmocka_run_group_tests_name("sparct4-dram power management", tests, NULL, NULL);
}
