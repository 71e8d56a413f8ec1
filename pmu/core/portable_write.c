// SPDX-License-Identifier: BSD-2-Clause
// Writes a context as bytes: portable.h. All numbers are little-endian.

#include <string.h>

#include "bytes.h"
#include "portable.h"
#include "portable_layout.h"

static void put_words(uint8_t *at, const void *from, const uint8_t *words, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		bytes_put(at + i * WORD_BYTES, WORD_BYTES,
			  *(const uint64_t *)((const char *)from + words[i]));
}

static unsigned count_recorded(const struct pmu_context *context)
{
	unsigned count = PMU_RECORDED;

	while (count && !context->recorded[count - 1])
		count--;
	return count;
}

static uint8_t *put_session(uint8_t *at, const struct pmu_session *s, uint64_t enabled)
{
	memset(at, 0, SESSION_BYTES);
	bytes_put(at, sizeof s->number, s->number);
	at[AT_EVENTS] = (uint8_t)s->count;
	at[AT_SETTINGS] = (uint8_t)s->setting_count;
	at[AT_RUNNING] = (s->counters & enabled) != 0;
	return at + SESSION_BYTES;
}

static uint8_t *put_counter(uint8_t *at, const struct pmu_counter *c)
{
	memset(at, 0, COUNTER_BYTES);
	put_words(at, c, counter_words, sizeof counter_words);
	at[AT_NUMBER] = c->number;
	at[AT_FLAGS] = (uint8_t)((c->precise ? FLAG_PRECISE : 0) | (c->polled ? FLAG_POLLED : 0) |
				 (c->payload ? FLAG_PAYLOAD : 0) |
				 (c->throttled ? FLAG_THROTTLED : 0));
	at[AT_JITTER] = c->jitter;
	bytes_put(at + AT_SEED, sizeof c->seed, c->seed);
	return at + COUNTER_BYTES;
}

static uint8_t *put_setting(uint8_t *at, const struct pmu_setting *s)
{
	memset(at, 0, SETTING_BYTES);
	bytes_put(at, sizeof s->address, s->address);
	put_words(at + AT_SETTING_WORDS, s, setting_words, sizeof setting_words);
	return at + SETTING_BYTES;
}

static void put_header(uint8_t *at, const struct pmu_context *context, unsigned sessions,
		       size_t length)
{
	const struct pmu_driver *driver = context->driver;

	memset(at, 0, HEADER_BYTES);
	memcpy(at, magic, sizeof magic);
	bytes_put(at + AT_VERSION, 4, PMU_PORTABLE_VERSION);
	bytes_put(at + AT_LENGTH, 4, length);
	memcpy(at + AT_TARGET, driver->name, strlen(driver->name));
	bytes_put(at + AT_COUNTERS, WORD_BYTES, driver->shape->counters);
	at[AT_WIDTH] = (uint8_t)driver->shape->width;
	at[AT_LEVEL] = (uint8_t)context->level;
	at[AT_SESSIONS] = (uint8_t)sessions;
	at[AT_RECORDED] = (uint8_t)count_recorded(context);
	bytes_put(at + AT_IP, WORD_BYTES, context->ip);
}

static size_t measure(const struct pmu_context *context, unsigned *sessions)
{
	size_t length = HEADER_BYTES + count_recorded(context) * WORD_BYTES + CHECKSUM_BYTES;

	*sessions = 0;
	for (const struct pmu_session *s = context->open; s; s = s->next, ++*sessions)
		length += SESSION_BYTES + s->count * COUNTER_BYTES +
			s->setting_count * SETTING_BYTES;
	return length;
}

size_t pmu_portable_write(const struct pmu_context *context, uint8_t *bytes, size_t size)
{
	unsigned sessions;
	const size_t length = measure(context, &sessions);
	uint8_t *at = bytes + HEADER_BYTES;

	if (length > size || sessions > PMU_PORTABLE_SESSIONS ||
	    strlen(context->driver->name) >= PMU_PORTABLE_NAME)
		return 0;
	put_header(bytes, context, sessions, length);
	for (const struct pmu_session *s = context->open; s; s = s->next)
		at = put_session(at, s, context->enabled);
	for (const struct pmu_session *s = context->open; s; s = s->next)
		for (unsigned i = 0; i < s->count; i++)
			at = put_counter(at, &s->counter[i]);
	for (const struct pmu_session *s = context->open; s; s = s->next)
		for (unsigned i = 0; i < s->setting_count; i++)
			at = put_setting(at, &s->setting[i]);
	for (unsigned i = 0; i < bytes[AT_RECORDED]; i++, at += WORD_BYTES)
		bytes_put(at, WORD_BYTES, context->recorded[i]);
	bytes_put(at, CHECKSUM_BYTES, bytes_checksum(0, bytes, length - CHECKSUM_BYTES));
	return length;
}
