// SPDX-License-Identifier: BSD-2-Clause
// The overflow interrupt: on a device of this file's own, which can do everything at the wrong moment, and on the shim.

#include "machine.h"

#include <stdio.h>
#include <string.h>

#include "random.h"
#include "path.h"

#define LENGTH(array) (sizeof array / sizeof *array)

//
// A device of four counters. Its registers take writes as arm_most says: so many low bits, extended with copies of
// the highest of them.
//

#define COUNTERS	4
#define WIDE		48
#define WIDE_ARM	(1ULL << 31)

// Kinds of access, as the log has them.
enum {
	RESET = 'R', PROGRAM = 'p', RELEASE = 'x', STOP = 'e', ENABLE = 'E', READ = 'r', WRITE = 'w', STATUS = 's',
	CLEAR = 'c',
};

static struct {
	uint64_t counter[COUNTERS], counted[COUNTERS];
	uint64_t status, enabled, cleared;
	bool line;			// has risen, and no interrupt has come yet
	bool status_stuck;
	uint64_t least_left;		// events before its overflow, of the counter that was armed closest to it

	char log[200];
	size_t logged;
	char faulty;			// the kind of access that faults,
	unsigned faulty_number;		// and which of its kind, from 1
	void (*meanwhile)(char kind);	// happens before each access
} device;

static struct pmu_driver stub;

static void forget_log(void)
{
	memset(device.log, 0, sizeof device.log);
	device.logged = 0;
}

static unsigned logged(char kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < device.logged; i++)
		n += device.log[i] == kind;
	return n;
}

// False: this access faults.
static bool access_register(char kind)
{
	if (device.meanwhile)
		device.meanwhile(kind);
	if (device.logged < sizeof device.log - 1)
		device.log[device.logged++] = kind;
	return kind != device.faulty || --device.faulty_number != 0;
}

// Events that reach a counter, whether it is enabled or not.
static void arrive(unsigned counter, uint64_t events)
{
	uint64_t sum = device.counter[counter] + events;

	device.counted[counter] += events;
	device.counter[counter] = sum & FIELD_MASK(0, stub.width);
	if (sum >> stub.width) {
		device.status |= 1ULL << counter;
		device.line = true;
		if (stub.features & PMU_FEATURE_FREEZE)
			device.enabled = 0;
	}
}

// Events that happen.
static void happen(unsigned counter, uint64_t events)
{
	if (device.enabled >> counter & 1)
		arrive(counter, events);
}

static void put_register(uint32_t address, uint64_t value)
{
	unsigned shift = 63 - (unsigned)__builtin_ctzll(stub.arm_most);
	uint64_t taken = (uint64_t)((int64_t)(value << shift) >> shift) & FIELD_MASK(0, stub.width);
	uint64_t left = -taken & FIELD_MASK(0, stub.width);

	device.counter[address] = taken;
	if (left && left < device.least_left)
		device.least_left = left;
}

static bool device_reset(void)
{
	return access_register(RESET);
}

static uint64_t device_choices(const struct event_request *request)
{
	return 1ULL << request->counter;
}

static uint64_t device_encode(const struct event_request *request, unsigned counter)
{
	return request->event->code + counter;
}

static uint32_t device_address(unsigned counter)
{
	return counter;
}

static bool device_program(const struct pmu_counter *counters, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		put_register(counters[i].address, counters[i].start);
	return access_register(PROGRAM);
}

static bool device_release(const struct pmu_counter *counters, unsigned count)
{
	(void)counters;
	(void)count;
	return access_register(RELEASE);
}

static bool device_enable(uint64_t counters)
{
	bool ok = access_register(counters ? ENABLE : STOP);

	device.enabled = counters;
	return ok;
}

static bool device_read(uint32_t address, uint64_t *value)
{
	bool ok = access_register(READ);

	*value = ok ? device.counter[address] : 0;
	return ok;
}

static bool device_write(uint32_t address, uint64_t value)
{
	if (!access_register(WRITE))
		return false;
	put_register(address, value);
	return true;
}

static bool device_status(uint64_t *overflowed)
{
	bool ok = access_register(STATUS);

	*overflowed = ok ? device.status : 0;
	return ok;
}

static bool device_clear(uint64_t overflowed)
{
	if (!access_register(CLEAR))
		return false;
	device.cleared = overflowed;
	if (!device.status_stuck)
		device.status &= ~overflowed;
	return true;
}

static void device_interrupt(uint64_t ip, unsigned level)
{
	pmu_overflow(&stub, ip, level);
}

static enum pmu_error device_start(struct pmu_session *session)
{
	return pmu_session_start(&stub, session);
}

static enum pmu_error device_stop(struct pmu_session *session)
{
	return pmu_session_stop(&stub, session);
}

// Frozen by itself, or to be stopped.
static bool nothing_more;

static bool device_hold(bool *more)
{
	*more = !nothing_more;
	return stub.features & PMU_FEATURE_FREEZE || device_enable(0);
}

static const struct pmu_signal device_signal = {.interrupt = device_interrupt, .hold = device_hold};

static void begin(uint32_t features, unsigned width, uint64_t arm_most)
{
	stub = (struct pmu_driver){
		.name = "stub", .counters = FIELD_MASK(0, COUNTERS), .width = width, .arm_most = arm_most,
		.arm_least = PMU_ARM_LEAST,
		.features = features, .reset = device_reset, .choices = device_choices, .encode = device_encode,
		.address = device_address, .program = device_program, .release = device_release,
		.enable = device_enable, .read = device_read, .write = device_write, .overflow_status = device_status,
		.overflow_clear = device_clear, .signal = &device_signal, .start = device_start,
		.stop = device_stop,
	};
	memset(&device, 0, sizeof device);
	device.least_left = UINT64_MAX;
	assert_int_equal(pmu_begin(&stub, false), PMU_OK);
	forget_log();
}

static int begin_wide(void **state)
{
	(void)state;
	if (!shim_start("nehalem", ""))
		return -1;
	begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
	return 0;
}

#define INTERRUPTED_IP		0x123456789
#define INTERRUPTED_LEVEL	2

static void interrupt(void)
{
	device.line = false;
	stub.signal->interrupt(INTERRUPTED_IP, INTERRUPTED_LEVEL);
}

//
// Sessions on the device
//

static const struct pmu_event event = {.name = "EVENT"};

// One event on each counter from `first` on, with these periods.
static void open_on(struct pmu_session *session, unsigned first, const uint64_t *periods, unsigned count)
{
	struct event_request requests[COUNTERS];
	struct pmu_refusal refusal;

	for (unsigned i = 0; i < count; i++) {
		requests[i] = (struct event_request){
			.event = &event, .counter = (int8_t)(first + i), .period = periods[i],
		};
		device.counted[first + i] = 0;
	}
	assert_int_equal(pmu_open(session, requests, count, &refusal), PMU_OK);
}

static void start_session(struct pmu_session *session)
{
	assert_int_equal(pmu_start(session), PMU_OK);
}

// A running session with one event, on counter 0.
static void run_one(struct pmu_session *session, uint64_t period)
{
	open_on(session, 0, &period, 1);
	start_session(session);
	forget_log();
}

// A running session with events on counters 0 and 1.
static void run_two(struct pmu_session *session, uint64_t period, uint64_t other_period)
{
	const uint64_t periods[] = {period, other_period};

	open_on(session, 0, periods, 2);
	start_session(session);
	forget_log();
}

static void assert_sample(uint64_t count, uint8_t counter)
{
	struct pmu_sample sample;

	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.count, count);
	assert_int_equal(sample.source.counter, counter);
	assert_int_equal(sample.ip, INTERRUPTED_IP);
	assert_int_equal(sample.source.level, INTERRUPTED_LEVEL);
}

static void assert_no_more_samples(void)
{
	struct pmu_sample sample;

	assert_false(pmu_take_sample(&sample));
}

// count == samples * period + slipped + what has passed of the current period.
static void assert_progress(const struct pmu_counter *c, uint64_t count)
{
	uint64_t left = c->due - count, passed = c->period - left;

	assert_in_range(left, 1, c->period);
	assert_int_equal(count, c->samples * c->period + c->slipped + passed);
}

//
// One interrupt
//

// Serve, clear, look again, go on; where the hardware does not freeze, stop first. Not again where what is stopped
// stays as it is (pmu_signal.hold).
static void an_interrupt_clears_serves_looks_again_and_goes_on(void **state)
{
	static const struct {
		uint32_t features;
		unsigned overflows;
		const char *log;
		bool nothing_more;
	} cases[] = {
		{PMU_FEATURE_FREEZE, 1, "scrwsE"}, {PMU_FEATURE_FREEZE, 2, "scrwrwsE"},
		{0, 1, "escrwsE"}, {0, 2, "escrwrwsE"},
		{0, 1, "escrwE", .nothing_more = true}, {0, 2, "escrwrwE", .nothing_more = true},
		{PMU_FEATURE_FREEZE, 1, "scrwE", .nothing_more = true},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		begin(cases[i].features, WIDE, WIDE_ARM);
		nothing_more = cases[i].nothing_more;
		run_two(&session, 1000, 1000);
		arrive(0, 1000);
		arrive(1, cases[i].overflows == 2 ? 1000 : 10);
		interrupt();
		assert_string_equal(device.log, cases[i].log);
		assert_int_equal(device.enabled, session.counters);
		assert_int_equal(device.status, 0);
	}
	nothing_more = false;
}

static void an_overflow_is_counted_sampled_and_armed_again(void **state)
{
	struct pmu_session session;
	struct pmu_statistics s;

	(void)state;
	run_one(&session, 1000);
	happen(0, 1000);
	interrupt();
	assert_sample(1000, 0);
	assert_int_equal(device.counter[0], (1ULL << WIDE) - 1000);
	assert_int_equal(count_of(&session, 0), 1000);
	happen(0, 1000);
	interrupt();
	assert_sample(2000, 0);
	assert_no_more_samples();
	s = statistics();
	assert_int_equal(s.interrupts, 2);
	assert_int_equal(s.overflows, 2);
	assert_int_equal(s.spurious | s.unclaimed | s.dropped | s.throttles | s.faults, 0);
	assert_int_equal(session.counter[0].samples, 2);
}

// The reload is the period less the events since the overflow.
static void events_behind_the_overflow_stay_in_count_and_period(void **state)
{
	struct pmu_session session;
	struct pmu_statistics s;

	(void)state;
	run_one(&session, 1000);
	happen(0, 1007);
	interrupt();
	assert_sample(1007, 0);
	assert_int_equal(device.counter[0], (1ULL << WIDE) - 993);
	happen(0, 993 + 3);
	interrupt();
	assert_sample(2003, 0);
	happen(0, 997 + 30);
	interrupt();
	assert_sample(3030, 0);
	s = statistics();
	assert_int_equal(s.skid_least, 3);
	assert_int_equal(s.skid_most, 30);
	assert_int_equal(session.counter[0].slipped, 0);
}

static void a_counter_without_period_gives_no_samples(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 0);
	happen(0, (1ULL << WIDE) - 1);
	assert_int_equal(device.status, 0);
	happen(0, 5);
	interrupt();
	assert_no_more_samples();
	assert_int_equal(statistics().overflows, 1);
	assert_int_equal(count_of(&session, 0), (1ULL << WIDE) + 4);
}

// Bits that belong to no session's counter, one of them beyond any counter.
static void a_status_that_nobody_claims_is_counted_and_cleared(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	happen(0, 1000);
	device.status |= 1ULL << 3 | 1ULL << 63;
	interrupt();
	assert_int_equal(statistics().unclaimed, 2);
	assert_int_equal(statistics().overflows, 1);
	assert_int_equal(device.status, 0);
	assert_int_equal(count_of(&session, 0), 1000);
}

static void samples_without_room_are_counted_and_the_count_goes_on(void **state)
{
	struct pmu_session session;

	(void)state;
	allow_all_interrupts();
	run_one(&session, 100);
	for (unsigned i = 0; i < PMU_RING_SAMPLES + 3; i++) {
		happen(0, 100);
		interrupt();
	}
	assert_int_equal(statistics().dropped, 3);
	assert_int_equal(session.counter[0].samples, PMU_RING_SAMPLES + 3);
	assert_int_equal(count_of(&session, 0), 100 * (PMU_RING_SAMPLES + 3));
	for (unsigned i = 1; i <= PMU_RING_SAMPLES; i++)
		assert_sample(100 * i, 0);
	assert_no_more_samples();
}

static uint64_t time_for_a_read;

static void take_time(char kind)
{
	if (kind == READ)
		hal_execute(time_for_a_read);
}

static void clocks_are_those_of_the_shortest_and_longest_interrupt(void **state)
{
	static const uint64_t times[] = {500, 100, 900, 300};
	uint64_t constant = execute(100) - 100;
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	device.meanwhile = take_time;
	for (size_t i = 0; i < LENGTH(times); i++) {
		time_for_a_read = times[i];
		happen(0, 1000);
		interrupt();
	}
	assert_int_equal(statistics().clocks_least, 100 + constant);
	assert_int_equal(statistics().clocks_most, 900 + constant);
}

//
// What happens while the interrupt is served
//

static void overflow_before_first_clear(char kind)
{
	if (kind == CLEAR && logged(CLEAR) == 0)
		arrive(1, 1000);
}

static void only_the_status_that_was_seen_is_acknowledged(void **state)
{
	struct pmu_session session;

	(void)state;
	run_two(&session, 1000, 1000);
	happen(0, 1000);
	device.meanwhile = overflow_before_first_clear;
	interrupt();
	assert_string_equal(device.log, "scrwscrwsE");
	assert_int_equal(device.cleared, 1 << 1);
	assert_sample(1000, 0);
	assert_sample(1000, 1);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().overflows, 2);
	assert_int_equal(count_of(&session, 0), 1000);
	assert_int_equal(count_of(&session, 1), 1000);
}

static void overflow_at_second_look(char kind)
{
	if (kind == STATUS && logged(STATUS) == 1)
		arrive(0, 1001);
}

static void a_counter_that_overflows_again_is_served_again(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	happen(0, 1000);
	device.meanwhile = overflow_at_second_look;
	interrupt();
	assert_string_equal(device.log, "scrwscrwsE");
	assert_sample(1000, 0);
	assert_sample(2001, 0);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().throttles, 0);
	assert_int_equal(count_of(&session, 0), 2001);
}

static void overflow_at_every_look(char kind)
{
	if (kind == STATUS)
		arrive(0, 1000);
}

static void overflows_without_end_are_served_so_often_and_throttled(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	device.meanwhile = overflow_at_every_look;
	interrupt();
	device.meanwhile = NULL;
	assert_int_equal(logged(STATUS), PMU_ROUNDS + 1);
	assert_int_equal(device.log[device.logged - 1], ENABLE);
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().overflows, PMU_ROUNDS);
	assert_int_equal(statistics().throttles, 1);
	assert_true(session.counter[0].throttled);
	assert_int_equal(count_of(&session, 0), device.counted[0]);
}

// What only counts has no samples that could be stopped; the interrupt ends all the same.
static void a_status_that_cannot_be_cleared_does_not_keep_the_interrupt(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 0);
	happen(0, (1ULL << WIDE) - 1);
	happen(0, 1);
	device.status_stuck = true;
	interrupt();
	assert_in_range(logged(STATUS), 1, PMU_ROUNDS + 1);
	assert_int_equal(device.log[device.logged - 1], ENABLE);
	assert_int_equal(statistics().throttles, 0);
}

//
// Reading while a non-maskable interrupt comes
//

static struct {
	char kind;		// before this access of a read,
	unsigned number;	// the so manieth of its kind, from 1
	uint64_t events;	// that happen first
} nmi;

static void nmi_before_access(char kind)
{
	if (kind != nmi.kind || logged(kind) + 1 != nmi.number)
		return;
	device.meanwhile = NULL;
	happen(0, nmi.events);
	interrupt();
}

// Half a period has been counted, or a whole one and the overflow is not served yet.
static void a_read_is_right_whenever_an_nmi_comes(void **state)
{
	static const struct {
		uint64_t before;
		char kind;
		unsigned number;
		uint64_t events;
	} cases[] = {
		{500, READ, 1, 500}, {500, READ, 1, 700}, {500, STATUS, 1, 500}, {500, STATUS, 1, 700},
		{1000, READ, 1, 0}, {1000, STATUS, 1, 0}, {1000, READ, 2, 0}, {1300, READ, 2, 0},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
		run_one(&session, 1000);
		happen(0, cases[i].before);
		nmi = (__typeof__(nmi)){cases[i].kind, cases[i].number, cases[i].events};
		device.meanwhile = nmi_before_access;
		assert_int_equal(count_of(&session, 0), cases[i].before + cases[i].events);
		assert_null(device.meanwhile);
		assert_int_equal(statistics().overflows, 1);
	}
}

static void spurious_nmi_before_status(char kind)
{
	if (kind != STATUS)
		return;
	device.meanwhile = NULL;
	interrupt();
	device.meanwhile = spurious_nmi_before_status;
}

static void a_read_ends_however_many_nmis_come(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	happen(0, 500);
	device.meanwhile = spurious_nmi_before_status;
	assert_int_equal(count_of(&session, 0), 500);
}

//
// Throttling
//

// Throttles a counter that has just been opened with period 1000.
static void throttle(struct pmu_session *session)
{
	struct pmu_sample sample;

	device.meanwhile = overflow_at_every_look;
	interrupt();
	device.meanwhile = NULL;
	assert_true(session->counter[0].throttled);
	while (pmu_take_sample(&sample))
		;
}

static void a_throttled_counter_counts_on_without_samples(void **state)
{
	static const uint64_t pieces[] = {1000, 5000, 1ULL << 33, (1ULL << WIDE) - 1, 12345};
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	throttle(&session);
	for (size_t i = 0; i < LENGTH(pieces); i++) {
		happen(0, pieces[i]);
		if (device.line)
			interrupt();
		assert_int_equal(count_of(&session, 0), device.counted[0]);
	}
	assert_no_more_samples();
	assert_int_equal(statistics().throttles, 1);
}

// 2^33 is more than can be written to the register.
static void a_throttled_counter_counts_on_when_stopped_and_started(void **state)
{
	static const uint64_t pieces[] = {1000, 1ULL << 33, 12345};
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	throttle(&session);
	for (size_t i = 0; i < LENGTH(pieces); i++) {
		happen(0, pieces[i]);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		assert_int_equal(count_of(&session, 0), device.counted[0]);
		start_session(&session);
		assert_int_equal(count_of(&session, 0), device.counted[0]);
	}
}

#define FEW 3
#define SHORT_TIME 1000

static void overflow_after(uint64_t clocks, unsigned counter)
{
	hal_execute(clocks);
	happen(counter, 1000);
	interrupt();
}

static void a_storm_is_throttled_with_the_next_interrupt(void **state)
{
	struct pmu_session session;
	uint64_t samples;

	(void)state;
	run_two(&session, 1000, 1000);
	pmu_limit_interrupts(FEW, SHORT_TIME);
	for (unsigned i = 0; i < FEW; i++)
		overflow_after(10, 0);
	assert_int_equal(statistics().throttles, 0);
	overflow_after(10, 0);
	assert_int_equal(statistics().throttles, 1);
	assert_true(session.counter[0].throttled);
	assert_false(session.counter[1].throttled);
	samples = session.counter[0].samples;
	for (unsigned i = 0; i < 10; i++)
		happen(0, 1000);
	assert_false(device.line);
	assert_int_equal(session.counter[0].samples, samples);
	assert_int_equal(count_of(&session, 0), device.counted[0]);
}

static void every_counter_of_a_storm_is_throttled(void **state)
{
	struct pmu_session session;

	(void)state;
	run_two(&session, 1000, 1000);
	pmu_limit_interrupts(FEW, SHORT_TIME);
	for (unsigned i = 0; i <= FEW; i++)
		overflow_after(10, 0);
	for (unsigned i = 0; i <= FEW; i++)
		overflow_after(10, 1);
	assert_true(session.counter[1].throttled);
	assert_int_equal(statistics().throttles, 2);
}

// Its register wraps in a storm; it has no samples any more that could be stopped.
static void a_counter_is_throttled_once(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	throttle(&session);
	pmu_limit_interrupts(1, 1ULL << 40);
	for (unsigned i = 0; i < 5; i++) {
		happen(0, (1ULL << WIDE) - 1);
		happen(0, (1ULL << WIDE) - 1);
		interrupt();
	}
	assert_int_equal(statistics().throttles, 1);
	assert_int_equal(count_of(&session, 0), device.counted[0]);
}

static void after_a_storm_the_other_counter_goes_on(void **state)
{
	struct pmu_session session;

	(void)state;
	run_two(&session, 1000, 1000);
	pmu_limit_interrupts(FEW, SHORT_TIME);
	for (unsigned i = 0; i <= FEW; i++)
		overflow_after(10, 0);
	for (unsigned i = 0; i < 10; i++)
		overflow_after(SHORT_TIME, 1);
	assert_false(session.counter[1].throttled);
	assert_int_equal(session.counter[1].samples, 10);
	assert_int_equal(statistics().throttles, 1);
}

static void interrupts_with_time_between_them_are_no_storm(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	pmu_limit_interrupts(FEW, SHORT_TIME);
	for (unsigned i = 0; i < 100; i++)
		overflow_after(SHORT_TIME / (FEW - 1) + 1, 0);
	assert_int_equal(statistics().throttles, 0);
	assert_int_equal(session.counter[0].samples, 100);
}

static void every_window_has_its_own_interrupts(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	pmu_limit_interrupts(FEW, SHORT_TIME);
	for (unsigned window = 0; window < 20; window++) {
		overflow_after(2 * SHORT_TIME, 0);
		overflow_after(10, 0);
	}
	assert_int_equal(statistics().throttles, 0);
	for (unsigned i = 0; i < 2 * FEW; i++)
		overflow_after(10, 0);
	assert_int_equal(statistics().throttles, 1);
}

static void a_limit_of_no_interrupts_stays_one(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	pmu_limit_interrupts(0, SHORT_TIME);
	overflow_after(2 * SHORT_TIME, 0);
	overflow_after(10, 0);
	overflow_after(10, 0);
	assert_true(session.counter[0].throttled);
}

// The handler takes so many clocks, between its first look at the clock and its last.
#define HANDLER 100

static void take_handler_time(char kind)
{
	if (kind == STATUS && device.logged == 0)
		shim_feed(NULL, 0, HANDLER);
}

// A window whose interrupts follow each other with so many clocks between one's end and the next one's begin, behind
// one that is no storm. The counters are throttled with the interrupt behind it, if at all.
static void interrupts_apart(uint64_t between)
{
	device.meanwhile = take_handler_time;
	for (unsigned i = 0; i <= FEW + FEW; i++) {
		shim_feed(NULL, 0, i <= FEW ? 1000 * HANDLER : between);
		happen(0, 1000);
		forget_log();
		interrupt();
	}
	device.meanwhile = NULL;
}

// pmu/README.md, "Storms": six times what the handler has taken, six times for each thread that shares the clock: as
// many as there are, or as take samples.
static void a_handler_with_more_than_a_sixth_of_the_time_is_a_storm(void **state)
{
	static const struct {
		unsigned threads, taking;
		uint64_t times;
	} cases[] = {{0, 0, 6}, {1, 0, 6}, {4, 0, 24}, {4, 1, 6}, {4, 3, 18}};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++)
		for (uint64_t more = 0; more < 2; more++) {
			const uint64_t between = (cases[i].times - 1) * HANDLER - 1 + more;
			struct pmu_session session;

			begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
			stub.threads = cases[i].threads;
			run_one(&session, 1000);
			pmu_limit_interrupts(FEW, 0);
			pmu_share_clock(cases[i].taking);
			interrupts_apart(between);
			assert_int_equal(statistics().interrupts, 2 * FEW + 1);
			assert_int_equal(session.counter[0].throttled, !more);
			assert_int_equal(statistics().throttles, !more);
			assert_int_equal(statistics().storm_handler_clocks, more ? 0 : FEW * HANDLER);
			assert_int_equal(statistics().storm_clocks, more ? 0 : FEW * (between + HANDLER));
			assert_int_equal(count_of(&session, 0), device.counted[0]);
		}
}

// Without a limit of a caller's: after 2000 interrupts.
static void a_handler_that_takes_all_the_time_is_stopped(void **state)
{
	struct pmu_session session;
	unsigned interrupts = 0;

	(void)state;
	run_one(&session, 1000);
	device.meanwhile = take_handler_time;
	for (; interrupts < 5000 && !session.counter[0].throttled; interrupts++) {
		happen(0, 1000);
		forget_log();
		interrupt();
	}
	assert_int_equal(interrupts, 2001);
	assert_int_equal(statistics().interrupts, 2001);
	assert_int_equal(count_of(&session, 0), device.counted[0]);
}

// On the shim a handler takes no time, but for what its writes of registers take here.
#define CLOCKS_OF_WRITE 40

static void take_write_time(uint32_t address, uint64_t value)
{
	(void)address, (void)value;
	shim_feed(NULL, 0, CLOCKS_OF_WRITE);
}

// Each target's own handler, events of level 3: with a period that leaves the program little the counter is throttled
// when 2000 interrupts have shown that, and its count is the one beside it.
static void periods_too_short_for_the_handler_are_throttled_on_every_target(void **state)
{
	static const unsigned periods[] = {0, 41, 200};		// first the least that can be armed

	(void)state;
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		for (unsigned i = 0; (*d)->retired && i < 2 * LENGTH(periods); i++) {
			const unsigned period = periods[i / 2] ? periods[i / 2] : (*d)->arm_least;
			struct pmu_session session;
			char text[128];

			assert_true(shim_start((*d)->name, ""));
			assert_int_equal(pmu_begin(*d, i % 2), PMU_OK);
			shim_watch_writes(take_write_time);
			snprintf(text, sizeof text, "%s:u,%s:u:period=%u", (*d)->retired, (*d)->retired, period);
			open_and_start(&session, text);
			hal_execute_user(500000);
			assert_int_equal(pmu_stop(&session), PMU_OK);
			shim_watch_writes(NULL);
			assert_true(session.counter[1].throttled);
			assert_int_equal(statistics().throttles, 1);
			assert_int_equal(statistics().interrupts, 2001);
			assert_int_equal(count_of(&session, 1), count_of(&session, 0));
			shim_end();
		}
}

//
// Spurious interrupts
//

static void an_interrupt_without_an_overflow_is_spurious(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	happen(0, 10);
	interrupt();
	assert_string_equal(device.log, "sesE");
	assert_int_equal(statistics().interrupts, 1);
	assert_int_equal(statistics().spurious, 1);
	assert_int_equal(statistics().overflows, 0);
	assert_int_equal(count_of(&session, 0), 10);
}

static void an_event_before_every_access(char kind)
{
	(void)kind;
	happen(0, 1);
}

// No overflow has frozen the counters when a spurious interrupt comes: one can overflow before any access of it, and
// the next interrupt is that one's.
static void an_overflow_within_a_spurious_interrupt_loses_nothing(void **state)
{
	(void)state;
	for (unsigned left = 1; left <= 8; left++) {
		struct pmu_session session;

		begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
		run_one(&session, 1000);
		happen(0, 1000 - left);
		device.meanwhile = an_event_before_every_access;
		interrupt();
		if (device.line)
			interrupt();
		device.meanwhile = NULL;
		assert_int_equal(count_of(&session, 0), device.counted[0]);
	}
}

static int start_with_line_stuck(void **state)
{
	(void)state;
	return shim_start("nehalem", "line-stuck") && pmu_begin(nehalem(), false) == PMU_OK ? 0 : -1;
}

// This fault raises the line whenever a counter is enabled, so at the end of each interrupt.
static void spurious_interrupts_without_end_end_masked(void **state)
{
	struct pmu_session session;
	uint64_t counted = 0;

	(void)state;
	open_session(&session, "INST_RETIRED.ANY_P:ctr=0");
	pmu_limit_interrupts(FEW, 1ULL << 40);
	assert_int_equal(pmu_start(&session), PMU_OK);
	for (unsigned i = 0; i < 100; i++)
		counted += execute(100);
	assert_int_equal(statistics().interrupts, FEW + 1);
	assert_int_equal(statistics().spurious, FEW + 1);
	assert_int_equal(count_of(&session, 0), counted);
}

static void spurious_interrupts_with_time_between_them_go_on(void **state)
{
	struct pmu_session session;

	(void)state;
	open_session(&session, "INST_RETIRED.ANY_P:ctr=0");
	pmu_limit_interrupts(FEW, SHORT_TIME);
	assert_int_equal(pmu_start(&session), PMU_OK);
	// The line is looked at behind each piece that is fed.
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(shim_feed(NULL, 0, SHORT_TIME), SHORT_TIME);
	assert_int_equal(statistics().spurious, 100);
}

//
// Late interrupts
//

// With a period of 1000: a sample that comes with fewer than two events left of the next period is behind it.
static void a_late_interrupt_keeps_the_count_and_says_how_late_it_was(void **state)
{
	static const struct {
		uint64_t residue, slipped;
	} cases[] = {
		{0, 0}, {1, 0}, {998, 0}, {999, 999}, {1000, 1000}, {1001, 1001}, {2500, 2500}, {1000000, 1000000},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;
		uint64_t count = 1000 + cases[i].residue;

		run_one(&session, 1000);
		happen(0, count);
		interrupt();
		assert_sample(count, 0);
		assert_no_more_samples();
		assert_int_equal(count_of(&session, 0), count);
		assert_int_equal(session.counter[0].slipped, cases[i].slipped);
		assert_progress(&session.counter[0], count);
		happen(0, session.counter[0].due - count - 1);
		assert_false(device.line);
		happen(0, 1);
		interrupt();
		assert_int_equal(session.counter[0].samples, 2);
		assert_progress(&session.counter[0], device.counted[0]);
		assert_int_equal(pmu_close(&session), PMU_OK);
		while (pmu_take_sample(&(struct pmu_sample){0}))
			;
	}
}

// Periods one and a little above what can be armed at once, and residues that leave little of them.
static void a_counter_is_never_armed_closer_than_it_may_be(void **state)
{
	static const struct {
		uint64_t period, happens;
	} cases[] = {
		{1000, 1000}, {1000, 1997}, {1000, 1998}, {1000, 1999}, {2, 2}, {2, 3}, {3, 4},
		{WIDE_ARM + 1, WIDE_ARM}, {WIDE_ARM + 2, WIDE_ARM}, {WIDE_ARM + 2, WIDE_ARM + 1},
		{WIDE_ARM + 9, WIDE_ARM + 8}, {2 * WIDE_ARM + 1, WIDE_ARM},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		begin(0, WIDE, WIDE_ARM);
		run_one(&session, cases[i].period);
		happen(0, cases[i].happens);
		interrupt();
		if (device.least_left < PMU_ARM_LEAST)
			fail_msg("period %llu, %llu events: armed %llu before the overflow",
				 (unsigned long long)cases[i].period, (unsigned long long)cases[i].happens,
				 (unsigned long long)device.least_left);
		assert_int_equal(count_of(&session, 0), cases[i].happens);
	}
}

// A driver may need more.
static void a_counter_is_never_armed_closer_than_its_driver_needs(void **state)
{
	static const struct {
		uint64_t period, happens;
	} cases[] = {
		{1000, 1000}, {1000, 1995}, {1000, 1996}, {1000, 1997}, {1000, 1999}, {5, 5}, {5, 6}, {6, 8},
		{WIDE_ARM + 1, WIDE_ARM}, {WIDE_ARM + 4, WIDE_ARM}, {WIDE_ARM + 4, WIDE_ARM + 1},
		{WIDE_ARM + 9, WIDE_ARM + 6}, {2 * WIDE_ARM + 1, WIDE_ARM},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		begin(0, WIDE, WIDE_ARM);
		stub.arm_least = 5;
		run_one(&session, cases[i].period);
		happen(0, cases[i].happens);
		interrupt();
		assert_true(device.least_left >= 5);
		assert_int_equal(count_of(&session, 0), cases[i].happens);
		assert_int_equal(pmu_stop(&session), PMU_OK);
		start_session(&session);
		assert_true(device.least_left >= 5);
		assert_int_equal(count_of(&session, 0), cases[i].happens);
	}
}

static void every_driver_says_how_close_it_may_be_armed(void **state)
{
	(void)state;
	for (const struct pmu_driver *const *driver = pmu_drivers; *driver; driver++)
		assert_true((*driver)->arm_least >= PMU_ARM_LEAST);
}

static void a_start_arms_no_closer_than_it_may_be(void **state)
{
	struct pmu_session session;

	(void)state;
	run_one(&session, 1000);
	happen(0, 999);
	assert_int_equal(pmu_stop(&session), PMU_OK);
	start_session(&session);
	assert_true(device.least_left >= PMU_ARM_LEAST);
	assert_int_equal(count_of(&session, 0), 999);
}

//
// Register accesses that fault
//

static void every_fault_in_the_interrupt_is_counted(void **state)
{
	static const struct {
		char kind;
		unsigned number;
		uint32_t features;
	} cases[] = {
		{STOP, 1, 0}, {STATUS, 1, PMU_FEATURE_FREEZE}, {STATUS, 1, 0}, {READ, 1, PMU_FEATURE_FREEZE},
		{READ, 2, PMU_FEATURE_FREEZE}, {WRITE, 1, PMU_FEATURE_FREEZE}, {WRITE, 2, PMU_FEATURE_FREEZE},
		{CLEAR, 1, PMU_FEATURE_FREEZE}, {STATUS, 2, PMU_FEATURE_FREEZE}, {ENABLE, 1, PMU_FEATURE_FREEZE},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		begin(cases[i].features, WIDE, WIDE_ARM);
		run_two(&session, 1000, 1000);
		arrive(0, 1000);
		arrive(1, 1000);
		device.faulty = cases[i].kind;
		device.faulty_number = cases[i].number;
		interrupt();
		assert_int_equal(statistics().faults, 1);
		assert_int_equal(device.log[device.logged - 1], ENABLE);
	}
}

static void a_status_that_cannot_be_read_loses_nothing(void **state)
{
	static const struct {
		unsigned number, overflows;
	} cases[] = {{1, 1}, {2, 1}};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session;

		begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
		run_one(&session, 1000);
		happen(0, 1000);
		device.faulty = STATUS;
		device.faulty_number = cases[i].number;
		interrupt();
		assert_int_equal(statistics().overflows, cases[i].overflows);
		assert_int_equal(session.counter[0].samples, cases[i].overflows);
		assert_int_equal(count_of(&session, 0), 1000);
	}
}

static enum pmu_error read_first(struct pmu_session *session)
{
	uint64_t count;

	return pmu_read(session, 0, &count);
}

static enum pmu_error begin_again(struct pmu_session *session)
{
	(void)session;
	return pmu_begin(&stub, false);
}

static void every_fault_in_a_call_is_returned(void **state)
{
	static const struct {
		enum pmu_error (*call)(struct pmu_session *session);
		bool running;
		char kind;
		unsigned number;
	} cases[] = {
		{begin_again, false, RESET, 1}, {pmu_start, false, PROGRAM, 1}, {pmu_start, false, ENABLE, 1},
		{pmu_stop, true, STOP, 1}, {pmu_stop, true, STATUS, 1}, {pmu_stop, true, READ, 1},
		{pmu_stop, true, READ, 2}, {pmu_stop, true, ENABLE, 1}, {pmu_close, false, RELEASE, 1},
		{pmu_close, true, STOP, 1}, {pmu_close, true, RELEASE, 1}, {read_first, true, READ, 1},
		{read_first, true, STATUS, 1},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct pmu_session session, other;

		begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
		open_on(&other, 2, (const uint64_t[]){0}, 1);
		start_session(&other);
		open_on(&session, 0, (const uint64_t[]){0, 1000}, 2);
		if (cases[i].running)
			start_session(&session);
		device.faulty = cases[i].kind;
		device.faulty_number = cases[i].number;
		assert_int_equal(cases[i].call(&session), PMU_FAULT);
	}
}

//
// Anything, on a device with registers so narrow that they wrap often
//

#define NARROW		20
#define NARROW_ARM	(1ULL << 11)
#define SESSIONS	3
#define SCENARIOS	300
#define STEPS		400
#define LATE_MOST	20	/* steps that an interrupt may wait */

static uint64_t random_period(uint64_t *seed)
{
	static const struct {
		uint64_t least, most;
	} ranges[] = {
		{0, 0}, {2, 50}, {50, 5000}, {NARROW_ARM - 1, NARROW_ARM + 2}, {5000, 1 << NARROW},
		{(1 << NARROW) - 1, (1 << NARROW) + 1}, {1 << NARROW, 5 << NARROW},
	};
	unsigned r = (unsigned)random_between(seed, 0, LENGTH(ranges) - 1);

	return random_between(seed, ranges[r].least, ranges[r].most);
}

// Counters 0 and 1, 2, and 3 belong to a session each.
static const struct {
	unsigned first, count;
} shares[SESSIONS] = {{0, 2}, {2, 1}, {3, 1}};

static void assert_counts_of_device(struct pmu_session sessions[SESSIONS])
{
	for (unsigned s = 0; s < SESSIONS; s++)
		for (unsigned i = 0; i < sessions[s].count; i++)
			assert_int_equal(count_of(&sessions[s], i), device.counted[shares[s].first + i]);
}

static void start_or_stop(struct pmu_session *session)
{
	assert_int_equal(session->running ? pmu_stop(session) : pmu_start(session), PMU_OK);
}

// A step of a scenario. Behind an overflow that is not served yet, a counter has room for no more than a turn.
static void step(struct pmu_session sessions[SESSIONS], uint64_t *seed, unsigned *late)
{
	uint64_t most = device.status || random_chance(seed, 80) ? 3 * NARROW_ARM : 1ULL << (NARROW - 1);

	if (random_chance(seed, 15))
		start_or_stop(&sessions[random_between(seed, 0, SESSIONS - 1)]);
	happen((unsigned)random_between(seed, 0, COUNTERS - 1), random_between(seed, 1, most));
	*late = device.line ? *late + 1 : 0;
	if (device.line && (random_chance(seed, 50) || *late == LATE_MOST))
		interrupt();
	assert_counts_of_device(sessions);
}

static void finish(struct pmu_session *session)
{
	if (session->running)
		assert_int_equal(pmu_stop(session), PMU_OK);
	for (unsigned i = 0; i < session->count; i++) {
		const struct pmu_counter *c = &session->counter[i];

		if (c->period)
			assert_progress(c, count_of(session, i));
		else
			assert_int_equal(c->samples, 0);
	}
}

static void run_scenario(uint32_t features, uint64_t *seed)
{
	struct pmu_session sessions[SESSIONS];
	unsigned late = 0;

	begin(features, NARROW, NARROW_ARM);
	allow_all_interrupts();
	for (unsigned s = 0; s < SESSIONS; s++) {
		const uint64_t periods[] = {random_period(seed), random_period(seed)};

		open_on(&sessions[s], shares[s].first, periods, shares[s].count);
	}
	for (unsigned i = 0; i < STEPS; i++)
		step(sessions, seed, &late);
	for (unsigned s = 0; s < SESSIONS; s++)
		finish(&sessions[s]);
	assert_counts_of_device(sessions);
	assert_int_equal(statistics().faults | statistics().throttles | statistics().unclaimed, 0);
}

static void counts_and_samples_are_exact_whatever_overflows_when(void **state)
{
	uint64_t seed = 0x6F766572666C6F77;

	(void)state;
	for (unsigned i = 0; i < SCENARIOS; i++)
		run_scenario(i % 2 ? PMU_FEATURE_FREEZE : 0, &seed);
}

//
// Anything, on the shim
//

struct shim_run {
	struct pmu_session session[2];
	uint64_t executed[2];		// while each ran and was not frozen
	bool interrupts, frozen, freezes;
};

static void set_interrupts(struct shim_run *run, bool on)
{
	run->interrupts = on;
	hal_interrupts_restore(on);
	if (on)
		run->frozen = false;
}

// With interrupts off the hardware's freeze lasts, from the overflow to when somebody ends it.
static void execute_in(struct shim_run *run, uint64_t n)
{
	uint64_t headroom = vpmu_headroom(shim_vpmu()), counted;

	if (run->frozen)
		headroom = 0;
	counted = execute(n);
	if (run->freezes && !run->interrupts && counted >= headroom) {
		counted = headroom;
		run->frozen = true;
	}
	for (unsigned s = 0; s < 2; s++)
		if (run->session[s].running)
			run->executed[s] += counted;
}

static void assert_counts_of_run(struct shim_run *run)
{
	for (unsigned s = 0; s < 2; s++)
		for (unsigned i = 0; i < run->session[s].count; i++)
			assert_int_equal(count_of(&run->session[s], i), run->executed[s]);
}

static void step_on_shim(struct shim_run *run, uint64_t *seed)
{
	switch (random_between(seed, 0, 5)) {
	case 0:
		set_interrupts(run, random_chance(seed, 70));
		break;
	case 1:
		start_or_stop(&run->session[random_between(seed, 0, 1)]);
		run->frozen = false;
		break;
	default:
		execute_in(run, random_between(seed, 2, random_chance(seed, 50) ? 100 : 10000));
	}
	assert_counts_of_run(run);
}

static void run_on_shim(const char *fault, bool non_maskable, uint64_t *seed)
{
	static const char *const events[] = {
		"INST_RETIRED.ANY_P:ctr=0,CPU_CLK_UNHALTED.THREAD,CPU_CLK_UNHALTED.REF",
		"INST_RETIRED.ANY_P:ctr=3,INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD_P:ctr=2",
	};
	struct shim_run run = {.interrupts = true, .freezes = !*fault && !non_maskable};

	assert_true(shim_start("nehalem", fault));
	assert_int_equal(pmu_begin(nehalem(), non_maskable), PMU_OK);
	allow_all_interrupts();
	for (unsigned s = 0; s < 2; s++) {
		struct event_request requests[REQUESTS_MAX];
		unsigned count = read_requests(events[s], requests);
		struct pmu_refusal refusal;

		requests[0].period = random_between(seed, 2, 300);
		requests[1].period = random_between(seed, 300, 20000);
		assert_int_equal(pmu_open(&run.session[s], requests, count, &refusal), PMU_OK);
	}
	for (unsigned i = 0; i < STEPS; i++)
		step_on_shim(&run, seed);
	set_interrupts(&run, true);
	for (unsigned s = 0; s < 2; s++)
		finish(&run.session[s]);
	assert_counts_of_run(&run);
}

#define RUNS_ON_SHIM 40

static void what_ran_while_not_frozen_is_counted_exactly(void **state)
{
	uint64_t seed = 0x73686D;

	(void)state;
	for (unsigned i = 0; i < RUNS_ON_SHIM; i++)
		run_on_shim("", false, &seed);
}

// Without the freeze nothing at all is missing, and interrupts that were off for long come late.
static void what_ran_is_counted_exactly_without_a_freeze(void **state)
{
	uint64_t seed = 0x6C617465;

	(void)state;
	for (unsigned i = 0; i < RUNS_ON_SHIM; i++)
		run_on_shim("freeze-missing", false, &seed);
}

static void what_ran_is_counted_exactly_with_nmis(void **state)
{
	uint64_t seed = 0x6E6D69;

	(void)state;
	for (unsigned i = 0; i < RUNS_ON_SHIM; i++)
		run_on_shim("", true, &seed);
}

#define ON_DEVICE(name) cmocka_unit_test_setup_teardown(name, begin_wide, machine_end)
#define WITH_LINE_STUCK(name) cmocka_unit_test_setup_teardown(name, start_with_line_stuck, machine_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_DEVICE(an_interrupt_clears_serves_looks_again_and_goes_on),
		ON_DEVICE(an_overflow_is_counted_sampled_and_armed_again),
		ON_DEVICE(events_behind_the_overflow_stay_in_count_and_period),
		ON_DEVICE(a_counter_without_period_gives_no_samples),
		ON_DEVICE(a_status_that_nobody_claims_is_counted_and_cleared),
		ON_DEVICE(samples_without_room_are_counted_and_the_count_goes_on),
		ON_DEVICE(clocks_are_those_of_the_shortest_and_longest_interrupt),
		ON_DEVICE(only_the_status_that_was_seen_is_acknowledged),
		ON_DEVICE(a_counter_that_overflows_again_is_served_again),
		ON_DEVICE(overflows_without_end_are_served_so_often_and_throttled),
		ON_DEVICE(a_status_that_cannot_be_cleared_does_not_keep_the_interrupt),
		ON_DEVICE(a_read_is_right_whenever_an_nmi_comes),
		ON_DEVICE(a_read_ends_however_many_nmis_come),
		ON_DEVICE(a_throttled_counter_counts_on_without_samples),
		ON_DEVICE(a_throttled_counter_counts_on_when_stopped_and_started),
		ON_DEVICE(a_storm_is_throttled_with_the_next_interrupt),
		ON_DEVICE(every_counter_of_a_storm_is_throttled),
		ON_DEVICE(a_counter_is_throttled_once),
		ON_DEVICE(after_a_storm_the_other_counter_goes_on),
		ON_DEVICE(interrupts_with_time_between_them_are_no_storm),
		ON_DEVICE(every_window_has_its_own_interrupts),
		ON_DEVICE(a_limit_of_no_interrupts_stays_one),
		ON_DEVICE(a_handler_with_more_than_a_sixth_of_the_time_is_a_storm),
		ON_DEVICE(a_handler_that_takes_all_the_time_is_stopped),
		cmocka_unit_test_teardown(periods_too_short_for_the_handler_are_throttled_on_every_target, machine_end),
		ON_DEVICE(an_interrupt_without_an_overflow_is_spurious),
		ON_DEVICE(an_overflow_within_a_spurious_interrupt_loses_nothing),
		WITH_LINE_STUCK(spurious_interrupts_without_end_end_masked),
		WITH_LINE_STUCK(spurious_interrupts_with_time_between_them_go_on),
		ON_DEVICE(a_late_interrupt_keeps_the_count_and_says_how_late_it_was),
		ON_DEVICE(a_counter_is_never_armed_closer_than_it_may_be),
		ON_DEVICE(a_counter_is_never_armed_closer_than_its_driver_needs),
		ON_DEVICE(every_driver_says_how_close_it_may_be_armed),
		ON_DEVICE(a_start_arms_no_closer_than_it_may_be),
		ON_DEVICE(every_fault_in_the_interrupt_is_counted),
		ON_DEVICE(a_status_that_cannot_be_read_loses_nothing),
		ON_DEVICE(every_fault_in_a_call_is_returned),
		ON_DEVICE(counts_and_samples_are_exact_whatever_overflows_when),
		cmocka_unit_test_teardown(what_ran_while_not_frozen_is_counted_exactly, machine_end),
		cmocka_unit_test_teardown(what_ran_is_counted_exactly_without_a_freeze, machine_end),
		cmocka_unit_test_teardown(what_ran_is_counted_exactly_with_nmis, machine_end),
	};

	return cmocka_run_group_tests_name("overflow interrupt", tests, NULL, NULL);
}
