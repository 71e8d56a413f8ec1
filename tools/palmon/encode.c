// SPDX-License-Identifier: BSD-2-Clause
// palmon encode: the register writes that program the given events. Starts a session on the host
// shim, whose PMU is in its reset state, and records the writes of core and driver.

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "event_file.h"
#include "hal.h"
#include "palmon.h"
#include "shim.h"

#define WRITES_MOST 256

static struct {
	uint32_t address;
	uint64_t before, value;
} writes[WRITES_MOST];
static unsigned write_count;

// Keeps the last write to each register, in the order of these writes.
static void watch(uint32_t address, uint64_t value)
{
	uint64_t before = 0;
	unsigned i = 0;

	while (i < write_count && writes[i].address != address)
		i++;
	if (i == WRITES_MOST)
		return;			// no target has so many registers
	if (i < write_count) {
		before = writes[i].before;
		memmove(&writes[i], &writes[i + 1], (--write_count - i) * sizeof *writes);
	} else {
		reg_read(address, &before);
	}
	writes[write_count].address = address;
	writes[write_count].before = before;
	writes[write_count++].value = value;
}

// Whether a register belongs to this event: its counter, its select or its settings.
static bool is_for(const struct pmu_driver *driver, const struct event_request *request,
		   unsigned counter, uint32_t address)
{
	struct pmu_setting settings[PMU_EVENT_SETTINGS];
	unsigned count = driver->settings ? driver->settings->needed(request, counter, settings) :
		0;

	for (unsigned i = 0; i < count; i++)
		if (settings[i].address == address)
			return true;
	return address == driver->address(counter) || address == driver->control(counter);
}

static bool is_for_any(const struct pmu_session *session, const struct event_request *requests,
		       uint32_t address)
{
	for (unsigned i = 0; i < session->count; i++)
		if (is_for(session->driver, &requests[i], session->counter[i].number, address))
			return true;
	return false;
}

// Drops the writes that belong to no event and restored the previous value.
static void drop_passing_writes(const struct pmu_session *session,
				const struct event_request *requests)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < write_count; i++)
		if (writes[i].value != writes[i].before ||
		    is_for_any(session, requests, writes[i].address))
			writes[kept++] = writes[i];
	write_count = kept;
}

// The driver writes 1 to a status bit of the write-0-to-clear kind once it has cleared it. A user
// who starts with these values wants it cleared, so the bit is printed as 0.
static void clear_status(const struct pmu_model *model)
{
	struct palmon_register r;

	for (unsigned i = 0; i < write_count; i++) {
		if (!register_by_address(model, writes[i].address, &r))
			continue;
		for (unsigned f = 0; f < r.description->fields; f++) {
			const struct field *field = &r.description->field[f];

			if (field->access == FIELD_W0C)
				writes[i].value &= ~FIELD_MASK(field->low, field->width);
		}
	}
}

static void name_of(const struct pmu_model *model, uint32_t address, char name[REGISTER_NAME_SIZE])
{
	struct palmon_register r;

	if (register_by_address(model, address, &r))
		register_name(&r, name);
	else
		snprintf(name, REGISTER_NAME_SIZE, "0x%" PRIx32, address);
}

static void print_events_json(const struct pmu_session *session,
			      const struct event_request *requests)
{
	const struct pmu_model *model = pmu_model_find(session->driver->name);

	for (unsigned i = 0; i < session->count; i++) {
		char text[EVENT_TEXT_SIZE], name[REGISTER_NAME_SIZE];
		json_t *array = json_array();

		format_request(session->driver, &requests[i], session->counter[i].number, text);
		for (unsigned j = 0; j < write_count; j++) {
			// A write that belongs to no event serves all of them.
			if (!is_for(session->driver, &requests[i], session->counter[i].number,
				    writes[j].address) &&
			    is_for_any(session, requests, writes[j].address))
				continue;
			name_of(model, writes[j].address, name);
			json_array_append_new(array, json_pack("{s:s, s:o, s:o}", "reg", name,
							       "addr",
							       json_hexadecimal(writes[j].address,
										1),
							       "value",
							       json_hexadecimal(writes[j].value,
										1)));
		}
		print_json(json_pack("{s:s, s:o}", "event", text, "writes", array));
	}
}

static void print_shared(const struct pmu_model *model)
{
	for (unsigned j = 0; j < write_count; j++) {
		char name[REGISTER_NAME_SIZE];
		struct palmon_register r;

		if (!register_by_address(model, writes[j].address, &r) ||
		    register_scope(model, &r) != REGISTER_OF_CORE)
			continue;
		register_name(&r, name);
		printf("%s is shared by all threads of a core: they must need the same value\n",
		       name);
	}
}

static void print_table(const struct pmu_session *session, const struct event_request *requests)
{
	const struct pmu_model *model = pmu_model_find(session->driver->name);
	struct pmu_statistics statistics;

	for (unsigned i = 0; i < session->count; i++) {
		char text[EVENT_TEXT_SIZE];

		format_request(session->driver, &requests[i], session->counter[i].number, text);
		puts(text);
	}
	printf("\n%-26s %-8s %s\n", "register", "address", "value");
	for (unsigned j = 0; j < write_count; j++) {
		char name[REGISTER_NAME_SIZE];

		name_of(model, writes[j].address, name);
		printf("%-26s 0x%-6" PRIx32 " 0x%016" PRIx64 "\n", name, writes[j].address,
		       writes[j].value);
	}
	print_shared(model);
	pmu_statistics(&statistics);
	if (statistics.bus_locks)
		printf("bus locks, to empty the queues: %" PRIu64 "\n", statistics.bus_locks);
	for (unsigned i = 0; i < session->count; i++) {
		char name[EVENT_TEXT_SIZE];

		format_event_name(session->driver, &requests[i], name, sizeof name);
		if (session->counter[i].polled)
			printf("%s is polled: its overflows raise no interrupt%s\n", name,
			       requests[i].period ? ", and its samples come late" : "");
	}
}

// Reads the events of all arguments. Returns their number; 0 after a complaint.
static unsigned read_events(const struct pmu_driver *driver, char **argv,
			    struct event_request *requests)
{
	unsigned count = 0;

	for (; *argv; argv++)
		for (struct event_list list = event_list(*argv); list.more;) {
			if (count == PMU_SESSION_EVENTS) {
				complain("more than %d events", PMU_SESSION_EVENTS);
				return 0;
			}
			if (!next_event(driver, &list, &requests[count++]))
				return 0;
		}
	return count;
}

static int translate_events(const struct pmu_driver *driver, char **argv)
{
	if (!event_file_table()) {
		complain("--translate needs --events=FILE");
		return usage_error();
	}
	for (; *argv; argv++)
		if (!event_file_translate(driver, *argv))
			return PALMON_USAGE;
	return PALMON_DONE;
}

int command_encode(int argc, char **argv)
{
	struct event_request requests[PMU_SESSION_EVENTS];
	struct target_options options;
	struct pmu_session session;
	struct pmu_refusal refusal;
	enum pmu_error error;
	unsigned count;
	bool translate;

	if (!read_event_options(argc, argv, &options, &translate))
		return PALMON_USAGE;
	if (optind == argc) {
		complain("which events?");
		return usage_error();
	}
	if (translate)
		return translate_events(options.driver, argv + optind);
	count = read_events(options.driver, argv + optind, requests);
	if (!count)
		return PALMON_USAGE;
	if (!start_shim(options.driver, ""))
		return PALMON_FAILED;
	if (!give_records_buffer(requests, count)) {
		shim_end();
		return PALMON_FAILED;
	}
	write_count = 0;
	shim_watch_writes(watch);
	error = pmu_open(&session, requests, count, &refusal);
	if (!error)
		error = pmu_start(&session);
	shim_watch_writes(NULL);
	if (error) {
		complain_refusal(options.driver, error, &refusal, requests);
		shim_end();
		return PALMON_FAILED;
	}
	drop_passing_writes(&session, requests);
	clear_status(pmu_model_find(options.driver->name));
	if (options.json)
		print_events_json(&session, requests);
	else
		print_table(&session, requests);
	shim_end();
	return PALMON_DONE;
}
