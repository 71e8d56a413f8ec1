// SPDX-License-Identifier: BSD-2-Clause
// Finds the consoles: those that console= names, or those that the machine describes.

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "acpi.h"
#include "consoles.h"
#include "log.h"
#include "words.h"
#include "x86/cpu.h"
#include "x86/early.h"

#define COM1		0x3F8
#define PORTS		4			/* COM1 to COM4 */

#define VGA_TEXT		0xB8000u
#define VGA_GRAPHICS		0x3CE		/* index; the data register is the next port */
#define VGA_MISCELLANEOUS	6
#define VGA_NO_TEXT		1		/* its bit 0 */
#define VGA_CRTC		0x3D4
#define VGA_CURSOR		0x0A
#define VGA_CURSOR_OFF		0x20

#define LOG_SIZE		0x10000u

// ACPI's SPCR (Microsoft, "Serial Port Console Redirection Table") and DBG2 ("Debug Port Table 2").
struct __attribute__((packed)) spcr {
	struct acpi_header header;
	uint8_t kind, reserved[3];
	struct acpi_address port;
};

struct __attribute__((packed)) dbg2 {
	struct acpi_header header;
	uint32_t first, count;
};

struct __attribute__((packed)) dbg2_device {
	uint8_t revision;
	uint16_t length;
	uint8_t registers;
	uint16_t unused[4], type, kind, reserved, registers_at, sizes_at;
};

#define DBG2_SERIAL 0x8000u

struct consoles consoles;

static const uint16_t ports[PORTS] = {COM1, 0x2F8, 0x3E8, 0x2E8};

static struct {
	struct log head;
	char body[LOG_SIZE];
} console_log;

//
// Words
//

// Reads a number of at most 60 bits, followed by the end of a word. Hexadecimal numbers begin with
// 0x.
static bool is_number(const char **text, uint64_t *value)
{
	const char *t = *text;
	const bool hex = begins(&t, "0x");
	const char *const first = t;

	for (*value = 0; !is_end(*t); t++) {
		const char c = *t | 0x20;
		const unsigned digit = c >= 'a' ? (unsigned)(c - 'a' + 10) : (unsigned)(c - '0');

		if (digit >= (hex ? 16u : 10u) || *value >> 59)
			return false;
		*value = *value * (hex ? 16 : 10) + digit;
	}
	if (t == first)
		return false;
	*text = t;
	return true;
}

//
// Kinds of consoles
//

// `only_look`: firmware has set the port up: read its status only, and change no settings.
static bool add_serial(struct x86_serial_port port, bool only_look)
{
	struct uart16550 *const uart = &consoles.serial_port[consoles.serial_ports];

	for (uint32_t i = 0; i < consoles.serial_ports; i++)
		if (consoles.serial_port[i].address == port.address &&
		    consoles.serial_port[i].width == port.width)
			return true;
	*uart = (struct uart16550){.address = port.address, .width = port.width};
	if (!port.address || port.address > UINT32_MAX ||
	    consoles.serial_ports == CONSOLES_SERIAL ||
	    !uart16550_is_there(uart, only_look))
		return false;
	if (!only_look)
		uart16550_start(uart);
	consoles.serial_ports++;
	return true;
}

static bool add_port(uint32_t port)
{
	return add_serial((struct x86_serial_port){port, 0}, false);
}

// Adds the VGA if it shows text and its memory holds a written value.
static bool add_vga(void)
{
	volatile uint16_t *const cell = (void *)VGA_TEXT;
	uint16_t was, other;

	x86_outb(VGA_GRAPHICS, VGA_MISCELLANEOUS);
	if (x86_inb(VGA_GRAPHICS + 1) & VGA_NO_TEXT || consoles.screens == CONSOLES_SCREENS)
		return false;
	was = *cell;
	other = (uint16_t)~was;
	*cell = other;
	cell[1] = was;		// drive another value on the bus
	if (*cell != other)
		return false;
	x86_outb(VGA_CRTC, VGA_CURSOR);
	x86_outb(VGA_CRTC + 1, VGA_CURSOR_OFF);
	screen_start_text(&consoles.screen[consoles.screens++], VGA_TEXT);
	return true;
}

static bool add_frame_buffer(void)
{
	const struct x86_frame_buffer *const f = &x86_early.frame_buffer;

	// Rejects sizes that no screen has.
	if (consoles.screens == CONSOLES_SCREENS ||
	    (f->depth != 16 && f->depth != 24 && f->depth != 32) ||
	    f->width < 320 || f->width > 0x4000 || f->height < 200 || f->height > 0x4000 ||
	    f->pitch < f->width * (f->depth / 8) || f->pitch > 0x40000 || !f->address ||
	    f->address > UINT32_MAX - (uint64_t)f->pitch * f->height)
		return false;
	screen_start_pixels(&consoles.screen[consoles.screens++], f->address, f->depth, f->pitch,
			    f->width, f->height);
	return true;
}

static void add_log(void)
{
	console_log.head.size = LOG_SIZE;
	consoles.log = x86_early.log ? x86_early.log : (uintptr_t)&console_log;
}

//
// The machine's descriptions
//

// A full 16550, a compatible subset, or one whose address structure describes its registers.
static bool is_16550(uint32_t kind)
{
	return kind == 0 || kind == 1 || kind == 0x12;
}

// `access` is a size, which is also the distance of registers. 1: 8 bits; 2: 16 bits; 3: 32 bits.
// The older `width` is in bits.
static struct x86_serial_port port_of(const struct acpi_address *a)
{
	const uint32_t width = a->access >= 1 && a->access <= 3 ? 1u << (a->access - 1) :
		a->width == 32 ? 4 : 1;

	if (a->space == ACPI_PORTS)
		return (struct x86_serial_port){a->address, 0};
	return (struct x86_serial_port){a->space == ACPI_MEMORY ? a->address : 0, width};
}

static bool add_spcr(void)
{
	const struct spcr *const s = acpi_find("SPCR", sizeof *s);

	return s && is_16550(s->kind) && add_serial(port_of(&s->port), true);
}

static bool add_dbg2(void)
{
	const struct dbg2 *const table = acpi_find("DBG2", sizeof *table);
	uint32_t at = table ? table->first : 0;

	for (uint32_t i = 0; table && i < table->count && at <= table->header.length; i++) {
		const struct dbg2_device *const d = (const void *)((const uint8_t *)table + at);

		if (table->header.length - at < sizeof *d || d->length < sizeof *d ||
		    d->length > table->header.length - at)
			return false;
		if (d->type == DBG2_SERIAL && is_16550(d->kind) && d->registers &&
		    d->registers_at + sizeof(struct acpi_address) <= d->length &&
		    add_serial(port_of((const void *)((const uint8_t *)d + d->registers_at)), true))
			return true;
		at += d->length;
	}
	return false;
}

static bool add_efi_port(void)
{
	const uint32_t number = x86_early.efi_serial_port;

	return number >= 1 && number <= PORTS &&
		add_serial((struct x86_serial_port){ports[number - 1], 0}, true);
}

// Adds the first serial port that exists in this order, one screen, and the log.
static void add_auto(void)
{
	if (!add_serial(x86_early.serial, true) && !add_spcr() && !add_dbg2() && !add_efi_port())
		add_port(COM1);
	if (!add_frame_buffer())
		add_vga();
	add_log();
}

//
// The command line
//

enum found { THERE, NOT_THERE, UNKNOWN };

// ADDRESS[,WIDTH]
static enum found add_memory_port(const char **text)
{
	struct x86_serial_port port = {0, 1};
	const char *behind;
	uint64_t width;

	if (!is_number(text, &port.address))
		return UNKNOWN;
	behind = *text + 1;
	if (**text == ',' && is_number(&behind, &width) &&
	    (width == 1 || width == 2 || width == 4)) {
		port.width = (uint32_t)width;
		*text = behind;
	}
	return add_serial(port, true) ? THERE : NOT_THERE;
}

// Adds one console, and moves *text past its name if the name is known.
static enum found add(const char **text)
{
	uint64_t port;

	for (unsigned i = 0; i < PORTS; i++) {
		const char name[] = {'c', 'o', 'm', (char)('1' + i), '\0'};

		if (is_word(text, name))
			return add_port(ports[i]) ? THERE : NOT_THERE;
	}
	if (begins(text, "mmio:"))
		return add_memory_port(text);
	if ((*text)[0] == '0' && is_number(text, &port) && port <= UINT16_MAX)
		return add_port((uint32_t)port) ? THERE : NOT_THERE;
	if (is_word(text, "vga"))
		return add_vga() ? THERE : NOT_THERE;
	if (is_word(text, "efi"))
		return add_frame_buffer() ? THERE : NOT_THERE;
	if (is_word(text, "auto"))
		add_auto();
	else if (is_word(text, "log"))
		add_log();
	else if (!is_word(text, "none"))
		return UNKNOWN;
	return THERE;
}

// Names of consoles that are absent; reported on the others.
static char missing[CONSOLES_PROBLEM];

static void name(char *list, const char *text)
{
	char *end = list;

	while (*end)
		end++;
	if (end != list && end < list + CONSOLES_PROBLEM - 1)
		*end++ = ',';
	for (; !is_end(*text) && end < list + CONSOLES_PROBLEM - 1; text++)
		*end++ = *text;
}

// Adds the consoles of one word. Returns the word's end.
static const char *add_all(const char *text)
{
	while (*text && *text != ' ') {
		const char *const first = text;
		const enum found found = add(&text);

		if (found != THERE)
			name(found == UNKNOWN ? consoles.problem : missing, first);
		while (!is_end(*text))
			text++;
		text += *text == ',';
	}
	return text;
}

void x86_early_find_consoles(void)
{
	const char *line = (const char *)(uintptr_t)x86_early.command_line;
	bool asked = false;

	while (line && *line) {
		if (begins(&line, "console=")) {
			asked = true;
			line = add_all(line);
		}
		while (*line && *line++ != ' ')
			;
	}
	if (!asked || ((*missing || *consoles.problem) && !consoles.serial_ports &&
		       !consoles.screens))
		add_auto();
	if (*missing) {
		x86_early_put("palmon: consoles not found: ");
		x86_early_put(missing);
		x86_early_put("\n");
	}
}

void x86_early_put(const char *text)
{
	uint32_t size = 0;

	while (text[size])
		size++;
	consoles_write(&consoles, text, size);
}
