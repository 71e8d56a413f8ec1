// SPDX-License-Identifier: BSD-2-Clause
// Event texts: checks event_parse's contract, and calls the driver's functions for each accepted
// request.

#include "fuzz.h"

#include <string.h>

#include "hal.h"
#include "pmu_driver.h"
#include "shim.h"

const char fuzz_name[] = "event texts";
const unsigned fuzz_inputs = 1500;
// The first byte selects the target: its line of pmu/targets.tab, from 0.
const struct fuzz_word fuzz_words[] = {
	FUZZ_WORD("\2DATA_READ"), FUZZ_WORD("\2L2_READ_MISS"), FUZZ_WORD(":spflt"),
	FUZZ_WORD("\3CPU_CYCLES"), FUZZ_WORD("\3BUS_ALL"), FUZZ_WORD("\3BRANCH_EVENT"),
	FUZZ_WORD("\3DATA_EAR_EVENTS"), FUZZ_WORD("\3IA64_TAGGED_INST_RETIRED.PMC8"),
	FUZZ_WORD("\3PIPELINE_FLUSH.DTC_FLUSH"), FUZZ_WORD("INST_RETIRED"),
	FUZZ_WORD("UOPS_EXECUTED.PORT0"),
	FUZZ_WORD("uops_retired"), FUZZ_WORD(".ANY"), FUZZ_WORD("+"), FUZZ_WORD(":"),
	FUZZ_WORD(":u"), FUZZ_WORD(":k"),
	FUZZ_WORD(":plm="), FUZZ_WORD(":c="), FUZZ_WORD(":cmask="), FUZZ_WORD(":thres="),
	FUZZ_WORD(":i"),
	FUZZ_WORD(":e=1"), FUZZ_WORD(":t=0"), FUZZ_WORD(":ism="), FUZZ_WORD(":iar="),
	FUZZ_WORD(":dar="),
	FUZZ_WORD("0x1000-0x1fff"), FUZZ_WORD("-"), FUZZ_WORD(":opc="), FUZZ_WORD("/"),
	FUZZ_WORD("0x1/0x2/mi"),
	FUZZ_WORD(":lat=8"), FUZZ_WORD(":tlb=3"), FUZZ_WORD(":btb="), FUZZ_WORD(":ctr=4"),
	FUZZ_WORD(":period="),
	FUZZ_WORD(","), FUZZ_WORD("="), FUZZ_WORD("{"), FUZZ_WORD("}"), FUZZ_WORD("\2{r0,"),
	FUZZ_WORD("\3r"),
	FUZZ_WORD("\4raw=0x1fe0"), FUZZ_WORD("\5raw="), FUZZ_WORD("\1nhm_unc::"),
	FUZZ_WORD("nhm::"),
	FUZZ_WORD("r01c0"), FUZZ_WORD("raw=0x"), FUZZ_WORD("77"), FUZZ_WORD("cycles"),
	FUZZ_WORD("\4instructions"), FUZZ_WORD(":upp"), FUZZ_WORD(":u=0"), FUZZ_WORD(":sup=0"),
	FUZZ_WORD("cpu/"), FUZZ_WORD("event="), FUZZ_WORD("umask=1"), FUZZ_WORD("inv"),
	FUZZ_WORD("offcore_rsp="), FUZZ_WORD("\3cpu/event=0x12,cmask="),
	FUZZ_WORD("cpu/event=0xc0,umask=1/"),
	FUZZ_WORD("L1D_CACHE_LD.I_STATE+L1D_CACHE_LD.S_STATE"), FUZZ_WORD(" "),
};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof *fuzz_words;

// Calls all functions that take a request without accessing the hardware.
static void ask(const struct pmu_driver *driver, const struct event_request *r)
{
	uint64_t choices = driver->choices(r);

	FUZZ_REQUIRE(r->event && r->levels && r->levels < 1 << EVENT_LEVELS);
	FUZZ_REQUIRE(!(choices & ~driver->shape->counters));
	for (; choices; choices &= choices - 1) {
		unsigned counter = (unsigned)__builtin_ctzll(choices);
		struct pmu_setting settings[PMU_EVENT_SETTINGS];

		driver->encode(r, counter);
		if (driver->settings)
			FUZZ_REQUIRE(driver->settings->needed(r, counter,
							      settings) <= PMU_EVENT_SETTINGS);
	}
}

// Requires that the driver reads back the raw event that it has written.
static void read_back(const struct pmu_driver *driver, const struct event_request *r)
{
	const unsigned counter = pmu_raw_counter(driver);
	struct event_request again;

	if (r->event != &event_raw)
		return;
	FUZZ_REQUIRE(event_counters(r) &&
		     !(event_counters(r) & (~driver->shape->counters | driver->shape->fixed)));
	FUZZ_REQUIRE(pmu_read_select(driver, counter, driver->encode(r, counter), &again));
	FUZZ_REQUIRE(event_code(&again) == event_code(r) && again.umask == r->umask);
}

static void start(const struct pmu_driver *driver)
{
	static const struct pmu_driver *started;

	if (started != driver)
		FUZZ_REQUIRE(shim_start(driver->name, "") && pmu_begin(driver, false) == PMU_OK);
	started = driver;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned targets = 0;
	const struct pmu_driver *driver;
	struct event_request request, before;
	struct event_list list;
	char *all, why[128];

	if (!size)
		return 0;
	while (pmu_drivers[targets])
		targets++;
	driver = pmu_drivers[*data % targets];
	start(driver);
	all = calloc(1, size);		// the first byte chooses the target, a NUL ends the text
	memcpy(all, data + 1, size - 1);
	list = event_list(all);
	while (list.more) {
		const char *from = list.text;
		enum event_error error;

		memset(&request, 0x5A, sizeof request);
		before = request;
		error = event_next(driver->events, &list, &request);
		FUZZ_REQUIRE(list.text >= all && list.text < all + size);
		if (error) {
			FUZZ_REQUIRE(!memcmp(&request, &before, sizeof request));
			event_explain(driver->events, error, list.text, why, sizeof why);
			FUZZ_REQUIRE(memchr(why, '\0', sizeof why));
			break;
		}
		FUZZ_REQUIRE(list.text > from && list.event >= from &&
			     list.event + list.length <= list.text);
		FUZZ_REQUIRE(list.group <= list.groups);
		ask(driver, &request);
		read_back(driver, &request);
	}
	free(all);
	return 0;
}
