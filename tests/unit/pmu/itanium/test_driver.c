// SPDX-License-Identifier: BSD-2-Clause
// The itanium driver on the shim: reset, sessions, sampling, freezing, scopes, payloads. On the shim every instruction
// takes one cycle, and an interrupt handler none.

#include "pmu/itanium/driver.h"

#include <stdlib.h>
#include <string.h>

#include "pal.h"

#define COUNTERS 4

static void connect(const struct occurrence *wires, size_t count)
{
	struct vpmu *v = shim_vpmu();

	v->model->wires(v->state, wires, count);
}

//
// Reset
//

#define REGISTERS 52

// All of the monitor, and what of the rest it depends on.
static void take_registers(uint64_t value[REGISTERS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < 14; i++)
		value[n++] = get(PMC(i));
	for (unsigned i = 0; i < 18; i++)
		value[n++] = get(PMD(i));
	for (unsigned i = 0; i < 8; i++) {
		value[n++] = get(IBR(i));
		value[n++] = get(DBR(i));
	}
	value[n++] = get(REG_DCR) & DCR_PP;
	value[n++] = get(REG_PSR);
	assert_true(n <= REGISTERS);
	while (n < REGISTERS)
		value[n++] = 0;
}

// "All other performance monitoring related state is undefined" (6.2.9): nothing of it is left after a reset.
static void reset_depends_on_nothing_undefined(void **state)
{
	uint64_t first[REGISTERS], value[REGISTERS];

	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		shim_seed(seed * 0x9E3779B97F4A7C15);
		assert_true(shim_start("itanium", ""));
		assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
		take_registers(seed ? value : first);
		if (seed)
			assert_memory_equal(value, first, sizeof first);
	}
	shim_seed(0);
}

// Whatever somebody has left running.
static void reset_ends_everything(void **state)
{
	uint64_t first[REGISTERS], value[REGISTERS];

	(void)state;
	take_registers(first);
	for (unsigned i = 0; i < 14; i++)
		put(PMC(i), i == 0 ? 0xF0 : ~0ULL);
	for (unsigned i = 0; i < 8; i++) {
		put(IBR(i), ~0ULL);
		put(DBR(i), ~0ULL);
	}
	put(REG_PSR, ~PSR_DB);
	put(REG_DCR, 0);
	assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
	hal_execute(1000);
	take_registers(value);
	assert_memory_equal(value, first, sizeof first);
	assert_int_equal(get(PMC(0)), PMC0_FR);
	assert_int_equal(get(PMC(8)), 0xF00000003FFFFFF8);	// 6.2.9, as after the processor's own reset
	assert_int_equal(get(PMC(9)), 0xF00000003FFFFFF8);
	assert_int_equal(get(PMC(11)), 1ULL << 28);
	assert_int_equal(get(PMC(13)), 1);
}

//
// Counting
//

static void four_counters_count_each_cycle(void **state)
{
	struct pmu_session session;
	uint64_t executed;

	(void)state;
	open_session(&session, "CPU_CYCLES,CPU_CYCLES,IA64_INST_RETIRED,IA64_INST_RETIRED");
	assert_int_equal(session.counters, 0xF0);
	hal_execute(500);
	assert_int_equal(pmu_start(&session), PMU_OK);
	executed = execute(12345);
	for (unsigned event = 0; event < COUNTERS; event++)
		assert_int_equal(count_of(&session, event), executed);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	hal_execute(500);
	assert_int_equal(pmu_start(&session), PMU_OK);
	executed += execute(333);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	for (unsigned event = 0; event < COUNTERS; event++)
		assert_int_equal(count_of(&session, event), executed);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(statistics().interrupts, 0);
}

// 32 bits, again and again.
static void a_count_goes_beyond_the_counter(void **state)
{
	struct pmu_session session;
	uint64_t executed = 0;

	(void)state;
	open_session(&session, "CPU_CYCLES,CPU_CYCLES:u,IA64_INST_RETIRED,CPU_CYCLES:k");
	assert_int_equal(pmu_start(&session), PMU_OK);
	for (unsigned i = 0; i < 5; i++) {
		executed += execute(3000000000);
		assert_int_equal(count_of(&session, 0), executed);
		assert_int_equal(count_of(&session, 2), executed);
		assert_int_equal(count_of(&session, 3), executed);
	}
	assert_int_equal(count_of(&session, 1), 0);
	assert_int_equal(statistics().spurious, 0);
	pmu_close(&session);
}

// What one session does with its counters is not seen by another one's, nor lost to it.
static void sessions_start_and_stop_beside_each_other(void **state)
{
	struct pmu_session one, two;
	uint64_t both = 0, all = 0;

	(void)state;
	allow_all_interrupts();
	open_session(&one, "CPU_CYCLES:ctr=6,CPU_CYCLES:ctr=4:period=500");
	open_session(&two, "CPU_CYCLES:ctr=7,IA64_INST_RETIRED:period=300");
	assert_int_equal(pmu_start(&one), PMU_OK);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t n;

		all += execute(100 + 7 * i);
		assert_int_equal(pmu_start(&two), PMU_OK);
		n = execute(200 + i);
		all += n;
		both += n;
		assert_int_equal(pmu_stop(&two), PMU_OK);
	}
	assert_int_equal(pmu_stop(&one), PMU_OK);
	for (unsigned event = 0; event < 2; event++) {
		assert_int_equal(count_of(&one, event), all);
		assert_int_equal(count_of(&two, event), both);
	}
	assert_int_equal(one.counter[1].samples, all / 500);
	assert_int_equal(two.counter[1].samples, both / 300);
	pmu_close(&one);
	pmu_close(&two);
}

// Whatever other sessions do afterwards.
static void a_closed_session_leaves_its_counters_off(void **state)
{
	struct pmu_session one, two;

	(void)state;
	open_session(&one, "CPU_CYCLES:ctr=6");
	open_session(&two, "CPU_CYCLES:ctr=7");
	assert_int_equal(pmu_start(&one), PMU_OK);
	assert_int_equal(pmu_start(&two), PMU_OK);
	assert_int_equal(pmu_close(&two), PMU_OK);
	assert_int_equal(pmu_stop(&one), PMU_OK);
	assert_int_equal(pmu_start(&one), PMU_OK);
	hal_execute(100);
	assert_int_equal(get(PMC(7)), 0);
	assert_int_equal(get(PMD(7)), 0);
	pmu_close(&one);
}

//
// Sampling
//

// A wrap at each counter and period: each event counted, each period sampled.
static void periods_lose_nothing(void **state)
{
	static const uint64_t periods[] = {7, 50, 99, 1000, 4096, 65537, 1000000007};

	(void)state;
	allow_all_interrupts();
	for (unsigned counter = 4; counter <= 7; counter++)
		for (size_t p = 0; p < LENGTH(periods); p++) {
			struct event_request requests[2] = {request("CPU_CYCLES"), request("CPU_CYCLES")};
			struct pmu_session session;
			struct pmu_refusal refusal;
			uint64_t executed;

			requests[1].counter = (int8_t)counter;
			requests[1].period = periods[p];
			assert_int_equal(pmu_open(&session, requests, 2, &refusal), PMU_OK);
			assert_int_equal(pmu_start(&session), PMU_OK);
			executed = execute(periods[p] * 40);
			assert_int_equal(pmu_stop(&session), PMU_OK);
			assert_int_equal(count_of(&session, 0), executed);
			assert_int_equal(count_of(&session, 1), executed);
			assert_int_equal(session.counter[1].samples, executed / periods[p]);
			assert_int_equal(session.counter[1].slipped, 0);
			pmu_close(&session);
		}
	assert_int_equal(statistics().spurious, 0);
	assert_int_equal(statistics().faults, 0);
}

// All four at once, with periods that meet now and then.
static void four_periods_at_once(void **state)
{
	struct pmu_session session;
	uint64_t executed;

	(void)state;
	allow_all_interrupts();
	open_session(&session, "CPU_CYCLES:period=60,CPU_CYCLES:period=90,IA64_INST_RETIRED:period=84,"
			       "IA64_INST_RETIRED:period=35");
	assert_int_equal(pmu_start(&session), PMU_OK);
	executed = execute(1000000);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	for (unsigned event = 0; event < COUNTERS; event++) {
		assert_int_equal(count_of(&session, event), executed);
		assert_int_equal(session.counter[event].samples, executed / session.counter[event].period);
	}
	pmu_close(&session);
}

// Longer than the counter is wide, and as long.
static void long_periods(void **state)
{
	static const uint64_t periods[] = {(1ULL << 32) - 1, 1ULL << 32, (1ULL << 32) + 1, 10000000019};

	(void)state;
	for (size_t p = 0; p < LENGTH(periods); p++) {
		struct event_request r = request("CPU_CYCLES");
		struct pmu_session session;
		struct pmu_refusal refusal;
		uint64_t executed;

		r.period = periods[p];
		assert_int_equal(pmu_open(&session, &r, 1, &refusal), PMU_OK);
		assert_int_equal(pmu_start(&session), PMU_OK);
		executed = execute(5 * periods[p] + 1);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_int_equal(count_of(&session, 0), executed);
		assert_int_equal(session.counter[0].samples, 5);
		pmu_close(&session);
	}
}

// The shortest period: a counter is never left so near to its overflow that it cannot be told from one.
static void a_counter_is_armed_with_two_at_least(void **state)
{
	struct pmu_session session;
	uint64_t executed;

	(void)state;
	allow_all_interrupts();
	open_session(&session, "CPU_CYCLES:period=2");
	assert_int_equal(pmu_start(&session), PMU_OK);
	executed = 0;
	for (unsigned i = 0; i < 200; i++) {
		executed += execute(i % 5 + 2);
		assert_int_equal(count_of(&session, 0), executed);
	}
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0), executed);
	assert_int_equal(2 * session.counter[0].samples + session.counter[0].slipped, executed / 2 * 2);
	pmu_close(&session);
}

// What is counted between the overflow and the freeze stays counted: the counter, not zero, is read.
static void a_residue_is_kept(void **state)
{
	const struct occurrence six = {.code = 0x08, .n = 6};
	struct vpmu *v = shim_vpmu();
	struct pmu_session session;

	(void)state;
	allow_all_interrupts();
	open_session(&session, "IA64_INST_RETIRED,IA64_INST_RETIRED:period=1000");
	assert_int_equal(pmu_start(&session), PMU_OK);
	v->model->wires(v->state, &six, 1);
	hal_execute(10000 - 3);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0), 60000);
	assert_int_equal(count_of(&session, 1), 60000);
	assert_int_equal(session.counter[1].samples, 60);
	assert_int_equal(statistics().skid_most, 4);		// 1000, 2000, 3000 end 2, 4, 0 beyond a cycle of six
	pmu_close(&session);
}

//
// Freezing
//

// An overflow that is pending when a session stops is served there; its interrupt comes and finds nothing.
static void a_forced_freeze_leaves_a_harmless_interrupt(void **state)
{
	struct pmu_session session;

	(void)state;
	open_session(&session, "CPU_CYCLES,IA64_INST_RETIRED:period=100");
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_execute(30);
	hal_interrupts_disable();
	hal_execute(200);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(statistics().interrupts, 0);
	hal_interrupts_restore(true);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().spurious, 1);
	assert_int_equal(count_of(&session, 0), 100);		// frozen from the overflow on
	assert_int_equal(count_of(&session, 1), 100);
	assert_int_equal(session.counter[1].samples, 1);
	assert_int_equal(pmu_start(&session), PMU_OK);
	assert_int_equal(count_of(&session, 0) + execute(1000), 100 + 1003);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_int_equal(count_of(&session, 1), 1103);
	assert_int_equal(session.counter[1].samples, 11);
	pmu_close(&session);
}

// Which counters the contract lets count, in either instruction set.
static void exactly_the_enabled_counters_count(void **state)
{
	static const struct occurrence cycle[2] = {{.code = 0x12, .n = 1}, {.code = 0x12, .n = 1, .isa = 1}};
	struct pmu_counter c[COUNTERS] = {0};
	uint64_t expected[COUNTERS];

	(void)state;
	for (unsigned i = 0; i < COUNTERS; i++) {
		struct event_request r = request("CPU_CYCLES");

		c[i].number = (uint8_t)(4 + i);
		c[i].address = itanium()->address(4 + i);
		c[i].select = itanium()->encode(&r, 4 + i);
		c[i].start = expected[i] = 1000 * i;
	}
	assert_true(itanium()->program(c, COUNTERS));
	hal_execute(100);
	for (unsigned i = 0; i < COUNTERS; i++)
		assert_int_equal(get(PMD(4 + i)), expected[i]);		// not before `enable`
	for (uint64_t counters = 0; counters < 256; counters++) {
		uint64_t executed;

		connect(&cycle[counters >> 4 & 1], 1);
		assert_true(itanium()->enable(counters % 16 << 4));
		executed = execute(50 + counters);
		assert_true(itanium()->enable(0));
		hal_execute(100);
		for (unsigned i = 0; i < COUNTERS; i++) {
			expected[i] += counters >> i & 1 ? executed : 0;
			assert_int_equal(get(PMD(4 + i)), expected[i]);
		}
	}
	assert_true(itanium()->release(c, COUNTERS));
	for (unsigned i = 0; i < COUNTERS; i++)
		assert_int_equal(get(PMC(4 + i)), 0);
}

static void freeze_and_thaw_keep_pmc0(void **state)
{
	(void)state;
	for (uint64_t pmc0 = 0; pmc0 <= 0xFF; pmc0 += pmc0 & 1 ? 0xF : 1) {
		uint64_t saved = ~0ULL, status = get(REG_PSR);

		put(PMC(0), pmc0);
		assert_true(itanium()->freeze(&saved));
		assert_int_equal(saved, pmc0);
		assert_int_equal(get(PMC(0)), pmc0 | PMC0_FR);
		assert_int_equal(get(REG_PSR), status);
		assert_true(itanium()->thaw(saved));
		assert_int_equal(get(PMC(0)), pmc0);
	}
}

// An overflow whose interrupt is on its way keeps the freeze, whoever lets counters run: what they counted until the
// handler comes would be lost, as it starts them anew.
static void an_unserved_overflow_keeps_the_freeze(void **state)
{
	struct pmu_session session;
	uint64_t saved, overflow;

	(void)state;
	open_session(&session, "CPU_CYCLES,CPU_CYCLES:period=100");
	overflow = 1ULL << session.counter[1].number;
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_interrupts_disable();
	hal_execute(500);
	assert_int_equal(get(PMC(0)), PMC0_FR | overflow);
	assert_true(itanium()->enable(session.counters));
	assert_int_equal(get(PMC(0)), PMC0_FR | overflow);
	assert_true(itanium()->freeze(&saved));
	assert_true(itanium()->thaw(saved));
	assert_int_equal(get(PMC(0)), PMC0_FR | overflow);
	hal_execute(500);
	hal_interrupts_restore(true);
	assert_int_equal(get(PMC(0)), 0);
	assert_int_equal(count_of(&session, 0), 100);
	assert_int_equal(count_of(&session, 1), 100);
	// One that comes after the freeze began: its bit is not lost, and the freeze stays.
	assert_true(itanium()->freeze(&saved));
	assert_int_equal(saved, 0);
	put(PMC(0), PMC0_FR | overflow);
	assert_true(itanium()->thaw(saved));
	assert_int_equal(get(PMC(0)), PMC0_FR | overflow);
	put(PMC(0), 0);
	pmu_close(&session);
}

// Only what was seen is acknowledged.
static void clearing_clears_exactly_what_is_given(void **state)
{
	(void)state;
	for (uint64_t set = 0; set < 16; set++)
		for (uint64_t clear = 0; clear < 16; clear++) {
			uint64_t overflowed;

			put(PMC(0), set << 4 | PMC0_FR);
			assert_true(itanium()->overflow_clear(clear << 4));
			assert_int_equal(get(PMC(0)), (set & ~clear) << 4 | PMC0_FR);
			assert_true(itanium()->overflow_status(&overflowed));
			assert_int_equal(overflowed, (set & ~clear) << 4);
		}
}

// The counts of a session are nobody's business at lower levels, during it and after it. The instruction reads them at
// the highest level (ASDM volume 2, 7.2.1).
static void counts_are_not_to_be_read_by_users(void **state)
{
	struct pmu_session session;
	uint64_t value = 1;

	(void)state;
	open_session(&session, "CPU_CYCLES:ctr=5");
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_execute(1000);
	assert_true(hal_read_counter_user(5, &value));
	assert_int_equal(value, 0);
	assert_true(reg_read_counter(5, &value));
	assert_int_equal(value, count_of(&session, 0));
	pmu_close(&session);
	put(REG_PSR, get(REG_PSR) & ~PSR_SP);
	put(PMC(5), 0xF);
	put(PMC(5), 0xF);
	assert_int_not_equal(get(PMD(5)), 1003);
}

//
// Settings
//

static void settings_are_written_at_open_and_taken_back_at_close(void **state)
{
	struct pmu_session session;

	(void)state;
	open_session(&session, "DATA_REFERENCES_RETIRED:iar=0x4000-0x400F:opc=42/0x1FFFFFFFFC0:dar=0x1000-0x1FFF,"
			       "IA64_TAGGED_INST_RETIRED.PMC9:iar=0x4000-0x400F:opc=0x8000000000/0x1FFFFFFFFF/m");
	assert_int_equal(get(PMC(8)), 0xF00000543FFFFE00);
	assert_int_equal(get(PMC(9)), 0x8400000003FFFFF8);
	assert_int_equal(get(PMC(13)), 0);
	assert_int_equal(get(PMC(11)), 0);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(get(IBR(2 * i)), 0x4000);
		assert_int_equal(get(IBR(2 * i + 1)), 0x0FFFFFFFFFFFFFF0);
		assert_int_equal(get(DBR(2 * i)), 0x1000);
		assert_int_equal(get(DBR(2 * i + 1)) & 0x00FFFFFFFFFFFFFF, 0x00FFFFFFFFFFF000);
	}
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(get(PMC(8)), 0xF00000003FFFFFF8);
	assert_int_equal(get(PMC(9)), 0xF00000003FFFFFF8);
	assert_int_equal(get(PMC(13)), 1);
	assert_int_equal(get(PMC(11)), 1ULL << 28);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(get(IBR(i)), 0);
		assert_int_equal(get(DBR(i)), 0);
	}
}

// A qualification of one event would apply to another that honours it.
static void events_that_differ_in_qualification_conflict(void **state)
{
	static const struct {
		const char *text;
		enum pmu_error error;
		uint32_t address;
	} cases[] = {
		{"NOPS_RETIRED:iar=0-0xFFF,NOPS_RETIRED", PMU_SETTINGS, PMC(13)},
		{"NOPS_RETIRED,NOPS_RETIRED:iar=0-0xFFF", PMU_SETTINGS, PMC(13)},
		{"NOPS_RETIRED:iar=0-0xFFF,NOPS_RETIRED:iar=0-0x1FFF", PMU_SETTINGS, IBR(1)},
		{"NOPS_RETIRED:opc=0/0x1FFFFFFFFF,NOPS_RETIRED", PMU_SETTINGS, PMC(8)},
		{"DATA_REFERENCES_RETIRED:dar=0-0xFFF,DATA_REFERENCES_RETIRED", PMU_SETTINGS, PMC(11)},
		{"DATA_EAR_EVENTS,DATA_EAR_EVENTS:lat=8", PMU_SETTINGS, PMC(11)},
		{"BRANCH_EVENT,BRANCH_EVENT:u", PMU_SETTINGS, PMC(12)},
		{"IA64_TAGGED_INST_RETIRED.PMC9:opc=0/0x1FFFFFFFFF,NOPS_RETIRED", PMU_OK, 0},
		{"NOPS_RETIRED:iar=0-0xFFF,CPU_CYCLES,IA64_INST_RETIRED", PMU_OK, 0},
		{"NOPS_RETIRED:iar=0-0xFFF,NOPS_RETIRED:iar=0-0xFFF:u", PMU_OK, 0},
		{"DATA_EAR_EVENTS,DATA_REFERENCES_RETIRED:dar=0-0xFFF", PMU_OK, 0},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;
		struct pmu_refusal refusal;

		assert_int_equal(open_text(&session, cases[i].text, &refusal), cases[i].error);
		assert_int_equal(refusal.address, cases[i].address);
		if (cases[i].error == PMU_OK)
			assert_int_equal(pmu_close(&session), PMU_OK);
	}
}

// Whether a session's first event counts an occurrence, once in each cycle or never.
static bool is_counted(struct pmu_session *session, const struct occurrence *o)
{
	uint64_t before = count_of(session, 0), executed;

	connect(o, 1);
	executed = execute(2);
	connect(NULL, 0);
	if (count_of(session, 0) == before)
		return false;
	assert_int_equal(count_of(session, 0), before + executed);
	return true;
}

static void a_code_range_counts_its_bundles(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "NOPS_RETIRED:iar=0x1000-0x6FFF");
	for (uint64_t ip = 0; ip < 0x8000; ip += 0x10) {
		struct occurrence nop = {.code = 0x30, .n = 1, .type = OCCURRENCE_TYPE_I, .ip = ip};

		assert_int_equal(is_counted(&session, &nop), ip >= 0x1000 && ip <= 0x6FFF);
		nop.ip |= 1ULL << 61;			// another region
		assert_false(is_counted(&session, &nop));
		nop.isa = 1;
		assert_false(is_counted(&session, &nop));
	}
	pmu_close(&session);
}

static void a_data_range_counts_its_bytes(void **state)
{
	struct pmu_session session;

	(void)state;
	open_and_start(&session, "DATA_REFERENCES_RETIRED:dar=0x2010-0x2083");
	for (uint64_t address = 0x1F00; address < 0x2200; address++) {
		const struct occurrence load = {
			.code = 0x63, .n = 1, .type = OCCURRENCE_TYPE_M, .data = 1, .address = address,
		};

		assert_int_equal(is_counted(&session, &load), address >= 0x2010 && address <= 0x2083);
	}
	pmu_close(&session);
}

// Loads of 8 bytes: M-unit, major opcode 4, x6 in bits 35:30 (Architecture SDM volume 3, chapter 4, format M1); into
// r33: bits 12:6.
static void an_opcode_counts_what_matches(void **state)
{
	const uint64_t ld8 = 4ULL << 37 | 3ULL << 30, r33 = 33ULL << 6, base = 45ULL << 20;
	const struct occurrence load = {.code = 0x08, .n = 1, .type = OCCURRENCE_TYPE_M, .opcode = ld8 | r33 | base};
	struct occurrence other = load;
	struct pmu_session session;

	(void)state;
	// All but the base register (26:20), the rest of bits 26:13, and the predicate (5:0).
	open_and_start(&session, "IA64_TAGGED_INST_RETIRED.PMC9:opc=0x80C0000840/0x07FFE03F/m");
	assert_true(is_counted(&session, &load));
	other.opcode ^= 1ULL << 22 | 5;
	assert_true(is_counted(&session, &other));
	other.type = OCCURRENCE_TYPE_I;
	assert_false(is_counted(&session, &other));
	for (unsigned bit = 0; bit <= 40; bit++) {
		other = load;
		other.opcode ^= 1ULL << bit;
		assert_int_equal(is_counted(&session, &other), bit <= 5 || (bit >= 13 && bit <= 26));
	}
	pmu_close(&session);
}

// Table 6-3, the last of its modes and one that it does not have: all three at once.
static void qualifications_combine(void **state)
{
	struct pmu_session session;
	unsigned counted = 0;

	(void)state;
	open_and_start(&session, "DATA_REFERENCES_RETIRED:iar=0x4000-0x4FFF:opc=0x8000000000/0x1FFFFFFFFF/m:"
				 "dar=0x8000-0x8FFF");
	for (unsigned i = 0; i < 8; i++) {
		const struct occurrence load = {
			.code = 0x63, .n = 1, .type = OCCURRENCE_TYPE_M, .data = 1,
			.ip = i & 1 ? 0x4560 : 0x5560, .opcode = i & 2 ? 4ULL << 37 : 5ULL << 37,
			.address = i & 4 ? 0x8008 : 0x9008,
		};

		counted += is_counted(&session, &load);
		assert_int_equal(counted, i == 7);
	}
	pmu_close(&session);
}

// The other session's range is not applied to an event that knows none.
static void a_range_leaves_other_events_alone(void **state)
{
	static const struct occurrence outside[] = {
		{.code = 0x30, .n = 1, .type = OCCURRENCE_TYPE_I, .ip = 0x9000},
		{.code = 0x08, .n = 2, .type = OCCURRENCE_TYPE_I, .ip = 0x9000},
		{.code = 0x12, .n = 1},
	};
	struct pmu_session qualified, plain;
	uint64_t executed;

	(void)state;
	open_and_start(&qualified, "NOPS_RETIRED:iar=0x1000-0x1FFF");
	open_and_start(&plain, "IA64_INST_RETIRED,CPU_CYCLES");
	connect(outside, LENGTH(outside));
	executed = execute(1000);
	assert_int_equal(count_of(&qualified, 0), 0);
	assert_int_equal(count_of(&plain, 0), 2 * executed);
	assert_int_equal(count_of(&plain, 1), executed);
	pmu_close(&qualified);
	pmu_close(&plain);
}

//
// Breakpoints (6.2.4, 6.2.6): "it is not possible to use performance monitor address range checking when a debugger is
// running"
//

#define IBR_X		(1ULL << 63)
#define DBR_R		(1ULL << 63)
#define DBR_W		(1ULL << 62)

// What a debugger has set, its registers and PSR.db.
static void take_breakpoints(uint64_t value[17])
{
	for (unsigned i = 0; i < 8; i++) {
		value[i] = get(IBR(i));
		value[8 + i] = get(DBR(i));
	}
	value[16] = get(REG_PSR) & PSR_DB;
}

static void a_range_is_refused_while_a_debugger_has_the_registers(void **state)
{
	static const struct {
		uint32_t address;
		uint64_t bits;
		bool code, data;		// which ranges it is in the way of
		const char *named;
	} cases[] = {
		{IBR(1), IBR_X, true, false, "IBR1"}, {IBR(7), IBR_X, true, false, "IBR7"},
		{DBR(1), DBR_R, false, true, "DBR1"}, {DBR(5), DBR_W, false, true, "DBR5"},
		{REG_PSR, PSR_DB, true, true, "PSR.db"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++)
		for (unsigned ranges = 0; ranges < 4; ranges++) {
			static const char *const texts[] = {
				"LOADS_RETIRED", "LOADS_RETIRED:iar=0x1000-0x1FFF", "LOADS_RETIRED:dar=0x2000-0x2FFF",
				"LOADS_RETIRED:iar=0x1000-0x1FFF:dar=0x2000-0x2FFF",
			};
			const bool refused = (ranges & 1 && cases[i].code) || (ranges & 2 && cases[i].data);
			uint64_t before[17], behind[17];
			struct event_request r = request(texts[ranges]);
			struct pmu_refusal refusal;
			struct pmu_session session;
			enum pmu_error error;
			char why[256];

			for (unsigned n = 0; n < 4; n++) {
				put(IBR(2 * n), 0x4000 + n);
				put(DBR(2 * n), 0x5000 + n);
			}
			put(cases[i].address, get(cases[i].address) | cases[i].bits);
			take_breakpoints(before);
			error = pmu_open(&session, &r, 1, &refusal);
			assert_int_equal(error, refused ? PMU_UNFIT : PMU_OK);
			if (refused) {
				pmu_explain(itanium(), error, &refusal, &r, why, sizeof why);
				if (!strstr(why, cases[i].named))
					fail_msg("'%s' does not name %s", why, cases[i].named);
				take_breakpoints(behind);
				assert_memory_equal(before, behind, sizeof before);
			} else {
				assert_int_equal(pmu_close(&session), PMU_OK);
			}
			put(cases[i].address, get(cases[i].address) & ~cases[i].bits);
		}
}

// Ranges that sessions have set are no debugger's.
static void sessions_share_a_range(void **state)
{
	struct pmu_session one, two;

	(void)state;
	open_session(&one, "LOADS_RETIRED:iar=0x1000-0x1FFF:dar=0x2000-0x2FFF");
	open_session(&two, "STORES_RETIRED:iar=0x1000-0x1FFF:dar=0x2000-0x2FFF");
	assert_int_equal(pmu_close(&one), PMU_OK);
	assert_int_equal(pmu_close(&two), PMU_OK);
}

// While it stops at breakpoints, its registers stay as they are.
static void reset_leaves_a_debugger_alone(void **state)
{
	uint64_t before[17], behind[17];

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		put(IBR(i), 0x8F00000000001000 + i);
		put(DBR(i), 0xCF00000000002000 + i);
	}
	put(REG_PSR, get(REG_PSR) | PSR_DB);
	take_breakpoints(before);
	assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
	take_breakpoints(behind);
	assert_memory_equal(before, behind, sizeof before);
}

//
// Scopes (6.1.3.2, Figures 6-6 to 6-8)
//

// What a scope's monitors count where: n at the lowest level, on the way there and back, in an interruption.
static void assert_scope(enum pmu_scope scope, enum pmu_reach reach, uint64_t process, uint64_t interruption,
			 uint64_t control)
{
	struct pmu_scope_status status;
	struct pmu_session session;

	assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
	assert_true(itanium()->scope->choose(scope, reach, &status));
	assert_int_equal(status.mask, PSR_UP | PSR_PP);
	assert_int_equal(status.monitored, process);
	assert_int_equal(status.others, scope == PMU_SCOPE_SYSTEM ? process : 0);
	assert_int_equal(get(REG_PSR) & (PSR_UP | PSR_PP), process);
	assert_int_equal(get(REG_DCR) & DCR_PP, interruption);
	open_session(&session, "CPU_CYCLES,IA64_INST_RETIRED:plm=8");
	assert_int_equal(get(PMC(session.counter[0].number)) & 0x4F, 0);
	assert_int_equal(pmu_start(&session), PMU_OK);
	assert_int_equal(get(PMC(session.counter[0].number)) & 0x4F, control);
	assert_int_equal(get(PMC(session.counter[1].number)) & 0x4F, (control & 0x40) | 0x8);
	hal_execute_user(1000);
	hal_execute(500);
	assert_int_equal(count_of(&session, 0), 1003 + (control & 1 ? 3 + 503 : 0));
	assert_int_equal(count_of(&session, 1), 1003);
	// Another process is scheduled.
	put(REG_PSR, (get(REG_PSR) & ~status.mask) | status.others);
	hal_execute_user(1000);
	assert_int_equal(count_of(&session, 1), scope == PMU_SCOPE_SYSTEM ? 2 * 1003 : 1003);
	// And the first one again.
	put(REG_PSR, (get(REG_PSR) & ~status.mask) | status.monitored);
	hal_execute_user(1000);
	assert_int_equal(count_of(&session, 1), scope == PMU_SCOPE_SYSTEM ? 3 * 1003 : 2 * 1003);
	pmu_close(&session);
}

static void scopes_are_those_of_the_figures(void **state)
{
	(void)state;
	for (enum pmu_scope scope = PMU_SCOPE_PROCESS; scope <= PMU_SCOPE_SYSTEM; scope++) {
		assert_scope(scope, PMU_REACH_USER, PSR_UP, 0, 0x8);
		assert_scope(scope, PMU_REACH_KERNEL, PSR_UP, 0, 0x9);
		assert_scope(scope, PMU_REACH_INTERRUPTIONS, PSR_PP, DCR_PP, 0x49);
	}
}

// DCR.pp is what PSR.pp is in an interruption: its handler counts, or not.
static void only_the_widest_reach_counts_interruptions(void **state)
{
	(void)state;
	for (enum pmu_reach reach = PMU_REACH_KERNEL; reach <= PMU_REACH_INTERRUPTIONS; reach++) {
		struct pmu_scope_status status;
		struct pmu_session session;
		uint64_t undisturbed;

		assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
		assert_true(itanium()->scope->choose(PMU_SCOPE_SYSTEM, reach, &status));
		put(REG_PSR, get(REG_PSR) & ~PSR_UP);			// see below
		open_session(&session, "CPU_CYCLES");
		assert_int_equal(pmu_start(&session), PMU_OK);
		hal_execute_user(1000);
		undisturbed = count_of(&session, 0);
		hal_alarm(500);
		hal_execute_user(1000);
		// A user monitor counts in handlers too while PSR.up is set, which an interruption leaves as it is.
		if (reach == PMU_REACH_INTERRUPTIONS)
			assert_true(count_of(&session, 0) > 2 * undisturbed);
		else
			assert_int_equal(count_of(&session, 0), 2 * undisturbed);
		pmu_close(&session);
	}
}

// Levels that the scope has not cannot be asked for.
static void a_scope_limits_the_levels(void **state)
{
	struct pmu_scope_status status;
	struct pmu_session session;
	struct event_request kernel = request("CPU_CYCLES:k"), user = request("CPU_CYCLES:u");

	(void)state;
	assert_true(itanium()->scope->choose(PMU_SCOPE_PROCESS, PMU_REACH_USER, &status));
	assert_int_equal(itanium()->choices(&kernel), 0);
	assert_int_not_equal(itanium()->choices(&user), 0);
	open_session(&session, "DATA_EAR_EVENTS");
	assert_int_equal(get(PMC(session.counter[0].number)) & 0xF, 0);		// not programmed yet
	assert_int_equal(get(PMC(11)) & 0xF, 8);
	assert_int_equal(pmu_start(&session), PMU_OK);
	assert_int_equal(get(PMC(session.counter[0].number)) & 0xF, 8);
	pmu_close(&session);
}

// A process may read what it is itself monitored with.
static void user_monitors_can_be_read(void **state)
{
	struct pmu_scope_status status;
	struct pmu_session session;
	uint64_t value = 0;

	(void)state;
	assert_true(itanium()->scope->choose(PMU_SCOPE_PROCESS, PMU_REACH_USER, &status));
	open_session(&session, "CPU_CYCLES:u:ctr=6");
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_execute_user(100);
	assert_true(hal_read_counter_user(6, &value));
	assert_int_equal(value, 103);
	pmu_close(&session);
}

//
// Payloads
//

static unsigned explain(const char *text, const uint64_t *words, unsigned count, struct payload_part *parts)
{
	struct event_request r = request(text);

	return itanium()->records->explain(&r, words, count, parts);
}

static void assert_part(const struct payload_part *part, const char *name, uint64_t value, enum payload_kind kind)
{
	assert_string_equal(part->name, name);
	assert_int_equal(part->value, value);
	assert_int_equal(part->kind, kind);
}

// Table 6-18: PMD2 the data address, PMD3 the latency, PMD17 the instruction with slot and valid bit.
static void data_misses_are_sampled_with_their_addresses(void **state)
{
	static const struct occurrence load = {
		.code = 0x66, .n = 1, .type = OCCURRENCE_TYPE_M, .slot = 1, .data = 1, .latency = 40,
		.ip = 0x4000000000012340, .address = 0x6000000000ABCDE8,
	};
	struct payload_part parts[PAYLOAD_PARTS];
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_session session;
	struct pmu_sample sample;
	unsigned samples = 0;

	(void)state;
	open_session(&session, "DATA_EAR_EVENTS:lat=32:period=3");
	assert_int_equal(pmu_start(&session), PMU_OK);
	connect(&load, 1);
	hal_execute(2000);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	while (pmu_take_sample_with_payload(&sample, words)) {
		samples++;
		assert_int_equal(sample.source.words, 3);
		assert_int_equal(words[0], 0x6000000000ABCDE8);
		assert_int_equal(words[1] & 0xFFF, 40);
		assert_int_equal(words[2], 0x4000000000012345);
		assert_int_equal(explain("DATA_EAR_EVENTS:lat=32", words, 3, parts), 5);
		assert_part(&parts[0], "valid", 1, PAYLOAD_NUMBER);
		assert_part(&parts[1], "ip", 0x4000000000012340, PAYLOAD_ADDRESS);
		assert_part(&parts[2], "slot", 1, PAYLOAD_NUMBER);
		assert_part(&parts[3], "address", 0x6000000000ABCDE8, PAYLOAD_ADDRESS);
		assert_part(&parts[4], "latency", 40, PAYLOAD_NUMBER);
	}
	assert_true(samples > 5);
	pmu_close(&session);
}

// Table 6-13: PMD0 the line with its valid bit, PMD1 the latency.
static void fetch_misses_are_sampled_with_their_lines(void **state)
{
	static const struct occurrence fetch = {.code = 0x22, .n = 1, .latency = 64, .ip = 0x20000000000004A0};
	struct payload_part parts[PAYLOAD_PARTS];
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	open_session(&session, "INSTRUCTION_EAR_EVENTS:lat=64:period=10");
	assert_int_equal(pmu_start(&session), PMU_OK);
	connect(&fetch, 1);
	hal_execute(17);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_true(pmu_take_sample_with_payload(&sample, words));
	assert_int_equal(sample.source.words, 2);
	assert_int_equal(words[0] & ~2ULL, 0x20000000000004A1);		// bit 1 is undefined here
	assert_int_equal(words[1] & 0xFFF, 64);
	assert_int_equal(explain("INSTRUCTION_EAR_EVENTS", words, 2, parts), 3);
	assert_part(&parts[0], "valid", 1, PAYLOAD_NUMBER);
	assert_part(&parts[1], "line", 0x20000000000004A0, PAYLOAD_ADDRESS);
	assert_part(&parts[2], "latency", 64, PAYLOAD_NUMBER);
	pmu_close(&session);
}

// Table 6-22: a branch has bit 0, its slot in 3:2; a target bit 1. Each taken branch leaves two entries, so the buffer
// holds the last four.
static void branches_are_sampled_with_the_path_to_them(void **state)
{
	static const struct occurrence branch = {
		.code = 0x0F, .n = 1, .type = OCCURRENCE_TYPE_B, .slot = 2,
		.branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN, .served = 1, .ip = 0x2000, .target = 0x3000,
	};
	struct payload_part parts[PAYLOAD_PARTS];
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_session session;
	struct pmu_sample sample;

	(void)state;
	open_session(&session, "BRANCH_EVENT:period=10");
	assert_int_equal(pmu_start(&session), PMU_OK);
	feed(&branch, 1, 19);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	assert_true(pmu_take_sample_with_payload(&sample, words));
	assert_int_equal(sample.source.words, 9);
	assert_int_equal(words[0], 8 | 4);		// 20 entries: it has wrapped, and the next one is the fifth
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(words[1 + i], i % 2 ? 0x3002 : 0x2009);
	assert_int_equal(explain("BRANCH_EVENT", words, 9, parts), 4 * 4 + 1);
	assert_part(&parts[16], "last", 11, PAYLOAD_REGISTER);		// 8 + (8 + 4 - 1) % 8 (6.2.8.2)
	for (unsigned i = 0; i < 16; i += 4) {
		assert_part(&parts[i], "branch", 0x2000, PAYLOAD_ADDRESS);
		assert_part(&parts[i + 1], "slot", 2, PAYLOAD_NUMBER);
		assert_part(&parts[i + 2], "mispredicted", 0, PAYLOAD_NUMBER);
		assert_part(&parts[i + 3], "target", 0x3000, PAYLOAD_ADDRESS);
	}
	pmu_close(&session);
}

// A monitor that is off does not keep what it has recorded (Table 6-11): the next session begins without.
static void a_session_begins_with_an_empty_trace(void **state)
{
	static const struct occurrence branch = {
		.code = 0x0F, .n = 1, .type = OCCURRENCE_TYPE_B, .slot = 2,
		.branch = OCCURRENCE_BRANCH | OCCURRENCE_TAKEN, .served = 1, .ip = 0x2000, .target = 0x3000,
	};
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct pmu_sample sample;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		struct pmu_session session;

		open_session(&session, "BRANCH_EVENT:period=3");
		assert_int_equal(pmu_start(&session), PMU_OK);
		feed(&branch, 1, 4);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_true(pmu_take_sample_with_payload(&sample, words));
		assert_int_equal(words[0], 6);			// three branches, three targets
		assert_true(session.driver->release(session.counter, session.count));
		for (unsigned entry = 8; entry <= 16; entry++)	// nor does anyone see this one's
			assert_int_equal(get(PMD(entry)), 0);
		assert_int_equal(pmu_close(&session), PMU_OK);
	}
}

// By hand. 6.2.8.2: the entry written last is 8 + ((8 * full + bbi - 1) % 8), so the path ends with it; with both 0
// none has been.
static void a_path_is_told_oldest_first(void **state)
{
	struct payload_part parts[PAYLOAD_PARTS];
	uint64_t words[9] = {0};

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		words[1 + i] = 0x1000 * (i + 1) | 2;			// targets, to be seen by their address
	for (unsigned full = 0; full <= 1; full++)
		for (unsigned index = 0; index < 8; index++) {
			unsigned count = full ? 8 : index, last = (8 * full + index - 1) % 8;

			words[0] = full << 3 | index;
			assert_int_equal(explain("BRANCH_EVENT", words, 9, parts), count ? count + 1 : 0);
			if (count) {
				assert_int_equal(parts[count - 1].value, 0x1000 * (last + 1));
				assert_part(&parts[count], "last", 8 + last, PAYLOAD_REGISTER);
				assert_string_equal(parts[count].text, "PMD");
			}
			for (unsigned i = 1; i < count; i++)
				assert_int_equal(parts[i].value, parts[i - 1].value % 0x8000 + 0x1000);
		}
}

static void entries_of_each_kind(void **state)
{
	// A taken branch in slot 1 that was mispredicted, its target; one not taken; what is not valid.
	static const uint64_t words[9] = {4, 0x12340 | 1 << 2 | 2 | 1, 0x56780 | 2, 0x9ABC0 | 3 << 2 | 1, 0xDEF00};
	struct payload_part parts[PAYLOAD_PARTS];

	(void)state;
	assert_int_equal(explain("BRANCH_EVENT", words, 9, parts), 8);
	assert_part(&parts[0], "branch", 0x12340, PAYLOAD_ADDRESS);
	assert_part(&parts[1], "slot", 1, PAYLOAD_NUMBER);
	assert_part(&parts[2], "mispredicted", 1, PAYLOAD_NUMBER);
	assert_part(&parts[3], "target", 0x56780, PAYLOAD_ADDRESS);
	assert_part(&parts[4], "branch", 0x9ABC0, PAYLOAD_ADDRESS);
	assert_part(&parts[5], "taken", 0, PAYLOAD_NUMBER);
	assert_part(&parts[6], "mispredicted", 0, PAYLOAD_NUMBER);
}

// Tables 6-15 and 6-20; and without the valid bit nothing else.
static void translation_misses_are_told_by_who_served_them(void **state)
{
	static const uint64_t walker[3] = {0xA000, 2ULL << 62, 0x4561}, nothing[3] = {0xA000, 2ULL << 62, 0x4560};
	static const uint64_t software[2] = {0x4000000000000123, 0xFFF};
	struct payload_part parts[PAYLOAD_PARTS];

	(void)state;
	assert_int_equal(explain("DATA_EAR_EVENTS:tlb=0xE", walker, 3, parts), 5);
	assert_part(&parts[4], "level", 2, PAYLOAD_NUMBER);
	assert_int_equal(explain("DATA_EAR_EVENTS:tlb=0xE", nothing, 3, parts), 1);
	assert_part(&parts[0], "valid", 0, PAYLOAD_NUMBER);
	assert_int_equal(explain("INSTRUCTION_EAR_EVENTS:tlb=0xC", software, 2, parts), 3);
	assert_part(&parts[1], "line", 0x4000000000000120, PAYLOAD_ADDRESS);
	assert_part(&parts[2], "level", 3, PAYLOAD_NUMBER);
}

// Any words, any number of them: from a file that somebody else has written.
static void a_payload_of_the_wrong_size_says_nothing(void **state)
{
	uint64_t words[PMU_PAYLOAD_WORDS];
	struct payload_part parts[PAYLOAD_PARTS];
	unsigned most = 0;

	(void)state;
	memset(words, 0xFF, sizeof words);
	for (unsigned count = 0; count <= PMU_PAYLOAD_WORDS; count++) {
		assert_int_equal(explain("CPU_CYCLES", words, count, parts), 0);
		if (count != 3)
			assert_int_equal(explain("DATA_EAR_EVENTS", words, count, parts), 0);
		if (count != 2)
			assert_int_equal(explain("INSTRUCTION_EAR_EVENTS", words, count, parts), 0);
		if (count != 9)
			assert_int_equal(explain("BRANCH_EVENT", words, count, parts), 0);
		else
			most = explain("BRANCH_EVENT", words, count, parts);
	}
	assert_int_equal(most, 24 + 1);			// eight branches of three parts, and the last one's register
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, driver_start, driver_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reset_depends_on_nothing_undefined),
		TEST(reset_ends_everything),
		TEST(four_counters_count_each_cycle),
		TEST(a_count_goes_beyond_the_counter),
		TEST(sessions_start_and_stop_beside_each_other),
		TEST(a_closed_session_leaves_its_counters_off),
		TEST(periods_lose_nothing),
		TEST(four_periods_at_once),
		TEST(long_periods),
		TEST(a_counter_is_armed_with_two_at_least),
		TEST(a_residue_is_kept),
		TEST(a_forced_freeze_leaves_a_harmless_interrupt),
		TEST(exactly_the_enabled_counters_count),
		TEST(freeze_and_thaw_keep_pmc0),
		TEST(an_unserved_overflow_keeps_the_freeze),
		TEST(clearing_clears_exactly_what_is_given),
		TEST(counts_are_not_to_be_read_by_users),
		TEST(settings_are_written_at_open_and_taken_back_at_close),
		TEST(events_that_differ_in_qualification_conflict),
		TEST(a_code_range_counts_its_bundles),
		TEST(a_data_range_counts_its_bytes),
		TEST(an_opcode_counts_what_matches),
		TEST(qualifications_combine),
		TEST(a_range_leaves_other_events_alone),
		TEST(a_range_is_refused_while_a_debugger_has_the_registers),
		TEST(sessions_share_a_range),
		TEST(reset_leaves_a_debugger_alone),
		TEST(scopes_are_those_of_the_figures),
		TEST(only_the_widest_reach_counts_interruptions),
		TEST(a_scope_limits_the_levels),
		TEST(user_monitors_can_be_read),
		TEST(data_misses_are_sampled_with_their_addresses),
		TEST(fetch_misses_are_sampled_with_their_lines),
		TEST(branches_are_sampled_with_the_path_to_them),
		TEST(a_session_begins_with_an_empty_trace),
		TEST(a_path_is_told_oldest_first),
		TEST(entries_of_each_kind),
		TEST(translation_misses_are_told_by_who_served_them),
		TEST(a_payload_of_the_wrong_size_says_nothing),
	};

	return cmocka_run_group_tests_name("itanium driver", tests, NULL, NULL);
}
