// SPDX-License-Identifier: BSD-2-Clause
// Makes a coreboot table, and another one in low memory that points to it (coreboot,
// src/commonlib/include/commonlib/coreboot_tables.h, src/lib/coreboot_table.c).

#include "loader.h"

// After the BIOS data area. Volatile, because the compiler assumes no object at low addresses.
static const volatile uint32_t forward_at = 0x500;

struct table {
	uint32_t signature, header_size, header_checksum, size, checksum, records;
	uint32_t word[512];
};

// RFC 1071.
static uint32_t checksum(const void *bytes, uint32_t size)
{
	const uint16_t *const half = bytes;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < size / 2; i++)
		sum += half[i];
	while (sum >> 16)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return ~sum & 0xFFFF;
}

static void add(struct table *t, uint32_t tag, const void *bytes, uint32_t size)
{
	uint8_t *const record = (uint8_t *)t->word + t->size;

	((uint32_t *)(void *)record)[0] = tag;
	((uint32_t *)(void *)record)[1] = size + 8;
	for (uint32_t i = 0; i < size; i++)
		record[8 + i] = ((const uint8_t *)bytes)[i];
	t->size += size + 8;
	t->records++;
}

static void finish(struct table *t)
{
	t->signature = 'L' | 'B' << 8 | 'I' << 16 | 'O' << 24;
	t->header_size = 24;
	t->checksum = checksum(t->word, t->size);
	t->header_checksum = 0;
	t->header_checksum = checksum(t, 24);
}

void make_coreboot_table(const struct told *told)
{
	struct table *const t = (struct table *)told->coreboot,
		*const forward = (struct table *)forward_at;
	const uint64_t at = told->coreboot, ring = told->ring;

	*t = *forward = (struct table){0};
	add(forward, 0x11, &at, sizeof at);
	finish(forward);
	add(t, 0x03, "mainboard", 12);		// a record that the image does not read
	if (told->ranges)
		add(t, 0x01, told->range, told->ranges * (uint32_t)sizeof *told->range);
	if (told->serial[0]) {
		const uint32_t serial[] = {told->serial[1] ? 2 : 1, told->serial[0], 115200,
					   told->serial[1], 0, 0};

		add(t, 0x0F, serial, sizeof serial);
	}
	if (told->screen[0]) {
		const uint32_t screen[] = {told->screen[0], 0, told->screen[1], told->screen[2],
					   told->screen[3],
					   32 | 16 << 8 | 8 << 16 | 8 << 24, 8 | 0 << 8 | 8 << 16};

		add(t, 0x12, screen, sizeof screen);
	}
	if (ring) {
		((uint32_t *)(uint32_t)ring)[0] = 0x1000 - 8;
		((uint32_t *)(uint32_t)ring)[1] = 0;
		add(t, 0x17, &ring, sizeof ring);
	}
	finish(t);
}
