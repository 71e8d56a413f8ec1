// SPDX-License-Identifier: BSD-2-Clause
// What a kernel finds that Linux's boot protocol or PVH has started: registers (boot.rst, "32-bit Boot Protocol",
// "64-bit Boot Protocol"; pvh.pandoc, "x86/HVM direct boot ABI"), and what it is passed. Texts and memory are printed.

#include "../guest.h"

#define ENTRY_PVH	18

#define CR0_PE		1u
#define CR0_PG		0x80000000u
#define CR4_PAE		0x20u
#define EFER_LONG	0x500u		/* LME, LMA */
#define FLAG_IF		0x200u

extern uint16_t kept_segments[4];
extern uint32_t kept_flags, kept_cr0, kept_cr4, kept_efer;
extern struct __attribute__((packed)) {
	uint16_t limit;
	uint32_t base;
} kept_gdt;

struct range {
	uint64_t start, length;
	uint32_t type;
};

static uint64_t memory_end;

static void print_range(struct range r)
{
	print("memory ");
	print_hex(r.start);
	print(" ");
	print_hex(r.start + r.length);
	print(" ");
	print_number(r.type);
	print("\n");
	if (r.type == 1 && r.start + r.length > memory_end)
		memory_end = r.start + r.length;
}

static void print_text(const char *name, const char *text)
{
	print(name);
	print(" '");
	print(text);
	print("'\n");
}

static void print_initrd(uint32_t start, uint32_t size)
{
	print("initrd of ");
	print_number(size);
	print(" bytes '");
	for (uint32_t i = 0; i < size && i < 16; i++) {
		const char c = ((const char *)start)[i];

		put(c ? c : '.');
	}
	print("'\n");
	is("the initrd is on a page", start % 4096, 0);
	is("the initrd is above the kernel", size && start < 0x1200000, 0);
	is("the initrd ends in memory", start + size <= memory_end, 1);
}

static void has_flat_segments(void)
{
	is("CS is 10H", kept_segments[0], 0x10);
	is("DS is 18H", kept_segments[1], 0x18);
	is("ES is 18H", kept_segments[2], 0x18);
	is("SS is 18H", kept_segments[3], 0x18);
	is("the descriptor table has both", kept_gdt.limit >= 0x1F, 1);
	is("of code", *(const uint64_t *)(kept_gdt.base + 0x10) >> 40 & 0xFF, 0x9B);
	is("of data", *(const uint64_t *)(kept_gdt.base + 0x18) >> 40 & 0xFF, 0x93);
}

// Offsets: Linux, Documentation/x86/zero-page.rst and boot.rst.
static void check_zero_page(const uint8_t *zero_page)
{
	const uint32_t *at = (const uint32_t *)zero_page;

	is("the header is the file's", at[0x202 / 4] >> 16 | at[0x204 / 4] << 16, 0x53726448);
	is("the loader has no number", zero_page[0x210], 0xFF);
	is("the code is at its preferred address", at[0x214 / 4], *(const uint32_t *)(zero_page + 0x258));
	print_text("command line", (const char *)at[0x228 / 4]);
	for (unsigned i = 0; i < zero_page[0x1E8]; i++) {
		const uint32_t *entry = (const uint32_t *)(zero_page + 0x2D0 + i * 20);

		print_range((struct range){
			entry[0] | (uint64_t)entry[1] << 32, entry[2] | (uint64_t)entry[3] << 32, entry[4],
		});
	}
	print_initrd(at[0x218 / 4], at[0x21C / 4]);
}

static void check_linux(unsigned entry, const uint8_t *zero_page)
{
	is("protection, and paging if 64-bit", kept_cr0 & (CR0_PE | CR0_PG), entry == 64 ? CR0_PE | CR0_PG : CR0_PE);
	if (entry == 64) {
		is("PAE", kept_cr4 & CR4_PAE, CR4_PAE);
		is("64-bit mode", kept_efer & EFER_LONG, EFER_LONG);
	}
	has_flat_segments();
	check_zero_page(zero_page);
}

// Xen, include/public/arch-x86/hvm/start_info.h, as words of 32 bits; high halves are 0.
static void check_pvh(const uint32_t *info)
{
	const char *rsdp = (const char *)info[8];

	is("protection, no paging", kept_cr0 & (CR0_PE | CR0_PG), CR0_PE);
	is("CR4", kept_cr4, 0);
	is("the magic number", info[0], 0x336EC578);
	is("the version", info[1], 1);
	is("no flags", info[2], 0);
	print_text("command line", (const char *)info[6]);
	is("ACPI's root pointer", rsdp[0] == 'R' && rsdp[4] == 'P' && rsdp[7] == ' ', 1);
	for (uint32_t i = 0; i < info[12]; i++) {
		const uint64_t *entry = (const uint64_t *)(info[10] + i * 24);

		print_range((struct range){entry[0], entry[1], (uint32_t)entry[2]});
	}
	if (info[3])
		print_initrd(*(const uint32_t *)info[4], *(const uint32_t *)(info[4] + 8));
}

void guest_main(unsigned entry, const void *passed);

void guest_main(unsigned entry, const void *passed)
{
	print("entry ");
	print_number(entry);
	print("\n");
	is("interrupts are off", kept_flags & FLAG_IF, 0);
	if (entry == ENTRY_PVH)
		check_pvh(passed);
	else
		check_linux(entry, passed);
	finish();
}
