// SPDX-License-Identifier: BSD-2-Clause
// Prints results that processors of both byte orders must agree on: a saved context's contents and
// bytes, samples, the self test of each target, images of vPMUs, traces.
// endian.t compares the lines of both.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "pmu/core/hex.h"
#include "portable.h"
#include "selftest.h"
#include "shim.h"
#include "stimulus.h"
#include "trace.h"

static void fail(const char *what)
{
	printf("FAILED: %s\n", what);
	exit(1);
}

static void require(bool condition, const char *what)
{
	if (!condition)
		fail(what);
}

static void print_bytes(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf("%02x%s", bytes[i], i % 32 == 31 || i == size - 1 ? "\n" : "");
}

static void print_context(const struct pmu_context *context)
{
	printf("%s: ip 0x%" PRIx64 ", level %u, enabled 0x%" PRIx64 "\n", context->driver->name,
	       context->ip, context->level, context->enabled);
	for (struct pmu_session *s = context->open; s; s = s->next) {
		printf("session %u: %u events, %u settings\n", s->number, s->count,
		       s->setting_count);
		for (unsigned i = 0; i < s->count; i++) {
			const struct pmu_counter *c = &s->counter[i];
			uint64_t count = 0;

			require(pmu_read(s, i, &count) == PMU_OK, "read");
			printf("counter %u: 0x%" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIx64
			       " %" PRIx64 " %" PRIu64 " %"
			       PRIu64 " %" PRIu64 " %d\n", c->number, c->select, count, c->wrap,
			       c->start, c->due, c->period, c->samples, c->slipped, c->payload);
		}
		for (unsigned i = 0; i < s->setting_count; i++)
			printf("setting 0x%x: 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 "\n",
			       s->setting[i].address,
			       s->setting[i].mask, s->setting[i].value, s->setting[i].idle);
	}
	for (unsigned i = 0; i < PMU_RECORDED; i++)
		printf("%" PRIx64 "%s", context->recorded[i], i == PMU_RECORDED - 1 ? "\n" : " ");
}

static void begin(const char *target)
{
	require(shim_start(target, "") && pmu_begin(pmu_driver_find(target), false) == PMU_OK,
		target);
}

static void write_context(const struct pmu_context *context)
{
	static uint8_t bytes[PMU_PORTABLE_MOST];

	print_bytes(bytes, pmu_portable_write(context, bytes, sizeof bytes));
}

// The hand-made context: read, written, continued.
static void read_context(const char *path)
{
	static uint8_t bytes[PMU_PORTABLE_MOST];
	const size_t size = hex_read(path, bytes, sizeof bytes);
	struct pmu_session sessions[2];
	struct pmu_context context;
	struct pmu_sample sample;
	enum pmu_portable_error error;

	begin("nehalem");
	error = pmu_portable_read(pmu_current_driver(), bytes, size, sessions, 2, &context);
	require(!error, pmu_portable_explain(error));
	print_context(&context);
	write_context(&context);
	require(pmu_context_restore(&context) == PMU_OK, "restore");
	hal_execute(2500);
	require(pmu_context_save(&context, 0x5678, 0) == PMU_OK, "save");
	while (pmu_take_sample(&sample))
		printf("sample at 0x%" PRIx64 ": %" PRIu64 ", session %u, event %u\n", sample.ip,
		       sample.count, sample.source.session, sample.source.event);
	write_context(&context);
	pmu_portable_forget(&context);
	shim_end();
}

// A context of this program.
static void make_context(const char *target, const char *text)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	struct pmu_session session;
	struct pmu_refusal refusal;
	struct pmu_context context;
	unsigned count = 0;

	begin(target);
	while (*text)
		require(event_parse(pmu_current_driver()->events, &text,
				    &requests[count++]) == EVENT_OK, text);
	require(pmu_open(&session, requests, count, &refusal) == PMU_OK, "open");
	require(pmu_start(&session) == PMU_OK, "start");
	hal_execute(1234);
	require(pmu_context_save(&context, 0xFEDCBA9876543210, 3) == PMU_OK, "save");
	write_context(&context);
	pmu_portable_forget(&context);
	shim_end();
}

static void run_selftest(const struct pmu_driver *driver)
{
	static struct selftest_snapshot snapshot;
	const struct selftest_suite *suite = selftest_find(driver->name);
	struct selftest_tally tally = {0};

	require(shim_start(driver->name, ""), driver->name);
	selftest_take_snapshot(suite, &snapshot);
	selftest_plan(&suite, 1);
	selftest_run_suite(suite, &snapshot, &tally);
	shim_end();
}

// Reads a trace and prints its lines.
static void print_trace(const char *path)
{
	struct trace *trace = trace_open(path, 256);
	struct trace_batch *batch = malloc(sizeof *batch);
	uint64_t end = 0;

	require(trace && batch, path);
	while (trace_lines(trace, batch) > 0)
		trace_print(stdout, batch, &end);
	require(!*trace_error(trace), trace_error(trace));
	trace_close(trace);
	free(batch);
}

// Saves a vPMU as bytes, after writes of all registers and some events, and loads the bytes again.
static void print_image(const char *target)
{
	static uint8_t image[8192];
	const struct vpmu_occurrence events[] = {
		{.code = 3, .sub = 0x7F, .n = 3, .data = 1, .latency = 40, .ip = 0x123456789},
		{.code = 0xC0, .n = 2},
	};
	const struct register_description *r;
	void *memory = aligned_alloc(VPMU_ALIGNMENT, vpmu_core_size(target));
	struct vpmu_core *core;
	size_t size;

	require(memory && vpmu_core_create(&core, memory, vpmu_core_size(target), target, NULL,
					   1) == VPMU_OK, target);
	for (size_t i = 0; i < core->vpmu.model->register_count; i++) {
		r = &core->vpmu.model->registers[i];
		for (unsigned n = 0; n < r->count; n++)
			for (uint64_t value = 0x7654321FFEDCBA98; value; value >>= 4)
				if (vpmu_core_write(core, 0, r->address + n * r->distance, value,
						    1) == VPMU_DONE)
					break;
	}
	vpmu_core_deliver(core, events, 2, 3);
	vpmu_core_advance(core, 0, 1001, 777);
	size = vpmu_core_save(core, image, sizeof image);
	require(size && vpmu_core_load(core, image, size) == VPMU_OK, target);
	printf("image of %s, headroom %" PRIu64 "\n", target, vpmu_core_headroom(core, 0));
	print_bytes(image, size);
	free(memory);
}

int main(int argc, char **argv)
{
	require(argc > 2, "usage: endian CONTEXT TRACE...");
	read_context(argv[1]);
	make_context("nehalem",
		     "INST_RETIRED.ANY,INST_RETIRED.ANY_P:period=100,"
		     "OFFCORE_RESPONSE_0.ANY_DATA.ANY_DRAM");
	make_context("itanium",
		     "CPU_CYCLES,IA64_INST_RETIRED:period=977,BRANCH_EVENT:iar=0x2000-0x203f");
	for (const struct pmu_driver *const *d = pmu_drivers; *d; d++)
		run_selftest(*d);
	for (unsigned i = 0; vpmu_target(i); i++)
		print_image(vpmu_target(i));
	for (int i = 2; i < argc; i++)
		print_trace(argv[i]);
	return 0;
}
