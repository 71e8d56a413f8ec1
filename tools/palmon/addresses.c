// SPDX-License-Identifier: BSD-2-Clause
// palmon report, default view: samples by address. Data captured with a sample (data address,
// latency, level, branches) gets columns of its own. Samples that differ only in latency share a
// row.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "colour.h"
#include "palmon.h"
#include "report.h"

#define BAR_WIDTH	20
#define PATH_INDENT	12

// The columns that an event's rows need. `places`: the meanings of their addresses, bit n for enum
// pmu_place n.
struct columns {
	bool data, latency, level, path;
	unsigned places;
	const struct names *names;	// function names replace the bars; NULL: there are none
};

static struct columns columns_of(const struct view_of *v)
{
	struct columns c = {.names = v->samples->names.count ? &v->samples->names : NULL};

	for (size_t i = 0; i < v->count; i++) {
		c.data |= v->row[i]->key.has_data;
		c.latency |= v->row[i]->latency.count > 0;
		c.level |= v->row[i]->key.has_level;
		c.path |= v->row[i]->key.steps > 0;
		c.places |= 1u << v->row[i]->key.place;
	}
	return c;
}

// Marks the meaning of a row's address if the event's rows have addresses of several meanings.
static char mark_of(const struct columns *c, unsigned place)
{
	static const char marks[PMU_PLACES] = {
		[PMU_PLACE_INTERRUPTED] = '~', [PMU_PLACE_NEXT] = '+', [PMU_PLACE_SAMPLED] = ' ',
		[PMU_PLACE_LINE] = '=',
	};

	return c->places & (c->places - 1) ? marks[place] : ' ';
}

static void print_places(const struct columns *c)
{
	for (unsigned place = 0; place < PMU_PLACES; place++) {
		const char mark[] = {' ', mark_of(c, place), '\0'};

		if (c->places >> place & 1)
			printf("addresses%s: %s\n", mark[1] == ' ' ? "" : mark,
			       pmu_place_text(place));
	}
}

// The columns left of 80, for the bars.
static int bar_width(const struct columns *c)
{
	if (c->names)
		return 0;
	if (!c->data)
		return BAR_WIDTH;
	return c->latency ? 0 : BAR_WIDTH / 2;
}

static void print_heading(const struct columns *c)
{
	printf("   samples   share  %-18s", "address");
	if (c->data)
		printf("  %-18s", "data address");
	if (c->latency)
		printf("  %9s %7s", "latency", "most");
	if (c->level)
		printf("  level");
	if (c->names)
		printf("  function");
	putchar('\n');
	if (c->path)
		printf("%*sbranches, oldest first\n", PATH_INDENT, "");
}

// "0x4000>0x5000": a branch and its target. '!': mispredicted. '-': not taken.
static void print_path(const struct columns *c, const struct sample_key *key)
{
	char text[PMU_PAYLOAD_WORDS * (NAMES_PLACE + 4)] = "", place[NAMES_PLACE];
	static const struct names none;
	size_t used = 0;

	for (unsigned i = 0; i < key->steps; i++) {
		const struct sample_step *s = &key->step[i];

		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s",
					 s->kind == STEP_TARGET ? ">" : " ",
					 names_place(c->names ? c->names : &none, s->address,
						     place),
					 s->mispredicted ? "!" : "", s->not_taken ? "-" : "");
	}
	print_wrapped(text + strspn(text, " "), PATH_INDENT);
}

#define LAST_TEXT 1024

// The most recently written trace registers of a row's samples: "PMD9 PMD11".
static const char *last_registers(const struct row *row, char text[LAST_TEXT])
{
	size_t used = 0;

	text[0] = '\0';
	for (uint64_t left = row->last; left; left &= left - 1)
		used += (size_t)snprintf(text + used, LAST_TEXT - used, "%s%s%d", used ? " " : "",
					 row->last_file, __builtin_ctzll(left));
	return text;
}

static void print_last(const struct row *row)
{
	char text[LAST_TEXT], line[LAST_TEXT + 32];

	if (!row->last)
		return;
	snprintf(line, sizeof line, "written last: %s", last_registers(row, text));
	print_wrapped(line, PATH_INDENT);
}

static double average_latency(const struct row *row)
{
	return (double)row->latency.sum / (double)row->latency.count;
}

static void print_row(const struct row *row, uint64_t total, const struct columns *c)
{
	const struct sample_key *key = &row->key;
	char text[32], place[NAMES_PLACE];
	const char *begin = colour_of_share(row->samples, total);
	int bar = (int)(row->samples * (unsigned)bar_width(c) / total);

	printf("%10" PRIu64 "%s  %5.1f%%%s  0x%016" PRIx64 "%c", row->samples, begin,
	       100.0 * (double)row->samples / (double)total, colour_end(begin), key->address,
	       mark_of(c, key->place));
	if (c->data) {
		snprintf(text, sizeof text, "0x%016" PRIx64, key->data);
		printf(" %-18s ", key->has_data ? text : "");
	}
	if (c->latency && row->latency.count)
		printf(" %9.1f %7" PRIi64 " ", average_latency(row), row->latency.most);
	else if (c->latency)
		printf(" %9s %7s ", "", "");
	if (c->level) {
		snprintf(text, sizeof text, "%" PRIu64, key->level);
		printf(" %5s ", key->has_level ? text : "");
	}
	if (c->names)
		printf("  %s\n", names_place(c->names, key->address, place));
	else
		printf(" %.*s\n", bar, "####################");
	print_path(c, key);
	print_last(row);
}

static void print_rows(const struct view_of *v)
{
	struct columns c = columns_of(v);

	if (v->count) {
		print_places(&c);
		print_heading(&c);
	}
	for (size_t i = 0; i < v->count; i++)
		if (is_shown(v, i, v->count))
			print_row(v->row[i], v->event->samples, &c);
}

static json_t *json_path(const struct sample_key *key)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < key->steps; i++) {
		const struct sample_step *s = &key->step[i];
		json_t *step = json_object();

		json_object_set_new(step, s->kind == STEP_TARGET ? "target" : "branch",
				    json_hexadecimal(s->address, 1));
		if (s->kind == STEP_BRANCH) {
			json_object_set_new(step, "taken", json_boolean(!s->not_taken));
			json_object_set_new(step, "mispredicted", json_boolean(s->mispredicted));
		}
		json_array_append_new(array, step);
	}
	return array;
}

static void print_json_row(const struct view_of *v, const struct row *row)
{
	const struct named *function = names_find(&v->samples->names, row->key.address);
	const struct sampled_event *e = v->event;
	json_t *object = json_pack("{s:s, s:o, s:s, s:I, s:f}", "event", e->name, "address",
				   json_hexadecimal(row->key.address, 1), "place",
				   pmu_place_word(row->key.place),
				   "samples", (json_int_t)row->samples, "share",
				   (double)row->samples / (double)e->samples);
	char text[LAST_TEXT];

	if (row->key.has_data)
		json_object_set_new(object, "data_address", json_hexadecimal(row->key.data, 1));
	if (row->latency.count) {
		json_object_set_new(object, "latency", json_real(average_latency(row)));
		json_object_set_new(object, "latency_most",
				    json_integer((json_int_t)row->latency.most));
	}
	if (row->key.has_level)
		json_object_set_new(object, "level", json_integer((json_int_t)row->key.level));
	if (function)
		json_object_set_new(object, "function", json_string(function->name));
	if (row->key.steps)
		json_object_set_new(object, "branches", json_path(&row->key));
	if (row->last)
		json_object_set_new(object, "last", json_string(last_registers(row, text)));
	print_json(object);
}

static const struct table_column columns[] = {
	{"event", "", CELL_TEXT, 0, 0},
	{"address", "", CELL_ADDRESS, 0, 0},
	{"place", "", CELL_TEXT, 0, 0},
	{"samples", "", CELL_NUMBER, 0, 0},
	{"share", "", CELL_SHARE, 0, 0},
	{"data_address", "", CELL_ADDRESS, 0, 0},
	{"latency", "", CELL_RATIO, 0, 1},
	{"latency_most", "", CELL_NUMBER, 0, 0},
	{"level", "", CELL_NUMBER, 0, 0},
	{"function", "", CELL_TEXT, 0, 0},
};

static void print_separated_row(const struct view_of *v, const struct row *row)
{
	const struct table table = {v->form, v->separator, columns,
				    sizeof columns / sizeof *columns};
	const struct named *function = names_find(&v->samples->names, row->key.address);
	const struct cell cells[] = {
		{.text = v->event->name}, {.value = row->key.address},
		{.text = pmu_place_word(row->key.place)},
		{.value = row->samples}, {.value = row->samples, .of = v->event->samples},
		{.value = row->key.data, .absent = !row->key.has_data},
		{.value = (uint64_t)row->latency.sum, .of = row->latency.count,
		 .absent = !row->latency.count},
		{.value = (uint64_t)row->latency.most, .absent = !row->latency.count},
		{.value = row->key.level, .absent = !row->key.has_level},
		{.text = function ? function->name : ""},
	};

	table_row(&table, cells);
}

bool print_by_address(const struct view_of *v)
{
	if (v->form == TABLE_TEXT)
		print_rows(v);
	for (size_t i = 0; i < v->count; i++)
		if (v->form == TABLE_JSON)
			print_json_row(v, v->row[i]);
		else if (v->form == TABLE_SEPARATED)
			print_separated_row(v, v->row[i]);
	return true;
}
