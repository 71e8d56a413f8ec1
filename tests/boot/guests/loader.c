// SPDX-License-Identifier: BSD-2-Clause
// A boot loader that says what it is told to: loads its module, an ELF file of 32 bits, and starts it with a memory map
// from its own command line. Words, in any order: START-END:TYPE, an entry of the map (hexadecimal); sizes=LOWER,UPPER,
// memory_lower and memory_upper (KiB, hexadecimal); magic=HEX instead of the boot loader's; pvh=HEX, the entry for PVH,
// started as Xen's start_info.h says. Multiboot specification 0.6.96, section 3.

#include "guest.h"

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

struct __attribute__((packed)) entry {
	uint32_t size;
	uint64_t start, length;
	uint32_t type;
};

struct pvh_entry {
	uint64_t start, length;
	uint32_t type, reserved;
};

static struct entry map[32];
static struct pvh_entry pvh_map[32];
static uint32_t entries, pvh_address, magic_given = 0x2BADB002;

// What it hands over: flags, memory_lower, memory_upper, boot device, command line, ..., mmap_length, mmap_addr.
static uint32_t handed_over[29];

static struct {
	uint32_t magic, version, flags, modules;
	uint64_t module_list, command_line, acpi;
	uint64_t map;
	uint32_t entries, reserved;
} start_info = {.magic = 0x336EC578, .version = 1};

void guest_interrupt(struct frame *frame)
{
	fail_on(frame);
}

static bool starts(const char **word, const char *name)
{
	const char *c = *word;

	while (*name && *c == *name)
		c++, name++;
	if (!*name)
		*word = c;
	return !*name;
}

static uint64_t read_hex(const char **text)
{
	uint64_t value = 0;

	for (;; ++*text) {
		const char c = **text;

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else
			return value;
	}
}

static void read_entry(const char *word)
{
	struct entry *e = &map[entries];

	e->size = sizeof *e - sizeof e->size;
	e->start = read_hex(&word);
	word++;
	e->length = read_hex(&word) - e->start;
	word++;
	e->type = (uint32_t)read_hex(&word);
	pvh_map[entries++] = (struct pvh_entry){e->start, e->length, e->type, 0};
}

static void read_word(const char *word)
{
	if (starts(&word, "magic=")) {
		magic_given = (uint32_t)read_hex(&word);
	} else if (starts(&word, "pvh=")) {
		pvh_address = (uint32_t)read_hex(&word);
	} else if (starts(&word, "sizes=")) {
		handed_over[0] |= 1;
		handed_over[1] = (uint32_t)read_hex(&word);
		word++;
		handed_over[2] = (uint32_t)read_hex(&word);
	} else {
		read_entry(word);
	}
}

// The first word is this program's name.
static void read_words(const char *text)
{
	for (; *text; text++)
		if (*text == ' ' && text[1] && text[1] != ' ')
			read_word(text + 1);
}

struct elf_header {
	uint8_t identification[16];
	uint16_t type, machine;
	uint32_t version, entry, segments, sections, flags;
	uint16_t size, segment_size, segment_count;
};

struct elf_segment {
	uint32_t type, offset, virtual_address, address, size, memory_size;
};

static uint32_t load(const uint8_t *file)
{
	const struct elf_header *elf = (const void *)file;

	for (unsigned i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = (const void *)(file + elf->segments + i * elf->segment_size);

		for (uint32_t offset = 0; s->type == 1 && offset < s->memory_size; offset++)
			((uint8_t *)s->address)[offset] = offset < s->size ? file[s->offset + offset] : 0;
	}
	return elf->entry;
}

// The emulator puts the file's name there, as it does for Multiboot.
static uint32_t behind_first_word(uint32_t text)
{
	const char *c = (const char *)text;

	while (*c && *c++ != ' ')
		;
	return (uint32_t)c;
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	const uint32_t *module = (const uint32_t *)information[6];
	uint32_t entry = load((const uint8_t *)module[0]);
	const void *told = handed_over;

	(void)magic;
	read_words((const char *)information[4]);
	handed_over[0] |= 1u << 2 | (uint32_t)(entries != 0) << 6;
	handed_over[4] = module[2];
	handed_over[11] = entries * (uint32_t)sizeof *map;
	handed_over[12] = (uint32_t)map;
	start_info.command_line = behind_first_word(module[2]);
	start_info.map = (uint32_t)pvh_map;
	start_info.entries = entries;
	if (pvh_address) {
		entry = pvh_address;
		told = &start_info;
	}
	__asm__ volatile("jmp *%0" : : "r"(entry), "a"(magic_given), "b"(told));
	__builtin_unreachable();
}
