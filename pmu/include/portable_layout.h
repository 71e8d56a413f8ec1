/* SPDX-License-Identifier: BSD-2-Clause */
/* Offsets in a context's bytes, as palmon-state(5) describes them. */
#ifndef PORTABLE_LAYOUT_H
#define PORTABLE_LAYOUT_H

#include "pmu_unit.h"

// Header.
#define HEADER_BYTES	64
#define AT_VERSION	8
#define AT_LENGTH	12
#define AT_TARGET	16
#define AT_COUNTERS	40
#define AT_WIDTH	48
#define AT_LEVEL	49
#define AT_SESSIONS	50
#define AT_RECORDED	51
#define AT_UNUSED	52
#define AT_IP		56

// A session.
#define SESSION_BYTES	8
#define AT_EVENTS	4
#define AT_SETTINGS	5
#define AT_RUNNING	6
#define AT_SESSION_UNUSED 7

// Counter: its words, then these.
#define COUNTER_BYTES	64
#define AT_NUMBER	56
#define AT_FLAGS	57
#define AT_JITTER	58
#define AT_COUNTER_UNUSED 59
#define AT_SEED		60
#define FLAG_PRECISE	1
#define FLAG_POLLED	2
#define FLAG_PAYLOAD	4
#define FLAG_THROTTLED	8
#define FLAGS		15

// Setting: its address, then its words.
#define SETTING_BYTES	32
#define AT_SETTING_UNUSED 4
#define AT_SETTING_WORDS 8

#define WORD_BYTES	8
#define CHECKSUM_BYTES	4

static const uint8_t magic[AT_VERSION] = {0x89, 'P', 'M', 'S', '\r', '\n', 0x1A, '\n'};

// Offsets of a counter's and a setting's words, in the order of the bytes.
static const uint8_t counter_words[] = {
	offsetof(struct pmu_counter, select), offsetof(struct pmu_counter, wrap),
	offsetof(struct pmu_counter, start),
	offsetof(struct pmu_counter, due), offsetof(struct pmu_counter, period),
	offsetof(struct pmu_counter, samples), offsetof(struct pmu_counter, slipped),
};
static const uint8_t setting_words[] = {
	offsetof(struct pmu_setting, mask), offsetof(struct pmu_setting, value),
	offsetof(struct pmu_setting, idle),
};

#endif
