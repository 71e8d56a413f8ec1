// SPDX-License-Identifier: BSD-2-Clause
// palmon info: the answer of PAL_PERF_MON_INFO.

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "hal.h"
#include "pal.h"
#include "palmon.h"
#include "shim.h"

#define MASK_WORDS 4

static const char *const mask_names[] = {"pmc_mask", "pmd_mask", "cycles_mask", "retired_mask"};
#define MASKS (sizeof mask_names / sizeof *mask_names)

// The buffer that the procedure fills.
static _Alignas(8) uint64_t buffer[MASKS][MASK_WORDS];

// Formats a mask of 256 bits as one number.
static void format_mask(const uint64_t mask[MASK_WORDS], char text[3 + 16 * MASK_WORDS])
{
	int top = MASK_WORDS - 1, length;

	while (top && !mask[top])
		top--;
	length = sprintf(text, "0x%" PRIx64, mask[top]);
	while (top--)
		length += sprintf(text + length, "%016" PRIx64, mask[top]);
}

static void print_info(uint64_t word, bool json)
{
	const int generic = word & 0xFF, width = word >> 8 & 0xFF, cycles = word >> 16 & 0xFF,
		  retired = word >> 24 & 0xFF;
	json_t *object = json_pack("{s:i, s:i, s:i, s:i}", "generic", generic, "width", width,
				   "cycles_event", cycles, "retired_event", retired);

	if (!json)
		printf("%-15s %d\n%-15s %d\n%-15s 0x%02x\n%-15s 0x%02x\n", "generic", generic,
		       "width", width,
		       "cycles_event", cycles, "retired_event", retired);
	for (size_t i = 0; i < MASKS; i++) {
		char text[3 + 16 * MASK_WORDS];

		format_mask(buffer[i], text);
		json_object_set_new(object, mask_names[i], json_string(text));
		if (!json)
			printf("%-15s %s\n", mask_names[i], text);
	}
	json_object_set_new(object, "pm_info", json_hexadecimal(word, 8));
	if (json) {
		print_json(object);
		return;
	}
	printf("%-15s 0x%08" PRIx64 "\n", "pm_info", word);
	json_decref(object);
}

int command_info(int argc, char **argv)
{
	struct target_options options;
	struct pal_ret answer;

	if (!read_target_options(argc, argv, &options))
		return PALMON_USAGE;
	if (optind < argc) {
		complain("'%s': info takes no arguments", argv[optind]);
		return usage_error();
	}
	if (!start_shim(options.driver, ""))
		return PALMON_FAILED;
	shim_allow_memory(buffer, sizeof buffer);
	hal_interrupts_disable();
	answer = pal_call(PAL_PERF_MON_INFO, (uintptr_t)buffer, 0, 0);
	shim_end();
	if (answer.status != PAL_SUCCESS) {
		complain("PAL_PERF_MON_INFO answers with status %" PRId64, answer.status);
		return PALMON_FAILED;
	}
	print_info(answer.v1, options.json);
	return PALMON_DONE;
}
