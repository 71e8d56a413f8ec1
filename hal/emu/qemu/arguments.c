// SPDX-License-Identifier: BSD-2-Clause
// Parses the plugin's arguments (-plugin palmon-qemu.so,NAME=VALUE,...) and starts the plugin.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "isa.h"
#include "outside.h"
#include "plugin.h"
#include "pmus.h"
#include "qemu_plugin.h"
#include "report.h"
#include "threads.h"
#include "timed.h"
#include "unpromised.h"

QEMU_EXPORT int qemu_plugin_version = QEMU_INTERFACE;

static struct {
	const char *pmu, *fault, *machine, *clock, *overcount, *report, *events, *cr3, *announce,
		*batch, *force;
	const char *version, *general, *width, *fixed;	// NULL: the model's own
} options = {
	.pmu = "", .fault = "", .clock = "unit", .overcount = "", .events = "", .cr3 = "",
	.announce = "on",
	.batch = "on", .force = "off",
};

static const struct isa *isa;		// of the guest
static const struct isa *const isas[] = {&isa_x86, &isa_sparc64};
static const struct {
	const char *name;
	const char **value;
	bool is_switch;		// the value is "on" or "off"
} arguments[] = {
	// name of the PMU model; "auto": the one of -cpu
	{"pmu", &options.pmu, false},
	// numbers of another processor with this PMU (struct model_choice)
	{"version", &options.version, false}, {"general", &options.general, false},
	{"width", &options.width, false}, {"fixed", &options.fixed, false},
	{"fault", &options.fault, false},		// defect of the model (FAULT=)
	// processor description: name or file (MACHINE=)
	{"machine", &options.machine, false},
	// "unit": one cycle per instruction; or "timed" (CLOCK=)
	{"clock", &options.clock, false},
	// "interruptions": they also count (OVERCOUNT=)
	{"overcount", &options.overcount, false},
	{"report", &options.report, false},		// file for the report (report.h)
	{"events", &options.events, false},		// counted from outside (outside.h),
	{"cr3", &options.cr3, false},			// in this address space only
	// guests can query the events that the machine raises (announce.h)
	{"announce", &options.announce, true},
	{"batch", &options.batch, true},		// batch instructions (batch.h)
	{"force", &options.force, true},		// accept an untested version of QEMU
};

// Stores one argument. Returns NULL, or the problem.
static const char *take_argument(const char *argument)
{
	static bool given[sizeof arguments / sizeof *arguments];
	static char problem[200];
	const char *value = strchr(argument, '=');
	const size_t length = value ? (size_t)(value - argument) : strlen(argument);

	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
		if (strlen(arguments[i].name) != length ||
		    strncmp(arguments[i].name, argument, length))
			continue;
		if (!value ||
		    (arguments[i].is_switch && strcmp(value + 1, "on") &&
		     strcmp(value + 1, "off"))) {
			snprintf(problem, sizeof problem, "the plugin's argument '%s': %s=%s",
				 argument,
				 arguments[i].name, arguments[i].is_switch ? "on or off" : "VALUE");
			return problem;
		}
		if (given[i]) {
			snprintf(problem, sizeof problem,
				 "the plugin's argument '%s': %s is there twice", argument,
				 arguments[i].name);
			return problem;
		}
		given[i] = true;
		*arguments[i].value = strdup(value + 1);	// QEMU frees its string
		return *arguments[i].value ? NULL : "out of memory";
	}
	snprintf(problem, sizeof problem, "the plugin has no argument '%.*s' (it has", (int)length,
		 argument);
	for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
		snprintf(problem + strlen(problem), sizeof problem - strlen(problem), "%s %s",
			 i ? "," : "", arguments[i].name);
	snprintf(problem + strlen(problem), sizeof problem - strlen(problem), ")");
	return problem;
}

static const struct isa *isa_of(const struct qemu_info *info)
{
	for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
		if (info->is_system && !strcmp(info->target_name, isas[i]->name))
			return isas[i];
	return NULL;
}

// Checks that the arguments fit each other and the guest's instruction set. Returns NULL, or the
// problem.
static const char *contradiction(void)
{
	if (!timed_is_used && strcmp(options.clock, "unit"))
		return "clock=unit or clock=timed";
	if (timed_is_used && isa != &isa_x86)
		return "clock=timed: the latencies of this processor are unknown";
	if (timed_is_used && (options.report || *options.events))
		return "report= and events= count by the unit clock only (clock=)";
	if (!isa->address_space && (*options.events || *options.cr3))
		return "events= counts x86 guests only";
	if (*options.overcount && strcmp(options.overcount, "interruptions"))
		return "overcount=interruptions is the only choice";
	return NULL;
}

// Reads a number of one or two digits. Other text gives a number that no processor has.
static uint8_t read_number(const char *text)
{
	const size_t digits = text ? strspn(text, "0123456789") : 0;

	if (!text)
		return MODEL_OWN;
	return digits && digits <= 2 && !text[digits] ? (uint8_t)atoi(text) : MODEL_OWN - 1;
}

static const char *choose_numbers(void)
{
	const struct model_choice choice = {
		read_number(options.version), read_number(options.general),
		read_number(options.width), read_number(options.fixed),
	};

	if (!options.version && !options.general && !options.width && !options.fixed)
		return NULL;
	if (*options.events)
		return "events= is for the model's own numbers (version=, general=, width=, "
		       "fixed=)";
	return pmus_choose_numbers(&choice);
}

// Chooses the PMU of this name, and everything that depends on it. Returns as `begin`.
static const char *choose(const char *pmu)
{
	const char *problem = pmus_choose(isa, pmu, options.fault);

	if (!problem)
		problem = choose_numbers();
	if (!problem && *options.overcount)
		problem = pmus_count_interruptions();
	if (!problem && !isa->begin_references(options.machine ? options.machine :
					       pmu_model_base(pmus_model())->name))
		return "";	// begin_references has printed the problem
	if (!problem && timed_is_used && !threads_are_used && pmus_model()->clock_address)
		problem = "clock=timed: the time-stamp counter of this PMU's processor is one of "
			  "its registers, so the processor must execute in order (machine=)";
	return problem ? problem : outside_choose(options.events, options.cr3);
}

// pmu=auto: chooses the PMU of the emulated processor.
static const char *choose_for(const struct cpu *first)
{
	const char *const pmu = isa->pmu_of(first);

	return pmu ? choose(pmu) :
		"no PMU model is that of the guest's processor (-cpu): give a PMU's name (pmu=)";
}

static bool is_automatic(void)
{
	return isa->pmu_of && !strcmp(options.pmu, "auto");
}

// Applies the arguments. Returns NULL, or the problem; "" if it is already printed.
static const char *begin(void)
{
	const char *problem = unpromised_check(isa->name, !strcmp(options.force, "on"));

	timed_is_used = !strcmp(options.clock, "timed");
	if (!problem)
		problem = contradiction();
	if (!problem && !is_automatic())
		problem = choose(options.pmu);
	if (!problem && (options.report || *options.events))
		problem = report_open(options.report ? options.report : "");
	batch_is_used = !strcmp(options.batch, "on") && !*options.fault;
	plugin_announces = !strcmp(options.announce, "on");
	return problem;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	const char *problem = NULL;

	isa = isa_of(info);
	while (!problem && argc--)
		problem = take_argument(*argv++);
	if (!problem)
		problem = isa ? begin() :
			"the plugin has no PMU for the processors of this QEMU";
	if (problem) {
		if (*problem)
			fprintf(stderr, "palmon: %s\n", problem);
		return 1;
	}
	unpromised_need_emulation();
	plugin_begin(id, isa, !strcmp(options.force, "on"), is_automatic() ? choose_for : NULL);
	return 0;
}
