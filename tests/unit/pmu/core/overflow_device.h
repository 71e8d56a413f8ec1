/* SPDX-License-Identifier: BSD-2-Clause */
/* A device on which any event can occur before any access, and sessions on it. */
#ifndef OVERFLOW_DEVICE_H
#define OVERFLOW_DEVICE_H

#include "machine.h"

#include <stdio.h>
#include <string.h>

#include "random.h"
#include "path.h"

#define LENGTH(array) (sizeof array / sizeof *array)

#define COUNTERS	4
#define WIDE		48
#define WIDE_ARM	(1ULL << 31)

/* Kinds of access in the log. */
enum {
	RESET = 'R', PROGRAM = 'p', RELEASE = 'x', STOP = 'e', ENABLE = 'E', READ = 'r',
	WRITE = 'w', STATUS = 's', CLEAR = 'c',
};

static struct {
	uint64_t counter[COUNTERS], counted[COUNTERS];
	uint64_t status, enabled, cleared;
	bool line;			// the line has risen, and its interrupt has not occurred
	bool status_stuck;
	uint64_t least_left;		// of all armings, the least distance from overflow, in
					// events

	char log[200];
	size_t logged;
	char faulty;			// kind of the access that faults
	unsigned faulty_number;		// its number within the kind, from 1
	void (*meanwhile)(char kind);	// called before each access
} device;

static struct pmu_driver stub;
static struct pmu_shape shape;

static inline void forget_log(void)
{
	memset(device.log, 0, sizeof device.log);
	device.logged = 0;
}

static inline unsigned logged(char kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < device.logged; i++)
		n += device.log[i] == kind;
	return n;
}

/* Logs an access. False: it faults. */
static inline bool access_register(char kind)
{
	if (device.meanwhile)
		device.meanwhile(kind);
	if (device.logged < sizeof device.log - 1)
		device.log[device.logged++] = kind;
	return kind != device.faulty || --device.faulty_number != 0;
}

/* The greatest value of a counter's register. */
static inline uint64_t greatest(unsigned counter)
{
	return FIELD_MASK(0, shape.mixed ? shape.widths[counter] : shape.width);
}

/* Adds events to a counter, whether it is enabled or not. */
static inline void arrive(unsigned counter, uint64_t events)
{
	const uint64_t left = greatest(counter) - device.counter[counter];

	device.counted[counter] += events;
	device.counter[counter] = (device.counter[counter] + events) & greatest(counter);
	if (events > left) {
		device.status |= 1ULL << counter;
		device.line = true;
		if (shape.features & PMU_FEATURE_FREEZE)
			device.enabled = 0;
	}
}

/* Adds events to a counter if it is enabled. */
static inline void happen(unsigned counter, uint64_t events)
{
	if (device.enabled >> counter & 1)
		arrive(counter, events);
}

static inline void put_register(uint32_t address, uint64_t value)
{
	unsigned shift = 63 - (unsigned)__builtin_ctzll(shape.arm_most);
	uint64_t taken = (uint64_t)((int64_t)(value << shift) >> shift) & greatest(address);
	uint64_t left = -taken & greatest(address);

	device.counter[address] = taken;
	if (left && left < device.least_left)
		device.least_left = left;
}

static inline bool device_reset(void)
{
	return access_register(RESET);
}

static inline uint64_t device_choices(const struct event_request *request)
{
	return 1ULL << request->counter;
}

static inline uint64_t device_encode(const struct event_request *request, unsigned counter)
{
	return request->event->code + counter;
}

static inline uint32_t device_address(unsigned counter)
{
	return counter;
}

static inline bool device_program(const struct pmu_counter *counters, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		put_register(counters[i].address, counters[i].start);
	return access_register(PROGRAM);
}

static inline bool device_release(const struct pmu_counter *counters, unsigned count)
{
	(void)counters;
	(void)count;
	return access_register(RELEASE);
}

static inline bool device_enable(uint64_t counters)
{
	bool ok = access_register(counters ? ENABLE : STOP);

	device.enabled = counters;
	return ok;
}

static inline bool device_read(uint32_t address, uint64_t *value)
{
	bool ok = access_register(READ);

	*value = ok ? device.counter[address] : 0;
	return ok;
}

static inline bool device_write(uint32_t address, uint64_t value)
{
	if (!access_register(WRITE))
		return false;
	put_register(address, value);
	return true;
}

static inline bool device_status(uint64_t *overflowed)
{
	bool ok = access_register(STATUS);

	*overflowed = ok ? device.status : 0;
	return ok;
}

static inline bool device_clear(uint64_t overflowed)
{
	if (!access_register(CLEAR))
		return false;
	device.cleared = overflowed;
	if (!device.status_stuck)
		device.status &= ~overflowed;
	return true;
}

static inline void device_interrupt(uint64_t ip, unsigned level)
{
	pmu_overflow(&stub, ip, level);
}

static inline enum pmu_error device_start(struct pmu_session *session)
{
	return pmu_session_start(&stub, session);
}

static inline enum pmu_error device_stop(struct pmu_session *session)
{
	return pmu_session_stop(&stub, session);
}

/* Set: the hardware has frozen the counters; else `hold` must stop them. */
static bool nothing_more;

static inline bool device_hold(bool *more)
{
	*more = !nothing_more;
	return shape.features & PMU_FEATURE_FREEZE || device_enable(0);
}

static const struct pmu_signal device_signal = {.interrupt = device_interrupt, .hold = device_hold};

static inline void begin(uint32_t features, unsigned width, uint64_t arm_most)
{
	shape = (struct pmu_shape){
		.counters = FIELD_MASK(0, COUNTERS), .width = (uint8_t)width, .arm_most = arm_most,
		.arm_least = PMU_ARM_LEAST, .features = features,
	};
	stub = (struct pmu_driver){
		.name = "stub", .shape = &shape, .enumerated = &shape, .reset = device_reset,
		.choices = device_choices, .encode = device_encode,
		.address = device_address, .program = device_program, .release = device_release,
		.enable = device_enable, .read = device_read, .write = device_write,
		.overflow_status = device_status,
		.overflow_clear = device_clear, .signal = &device_signal, .start = device_start,
		.stop = device_stop,
	};
	memset(&device, 0, sizeof device);
	device.least_left = UINT64_MAX;
	assert_int_equal(pmu_begin(&stub, false), PMU_OK);
	forget_log();
}

static inline int begin_wide(void **state)
{
	(void)state;
	if (!shim_start("nehalem", ""))
		return -1;
	begin(PMU_FEATURE_FREEZE, WIDE, WIDE_ARM);
	return 0;
}

#define INTERRUPTED_IP		0x123456789
#define INTERRUPTED_LEVEL	2

static inline void interrupt(void)
{
	device.line = false;
	stub.signal->interrupt(INTERRUPTED_IP, INTERRUPTED_LEVEL);
}

static const struct pmu_event event = {.name = "EVENT"};

/* Opens a session with one event on each counter from `first` on, with these periods. */
static inline void open_on(struct pmu_session *session, unsigned first, const uint64_t *periods,
			   unsigned count)
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

/* count == samples * period + slipped + the part of the current period that has passed. */
static inline void assert_progress(const struct pmu_counter *c, uint64_t count)
{
	uint64_t left = c->due - count, passed = c->period - left;

	assert_in_range(left, 1, c->period);
	assert_int_equal(count, c->samples * c->period + c->slipped + passed);
}

static inline int start_with_line_stuck(void **state)
{
	(void)state;
	return shim_start("nehalem", "line-stuck") && pmu_begin(nehalem(), false) == PMU_OK ? 0 :
	       -1;
}

static inline enum pmu_error read_first(struct pmu_session *session)
{
	uint64_t count;

	return pmu_read(session, 0, &count);
}

static inline enum pmu_error begin_again(struct pmu_session *session)
{
	(void)session;
	return pmu_begin(&stub, false);
}

#define ON_DEVICE(name) cmocka_unit_test_setup_teardown(name, begin_wide, machine_end)
#define WITH_LINE_STUCK(name) cmocka_unit_test_setup_teardown(name, start_with_line_stuck, \
							      machine_end)

static inline void start_session(struct pmu_session *session)
{
	assert_int_equal(pmu_start(session), PMU_OK);
}

/* Starts a session with one event, on counter 0. */
static inline void run_one(struct pmu_session *session, uint64_t period)
{
	open_on(session, 0, &period, 1);
	start_session(session);
	forget_log();
}

/* Starts a session with events on counters 0 and 1. */
static inline void run_two(struct pmu_session *session, uint64_t period, uint64_t other_period)
{
	const uint64_t periods[] = {period, other_period};

	open_on(session, 0, periods, 2);
	start_session(session);
	forget_log();
}

static inline void assert_no_more_samples(void)
{
	struct pmu_sample sample;

	assert_false(pmu_take_sample(&sample));
}

static inline void overflow_at_every_look(char kind)
{
	if (kind == STATUS)
		arrive(0, 1000);
}

#define FEW 3
#define SHORT_TIME 1000

static inline void assert_sample(uint64_t count, uint8_t counter)
{
	struct pmu_sample sample;

	assert_true(pmu_take_sample(&sample));
	assert_int_equal(sample.count, count);
	assert_int_equal(sample.source.counter, counter);
	assert_int_equal(sample.ip, INTERRUPTED_IP);
	assert_int_equal(sample.source.level, INTERRUPTED_LEVEL);
}

#endif
