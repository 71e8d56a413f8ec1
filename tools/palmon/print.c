// SPDX-License-Identifier: BSD-2-Clause
// How things are printed: JSON, wrapped text, counters, events.

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "palmon.h"

#define COLUMNS 80
#define DIGITS 15	/* of a real number, all of which are right: 0.6, not 0.59999999999999998 */

void print_json(json_t *object)
{
	json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));	// main looks at stdout's error flag
	putchar('\n');
	json_decref(object);
}

json_t *json_hexadecimal(uint64_t value, int digits)
{
	return json_sprintf("0x%0*" PRIx64, digits, value);
}

void print_wrapped_from(int column, const char *text, int indent)
{
	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column && column + 1 + length > COLUMNS) {
			putchar('\n');
			column = 0;
		}
		column += printf("%*s%.*s", column ? 1 : indent, "", length, text);
		text += length;
		text += strspn(text, " ");
	}
	if (column)
		putchar('\n');
}

void print_wrapped(const char *text, int indent)
{
	print_wrapped_from(0, text, indent);
}

// Adds to text that is cut at its end.
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, size - used, format, arguments);
	va_end(arguments);
}

void format_counters(uint64_t counters, char *text, size_t size)
{
	*text = '\0';
	while (counters) {
		int first = __builtin_ctzll(counters), last = first;

		while (last < 63 && counters >> (last + 1) & 1)
			last++;
		add(text, size, *text ? ",%d" : "%d", first);
		if (last > first)
			add(text, size, "-%d", last);
		counters &= ~FIELD_MASK(first, last - first + 1);
	}
}

json_t *json_counters(uint64_t counters)
{
	json_t *array = json_array();

	for (; counters; counters &= counters - 1)
		json_array_append_new(array, json_integer(__builtin_ctzll(counters)));
	return array;
}

// Writes the name with all unit masks that are joined, as event_parse reads them; returns what they together ask of the
// event's other register.
static uint64_t add_event_name(const struct pmu_driver *driver, const struct event_request *request, char *text,
			       size_t size)
{
	const struct pmu_event *event = request->event;
	const char *dot = strrchr(event->name, '.');
	const size_t stem = dot ? (size_t)(dot + 1 - event->name) : 0;
	uint64_t extra = event->setting_value;
	uint8_t named = event->umask;

	if (event == &event_raw)
		snprintf(text, size, "raw=0x%" PRIx64, pmu_raw_select(driver, request));
	else
		snprintf(text, size, "%s", event->name);
	for (size_t i = 0; event->joins && i < driver->events->count; i++) {
		const struct pmu_event *e = &driver->events->event[i];

		if (e->code != event->code || !e->joins || e->umask & ~request->umask || !(e->umask & ~named) ||
		    strncmp(e->name, event->name, stem))
			continue;
		add(text, size, "+%s", e->name + stem);
		named |= e->umask;
		extra |= e->setting_value;
	}
	return extra;
}

void format_event_name(const struct pmu_driver *driver, const struct event_request *request, char *text, size_t size)
{
	add_event_name(driver, request, text, size);
}

static void add_opcode(char *text, size_t size, const struct event_opcode *o)
{
	static const char letters[] = "bfim";		// EVENT_TYPE_*, from bit 0

	add(text, size, ":opc=0x%" PRIx64 "/0x%" PRIx64 "/", o->match, o->mask);
	for (unsigned i = 0; letters[i]; i++)
		if (o->types >> i & 1)
			add(text, size, "%c", letters[i]);
}

void format_request(const struct pmu_driver *driver, const struct event_request *r, unsigned counter,
		    char text[EVENT_TEXT_SIZE])
{
	const size_t size = EVENT_TEXT_SIZE;
	uint64_t extra = add_event_name(driver, r, text, size);

	add(text, size, ":plm=%u", r->levels);
	if (driver->features & (PMU_FEATURE_THRESHOLD | PMU_FEATURE_QUALIFY))
		add(text, size, ":c=%u", r->cmask);
	if (driver->features & PMU_FEATURE_THRESHOLD)
		add(text, size, ":i=%d:e=%d", !!(r->modifiers & EVENT_INV), !!(r->modifiers & EVENT_EDGE));
	if (driver->features & PMU_FEATURE_ANY_THREAD)
		add(text, size, ":t=%d", !!(r->modifiers & EVENT_ANY));
	if (driver->features & PMU_FEATURE_QUALIFY)
		add(text, size, ":ism=%u", r->sets);
	if (r->code_range.given)
		add(text, size, ":iar=0x%" PRIx64 "-0x%" PRIx64, r->code_range.first, r->code_range.last);
	if (r->data_range.given)
		add(text, size, ":dar=0x%" PRIx64 "-0x%" PRIx64, r->data_range.first, r->data_range.last);
	if (r->opcode.given)
		add_opcode(text, size, &r->opcode);
	if (r->modifiers & EVENT_DATA_EAR)
		add(text, size, ":dear");
	if (r->modifiers & EVENT_INST_EAR)
		add(text, size, ":iear");
	if (r->latency)
		add(text, size, ":lat=%u", r->latency);
	if (r->tlb)
		add(text, size, ":tlb=%u", r->tlb);
	if (r->modifiers & EVENT_BRANCHES)
		add(text, size, r->branches ? ":lbr=0x%x" : ":lbr", r->branches);
	else if (r->branches)
		add(text, size, ":btb=0x%x", r->branches);
	if (r->extra != extra)
		add(text, size, ":msr=0x%" PRIx64, r->extra);
	if (r->modifiers & EVENT_PRECISE)
		add(text, size, ":p");
	if (r->modifiers & EVENT_PREFERRED)
		add(text, size, ":spflt");
	if (r->modifiers & EVENT_OPEN)
		add(text, size, ":open");
	if (r->modifiers & EVENT_VISIBLE)
		add(text, size, ":ev");
	if (r->modifiers & EVENT_SILENT)
		add(text, size, ":oi=0");
	if (r->period)
		add(text, size, ":period=%" PRIu64, r->period);
	add(text, size, ":ctr=%u", counter);
}
