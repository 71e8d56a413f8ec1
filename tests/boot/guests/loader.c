// SPDX-License-Identifier: BSD-2-Clause
// A boot loader that is told how to behave. It loads its module, a 32-bit ELF file or a file with
// addresses in its Multiboot header, and starts it with a memory map from its own command line.
// Words, in any order, with hexadecimal numbers:
//     START-END:TYPE                     an entry of the map
//     sizes=LOWER,UPPER                  memory_lower and memory_upper (KiB)
//     magic=N                            instead of the boot loader's magic number
//     pvh=ENTRY                          starts the file as Xen's start_info.h describes
//     linux=ADDRESS                      loads the file there by the Linux boot protocol
//     linux64=ADDRESS                    likewise, with the 64-bit entry
//     coreboot=ADDRESS                   puts a coreboot table there
//     serial=PORT                        a console in that table; also serial=ADDRESS,SIZE
//     ring=ADDRESS                       its console in memory
//     screen=ADDRESS,WIDTH,HEIGHT,PITCH  QEMU's VGA, in that table or with linux=
//     call=1                             calls the file with that table, and expects it to return
//     poke=ADDRESS,BYTE                  writes the byte
//     interrupt=1                        leaves an interrupt pending in the local APIC
// Multiboot specification 0.6.96, section 3.

#include "guest.h"
#include "loader.h"

void guest_interrupt(struct frame *frame);
void guest_main(uint32_t magic, const uint32_t *information);

struct __attribute__((packed)) entry {
	uint32_t size;
	struct range range;
};

struct pvh_entry {
	uint64_t start, length;
	uint32_t type, reserved;
};

static struct entry map[RANGES];
static struct pvh_entry pvh_map[RANGES];
static struct told told = {.magic = 0x2BADB002};

// The Multiboot information: flags, memory_lower, memory_upper, boot device, command line, ...,
// mmap_length, mmap_addr.
static uint32_t multiboot_info[29];

static struct {
	uint32_t magic, version, flags, modules;
	uint64_t module_list, command_line, acpi;
	uint64_t map;
	uint32_t entries, reserved;
} start_info = {.magic = 0x336EC578, .version = 1};

// Interrupts of this loader that have arrived.
#define VECTOR_OWN	0x40u
static volatile uint32_t interrupts;

void guest_interrupt(struct frame *frame)
{
	if (frame->vector != VECTOR_OWN)
		fail_on(frame);
	interrupts++;
	*apic(APIC_EOI) = 0;
}

//
// Words
//

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

// Reads up to `count` numbers, separated by commas; missing ones are 0.
static void read_numbers(const char *word, uint32_t *numbers, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		numbers[i] = (uint32_t)read_hex(&word);
		word += *word == ',';
	}
}

static void read_entry(const char *word)
{
	struct range *const r = &told.range[told.ranges++];

	r->start = read_hex(&word);
	word++;
	r->length = read_hex(&word) - r->start;
	word++;
	r->type = (uint32_t)read_hex(&word);
}

static inline void outw(uint16_t port, uint16_t value)
{
	__asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

// Sets a mode with pixels of 32 bits (QEMU, docs/specs/standard-vga.rst: the Bochs VBE interface).
static void set_mode(uint32_t width, uint32_t height)
{
	const uint16_t values[] = {(uint16_t)width, (uint16_t)height, 32, 0x41};

	for (unsigned i = 0; i < 4; i++) {
		outw(0x1CE, (uint16_t)(i + 1));
		outw(0x1CF, values[i]);
	}
}

static void read_word(const char *word)
{
	uint32_t numbers[2];

	if (starts(&word, "magic=")) {
		told.magic = (uint32_t)read_hex(&word);
	} else if (starts(&word, "pvh=")) {
		told.pvh = (uint32_t)read_hex(&word);
	} else if (starts(&word, "linux=")) {
		told.linux_at = read_hex(&word);
	} else if (starts(&word, "linux64=")) {
		told.linux_64_at = read_hex(&word);
	} else if (starts(&word, "coreboot=")) {
		told.coreboot = (uint32_t)read_hex(&word);
	} else if (starts(&word, "call=")) {
		told.calls = (uint32_t)read_hex(&word);
	} else if (starts(&word, "serial=")) {
		read_numbers(word, told.serial, 2);
	} else if (starts(&word, "ring=")) {
		told.ring = (uint32_t)read_hex(&word);
	} else if (starts(&word, "screen=")) {
		read_numbers(word, told.screen, 4);
		set_mode(told.screen[1], told.screen[2]);
	} else if (starts(&word, "poke=")) {
		read_numbers(word, numbers, 2);
		*(volatile uint8_t *)numbers[0] = (uint8_t)numbers[1];
	} else if (starts(&word, "interrupt=")) {
		told.interrupts = (uint32_t)read_hex(&word);
		*apic(APIC_SPURIOUS) = 0x1FF;
		*apic(APIC_COMMAND) = COMMAND_SELF | COMMAND_FIXED | VECTOR_OWN;
	} else if (starts(&word, "sizes=")) {
		told.has_sizes = 1;
		read_numbers(word, told.sizes, 2);
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

//
// The file
//

struct elf_header {
	uint8_t identification[16];
	uint16_t type, machine;
	uint32_t version, entry, segments, sections, flags;
	uint16_t size, segment_size, segment_count;
};

struct elf_segment {
	uint32_t type, offset, virtual_address, address, size, memory_size;
};

static uint32_t load_elf(const uint8_t *file)
{
	const struct elf_header *elf = (const void *)file;

	for (unsigned i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = (const void *)(file + elf->segments +
							     i * elf->segment_size);

		for (uint32_t offset = 0; s->type == 1 && offset < s->memory_size; offset++)
			((uint8_t *)s->address)[offset] = offset < s->size ?
				file[s->offset + offset] : 0;
	}
	return elf->entry;
}

// The Multiboot header: magic, flags, checksum, header_addr, load_addr, load_end_addr,
// bss_end_addr, entry_addr.
static uint32_t load_by_addresses(const uint8_t *file)
{
	const uint32_t *h = (const void *)file;

	while (h[0] != 0x1BADB002 || h[0] + h[1] + h[2])
		h++;
	file = (const uint8_t *)h - (h[3] - h[4]);
	for (uint32_t i = 0; i < h[5] - h[4]; i++)
		((uint8_t *)h[4])[i] = file[i];
	return h[7];
}

// The emulator puts the file's name first, as it does for Multiboot.
static const char *behind_first_word(uint32_t text)
{
	const char *c = (const char *)text;

	while (*c && *c++ != ' ')
		;
	return c;
}

// Calls the file as coreboot does (src/arch/x86/boot.c). The guest's status is the file's return
// value, or FFH if the file has changed the GDT register, or FEH unless the pending interrupt
// arrives exactly once after the return, and none stays in service.
static void call(uint32_t entry)
{
	uint8_t before[6], behind[6];
	uint32_t status;

	__asm__ volatile("sgdt %0" : "=m"(before));
	status = ((uint32_t (*)(uint32_t table))entry)(told.coreboot);
	__asm__ volatile("sgdt %0" : "=m"(behind));
	for (unsigned i = 0; i < sizeof before; i++)
		if (before[i] != behind[i])
			status = 0xFF;
	start_interrupts();
	__asm__ volatile("sti; nop; cli" : : : "memory");
	if (interrupts != told.interrupts || *apic(APIC_IN_SERVICE + VECTOR_OWN / 32 * 16))
		status = 0xFE;
	print("loader: it has returned ");
	print_number(status);
	print("\n");
	end_guest((uint8_t)status);
}

void guest_main(uint32_t magic, const uint32_t *information)
{
	const uint32_t *module = (const uint32_t *)information[6];
	const uint8_t *file = (const uint8_t *)module[0];
	const void *left = multiboot_info;
	uint32_t entry;

	(void)magic;
	read_words((const char *)information[4]);
	told.command_line = behind_first_word(module[2]);
	if (told.linux_at || told.linux_64_at)
		start_linux(&told, file, module[1] - module[0]);
	entry = *(const uint32_t *)file == 0x464C457F ? load_elf(file) : load_by_addresses(file);
	for (uint32_t i = 0; i < told.ranges; i++) {
		const struct range *const r = &told.range[i];

		map[i] = (struct entry){sizeof *r, *r};
		pvh_map[i] = (struct pvh_entry){r->start, r->length, r->type, 0};
	}
	multiboot_info[0] = 1u << 2 | (uint32_t)(told.ranges != 0) << 6 | told.has_sizes;
	multiboot_info[1] = told.sizes[0];
	multiboot_info[2] = told.sizes[1];
	multiboot_info[4] = module[2];
	multiboot_info[11] = told.ranges * (uint32_t)sizeof *map;
	multiboot_info[12] = (uint32_t)map;
	start_info.command_line = (uint32_t)told.command_line;
	start_info.map = (uint32_t)pvh_map;
	start_info.entries = told.ranges;
	if (told.coreboot)
		make_coreboot_table(&told);
	if (told.calls)
		call(entry);
	if (told.pvh) {
		entry = told.pvh;
		left = &start_info;
	}
	__asm__ volatile("jmp *%0" : : "r"(entry), "a"(told.magic), "b"(left));
	__builtin_unreachable();
}
