// SPDX-License-Identifier: BSD-2-Clause
// Lists of events, with groups in braces: event.h.

#include "event_read.h"

#include <string.h>

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

static enum event_error wrong_group(struct event_list *list, const char *at)
{
	list->text = at;
	return EVENT_BAD_GROUP;
}

enum event_error event_next(const struct pmu_event_table *table, struct event_list *list,
			    struct event_request *request)
{
	struct event_request read;
	enum event_error error;

	list->text = skip_blanks(list->text);
	if (*list->text == '{') {
		if (list->open)
			return wrong_group(list, list->text);
		list->open = list->text++;
		list->groups++;
		list->text = skip_blanks(list->text);
	}
	list->event = list->text;
	error = event_read(table, &list->text, &read);
	if (error)
		return error;
	list->length = (size_t)(list->text - list->event);
	list->group = list->open ? list->groups : 0;
	if (*list->text == '}') {
		if (!list->open)
			return wrong_group(list, list->text);
		list->open = NULL;
		list->text++;
	}
	list->more = *list->text == ',';
	if (!list->more && *list->text)
		return wrong_group(list, list->text);
	if (!list->more && list->open)
		return wrong_group(list, list->open);
	list->text += list->more;
	*request = read;
	return EVENT_OK;
}
