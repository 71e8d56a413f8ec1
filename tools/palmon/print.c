// SPDX-License-Identifier: BSD-2-Clause
// Formats output: JSON, wrapped text, counters, events.

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "palmon.h"

#define COLUMNS 80
#define DIGITS 15	/* of a real number, few enough to be exact: 0.6, not 0.59999999999999998 */

void print_json(json_t *object)
{
	json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));	// main checks it
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

void format_counters(uint64_t counters, char *text, size_t size)
{
	*text = '\0';
	while (counters) {
		int first = __builtin_ctzll(counters), last = first;

		while (last < 63 && counters >> (last + 1) & 1)
			last++;
		add_text(text, size, *text ? ",%d" : "%d", first);
		if (last > first)
			add_text(text, size, "-%d", last);
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

static void add_opcode(char *text, size_t size, const struct event_opcode *o)
{
	static const char letters[] = "bfim";		// EVENT_TYPE_*, from bit 0

	add_text(text, size, ":opc=0x%" PRIx64 "/0x%" PRIx64 "/", o->match, o->mask);
	for (unsigned i = 0; letters[i]; i++)
		if (o->types >> i & 1)
			add_text(text, size, "%c", letters[i]);
}

void format_request(const struct pmu_driver *driver, const struct event_request *r,
		    unsigned counter, char text[EVENT_TEXT_SIZE])
{
	const size_t size = EVENT_TEXT_SIZE;
	uint64_t extra = format_event_name(driver, r, text, size);

	add_text(text, size, ":plm=%u", r->levels);
	if (driver->shape->features & (PMU_FEATURE_THRESHOLD | PMU_FEATURE_QUALIFY))
		add_text(text, size, ":c=%u", r->cmask);
	if (driver->shape->features & PMU_FEATURE_THRESHOLD)
		add_text(text, size, ":i=%d:e=%d", !!(r->modifiers & EVENT_INV),
			 !!(r->modifiers & EVENT_EDGE));
	if (driver->shape->features & PMU_FEATURE_ANY_THREAD)
		add_text(text, size, ":t=%d", !!(r->modifiers & EVENT_ANY));
	if (driver->shape->features & PMU_FEATURE_QUALIFY)
		add_text(text, size, ":ism=%u", r->sets);
	if (r->code_range.given)
		add_text(text, size, ":iar=0x%" PRIx64 "-0x%" PRIx64, r->code_range.first,
			 r->code_range.last);
	if (r->data_range.given)
		add_text(text, size, ":dar=0x%" PRIx64 "-0x%" PRIx64, r->data_range.first,
			 r->data_range.last);
	if (r->opcode.given)
		add_opcode(text, size, &r->opcode);
	if (r->modifiers & EVENT_DATA_EAR)
		add_text(text, size, ":dear");
	if (r->modifiers & EVENT_INST_EAR)
		add_text(text, size, ":iear");
	if (r->latency)
		add_text(text, size, ":lat=%u", r->latency);
	if (r->tlb)
		add_text(text, size, ":tlb=%u", r->tlb);
	if (r->modifiers & EVENT_BRANCHES)
		add_text(text, size, r->branches ? ":lbr=0x%x" : ":lbr", r->branches);
	else if (r->branches)
		add_text(text, size, ":btb=0x%x", r->branches);
	if (r->extra != extra)
		add_text(text, size, ":msr=0x%" PRIx64, r->extra);
	if (r->modifiers & EVENT_PRECISE)
		add_text(text, size, ":p");
	if (r->modifiers & EVENT_PREFERRED)
		add_text(text, size, ":spflt");
	if (r->modifiers & EVENT_OPEN)
		add_text(text, size, ":open");
	if (r->modifiers & EVENT_VISIBLE)
		add_text(text, size, ":ev");
	if (r->modifiers & EVENT_SILENT)
		add_text(text, size, ":oi=0");
	if (r->period)
		add_text(text, size, ":period=%" PRIu64, r->period);
	if (r->jitter != (r->event->random ? EVENT_JITTER : 0))
		add_text(text, size, ":jitter=%u", r->jitter);
	if (r->jitter && r->seed != EVENT_SEED)
		add_text(text, size, ":seed=%" PRIu32, r->seed);
	add_text(text, size, ":ctr=%u", counter);
}
