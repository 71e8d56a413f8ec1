// SPDX-License-Identifier: BSD-2-Clause
// Reports (reports.h). Each instruction at which a sample may be taken gets its own report; the
// others are summed up.

#include "reports.h"

#include <string.h>

#include "valgrind.h"

uint64_t tool_executed, tool_watched;
bool tool_entered, tool_watches;
struct reporting reports_wishes;
struct report reports_next;
uint64_t reports_end;

// Numbers of cpu events: in the stretch that is not yet reported; in the current instruction, when
// some instructions are reported separately.
struct sums {
	uint64_t times[CPU_EVENT_COUNT][1 + REPORT_CHANNELS];
	uint16_t what[CPU_EVENT_COUNT];		// the cpu events with times != 0
	unsigned count;
};
static struct sums stretch, present;
static struct sums *now = &stretch;	// sums that reports_count adds to

void reports_count(enum cpu_event what, unsigned channel)
{
	if (!now->times[what][0]++)
		now->what[now->count++] = (uint16_t)what;
	if (channel)
		now->times[what][channel]++;
}

//
// The socket
//

static int socket = -1;
static uint8_t bytes[1 << 16];
static size_t used;

void tool_leave(void)
{
	if (socket >= 0)
		VG_(close)(socket);
	socket = -1;
}

static void send(void)
{
	for (size_t sent = 0; sent < used && socket >= 0;) {
		const int count = VG_(write)(socket, bytes + sent, (int)(used - sent));

		if (count <= 0)
			tool_leave();
		sent += count > 0 ? (size_t)count : 0;
	}
	used = 0;
}

static void put(const void *from, size_t size)
{
	if (used + size > sizeof bytes)
		send();
	memcpy(bytes + used, from, size);
	used += size;
}

// Reports the instructions before `number` with their cpu events.
static void report_until(uint64_t number, struct sums *sums)
{
	reports_next.count = number - reports_next.first;
	reports_next.entered = tool_entered;
	reports_next.cpu_events = (uint16_t)sums->count;
	put(&reports_next, sizeof reports_next);
	for (unsigned i = 0; i < sums->count; i++) {
		struct reported r = {.what = sums->what[i]};

		memcpy(r.times, sums->times[r.what], sizeof r.times);
		memset(sums->times[r.what], 0, sizeof r.times);
		put(&r, sizeof r);
	}
	sums->count = 0;
	reports_next.first = number;
}

//
// Instructions that are reported separately
//

// instructions reported after one that ends a period: a sample may be late
#define ALONE_BEHIND	16

// by period: events until it ends, or the number of the instruction that ends it
static uint64_t left[REPORT_PERIODS];
static uint64_t alone_until;		// report instructions with smaller numbers separately

static bool ends_period(const struct report_period *p, uint64_t number, uint64_t *until)
{
	uint64_t events = 0;
	bool ends;

	for (unsigned i = 0; i < present.count && !p->instructions; i++)
		events += present.times[present.what[i]][0] * p->adds[present.what[i]];
	ends = (p->instructions ? number : events) >= *until;
	*until += ends ? p->period : 0;
	*until -= events;
	return ends;
}

// Sets the number after which each instruction calls tool_execute.
static void watch(uint64_t next)
{
	tool_watched = UINT64_MAX;
	for (unsigned i = 0; i < REPORT_PERIODS && reports_wishes.period[i].period; i++)
		if (reports_wishes.period[i].instructions && left[i] < tool_watched)
			tool_watched = left[i];
	if (next < alone_until)
		tool_watched = 0;
}

static void add_present(void)
{
	for (unsigned i = 0; i < present.count; i++) {
		const unsigned what = present.what[i];

		if (!stretch.times[what][0])
			stretch.what[stretch.count++] = (uint16_t)what;
		for (unsigned channel = 0; channel <= REPORT_CHANNELS; channel++)
			stretch.times[what][channel] += present.times[what][channel];
		memset(present.times[what], 0, sizeof present.times[what]);
	}
	present.count = 0;
}

// The current instruction, with this number, has finished.
static void finish_instruction(uint64_t number)
{
	bool ends = false;

	for (unsigned i = 0; i < REPORT_PERIODS && reports_wishes.period[i].period; i++)
		ends |= ends_period(&reports_wishes.period[i], number, &left[i]);
	if (ends && !reports_wishes.all)
		alone_until = number + 1 + ALONE_BEHIND;
	if (number < alone_until) {
		if (reports_next.first < number)
			report_until(number, &stretch);
		reports_next.alone = true;
		report_until(number + 1, &present);
		reports_next.alone = false;
		watch(number + 1);
	} else {
		add_present();
		if (number - reports_next.first >= reports_wishes.stretch)
			report_until(number + 1, &stretch);
	}
}

//
// Stretches
//

// The number of a stretch's first instruction is a multiple of its length.
void reports_go_on(void)
{
	const uint64_t number = tool_executed - 1;

	if (tool_watches) {
		if (reports_next.first < reports_end)
			finish_instruction(reports_end - 1);
		reports_end = tool_executed;
		return;
	}
	if (stretch.count)
		report_until(reports_end, &stretch);
	reports_next.first = number - number % reports_wishes.stretch;
	reports_end = reports_next.first + reports_wishes.stretch;
}

void tool_report(void)
{
	if (tool_watches && reports_next.first < reports_end)
		finish_instruction(reports_end - 1);
	else if (stretch.count && reports_end < tool_executed)
		report_until(reports_end, &stretch);
	if (reports_next.first < tool_executed)
		report_until(tool_executed, &stretch);
	reports_end = tool_executed;
	send();
}

bool reports_begin(void)
{
	if (VG_(read)(REPORT_FD, &reports_wishes, sizeof reports_wishes) != sizeof reports_wishes)
		return false;
	socket = VG_(safe_fd)(REPORT_FD);
	tool_watches = reports_wishes.alone || reports_wishes.all;
	now = tool_watches ? &present : &stretch;
	alone_until = reports_wishes.all ? UINT64_MAX : 0;
	for (unsigned i = 0; i < REPORT_PERIODS; i++)
		left[i] = reports_wishes.period[i].period - reports_wishes.period[i].instructions;
	watch(0);
	return true;
}
