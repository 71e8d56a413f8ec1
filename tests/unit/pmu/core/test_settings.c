// SPDX-License-Identifier: BSD-2-Clause
// Settings and payloads: a copy of the shim's driver whose events need bits of two registers
// (latency: bits 9:6 of IA32_DEBUGCTL, none for 0; tlb: bits 3:0 of a fourth counter's unit mask),
// and whose samples have payloads.

#include "machine.h"

#include "path.h"

#define DEBUGCTL	0x1D9
#define FREEZE		(1ULL << 12)	/* value of the register after the driver's reset */
#define SELECT3		0x189
#define IDLE		5

static unsigned payload_words;

static unsigned settings(const struct event_request *r, unsigned counter, struct pmu_setting *out)
{
	unsigned count = 0;

	(void)counter;
	if (r->latency)
		out[count++] = (struct pmu_setting){DEBUGCTL, 0xFULL << 6,
						    (uint64_t)r->latency << 6, 0};
	if (r->tlb)
		out[count++] = (struct pmu_setting){SELECT3, 0xFULL << 8, (uint64_t)r->tlb << 8,
						    IDLE << 8};
	return count;
}

// The driver of nehalem, which does not know these settings.
static uint64_t choices(const struct event_request *r)
{
	struct event_request plain = *r;

	plain.latency = plain.tlb = 0;
	return nehalem()->choices(&plain);
}

static bool recorded(const struct pmu_counter *c)
{
	(void)c;
	return true;
}

static unsigned payload(const struct pmu_counter *c, uint64_t words[PMU_PAYLOAD_WORDS])
{
	for (unsigned i = 0; i < payload_words; i++)
		words[i] = c->samples * 100 + i;
	return payload_words;
}

static struct pmu_driver driver;
static struct pmu_signal own_signal;
static struct pmu_settings own_settings;
static struct pmu_records own_records;

static void interrupt(uint64_t ip, unsigned level)
{
	pmu_overflow(&driver, ip, level);
}

static int start(void **state)
{
	(void)state;
	if (!shim_start("nehalem", ""))
		return -1;
	driver = *nehalem();
	own_settings = *nehalem()->settings;
	own_settings.needed = settings;
	driver.settings = &own_settings;
	own_records = *nehalem()->records;
	own_records.payload = payload;
	own_records.modifiers = 0;
	own_records.recorded = recorded;
	driver.records = &own_records;
	driver.choices = choices;
	own_signal = *nehalem()->signal;
	own_signal.interrupt = interrupt;
	driver.signal = &own_signal;
	payload_words = 3;
	return pmu_begin(&driver, false) == PMU_OK ? 0 : -1;
}

static uint64_t value_of(uint32_t address)
{
	uint64_t value;

	assert_true(reg_read(address, &value));
	return value;
}

static enum pmu_error open_it(struct pmu_session *session, const char *text,
			      struct pmu_refusal *refusal)
{
	struct event_request requests[REQUESTS_MAX];
	unsigned count = read_requests(text, requests);

	return pmu_open(session, requests, count, refusal);
}

static void settings_are_written_at_open_and_taken_back_at_close(void **state)
{
	struct pmu_session session;
	struct pmu_refusal refusal;

	(void)state;
	assert_int_equal(open_it(&session, "ARITH.MUL:lat=6:ctr=0,ARITH.DIV:tlb=9:ctr=1", &refusal),
			 PMU_OK);
	assert_int_equal(value_of(DEBUGCTL), FREEZE | 6 << 6);
	assert_int_equal(value_of(SELECT3), 9 << 8);
	assert_int_equal(pmu_close(&session), PMU_OK);
	assert_int_equal(value_of(DEBUGCTL), FREEZE);
	assert_int_equal(value_of(SELECT3), IDLE << 8);
}

static void equal_settings_are_shared_until_the_last_session_closes(void **state)
{
	struct pmu_session first, second;
	struct pmu_refusal refusal;

	(void)state;
	assert_int_equal(open_it(&first, "ARITH.MUL:lat=6,ARITH.MUL:lat=6", &refusal), PMU_OK);
	assert_int_equal(first.setting_count, 1);
	assert_int_equal(open_it(&second, "ARITH.DIV:lat=6", &refusal), PMU_OK);
	assert_int_equal(pmu_close(&first), PMU_OK);
	assert_int_equal(value_of(DEBUGCTL), FREEZE | 6 << 6);
	assert_int_equal(pmu_close(&second), PMU_OK);
	assert_int_equal(value_of(DEBUGCTL), FREEZE);
}

static void explain(const char *text, enum pmu_error error, const struct pmu_refusal *refusal,
		    char *why, size_t size)
{
	struct event_request requests[REQUESTS_MAX];

	read_requests(text, requests);
	pmu_explain(&driver, error, refusal, requests, why, size);
}

static void different_settings_in_a_session_are_refused(void **state)
{
	static const char text[] = "ARITH.MUL:tlb=1,ARITH.MUL:lat=6,ARITH.DIV:lat=7:tlb=1";
	struct pmu_session session;
	struct pmu_refusal refusal;
	char why[200];

	(void)state;
	assert_int_equal(open_it(&session, text, &refusal), PMU_SETTINGS);
	assert_int_equal(refusal.events, 1 << 2);
	assert_int_equal(refusal.address, DEBUGCTL);
	assert_int_equal(value_of(DEBUGCTL), FREEZE);
	assert_int_equal(value_of(SELECT3), 0);
	explain(text, PMU_SETTINGS, &refusal, why, sizeof why);
	assert_string_equal(why, "ARITH.DIV needs register 0x1d9 set otherwise than ARITH.MUL");
	assert_int_equal(pmu_start(&session), PMU_CLOSED);
}

static void settings_of_another_session_are_not_changed(void **state)
{
	static const char text[] = "ARITH.DIV:lat=7";
	struct pmu_session first, second;
	struct pmu_refusal refusal;
	char why[200];

	(void)state;
	assert_int_equal(open_it(&first, "ARITH.MUL:lat=6", &refusal), PMU_OK);
	assert_int_equal(open_it(&second, text, &refusal), PMU_SETTINGS);
	assert_int_equal(value_of(DEBUGCTL), FREEZE | 6 << 6);
	explain(text, PMU_SETTINGS, &refusal, why, sizeof why);
	assert_string_equal(why,
			    "ARITH.DIV needs register 0x1d9 set otherwise than another session");
	assert_int_equal(pmu_close(&first), PMU_OK);
	assert_int_equal(open_it(&second, text, &refusal), PMU_OK);
	assert_int_equal(pmu_close(&second), PMU_OK);
}

static void a_session_is_refused_whole(void **state)
{
	struct pmu_session first, second;
	struct pmu_refusal refusal;

	(void)state;
	assert_int_equal(open_it(&first, "ARITH.MUL:lat=6", &refusal), PMU_OK);
	assert_int_equal(open_it(&second, "ARITH.MUL,ARITH.MUL,ARITH.MUL:lat=1", &refusal),
			 PMU_SETTINGS);
	assert_int_equal(open_it(&second, "ARITH.MUL,ARITH.MUL,ARITH.MUL", &refusal), PMU_OK);
	assert_int_equal(pmu_close(&second), PMU_OK);
	assert_int_equal(pmu_close(&first), PMU_OK);
}

#define PERIOD 1000

static void sample(struct pmu_session *session, uint64_t samples)
{
	struct pmu_refusal refusal;

	allow_all_interrupts();
	assert_int_equal(open_it(session, "INST_RETIRED.ANY_P:ctr=0:period=1000", &refusal),
			 PMU_OK);
	assert_int_equal(pmu_start(session), PMU_OK);
	hal_execute(samples * PERIOD + PERIOD / 2);
	assert_int_equal(pmu_stop(session), PMU_OK);
	assert_int_equal(pmu_close(session), PMU_OK);
}

static void payloads_come_with_their_samples(void **state)
{
	struct pmu_session session;
	struct pmu_sample s;
	uint64_t words[PMU_PAYLOAD_WORDS];

	(void)state;
	sample(&session, 5);
	for (unsigned i = 0; i < 5; i++) {
		if (i == 2) {		// without its payload
			assert_true(pmu_take_sample(&s));
			continue;
		}
		assert_true(pmu_take_sample_with_payload(&s, words));
		assert_int_equal(s.source.words, 3);
		for (unsigned j = 0; j < 3; j++)
			assert_int_equal(words[j], i * 100 + j);
	}
	assert_false(pmu_take_sample_with_payload(&s, words));
}

// 16384 words hold 1024 payloads of 16 words, though there is space for more samples.
static void a_sample_whose_payload_has_no_room_is_dropped_and_counted(void **state)
{
	struct pmu_session session;
	struct pmu_statistics statistics;
	struct pmu_sample s;
	uint64_t words[PMU_PAYLOAD_WORDS];
	unsigned taken = 0;

	(void)state;
	payload_words = 16;
	sample(&session, 1100);
	pmu_statistics(&statistics);
	assert_int_equal(statistics.dropped, 1100 - 1024);
	for (; pmu_take_sample_with_payload(&s, words); taken++)
		for (unsigned j = 0; j < 16; j++)
			assert_int_equal(words[j], taken * 100 + j);
	assert_int_equal(taken, 1024);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, machine_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(settings_are_written_at_open_and_taken_back_at_close),
		TEST(equal_settings_are_shared_until_the_last_session_closes),
		TEST(different_settings_in_a_session_are_refused),
		TEST(settings_of_another_session_are_not_changed),
		TEST(a_session_is_refused_whole),
		TEST(payloads_come_with_their_samples),
		TEST(a_sample_whose_payload_has_no_room_is_dropped_and_counted),
	};

	return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
