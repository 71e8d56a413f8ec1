// SPDX-License-Identifier: BSD-2-Clause
// Registers that the threads of a core share, on the shim's two cores: CPUs 0 and 1, CPUs 2 and 3.
// Sources for the shared registers OFFCORE_RSP_0 (1A6H), LBR_SELECT (1C8H), PEBS_LD_LAT (3F6H) and
// for offcore responses: the performance analysis guide for Core i7 and Xeon 5500, "Latency Event"
// and Table 9; Linux, arch/x86/events/perf_event.h; SDM volume 4, MSRs of processors based on
// Nehalem.

#include "machine.h"

#define CPUS		4
#define OFFCORE_RSP_0	0x1A6
#define LBR_SELECT	0x1C8
#define LD_LAT		0x3F6

#define OFFCORE(value)	"OFFCORE_RESPONSE_0:msr=" #value
#define DEMAND_DRAM	0x4001
#define BUFFER_BYTES	4096

static _Alignas(4096) uint8_t memory[CPUS][BUFFER_BYTES];
static struct pmu_session sessions[CPUS];

static void begin(unsigned cpu)
{
	shim_cpu(cpu);
	assert_int_equal(pmu_begin(nehalem(), false), PMU_OK);
	allow_all_interrupts();
	assert_null(pmu_give_buffer((uintptr_t)memory[cpu], BUFFER_BYTES));
}

static int start(void **state)
{
	(void)state;
	shim_allow_memory(memory, sizeof memory);
	if (!shim_start("nehalem", ""))
		return -1;
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		begin(cpu);
	shim_cpu(0);
	return 0;
}

static uint64_t value_of(unsigned cpu, uint32_t address)
{
	uint64_t value;

	shim_cpu(cpu);
	assert_true(reg_read(address, &value));
	return value;
}

static void open_on(unsigned cpu, const char *text)
{
	shim_cpu(cpu);
	open_session(&sessions[cpu], text);
}

static void close_on(unsigned cpu)
{
	shim_cpu(cpu);
	assert_int_equal(pmu_close(&sessions[cpu]), PMU_OK);
}

// The request is refused with this text, and the register does not change.
static void assert_refused(unsigned cpu, const char *text, uint32_t address, const char *words)
{
	const uint64_t before = value_of(cpu, address);
	struct event_request requests[REQUESTS_MAX];
	struct pmu_refusal refusal;
	struct pmu_session session;
	char why[300];

	read_requests(text, requests);
	assert_int_equal(open_text(&session, text, &refusal), PMU_SETTINGS);
	assert_int_equal(refusal.address, address);
	pmu_explain(nehalem(), PMU_SETTINGS, &refusal, requests, why, sizeof why);
	assert_string_equal(why, words);
	assert_int_equal(value_of(cpu, address), before);
	assert_int_equal(pmu_start(&session), PMU_CLOSED);
}

// Demand loads of data answered by local memory, by a thread of CPU 0's core.
static void load(unsigned thread, uint64_t times)
{
	static struct occurrence o = {.code = 0xB7, .sub = 1, .n = 1, .opcode = DEMAND_DRAM};

	o.thread = (uint8_t)thread;
	while (times)
		times -= shim_deliver(&o, 1, times);
	shim_deliver(NULL, 0, 0);
}

//
// Effects of the sibling thread
//

static void a_sibling_that_begins_leaves_what_is_used(void **state)
{
	(void)state;
	open_on(0, OFFCORE(0x4001));
	assert_int_equal(pmu_start(&sessions[0]), PMU_OK);
	load(0, 1000);
	begin(1);
	assert_int_equal(value_of(0, OFFCORE_RSP_0), DEMAND_DRAM);
	load(0, 500);
	assert_int_equal(count_of(&sessions[0], 0), 1500);
	close_on(0);
	assert_int_equal(value_of(0, OFFCORE_RSP_0), 0);
}

static void a_sibling_that_needs_it_otherwise_is_refused(void **state)
{
	(void)state;
	open_on(0, OFFCORE(0x4001));
	assert_refused(1, OFFCORE(0x4002), OFFCORE_RSP_0,
		       "OFFCORE_RESPONSE_0 needs register 0x1a6 set otherwise than CPU 0, which "
		       "shares OFFCORE_RSP_0 "
		       "as a thread of the same core");
	close_on(0);
	open_on(1, OFFCORE(0x4002));
	assert_refused(0, "INST_RETIRED.ANY," OFFCORE(0x4001), OFFCORE_RSP_0,
		       "OFFCORE_RESPONSE_0 needs register 0x1a6 set otherwise than CPU 1, which "
		       "shares OFFCORE_RSP_0 "
		       "as a thread of the same core");
	close_on(1);
}

static void latency_thresholds_and_branch_filters_are_a_cores_too(void **state)
{
	(void)state;
	open_on(2,
		"MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_10:p:period=100,"
		"INST_RETIRED.ANY_P:lbr=1:period=100");
	assert_refused(3, "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=100", LD_LAT,
		       "MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20 needs register 0x3f6 set "
		       "otherwise than "
		       "CPU 2, which shares PEBS_LD_LAT as a thread of the same core");
	assert_refused(3, "INST_RETIRED.ANY_P:lbr:period=100", LBR_SELECT,
		       "INST_RETIRED.ANY_P needs register 0x1c8 set otherwise than CPU 2, which "
		       "shares LBR_SELECT "
		       "as a thread of the same core");
	begin(3);
	assert_int_equal(value_of(2, LBR_SELECT), 1);
	close_on(2);
	assert_int_equal(value_of(2, LBR_SELECT), 0);
	open_on(3, "INST_RETIRED.ANY_P:lbr=4:period=100");
	assert_int_equal(value_of(3, LBR_SELECT), 4);
	close_on(3);
}

// Table 9: each thread counts its own requests and responses, with the one register.
static void threads_share_a_value_and_the_last_one_clears_it(void **state)
{
	(void)state;
	for (unsigned first = 0; first < 2; first++) {
		for (unsigned cpu = 0; cpu < 2; cpu++) {
			open_on(cpu, OFFCORE(0x4001));
			assert_int_equal(pmu_start(&sessions[cpu]), PMU_OK);
		}
		load(first, 70);
		close_on(first);
		assert_int_equal(value_of(first, OFFCORE_RSP_0), DEMAND_DRAM);
		load(1 - first, 300);
		shim_cpu(1 - first);
		assert_int_equal(count_of(&sessions[1 - first], 0), 300);
		close_on(1 - first);
		assert_int_equal(value_of(first, OFFCORE_RSP_0), 0);
	}
}

static void sessions_of_a_cpu_are_one_owner_until_the_last_closes(void **state)
{
	struct pmu_session second;

	(void)state;
	open_on(0, OFFCORE(0x4001));
	open_session(&second, OFFCORE(0x4001));
	close_on(0);
	assert_refused(1, OFFCORE(0x4002), OFFCORE_RSP_0,
		       "OFFCORE_RESPONSE_0 needs register 0x1a6 set otherwise than CPU 0, which "
		       "shares OFFCORE_RSP_0 "
		       "as a thread of the same core");
	shim_cpu(0);
	assert_int_equal(pmu_close(&second), PMU_OK);
	open_on(1, OFFCORE(0x4002));
	close_on(1);
}

static void another_core_has_registers_of_its_own(void **state)
{
	(void)state;
	open_on(0, OFFCORE(0x4001));
	open_on(2, OFFCORE(0x4002));
	assert_int_equal(value_of(0, OFFCORE_RSP_0), 0x4001);
	assert_int_equal(value_of(3, OFFCORE_RSP_0), 0x4002);
	close_on(2);
	assert_int_equal(value_of(0, OFFCORE_RSP_0), 0x4001);
	close_on(0);
}

//
// Former owners
//

static void a_cpu_that_begins_anew_owns_nothing(void **state)
{
	(void)state;
	open_on(0, OFFCORE(0x4001));
	open_on(1, OFFCORE(0x4001));
	begin(0);
	assert_int_equal(value_of(1, OFFCORE_RSP_0), 0x4001);
	begin(1);
	assert_int_equal(value_of(1, OFFCORE_RSP_0), 0);
	open_on(1, OFFCORE(0x4002));
	assert_int_equal(value_of(0, OFFCORE_RSP_0), 0x4002);
	close_on(1);
}

static void another_machine_has_no_owners(void **state)
{
	(void)state;
	open_on(1, OFFCORE(0x4001));
	assert_int_equal(start(state), 0);
	open_on(0, OFFCORE(0x4002));
	assert_int_equal(value_of(0, OFFCORE_RSP_0), 0x4002);
	close_on(0);
}

// A session that is refused for its second register releases the first one.
static void a_refused_session_owns_nothing(void **state)
{
	(void)state;
	open_on(1, "INST_RETIRED.ANY_P:lbr=1:period=100");
	assert_refused(0, OFFCORE(0x4001) ",INST_RETIRED.ANY_P:lbr=2:period=100", LBR_SELECT,
		       "INST_RETIRED.ANY_P needs register 0x1c8 set otherwise than CPU 1, which "
		       "shares LBR_SELECT "
		       "as a thread of the same core");
	close_on(1);
	open_on(1, OFFCORE(0x4002));
	assert_int_equal(value_of(1, OFFCORE_RSP_0), 0x4002);
	close_on(1);

	// With another session that keeps it.
	open_on(0, OFFCORE(0x4001));
	open_on(1, "INST_RETIRED.ANY_P:lbr=1:period=100");
	assert_refused(0, OFFCORE(0x4001) ",INST_RETIRED.ANY_P:lbr=2:period=100", LBR_SELECT,
		       "INST_RETIRED.ANY_P needs register 0x1c8 set otherwise than CPU 1, which "
		       "shares LBR_SELECT "
		       "as a thread of the same core");
	assert_refused(1, OFFCORE(0x4002), OFFCORE_RSP_0,
		       "OFFCORE_RESPONSE_0 needs register 0x1a6 set otherwise than CPU 0, which "
		       "shares OFFCORE_RSP_0 "
		       "as a thread of the same core");
	close_on(0);
	close_on(1);
}

//
// Contexts
//

static void a_context_that_is_put_aside_owns_nothing(void **state)
{
	struct pmu_context context;

	(void)state;
	open_on(0, OFFCORE(0x4001));
	assert_int_equal(pmu_start(&sessions[0]), PMU_OK);
	load(0, 40);
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	assert_int_equal(value_of(0, OFFCORE_RSP_0), 0);
	open_on(1, OFFCORE(0x4002));
	close_on(1);
	shim_cpu(0);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_int_equal(value_of(0, OFFCORE_RSP_0), 0x4001);
	load(0, 2);
	assert_int_equal(count_of(&sessions[0], 0), 42);
	close_on(0);
}

static void a_context_does_not_come_back_next_to_a_thread_that_needs_otherwise(void **state)
{
	struct pmu_context context;
	char why[300];

	(void)state;
	open_on(0, "INST_RETIRED.ANY_P:lbr=2:period=100," OFFCORE(0x4001));
	assert_int_equal(pmu_start(&sessions[0]), PMU_OK);
	load(0, 40);
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	open_on(1, OFFCORE(0x4002));
	shim_cpu(0);
	assert_int_equal(pmu_context_restore(&context), PMU_SETTINGS);
	assert_int_equal(context.refusal.address, OFFCORE_RSP_0);
	assert_int_equal(context.refusal.cpus, 1 << 1);
	pmu_explain(nehalem(), PMU_SETTINGS, &context.refusal, NULL, why, sizeof why);
	assert_string_equal(why,
			    "the context needs register 0x1a6 set otherwise than CPU 1, which "
			    "shares "
				 "OFFCORE_RSP_0 as a thread of the same core");
	assert_int_equal(value_of(0, OFFCORE_RSP_0), 0x4002);
	assert_int_equal(value_of(0, LBR_SELECT), 0);

	// The context owns nothing, and can be restored later and on another core.
	close_on(1);
	open_on(1, "INST_RETIRED.ANY_P:lbr=1:period=100");
	close_on(1);
	shim_cpu(0);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	load(0, 2);
	assert_int_equal(count_of(&sessions[0], 1), 42);
	assert_int_equal(pmu_context_save(&context, 0, 0), PMU_OK);
	shim_cpu(2);
	assert_int_equal(pmu_context_restore(&context), PMU_OK);
	assert_int_equal(value_of(3, OFFCORE_RSP_0), 0x4001);
	shim_cpu(2);
	assert_int_equal(pmu_close(&sessions[0]), PMU_OK);
	assert_int_equal(value_of(3, OFFCORE_RSP_0), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, machine_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sibling_that_begins_leaves_what_is_used),
		TEST(a_sibling_that_needs_it_otherwise_is_refused),
		TEST(latency_thresholds_and_branch_filters_are_a_cores_too),
		TEST(threads_share_a_value_and_the_last_one_clears_it),
		TEST(sessions_of_a_cpu_are_one_owner_until_the_last_closes),
		TEST(another_core_has_registers_of_its_own),
		TEST(a_cpu_that_begins_anew_owns_nothing),
		TEST(another_machine_has_no_owners),
		TEST(a_refused_session_owns_nothing),
		TEST(a_context_that_is_put_aside_owns_nothing),
		TEST(a_context_does_not_come_back_next_to_a_thread_that_needs_otherwise),
	};

	return cmocka_run_group_tests_name("registers that threads share", tests, NULL, NULL);
}
