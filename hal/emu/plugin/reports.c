// SPDX-License-Identifier: BSD-2-Clause
// What the emulator has to report of the guests: reports.h.

#include "reports.h"

enum reports reports_what;

static qemu_plugin_id_t own_id;
static void (*connect_plugin)(qemu_plugin_id_t id);

void reports_begin(qemu_plugin_id_t id, void (*connect)(qemu_plugin_id_t id))
{
	own_id = id;
	connect_plugin = connect;
	connect(id);
}

// A plugin that is reset is called for nothing any more; the emulator drops what it has translated for it.
void reports_add(enum reports what)
{
	if (what <= reports_what)
		return;
	reports_what = what;
	qemu_plugin_reset(own_id, connect_plugin);
}
