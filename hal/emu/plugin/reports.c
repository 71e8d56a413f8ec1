// SPDX-License-Identifier: BSD-2-Clause
// What the emulator has to report of the guests: reports.h.

#include "reports.h"

bool reports_numbers, reports_blocks, reports_references;

static qemu_plugin_id_t own_id;
static void (*connect_plugin)(qemu_plugin_id_t id);

void reports_begin(qemu_plugin_id_t id, void (*connect)(qemu_plugin_id_t id))
{
	own_id = id;
	connect_plugin = connect;
	connect(id);
}

// A plugin that is reset is called for nothing any more; the emulator drops what it has translated for it.
static void translate_anew(void)
{
	qemu_plugin_reset(own_id, connect_plugin);
}

void reports_add_numbers(void)
{
	if (reports_numbers)
		return;
	reports_numbers = true;
	translate_anew();
}

void reports_add_blocks(void)
{
	if (reports_blocks)
		return;
	reports_numbers = reports_blocks = true;
	translate_anew();
}

void reports_add_references(void)
{
	if (reports_references)
		return;
	reports_numbers = reports_blocks = reports_references = true;
	translate_anew();
}
