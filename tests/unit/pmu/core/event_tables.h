/* SPDX-License-Identifier: BSD-2-Clause */
/* Event tables, and expected results of parsing with them. */
#ifndef EVENT_TABLES_H
#define EVENT_TABLES_H

#include "machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "random.h"

#define LENGTH(array) (sizeof array / sizeof *array)

#define NAME_OF_63 "N234567890" "1234567890" "1234567890" "1234567890" "1234567890" "1234567890" \
	"123"

/* Names that are prefixes of others, and one of the greatest length. */
static const struct pmu_event few_events[] = {
	{.name = "A", .counters = 0xF},
	{.name = "AB", .counters = 0xF},
	{.name = "AB.C", .counters = 0xF},
	{.name = "ABC", .counters = 0xF},
	{.name = "CYCLES", .counters = 0xF, .cmask = 3, .modifiers = EVENT_INV | EVENT_EDGE},
	{.name = "MUL", .counters = 0xF},
	{.name = NAME_OF_63, .counters = 0xF},
	{.name = "PORT", .counters = 0xF, .modifiers = EVENT_ANY},
};
static const struct pmu_event_table few = {.event = few_events, .count = LENGTH(few_events)};

#define BOTH (EVENT_USER | EVENT_OS)

struct parsed {
	const char *text;
	const char *name;
	uint8_t cmask, modifiers;
	int8_t counter;
	uint64_t period;
};

static inline struct event_request parsed(const char *text)
{
	struct event_request r;

	assert_int_equal(event_parse(&few, &text, &r), EVENT_OK);
	assert_string_equal(text, "");
	return r;
}

struct wrong {
	const char *text;
	enum event_error error;
	size_t at;		// of the wrong word
};

static const struct wrong wrong_texts[] = {
	{"", EVENT_UNKNOWN, 0},
	{":u", EVENT_UNKNOWN, 0},
	{",MUL", EVENT_UNKNOWN, 0},
	{"=", EVENT_UNKNOWN, 0},
	{"NOBODY", EVENT_UNKNOWN, 0},
	{"NOBODY:u,MUL", EVENT_UNKNOWN, 0},
	{"MU", EVENT_UNKNOWN, 0},
	{"MULL", EVENT_UNKNOWN, 0},
	{"MUL u", EVENT_UNKNOWN, 0},
	{" MUL", EVENT_UNKNOWN, 0},
	{"MUL:", EVENT_BAD_MODIFIER, 4},
	{"MUL::u", EVENT_BAD_MODIFIER, 4},
	{"MUL:x", EVENT_BAD_MODIFIER, 4},
	{"MUL:ux", EVENT_BAD_MODIFIER, 4},
	{"MUL:uk=1", EVENT_BAD_MODIFIER, 4},
	{"MUL:u+k", EVENT_BAD_MODIFIER, 4},
	{"MUL:i:e+t", EVENT_BAD_MODIFIER, 6},
	{"MUL:u:x", EVENT_BAD_MODIFIER, 6},
	{"MUL:u:x=3:k", EVENT_BAD_MODIFIER, 6},
	{"MUL:period=10:what", EVENT_BAD_MODIFIER, 14},
	{"MUL:,AB", EVENT_BAD_MODIFIER, 4},
	{"MUL:cmas=1", EVENT_BAD_MODIFIER, 4},
	{"MUL:cmaskk=1", EVENT_BAD_MODIFIER, 4},
	{"MUL:u ", EVENT_BAD_MODIFIER, 4},
	{"MUL:plm=1:k=0", EVENT_NO_LEVEL, 0},
	{"MUL:u=2", EVENT_BAD_VALUE, 4},
	{"MUL:k:t=", EVENT_BAD_VALUE, 6},
	{"MUL:c", EVENT_BAD_VALUE, 4},
	{"MUL:c=", EVENT_BAD_VALUE, 4},
	{"MUL:c=:u", EVENT_BAD_VALUE, 4},
	{"MUL:c=,AB", EVENT_BAD_VALUE, 4},
	{"MUL:c:u", EVENT_BAD_VALUE, 4},
	{"MUL:c=x", EVENT_BAD_VALUE, 4},
	{"MUL:c=1x", EVENT_BAD_VALUE, 4},
	{"MUL:c=-1", EVENT_BAD_VALUE, 4},
	{"MUL:c=+1", EVENT_BAD_VALUE, 4},
	{"MUL:c= 1", EVENT_BAD_VALUE, 4},
	{"MUL:c=1 ", EVENT_BAD_VALUE, 4},
	{"MUL:c=1=2", EVENT_BAD_VALUE, 4},
	{"MUL:c=256", EVENT_BAD_VALUE, 4},
	{"MUL:cmask=256", EVENT_BAD_VALUE, 4},
	{"MUL:c=18446744073709551617", EVENT_BAD_VALUE, 4},
	{"MUL:ctr", EVENT_BAD_VALUE, 4},
	{"MUL:ctr=64", EVENT_BAD_VALUE, 4},
	{"MUL:ctr=-1", EVENT_BAD_VALUE, 4},
	{"MUL:ctr=4294967296", EVENT_BAD_VALUE, 4},
	{"MUL:period=0", EVENT_BAD_VALUE, 4},
	{"MUL:period=", EVENT_BAD_VALUE, 4},
	{"MUL:period=ten", EVENT_BAD_VALUE, 4},
	{"MUL:period=-1", EVENT_BAD_VALUE, 4},
	{"MUL:period=9223372036854775808", EVENT_BAD_VALUE, 4},
	{"MUL:period=18446744073709551618", EVENT_BAD_VALUE, 4},
	{"MUL:u:c=3:period=1e6,AB", EVENT_BAD_VALUE, 10},
	// The same modifier twice, or two names of it.
	{"MUL:u:u:u", EVENT_TWICE, 6},
	{"MUL:u:usr", EVENT_TWICE, 6},
	{"MUL:u:u=0", EVENT_TWICE, 6},
	{"MUL:k=0:u:sup=1", EVENT_TWICE, 10},
	{"MUL:uk:k", EVENT_TWICE, 7},
	{"MUL:uu", EVENT_TWICE, 5},
	{"MUL:ppp", EVENT_TWICE, 6},
	{"MUL:p:pp", EVENT_TWICE, 6},
	{"MUL:p:p=0", EVENT_TWICE, 6},
	{"MUL:pp=1:pp=0", EVENT_TWICE, 9},
	{"MUL:open:open=0", EVENT_TWICE, 9},
	{"MUL:spflt:spflt=0", EVENT_TWICE, 10},
	{"MUL:oi=0:oi", EVENT_TWICE, 9},
	{"MUL:e:edge", EVENT_TWICE, 6},
	{"MUL:i=0:inv=1", EVENT_TWICE, 8},
	{"MUL:c=1:cmask=1", EVENT_TWICE, 8},
	{"MUL:thres=0:c=4", EVENT_TWICE, 12},
	{"MUL:period=10:u:period=10", EVENT_TWICE, 16},
	{"MUL:ctr=1:ctr=2", EVENT_TWICE, 10},
	{"MUL:lat=8:ldlat=8", EVENT_TWICE, 10},
	{"MUL:lbr=1:lbr=2", EVENT_TWICE, 10},
	{"MUL:ism=1:ism=1", EVENT_TWICE, 10},
	{"MUL:plm=3:plm=3", EVENT_TWICE, 10},
	{"MUL:u:plm=9", EVENT_TWICE, 6},
	{"MUL:plm=9:u", EVENT_TWICE, 10},
	{"MUL:iar=1-2:iar=1-2", EVENT_TWICE, 12},
	{"MUL:dar=1-2:u:dar=3-4", EVENT_TWICE, 14},
	{"MUL:opc=1/2:opc=1/2", EVENT_TWICE, 12},
	{NAME_OF_63 "4", EVENT_TOO_LONG, 0},
	// Braces belong to lists. This table has no driver, so there is no other name of the PMU
	// and no control register.
	{"MUL}", EVENT_BAD_GROUP, 3},
	{"{MUL}", EVENT_UNKNOWN, 0},
	{"nhm::MUL", EVENT_BAD_PREFIX, 0},
	{"r01c0", EVENT_BAD_RAW, 0},
	{"raw=1", EVENT_BAD_RAW, 0},
	{"instructions", EVENT_UNKNOWN, 0},
};

#endif
