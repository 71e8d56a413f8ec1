// SPDX-License-Identifier: BSD-2-Clause
// Contexts as bytes. Either they are refused and nothing has changed, or they are equal to the
// context's own bytes, and the context can be restored, continued and closed. Length and checksum
// are corrected first, so that the fields after them are reached.

#include "fuzz.h"

#include <string.h>

#include "bytes.h"
#include "pmu_driver.h"
#include "portable.h"
#include "shim.h"
#include "stimulus.h"

#define SESSIONS	4
#define SELECT(bytes)	bytes "\0\0\0\0"
#define NEVER		"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"
#define ZERO		"\0\0\0\0\0\0\0\0"
#define WORD(bytes)	bytes "\0\0\0\0\0\0"
#define REST		"\0\0\0\0\0\0"

const char fuzz_name[] = "contexts as bytes";
const unsigned fuzz_inputs = 20000;
// Fields after the header's length (pmu/README.md): target, counters, width, level, sessions,
// recorded words.
const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD("nehalem\0" ZERO ZERO "\x0F\0\0\0\7\0\0\0" "\x30\0\1\0\0\0\0\0" ZERO "\1\0\0\0"
		  "\1\0\1\0"
		  SELECT("\xC0\1\x53\0") WORD("\xE8\3") WORD("\5\0") "\xE8\3\0\0\0\0\0\0" WORD(
			  "\xE8\3") ZERO ZERO
		  "\0\0" REST),
	FUZZ_WORD("itanium\0" ZERO ZERO "\xF0\0\0\0\1\0\0\0" "\x20\3\1\0\0\0\0\0" ZERO "\1\0\0\0"
		  "\1\0\1\0"
		  SELECT("\x6F\x12\0\0") "\0\0\0\0\1\0\0\0" ZERO NEVER ZERO ZERO ZERO "\4\4" REST),
	FUZZ_WORD("nehalem\0" ZERO ZERO "\x0F\0\0\0\7\0\0\0" "\x30\0\2\0\0\0\0\0" ZERO),
	FUZZ_WORD("\1\0\0\0\1\0\1\0"), FUZZ_WORD("\2\0\0\0\1\1\0\0"), FUZZ_WORD("\3\0\0\0\2\2\1\0"),
	FUZZ_WORD(SELECT("\xC0\1\x53\0") WORD("\xE8\3") WORD("\5\0") WORD("\xE8\3") WORD(
		"\xE8\3") ZERO ZERO
		  "\0\0" REST),
	FUZZ_WORD(SELECT("\xB7\1\x53\0") WORD("\0\0") ZERO NEVER ZERO ZERO ZERO "\1\0" REST),
	FUZZ_WORD(SELECT("\xC4\2\x53\0") WORD("\x64\0") ZERO WORD("\x64\0") WORD(
		"\x64\0") ZERO ZERO "\2\4" REST),
	FUZZ_WORD("\xA6\1\0\0\0\0\0\0" WORD("\xFF\xFF") WORD("\1\x40") ZERO),
	FUZZ_WORD("\xD9\1\0\0\0\0\0\0" WORD("\1\x08") WORD("\1\x08") ZERO),
	FUZZ_WORD(ZERO), FUZZ_WORD(NEVER),
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

// Puts a frame around the input.
static size_t frame(const uint8_t *data, size_t size, uint8_t *bytes)
{
	memcpy(bytes, "\x89PMS\r\n\x1A\n\1\0\0\0", 12);
	bytes_put(bytes + 12, 4, 16 + size + 4);
	memcpy(bytes + 16, data, size);
	bytes_put(bytes + 16 + size, 4, bytes_checksum(0, bytes, 16 + size));
	return 16 + size + 4;
}

static void use(struct pmu_context *context, struct pmu_session *sessions, const uint8_t *bytes,
		size_t size)
{
	static uint8_t again[PMU_PORTABLE_MOST];
	struct pmu_session *s;
	unsigned count = 0;

	FUZZ_REQUIRE(pmu_portable_write(context, again, sizeof again) == size &&
		     !memcmp(again, bytes, size));
	for (s = context->open; s; s = s->next)
		FUZZ_REQUIRE(s == &sessions[count++]);
	if (pmu_context_restore(context) == PMU_NO_BUFFER) {
		pmu_portable_forget(context);
		return;
	}
	hal_execute(50);
	for (unsigned i = 0; i < count; i++)
		pmu_close(&sessions[i]);
}

static void start(const struct pmu_driver *driver)
{
	FUZZ_REQUIRE(shim_start(driver->name, "") && pmu_begin(driver, false) == PMU_OK);
}

static void try(const struct pmu_driver *driver, const uint8_t *bytes, size_t size)
{
	static struct pmu_session sessions[SESSIONS], before[SESSIONS];
	struct pmu_context context, context_before;

	memset(sessions, 0x5A, sizeof sessions);
	memset(before, 0x5A, sizeof before);
	memset(&context, 0x5A, sizeof context);
	memset(&context_before, 0x5A, sizeof context_before);
	if (pmu_portable_read(driver, bytes, size, sessions, SESSIONS, &context)) {
		FUZZ_REQUIRE(!memcmp(sessions, before, sizeof sessions));
		FUZZ_REQUIRE(!memcmp(&context, &context_before, sizeof context));
		return;
	}
	use(&context, sessions, bytes, size);
	start(driver);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pmu_driver *driver;
	const struct pmu_driver *wanted;
	uint8_t *bytes;
	size_t framed;

	if (size > FUZZ_INPUT_MAX)
		return 0;
	bytes = malloc(16 + size + 4);		// the exact size: a sanitizer finds overruns
	framed = frame(data, size, bytes);
	wanted = pmu_driver_find(size && *data == 'i' ? "itanium" : "nehalem");
	if (driver != wanted)
		start(driver = wanted);
	try(driver, bytes, framed);
	try(driver, data, size);
	free(bytes);
	return 0;
}
