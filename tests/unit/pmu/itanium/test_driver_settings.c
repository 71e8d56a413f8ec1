// SPDX-License-Identifier: BSD-2-Clause
// The itanium driver on the shim: settings, scopes. Machine and time as in test_driver.c.

#include "driver_sessions.h"

//
// Settings
//

static void settings_are_written_at_open_and_taken_back_at_close(void **state)
{
	struct pmu_session session;

	(void)state;
	open_session(&session,
		"DATA_REFERENCES_RETIRED:iar=0x4000-0x400F:opc=42/0x1FFFFFFFFC0:dar=0x1000-0x1FFF,"
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

// A qualification of one event would apply to other events that honour it, so such sessions
// conflict.
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
		{"DATA_REFERENCES_RETIRED:dar=0-0xFFF,DATA_REFERENCES_RETIRED", PMU_SETTINGS,
		 PMC(11)},
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
			.code = 0x63, .n = 1, .type = OCCURRENCE_TYPE_M, .data = 1,
			.address = address,
		};

		assert_int_equal(is_counted(&session, &load), address >= 0x2010 &&
				 address <= 0x2083);
	}
	pmu_close(&session);
}

// Loads of 8 bytes: M-unit, major opcode 4, x6 in bits 35:30 (Architecture SDM volume 3, chapter 4,
// format M1); into r33: bits 12:6.
static void an_opcode_counts_what_matches(void **state)
{
	const uint64_t ld8 = 4ULL << 37 | 3ULL << 30, r33 = 33ULL << 6, base = 45ULL << 20;
	const struct occurrence load = {.code = 0x08, .n = 1, .type = OCCURRENCE_TYPE_M,
					.opcode = ld8 | r33 | base};
	struct occurrence other = load;
	struct pmu_session session;

	(void)state;
	// All bits count except the base register (26:20), the rest of bits 26:13, and the
	// predicate (5:0).
	open_and_start(&session, "IA64_TAGGED_INST_RETIRED.PMC9:opc=0x80C0000840/0x07FFE03F/m");
	assert_true(is_counted(&session, &load));
	other.opcode ^= 1ULL << 22 | 5;
	assert_true(is_counted(&session, &other));
	other.type = OCCURRENCE_TYPE_I;
	assert_false(is_counted(&session, &other));
	for (unsigned bit = 0; bit <= 40; bit++) {
		other = load;
		other.opcode ^= 1ULL << bit;
		assert_int_equal(is_counted(&session, &other), bit <= 5 ||
				 (bit >= 13 && bit <= 26));
	}
	pmu_close(&session);
}

// Table 6-3, its last mode, and one that it lacks: all three qualifications at once.
static void qualifications_combine(void **state)
{
	struct pmu_session session;
	unsigned counted = 0;

	(void)state;
	open_and_start(&session,
		       "DATA_REFERENCES_RETIRED:iar=0x4000-0x4FFF:opc=0x8000000000/0x1FFFFFFFFF/m:"
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

// Another session's range does not apply to an event without this qualification.
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
// Breakpoints (6.2.4, 6.2.6): "it is not possible to use performance monitor address range checking
// when a debugger is running"
//

#define IBR_X		(1ULL << 63)
#define DBR_R		(1ULL << 63)
#define DBR_W		(1ULL << 62)

// Reads a debugger's state: breakpoint registers and PSR.db.
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
		bool code, data;		// the ranges that it prevents
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
				"LOADS_RETIRED", "LOADS_RETIRED:iar=0x1000-0x1FFF",
				"LOADS_RETIRED:dar=0x2000-0x2FFF",
				"LOADS_RETIRED:iar=0x1000-0x1FFF:dar=0x2000-0x2FFF",
			};
			const bool refused = (ranges & 1 && cases[i].code) ||
				(ranges & 2 && cases[i].data);
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

// A range of a session is not taken for a debugger's.
static void sessions_share_a_range(void **state)
{
	struct pmu_session one, two;

	(void)state;
	open_session(&one, "LOADS_RETIRED:iar=0x1000-0x1FFF:dar=0x2000-0x2FFF");
	open_session(&two, "STORES_RETIRED:iar=0x1000-0x1FFF:dar=0x2000-0x2FFF");
	assert_int_equal(pmu_close(&one), PMU_OK);
	assert_int_equal(pmu_close(&two), PMU_OK);
}

// While a debugger uses breakpoints, reset does not change its registers.
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

// Checks the counts of a scope's monitors: at the lowest level, at changes to and from it, in an
// interruption.
static void assert_scope(enum pmu_scope scope, enum pmu_privilege privilege, uint64_t process,
			 uint64_t interruption, uint64_t control)
{
	struct pmu_scope_status status;
	struct pmu_session session;

	assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
	assert_true(itanium()->scope->choose(scope, privilege, &status));
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
	// The first process is scheduled again.
	put(REG_PSR, (get(REG_PSR) & ~status.mask) | status.monitored);
	hal_execute_user(1000);
	assert_int_equal(count_of(&session, 1), scope == PMU_SCOPE_SYSTEM ? 3 * 1003 : 2 * 1003);
	pmu_close(&session);
}

static void scopes_are_those_of_the_figures(void **state)
{
	(void)state;
	for (enum pmu_scope scope = PMU_SCOPE_PROCESS; scope <= PMU_SCOPE_SYSTEM; scope++) {
		assert_scope(scope, PMU_PRIVILEGE_USER, PSR_UP, 0, 0x8);
		assert_scope(scope, PMU_PRIVILEGE_KERNEL, PSR_UP, 0, 0x9);
		assert_scope(scope, PMU_PRIVILEGE_INTERRUPTIONS, PSR_PP, DCR_PP, 0x49);
	}
}

// The interface for callers: each process's status, by hand.
static void processes_are_switched(void **state)
{
	static const struct {
		enum pmu_scope scope;
		uint64_t of[3];		// by enum pmu_process
	} rows[] = {
		{PMU_SCOPE_PROCESS, {PSR_UP, 0, 0}},
		{PMU_SCOPE_PROCESSES, {PSR_UP, PSR_UP, 0}},
		{PMU_SCOPE_SYSTEM, {PSR_UP, PSR_UP, PSR_UP}},
	};
	struct pmu_scope_status status;
	struct pmu_session session;

	(void)state;
	assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
	assert_false(pmu_switch_process(PMU_PROCESS_OWN));
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(pmu_choose_scope(rows[i].scope, PMU_PRIVILEGE_USER, &status),
				 PMU_OK);
		assert_int_equal(status.monitored, PSR_UP);
		assert_int_equal(status.others, rows[i].of[PMU_PROCESS_OTHER]);
		for (unsigned process = 0; process < 3; process++) {
			assert_true(pmu_switch_process((enum pmu_process)process));
			assert_int_equal(get(REG_PSR) & (PSR_UP | PSR_PP), rows[i].of[process]);
		}
	}
	open_session(&session, "CPU_CYCLES");
	assert_int_equal(pmu_choose_scope(PMU_SCOPE_SYSTEM, PMU_PRIVILEGE_USER, &status),
			 PMU_CONFLICT);
	assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
	assert_false(pmu_switch_process(PMU_PROCESS_OWN));
}

// In an interruption PSR.pp is DCR.pp: its handler counts, or does not.
static void only_the_widest_reach_counts_interruptions(void **state)
{
	(void)state;
	for (enum pmu_privilege privilege = PMU_PRIVILEGE_KERNEL;
	     privilege <= PMU_PRIVILEGE_INTERRUPTIONS;
	     privilege++) {
		struct pmu_scope_status status;
		struct pmu_session session;
		uint64_t undisturbed;

		assert_int_equal(pmu_begin(itanium(), false), PMU_OK);
		assert_true(itanium()->scope->choose(PMU_SCOPE_SYSTEM, privilege, &status));
		put(REG_PSR, get(REG_PSR) & ~PSR_UP);			// see below
		open_session(&session, "CPU_CYCLES");
		assert_int_equal(pmu_start(&session), PMU_OK);
		hal_execute_user(1000);
		undisturbed = count_of(&session, 0);
		hal_alarm(500);
		hal_execute_user(1000);
		// A user monitor also counts in handlers while PSR.up is set, because an
		// interruption does not change it.
		if (privilege == PMU_PRIVILEGE_INTERRUPTIONS)
			assert_true(count_of(&session, 0) > 2 * undisturbed);
		else
			assert_int_equal(count_of(&session, 0), 2 * undisturbed);
		pmu_close(&session);
	}
}

// Requests for levels outside the scope are refused.
static void a_scope_limits_the_levels(void **state)
{
	struct pmu_scope_status status;
	struct pmu_session session;
	struct event_request kernel = request("CPU_CYCLES:k"), user = request("CPU_CYCLES:u");

	(void)state;
	assert_true(itanium()->scope->choose(PMU_SCOPE_PROCESS, PMU_PRIVILEGE_USER, &status));
	assert_int_equal(itanium()->choices(&kernel), 0);
	assert_int_not_equal(itanium()->choices(&user), 0);
	open_session(&session, "DATA_EAR_EVENTS");
	// not programmed yet
	assert_int_equal(get(PMC(session.counter[0].number)) & 0xF, 0);
	assert_int_equal(get(PMC(11)) & 0xF, 8);
	assert_int_equal(pmu_start(&session), PMU_OK);
	assert_int_equal(get(PMC(session.counter[0].number)) & 0xF, 8);
	pmu_close(&session);
}

// A process may read its own user monitors.
static void user_monitors_can_be_read(void **state)
{
	struct pmu_scope_status status;
	struct pmu_session session;
	uint64_t value = 0;

	(void)state;
	assert_true(itanium()->scope->choose(PMU_SCOPE_PROCESS, PMU_PRIVILEGE_USER, &status));
	open_session(&session, "CPU_CYCLES:u:ctr=6");
	assert_int_equal(pmu_start(&session), PMU_OK);
	hal_execute_user(100);
	assert_true(hal_read_counter_user(6, &value));
	assert_int_equal(value, 103);
	pmu_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
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
		TEST(processes_are_switched),
		TEST(only_the_widest_reach_counts_interruptions),
		TEST(a_scope_limits_the_levels),
		TEST(user_monitors_can_be_read),
	};

	return cmocka_run_group_tests_name("itanium driver: settings", tests, NULL, NULL);
}
