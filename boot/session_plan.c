// SPDX-License-Identifier: BSD-2-Clause
// Plans the measured session: events of any of the image's PMUs, metrics and profiles, distributed
// over runs.

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "backend.h"
#include "cpus.h"
#include "image_run.h"
#include "nearest.h"
#include "pmu_driver.h"
#include "profile.h"
#include "plan.h"

static unsigned unit_count(struct session_plan *plan)
{
	unsigned units = 0;

	while (pmu_drivers[units] && units < SESSION_UNITS) {
		plan->unit[units] = pmu_drivers[units];
		units++;
	}
	return units;
}

// Returns the PMUs' names: "A", "A and B", "A, B and C".
static const char *units_text(const struct session_plan *plan)
{
	static char text[SESSION_UNITS * 24];
	size_t used = 0;

	for (unsigned unit = 0; unit < plan->units && used < sizeof text; unit++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
					 !unit ? "" : unit + 1 < plan->units ? ", " : " and ",
					 plan->unit[unit]->name);
	return text;
}

bool session_asks_for(const struct session_plan *plan, uint16_t modifiers)
{
	for (unsigned i = 0; i < plan->count; i++)
		if (plan->event[i].request.modifiers & modifiers)
			return true;
	return false;
}

// Whether a threshold is higher than the event's number in any cycle, because an instruction takes
// a cycle of its own.
static bool is_out_of_reach(const struct event_request *r)
{
	return hal_cycles() == HAL_CYCLES_ARE_INSTRUCTIONS && r->event->each &&
	       r->cmask > r->event->each && !(r->modifiers & EVENT_INV);
}

// Nothing is counting. A register that qualifies the event is set again, because the answer depends
// on it.
enum hal_happens session_happens(const struct session_plan *plan, unsigned event)
{
	const struct event_request *r = &plan->event[event].request;

	if (is_out_of_reach(r))
		return HAL_NEVER;
	if (r->event->setting_address)
		reg_write(r->event->setting_address, r->extra);
	return hal_event_happens(session_is_shared(plan, plan->event[event].unit), event_code(r),
				 r->umask);
}

//
// Events
//

// Copies an event's text without its period.
static void copy_without_period(char out[SESSION_TEXT], const char *text, size_t length)
{
	static const char word[] = ":period=";
	size_t before = 0, behind;

	while (before < length && strncasecmp(text + before, word, sizeof word - 1))
		before++;
	behind = before < length ? before + 1 + strcspn(text + before + 1, ":") : length;
	behind = behind < length ? behind : length;
	snprintf(out, SESSION_TEXT, "%.*s%.*s", (int)before, text, (int)(length - behind),
		 text + behind);
}

// Returns the number of a PMU's events in a run.
static unsigned events_of(const struct session_plan *plan, unsigned unit, unsigned run)
{
	unsigned count = 0;

	for (unsigned i = 0; i < plan->count; i++)
		count += plan->event[i].unit == unit && plan->event[i].run == run;
	return count;
}

// Adds an event. False: there are too many.
static bool add_event(struct session_plan *plan, const char *text, size_t length,
		      const struct event_request *request, unsigned unit, unsigned run)
{
	struct session_event *e = &plan->event[plan->count];

	if (plan->count == SESSION_EVENTS || length >= SESSION_TEXT)
		return boot_refuse("at most %d events, each of at most %d characters",
				   SESSION_EVENTS, SESSION_TEXT - 1);
	if (!plan->slice && events_of(plan, unit, run) == PMU_SESSION_EVENTS)
		return boot_refuse("events=: from 1 to %d events of %s", PMU_SESSION_EVENTS,
				   plan->unit[unit]->name);
	*e = (struct session_event){.request = *request, .unit = unit, .run = run,
				    .asked = request->period};
	copy_without_period(e->text, text, length);
	plan->count++;
	return true;
}

// Returns whether a PMU has events that begin with a name and a dot. Its error message is then the
// most useful one.
static bool has_name_with_unit_mask(const struct pmu_driver *driver, const char *name,
				    size_t length)
{
	for (size_t i = 0; i < driver->events->count; i++) {
		const char *other = driver->events->event[i].name;

		if (!strncasecmp(other, name, length) && other[length] == '.')
			return true;
	}
	return false;
}

static bool refuse_event(const struct session_plan *plan, unsigned unit, enum event_error error,
			 const char *where)
{
	char why[512];

	for (unsigned i = 0; error == EVENT_UNKNOWN && i < plan->units; i++)
		if (has_name_with_unit_mask(plan->unit[i], where, strcspn(where, ":=,+")))
			unit = i;
	event_explain(plan->unit[unit]->events, error, where, why, sizeof why);
	boot_refuse("events=: %s", why);
	if (error == EVENT_UNKNOWN)
		printf("palmon: a session counts events of %s\n", units_text(plan));
	return false;
}

// Returns whether another PMU may know a name that this one does not.
static bool may_be_anothers(enum event_error error)
{
	return error == EVENT_UNKNOWN || error == EVENT_TOO_LONG || error == EVENT_BAD_PREFIX;
}

// Parses an event with the first PMU that knows its name. If none does, the PMU that parsed
// farthest reports the error.
static bool read_event(struct session_plan *plan, struct event_list *list)
{
	enum event_error error = EVENT_OK;
	const char *farthest = NULL;
	unsigned complains = 0;

	for (unsigned unit = 0; unit < plan->units; unit++) {
		struct event_list behind = *list;
		struct event_request request;
		enum event_error e = event_next(plan->unit[unit]->events, &behind, &request);

		if (!e) {
			*list = behind;
			if (!add_event(plan, behind.event, behind.length, &request, unit, 0))
				return false;
			plan->event[plan->count - 1].braces = behind.group;
			return true;
		}
		if (!farthest || behind.text > farthest || !may_be_anothers(e)) {
			complains = unit;
			error = e;
			farthest = behind.text;
		}
		if (!may_be_anothers(e))
			break;
	}
	return refuse_event(plan, complains, error, farthest);
}

static bool read_events(struct session_plan *plan, const char *text)
{
	struct event_list list = event_list(text);

	if (!*text)
		return boot_refuse("events=: from 1 to %d events", PMU_SESSION_EVENTS);
	while (list.more)
		if (!read_event(plan, &list))
			return false;
	plan->asked = plan->count;
	plan->runs = 1;
	return true;
}

static bool refuse_planned(const char *option, const struct pmu_metric_refusal *refusal)
{
	char why[512];

	pmu_metric_explain(refusal, why, sizeof why);
	return boot_refuse("%s=: %s", option, why);
}

//
// Multiplexing
//

// Distributes a PMU's events over as many runs as they need. Events in braces stay together.
static bool spread_unit(struct session_plan *plan, unsigned unit)
{
	static struct pmu_metric_plan asked;
	uint8_t index[PMU_METRIC_EVENTS];
	struct pmu_metric_refusal refusal;

	asked = (struct pmu_metric_plan){0};
	for (unsigned i = 0; i < plan->count; i++) {
		const struct session_event *e = &plan->event[i];
		struct pmu_metric_event *wanted = &asked.event[asked.count];

		if (e->unit != unit)
			continue;
		if (asked.count == PMU_METRIC_EVENTS)
			return boot_refuse("multiplex=: at most %d events of %s", PMU_METRIC_EVENTS,
					   plan->unit[unit]->name);
		wanted->request = e->request;
		wanted->group = (uint8_t)e->braces;
		snprintf(wanted->text, sizeof wanted->text, "%.*s", PMU_METRIC_TEXT - 1, e->text);
		index[asked.count++] = (uint8_t)i;
	}
	if (asked.count && pmu_metric_schedule(plan->unit[unit], &asked, &refusal))
		return refuse_planned("events", &refusal);
	for (unsigned i = 0; i < asked.count; i++) {
		plan->event[index[i]].request.counter = (int8_t)asked.event[i].counter;
		plan->event[index[i]].run = asked.event[i].run;
	}
	plan->runs = asked.runs > plan->runs ? asked.runs : plan->runs;
	return true;
}

static bool spread_events(struct session_plan *plan)
{
	for (unsigned unit = 0; plan->slice && unit < plan->units; unit++)
		if (!spread_unit(plan, unit))
			return false;
	return true;
}

static bool can_take_turns(const struct session_plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++) {
		const struct session_event *e = &plan->event[i];

		for (unsigned j = 0; session_is_shared(plan, e->unit) && j < i; j++)
			if (plan->event[j].unit == e->unit && plan->event[j].run != e->run)
				return boot_refuse("multiplex=: %s and %s need the same counter, "
						   "but the PMU that the cores share does not "
						   "multiplex", plan->event[j].text, e->text);
	}
	return true;
}

// The groups are the runs of the cores' PMU. The PMU that the cores share counts in all slices.
static bool make_groups(struct session_plan *plan)
{
	if (!plan->slice)
		return true;
	if (!can_take_turns(plan))
		return false;
	for (unsigned run = 0; run < plan->runs; run++) {
		if (!events_of(plan, 0, run))
			continue;
		for (unsigned i = 0; i < plan->count; i++)
			if (!plan->event[i].unit && plan->event[i].run == run)
				plan->event[i].group = plan->groups;
		plan->groups++;
	}
	if (plan->groups < 2)
		plan->slice = plan->groups = 0;
	for (unsigned i = 0; i < plan->count; i++) {
		plan->event[i].run = 0;
		if (plan->event[i].unit)
			plan->event[i].group = plan->groups;
	}
	plan->runs = 1;
	return true;
}

//
// Metrics and profiles
//

// Returns the metric or profile of any PMU whose name is nearest to a wrong one, or NULL.
static const char *nearest_name(const struct session_plan *plan, const char *name, bool profile)
{
	unsigned nearer = pmu_unlike(strlen(name));
	const char *nearest = NULL;

	for (unsigned unit = 0; unit < plan->units; unit++) {
		const struct pmu_metric_table *metrics = plan->unit[unit]->metrics;
		const struct pmu_profile_table *profiles = plan->unit[unit]->profiles;
		const char *found = NULL;

		if (profile && profiles)
			found = pmu_nearest_within(profiles->profile, profiles->count,
						   sizeof *profiles->profile, name,
						   strlen(name), &nearer);
		else if (!profile && metrics)
			found = pmu_nearest_within(metrics->metric, metrics->count,
						   sizeof *metrics->metric, name,
						   strlen(name), &nearer);
		nearest = found ? found : nearest;
	}
	return nearest;
}

// No PMU has a metric or profile of this name.
static bool refuse_name(const struct session_plan *plan, const char *name, bool profile)
{
	const char *const nearest = nearest_name(plan, name, profile);

	return boot_refuse("%s=: %s ha%s no %s '%s'%s%s", profile ? "profile" : "metrics",
			   units_text(plan),
			   plan->units > 1 ? "ve" : "s", profile ? "profile" : "metric", name,
			   nearest ? "; the nearest name is " : "", nearest ? nearest : "");
}

static bool give(struct session_plan *plan, const char *name, size_t length,
		 const struct pmu_value *value)
{
	for (unsigned unit = 0; unit < plan->units; unit++)
		if (!pmu_metric_give(&plan->planned[unit], name, length, value))
			return boot_refuse("metrics=: at most %d values and metrics",
					   PMU_METRIC_GIVEN);
	return true;
}

// Parses NAME=VALUE.
static bool read_value(struct session_plan *plan, const char *text, size_t name, size_t length)
{
	struct pmu_value value;

	if (pmu_value_read(text + name + 1, length - name - 1, &value))
		return give(plan, text, name, &value);
	return boot_refuse("metrics=: '%.*s': a value has at most 17 digits, perhaps with a point",
			   (int)length, text);
}

// Parses METRIC[:MODIFIER...], or a value.
static bool read_metric(struct session_plan *plan, const char *text, size_t length)
{
	struct session_metric *m = &plan->metric[plan->metrics];
	struct pmu_metric_refusal refusal;
	const struct pmu_value *frequency, later = {VALUE_NOT_DEFINED, 0, 0};
	const size_t first = strcspn(text, "=:,");
	char name[PMU_METRIC_TEXT];

	if (text[first] == '=' && first < length)
		return read_value(plan, text, first, length);
	if (plan->metrics == SESSION_METRICS || length >= sizeof m->text)
		return boot_refuse("metrics=: at most %d, each of at most %d characters",
				   SESSION_METRICS, PMU_METRIC_TEXT - 1);
	snprintf(m->text, sizeof m->text, "%.*s", (int)length, text);
	snprintf(name, sizeof name, "%.*s", (int)strcspn(m->text, ":"), m->text);
	m->modifiers = m->text + strlen(name) + (m->text[strlen(name)] == ':');
	if (m->text[strlen(name)] && !*m->modifiers)
		return boot_refuse("metrics=: no modifier after '%s'", m->text);
	for (m->unit = 0; m->unit < plan->units; m->unit++) {
		const struct pmu_metric_table *t = plan->unit[m->unit]->metrics;

		m->metric = t ? pmu_metric_find(t, name) : NULL;
		if (m->metric)
			break;
	}
	if (!m->metric)
		return refuse_name(plan, name, false);
	if (pmu_metric_plan(plan->unit[m->unit], m->metric, m->modifiers, &plan->planned[m->unit],
			    &refusal))
		return refuse_planned("metrics", &refusal);
	memcpy(m->text, m->metric->name, strlen(m->metric->name));	// spelled as in the table
	frequency = pmu_metric_frequency(&plan->planned[m->unit]);
	m->frequency = frequency ? *frequency : (struct pmu_value){0};
	plan->metrics++;
	// For later metrics of other PMUs.
	return give(plan, m->metric->name, strlen(m->metric->name), &later);
}

static bool read_profile(struct session_plan *plan, const char *text, size_t length)
{
	const struct pmu_profile *found = NULL;
	struct pmu_metric_refusal refusal;
	char name[PMU_METRIC_TEXT];
	unsigned unit;

	snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
		 text);
	for (unit = 0; unit < plan->units; unit++) {
		const struct pmu_profile_table *t = plan->unit[unit]->profiles;

		found = t ? pmu_profile_find(t, name) : NULL;
		if (found)
			break;
	}
	if (!found)
		return refuse_name(plan, name, true);
	if (pmu_profile_plan(plan->unit[unit], found, &plan->planned[unit], &refusal))
		return refuse_planned("profile", &refusal);
	return true;
}

static bool read_list(struct session_plan *plan, const char *text,
		      bool (*read)(struct session_plan *plan, const char *text, size_t length))
{
	for (;; text++) {
		const size_t length = strcspn(text, ",");

		if (!read(plan, text, length))
			return false;
		text += length;
		if (!*text)
			return true;
	}
}

// Schedules planned events in runs after those of the events requested by name. Events of different
// PMUs share runs.
static bool schedule(struct session_plan *plan)
{
	const unsigned first = plan->runs;

	for (unsigned unit = 0; unit < plan->units; unit++) {
		struct pmu_metric_plan *planned = &plan->planned[unit];
		struct pmu_metric_refusal refusal;

		plan->first_planned[unit] = plan->count;
		if (!planned->count)
			continue;
		if (pmu_metric_schedule(plan->unit[unit], planned, &refusal))
			return refuse_planned("metrics, profile", &refusal);
		for (unsigned i = 0; i < planned->count; i++) {
			struct pmu_metric_event *e = &planned->event[i];

			e->request.counter = (int8_t)e->counter;
			if (!add_event(plan, e->text, strlen(e->text), &e->request, unit,
				       first + e->run))
				return false;
		}
		if (plan->runs < first + planned->runs)
			plan->runs = first + planned->runs;
	}
	return true;
}

const struct pmu_metric_plan *session_needed(const struct session_plan *plan,
					     const struct session_metric *m)
{
	static struct pmu_metric_plan needed;
	const struct pmu_metric_plan *all = &plan->planned[m->unit];
	struct pmu_metric_refusal refusal;

	memset(&needed, 0, sizeof needed);
	needed.givens = all->givens;
	memcpy(needed.given, all->given, sizeof needed.given);
	for (unsigned i = 0; i < needed.givens; i++)
		needed.given[i].used = false;
	pmu_metric_plan(plan->unit[m->unit], m->metric, m->modifiers, &needed, &refusal);
	return &needed;
}

//
// The whole
//

static int call_plainly(int (*function)(void))
{
	return function();
}

// Checks that the processor has each PMU of the image that the events need.
static bool units_are_there(const struct session_plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++) {
		const struct pmu_driver *driver = plan->unit[plan->event[i].unit];
		const char *const why = pmu_probe(driver);

		if (why)
			return boot_refuse("%s: this processor has no PMU of %s: %s",
					   plan->event[i].text, driver->title, why);
	}
	return true;
}

static bool threads_are_there(struct session_plan *plan, unsigned threads)
{
	const unsigned most = threads > 1 ? hal_cpus_start() : 1;

	plan->threads = threads;
	return threads <= most || boot_refuse("threads=%u: this machine has %u", threads, most);
}

// Returns whether no event counts by the timer that `option` needs.
static bool timer_is_free(const struct session_plan *plan, const char *option)
{
	for (unsigned i = 0; i < plan->count; i++) {
		const struct session_event *e = &plan->event[i];
		const struct pmu_driver *driver = plan->unit[e->unit];

		if (driver->timer & driver->choices(&e->request))
			return boot_refuse("%s=: %s counts by the timer that %s= needs", option,
					   e->text, option);
	}
	return true;
}

// False: a value is given that no later metric needs.
static bool values_are_used(const struct session_plan *plan)
{
	const struct pmu_metric_plan *planned = plan->planned;

	for (unsigned i = 0; i < planned->givens; i++) {
		bool used = planned->given[i].value.kind != VALUE_NUMBER;

		for (unsigned unit = 0; unit < plan->units; unit++)
			used |= planned[unit].given[i].used;
		if (!used)
			return boot_refuse("metrics=: no metric after it needs '%.*s'",
					   (int)planned->given[i].length, planned->given[i].name);
	}
	return true;
}

bool session_read_plan(struct session_plan *plan, const struct boot_options *options)
{
	const struct pmu_driver *cores = pmu_drivers[0];
	const bool any = options->events || options->metrics || options->profile;

	plan->units = unit_count(plan);
	plan->non_maskable = options->non_maskable;
	plan->registers = options->registers;
	plan->output = options->output;
	plan->calls = options->calls;
	plan->interval = options->interval;
	plan->ticks = options->ticks;
	if (plan->ticks && (plan->calls || plan->interval))
		return boot_refuse("ticks=: samples by time have no callers (calls=), and print no "
				   "counts meanwhile (interval=)");
	plan->slice = options->slice;
	if (plan->slice && (plan->ticks || plan->calls || plan->interval))
		return boot_refuse("multiplex=: groups of events have no samples by time (ticks=) "
				   "and no callers (calls=), and print no counts meanwhile "
				   "(interval=)");
	plan->scoped = options->scoped;
	plan->scope = options->scope;
	plan->reach = options->reach;
	if (plan->scoped && !cores->scope)
		return boot_refuse("scope=: %s monitors all processes, always", cores->title);
	plan->highest_level = options->highest_level;
	plan->call = options->highest_level ? call_plainly : hal_run_user;
	if ((options->events || !any) &&
	    !read_events(plan, options->events ? options->events : cores->session))
		return false;
	if (!spread_events(plan))
		return false;
	if (options->metrics && !read_list(plan, options->metrics, read_metric))
		return false;
	if (!values_are_used(plan))
		return false;
	if (options->profile && !read_list(plan, options->profile, read_profile))
		return false;
	return schedule(plan) && (!plan->ticks || timer_is_free(plan, "ticks")) &&
	       (!plan->slice || timer_is_free(plan, "multiplex")) && make_groups(plan) &&
	       units_are_there(plan) &&
	       threads_are_there(plan, options->threads ? options->threads :
				 cores->threads ? cores->threads : 1);
}
