// SPDX-License-Identifier: BSD-2-Clause
// Counts of the first thread and the addresses of its latest samples, as lines on the console while
// the workload runs (palmon-samples(5)). Trap code: compiled like the runtime; formats numbers
// itself.

#include "live.h"

#include <string.h>

#include "block.h"
#include "console.h"
#include "hal.h"
#include "image_run.h"
#include "result.h"

#define LINE_SIZE	1024
#define SAMPLES_MOST	48	/* samples in a line, at most */
#define CLOCKS_OF_MS	1000000	/* assumes a hal_clock of 1 GHz */

static struct {
	unsigned run;
	uint64_t start, last;		// hal_clock at the start of the run, and at the last line
	uint64_t ip[SAMPLES_MOST];
	unsigned samples;
} live;

static char line[LINE_SIZE];
static unsigned length;

static void put_text(const char *text)
{
	while (*text && length < LINE_SIZE)
		line[length++] = *text++;
}

static void put_hexadecimal(uint64_t number, unsigned digits)
{
	while (digits < 16 && number >> 4 * digits)
		digits++;
	while (digits-- && length < LINE_SIZE)
		line[length++] = "0123456789abcdef"[number >> 4 * digits & 15];
}

static void put_number(uint64_t number)
{
	put_text(" ");
	put_hexadecimal(number, 1);
}

static void end_line(void)
{
	const uint32_t checksum = block_checksum(0, line, length);

	put_text(" ");
	put_hexadecimal(checksum, 8);
	put_text("\n");
	hal_console_write(line, length);
	length = 0;
}

void live_begin(struct session_results *results, unsigned run)
{
	live.run = run;
	live.samples = 0;
	live.start = live.last = hal_clock();
	for (unsigned i = 0; i < results->part[0].count; i++) {
		const struct session_event *e = &results->plan->event[results->part[0].event[i]];

		put_text("&event");
		put_number(run);
		put_number(i);
		put_number(e->request.period);
		put_text(session_happens(results->plan, results->part[0].event[i]) ? " 1 " : " 0 ");
		put_text(e->text);
		end_line();
	}
}

static void print_interval(struct session_results *results, uint64_t now)
{
	struct pmu_session *session = &results->thread[0].session[0];

	put_text("&interval");
	put_number(live.run);
	put_number(now - live.start);
	for (unsigned i = 0; i < session->count; i++) {
		uint64_t count = 0;

		pmu_read(session, i, &count);
		put_number(count);
	}
	put_text(" |");
	for (unsigned i = 0; i < live.samples; i++)
		put_number(live.ip[i]);
	end_line();
	live.last = now;
	live.samples = 0;
}

// The interrupted program may be in a system call: in the middle of a line, or as owner of the
// console.
void live_take(struct session_results *results, const struct pmu_sample *sample)
{
	const uint64_t now = hal_clock();

	if (live.samples < SAMPLES_MOST)
		live.ip[live.samples++] = sample->ip;
	if (now - live.last >= results->plan->interval * CLOCKS_OF_MS &&
	    (pmu_interrupted_level() || results->plan->call != hal_run_user))
		print_interval(results, now);
}

void live_end(struct session_results *results)
{
	print_interval(results, hal_clock());
}
