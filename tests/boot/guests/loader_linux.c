// SPDX-License-Identifier: BSD-2-Clause
// Starts a bzImage by the Linux boot protocol, at its 32-bit or 64-bit entry (Linux,
// Documentation/x86/boot.rst, zero-page.rst), at the address given, also above 4 GiB.

#include "guest.h"
#include "loader.h"

#define SETUP_SECTORS	0x1F1
#define HEADER		0x1F1
#define HEADER_END	0x268
#define LOADER		0x210
#define COMMAND_LINE	0x228
#define SCREEN_KIND	0x00F
#define SCREEN		0x012
#define MAP_ENTRIES	0x1E8
#define MAP		0x2D0
#define GIB		0x40000000ull

static uint8_t zero_page[4096] __attribute__((aligned(4096)));

static void put_word(uint32_t offset, uint32_t value)
{
	*(uint32_t *)(void *)(zero_page + offset) = value;
}

static void fill_zero_page(const struct told *told, const uint8_t *file)
{
	for (uint32_t i = HEADER; i < HEADER_END; i++)
		zero_page[i] = file[i];
	zero_page[LOADER] = 0xFF;
	put_word(COMMAND_LINE, (uint32_t)told->command_line);
	zero_page[MAP_ENTRIES] = (uint8_t)told->ranges;
	for (uint32_t i = 0; i < told->ranges; i++)
		((struct range *)(void *)(zero_page + MAP))[i] = told->range[i];
	if (told->screen[0]) {
		zero_page[SCREEN_KIND] = 0x70;
		put_word(SCREEN, told->screen[1] | told->screen[2] << 16);
		put_word(SCREEN + 4, 32);
		put_word(0x018, told->screen[0]);
		put_word(0x024, told->screen[3]);
	}
}

// Page tables for long mode: they map the first 4 GiB and the kernel's destination, to which the
// code below copies it.
static uint64_t tables[2 + 6][512] __attribute__((aligned(4096)));

extern char enter_64[];
__asm__(".pushsection .text\n"
	"enter_64:\n"			// EBX: target, source, size, zero page; 64 bits each
	"	mov %eax, %cr3\n"
	"	mov %cr4, %ecx; or $0x20, %ecx; mov %ecx, %cr4\n"
	"	mov $0xC0000080, %ecx; rdmsr; or $0x100, %eax; wrmsr\n"
	"	mov %cr0, %ecx; or $0x80000000, %ecx; mov %ecx, %cr0\n"
	"	ljmp $0x30, $1f\n"
	"	.code64\n"
	"1:	mov (%rbx), %rdi; mov 8(%rbx), %rsi; mov 16(%rbx), %rcx; mov %rdi, %rdx\n"
	"	rep movsb\n"
	"	mov 24(%rbx), %rsi\n"
	"	add $0x200, %rdx; jmp *%rdx\n"
	"	.code32\n"
	"	.popsection\n");

static void map_gib(unsigned directory, uint64_t gib)
{
	for (unsigned i = 0; i < 512; i++)
		tables[2 + directory][i] = (gib * GIB + ((uint64_t)i << 21)) | 0x83;
	tables[1][gib] = (uint32_t)tables[2 + directory] | 3;
}

void start_linux(const struct told *told, const uint8_t *file, uint32_t size)
{
	const uint32_t setup = (file[SETUP_SECTORS] + 1u) * 512;
	const uint64_t to = told->linux_64_at ? told->linux_64_at : told->linux_at;
	uint64_t passed[4] = {to, (uint32_t)file + setup, size - setup, (uint32_t)zero_page};

	fill_zero_page(told, file);
	if (told->linux_64_at) {
		tables[0][0] = (uint32_t)tables[1] | 3;
		for (unsigned i = 0; i < 4; i++)
			map_gib(i, i);
		for (unsigned i = 0; i < 2 && to >= 4 * GIB; i++)	// it may cross a GiB
			map_gib(4 + i, to / GIB + i);
		__asm__ volatile("jmp *%2" : : "a"(tables[0]), "b"(passed),
				 "r"(enter_64) : "memory");
	}
	for (uint32_t i = 0; i < size - setup; i++)
		((uint8_t *)(uint32_t)to)[i] = file[setup + i];
	__asm__ volatile("cli; mov %0, %%esi; jmp *%1" : : "r"(zero_page),
			 "r"((uint32_t)to) : "memory", "esi");
	__builtin_unreachable();
}
