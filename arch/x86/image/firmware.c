// SPDX-License-Identifier: BSD-2-Clause
// Runs the image while UEFI's boot services wait, and then returns to them: saves and restores
// memory and interrupt controllers.

#include "x86/firmware.h"

#include "layout.h"
#include "x86/apic.h"
#include "x86/cpu.h"

#define MEMORY_MOST		0x4000000	/* bytes after the image */
#define PIC_MASTER_MASK		0x21
#define PIC_SLAVE_MASK		0xA1

#define PAGE_PRESENT		(1ULL << 0)
#define PAGE_LARGE		(1ULL << 7)
#define PAGE_ADDRESS		0x000FFFFFFFFFF000ULL
#define ENTRIES			512u		/* of a page table */
#define LEVELS			4
#define CR4_LEVEL_5		(1ULL << 12)

extern const uint32_t image_load_end;		// multiboot.S
extern const char image_base[];			// linker script

// A range of memory that the image needs. Saved contents are restored, allocated memory is freed.
static struct piece {
	uint64_t start, size;
	EFI_PHYSICAL_ADDRESS saved;	// address of the copy; 0: the memory was free
	bool allocated;
} pieces[FIRMWARE_MEMORY];
static unsigned count;

#define THE_IMAGE (FIRMWARE_MEMORY - 1)

static EFI_PHYSICAL_ADDRESS result;	// buffer of FIRMWARE_RESULT bytes; 0: none

static UINTN pages_of(uint64_t size)
{
	return (size + SMALL_PAGE - 1) / SMALL_PAGE;
}

static bool is_in_a_piece(uint64_t address)
{
	for (unsigned i = 0; i < count; i++)
		if (address - pieces[i].start < pieces[i].size)
			return true;
	return false;
}

// Whether a page table, or a table that it refers to, is in memory that is saved.
static bool uses_pieces(uint64_t table, unsigned level)
{
	const uint64_t *const entry = (const void *)(uintptr_t)table;

	if (is_in_a_piece(table))
		return true;
	for (unsigned i = 0; level > 1 && i < ENTRIES; i++)
		if (entry[i] & PAGE_PRESENT && (level == LEVELS || !(entry[i] & PAGE_LARGE)) &&
		    uses_pieces(entry[i] & PAGE_ADDRESS, level - 1))
			return true;
	return false;
}

// Whether all memory for the way back is outside the pieces: firmware may have allocated copies
// between them.
static bool way_back_is_free(void)
{
	const uint64_t image = (uintptr_t)image_base;
	struct x86_table_pointer gdt;
	uint64_t cr3, cr4;

	__asm__ volatile("sgdt %0; mov %%cr3, %1; mov %%cr4, %2" : "=m"(gdt), "=r"(cr3), "=r"(cr4));
	for (unsigned i = 0; i < count; i++)
		if (pieces[i].saved && (is_in_a_piece(pieces[i].saved) ||
					is_in_a_piece(pieces[i].saved + pieces[i].size - 1)))
			return false;
	return !is_in_a_piece(result) && !is_in_a_piece(result + FIRMWARE_RESULT - 1) &&
	       !is_in_a_piece(image) &&
		!is_in_a_piece(image + image_load_end - IMAGE_START - 1) &&
		!is_in_a_piece(gdt.base) &&
		!(cr4 & CR4_LEVEL_5) && !uses_pieces(cr3 & PAGE_ADDRESS, LEVELS);
}

static bool allocate(EFI_BOOT_SERVICES *services, EFI_MEMORY_TYPE type, uint64_t start,
		     uint64_t size)
{
	EFI_PHYSICAL_ADDRESS address = start;

	return !EFI_ERROR(services->AllocatePages(AllocateAddress, type, pages_of(size), &address));
}

// Some firmware uses low memory that it reports as free. Therefore pages below the image are saved
// in any case.
static bool take(EFI_BOOT_SERVICES *services, EFI_MEMORY_TYPE type, uint64_t start, uint64_t size)
{
	struct piece *const p = &pieces[count];

	*p = (struct piece){start, size, 0, allocate(services, type, start, size)};
	count++;
	return (p->allocated && start >= firmware_image_start) ||
		!EFI_ERROR(services->AllocatePages(AllocateAnyPages, EfiLoaderData, pages_of(size),
						   &p->saved));
}

// Takes the free memory after the image, or half of it, to leave the rest to the firmware.
static uint64_t take_more(EFI_BOOT_SERVICES *services)
{
	uint64_t size = MEMORY_MOST;

	while (size >= LARGE_PAGE && !allocate(services, EfiLoaderData, firmware_image_end, size))
		size /= 2;
	if (size < LARGE_PAGE)
		return 0;
	if (size == MEMORY_MOST)
		return size;
	services->FreePages(firmware_image_end + size / 2, pages_of(size / 2));
	return size / 2;
}

static uint64_t more;

void firmware_give_memory_back(EFI_BOOT_SERVICES *services)
{
	for (const struct piece *p = pieces; p < pieces + count; p++) {
		if (p->saved)
			services->FreePages(p->saved, pages_of(p->size));
		if (p->allocated)
			services->FreePages(p->start, pages_of(p->size));
	}
	if (more)
		services->FreePages(firmware_image_end, pages_of(more));
	if (result)
		services->FreePages(result, pages_of(FIRMWARE_RESULT));
	count = 0;
	more = result = 0;
}

bool firmware_take_memory(EFI_BOOT_SERVICES *services)
{
	if (take(services, EfiLoaderCode, TRAMPOLINE, SMALL_PAGE) &&
	    take(services, EfiLoaderCode, IMAGE_START, image_load_end - IMAGE_START) &&
	    take(services, EfiLoaderData, firmware_image_start,
		 firmware_image_end - firmware_image_start) &&
	    !EFI_ERROR(services->AllocatePages(AllocateAnyPages, EfiLoaderData,
					       pages_of(FIRMWARE_RESULT), &result)) &&
	    way_back_is_free()) {
		more = take_more(services);
		return true;
	}
	firmware_give_memory_back(services);
	return false;
}

//
// Interrupt controllers
//

// Registers that the image writes. Writing the timer's count restarts it, so it comes last.
static const uint16_t registers[] = {
	APIC_TASK_PRIORITY, APIC_SPURIOUS, APIC_LVTPC, APIC_TIMER_DIVIDE, APIC_LVTT,
	APIC_TIMER_INITIAL,
};

#define REGISTERS (sizeof registers / sizeof *registers)

static uint32_t apic[REGISTERS];
static uint8_t masks[2];

void firmware_silence(void)
{
	masks[0] = x86_inb(PIC_MASTER_MASK);
	masks[1] = x86_inb(PIC_SLAVE_MASK);
	for (unsigned i = 0; i < REGISTERS; i++)
		apic[i] = *x86_apic_register(registers[i]);
	*x86_apic_register(APIC_LVTT) = APIC_LVT_MASKED;
	x86_outb(PIC_MASTER_MASK, 0xFF);
	x86_outb(PIC_SLAVE_MASK, 0xFF);
}

static void restore(void)
{
	for (unsigned i = 0; i < REGISTERS; i++)
		*x86_apic_register(registers[i]) = apic[i];
	x86_outb(PIC_MASTER_MASK, masks[0]);
	x86_outb(PIC_SLAVE_MASK, masks[1]);
}

//
// The run
//

static void copy(uint64_t to, uint64_t from, uint64_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

// Called by own_stack.S.
const struct x86_early *firmware_wait(void)
{
	struct linux_memory *const memory = image_parameters.memory;
	static struct x86_early left;

	for (unsigned i = 0; i < count; i++) {
		memory[i] = (struct linux_memory){pieces[i].start,
						  pages_of(pieces[i].size) * SMALL_PAGE, 1};
		if (pieces[i].saved)
			copy(pieces[i].saved, pieces[i].start, pieces[i].size);
	}
	memory[THE_IMAGE].length += more;
	image_parameters.memory_entries = (uint8_t)count;
	copy((uintptr_t)&left, (uintptr_t)firmware_leave(X86_ENTERED_EFI), sizeof left);
	if (left.result_size > FIRMWARE_RESULT)
		left.result_size = FIRMWARE_RESULT;
	copy(result, left.result, left.result_size);
	left.result = result;
	for (unsigned i = 0; i < count; i++)
		if (pieces[i].saved)
			copy(pieces[i].start, pieces[i].saved, pieces[i].size);
	restore();
	return &left;
}
