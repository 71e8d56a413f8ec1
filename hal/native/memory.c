// SPDX-License-Identifier: BSD-2-Clause
// The image's memory: the range that callers may pass for outputs, the C library's heap, and the
// saved state of programs' memory.

#include "memory.h"

#include <string.h>

#include "hal.h"

// Linker script.
extern char text_start[], text_end[], writable_start[], program_data_start[], program_data_end[],
	program_stacks_start[], program_stacks_end[], heap_start[];

#define PAGE	(1ULL << 14)	/* ia64's; runtime and programs share no page */

uint64_t hal_memory_start, hal_memory_end;
static uint64_t heap_end, heap_most;	// heap_most: the highest heap_end so far

void memory_start(uint64_t end)
{
	hal_memory_start = (uintptr_t)writable_start;
	hal_memory_end = end;
	heap_end = heap_most = (uintptr_t)heap_start;
}

static void note_heap_end(uint64_t end)
{
	uint64_t most = __atomic_load_n(&heap_most, __ATOMIC_RELAXED);

	while (end > most && !__atomic_compare_exchange_n(&heap_most, &most, end, false,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void *memory_extend_heap(int64_t size)
{
	uint64_t old = __atomic_load_n(&heap_end, __ATOMIC_RELAXED), new;

	do {
		new = old + (uint64_t)size;
		if (new < (uintptr_t)heap_start || new > hal_memory_end)
			return (void *)0;
	} while (!__atomic_compare_exchange_n(&heap_end, &old, new, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	note_heap_end(new);
	return (void *)(uintptr_t)old;
}

void *memory_take(uint64_t size)
{
	const uint64_t start = (hal_memory_end - size) & ~(PAGE - 1);

	if (size > hal_memory_end || start < heap_end || start - heap_end < size)
		return (void *)0;
	hal_memory_end = start;
	return (void *)(uintptr_t)start;
}

enum memory_region memory_region_of(uint64_t address)
{
	if (address >= (uintptr_t)program_data_start && address < (uintptr_t)program_data_end)
		return MEMORY_DATA;
	if (address >= (uintptr_t)program_stacks_start && address < (uintptr_t)program_stacks_end)
		return MEMORY_STACKS;
	if (address >= (uintptr_t)text_start && address < (uintptr_t)text_end)
		return MEMORY_CONSTANTS;
	return address >= (uintptr_t)heap_start && address < hal_memory_end ? MEMORY_HEAP :
	       MEMORY_ELSEWHERE;
}

//
// Saved state of programs' memory, without pages that are all 0
//

#define SAVED_PAGE 4096

struct saved_page {
	uint64_t address;
	uint64_t word[SAVED_PAGE / sizeof(uint64_t)];
};

static struct {
	uint64_t heap_end;
	size_t count;
	struct saved_page *page;
} saved;

// The ranges to save, rounded to whole words: data, and the heap up to its highest end.
static struct hal_range data_range(void)
{
	return (struct hal_range){(uintptr_t)program_data_start & -sizeof(uint64_t),
				  ((uintptr_t)program_data_end + sizeof(uint64_t) - 1) &
				  -sizeof(uint64_t)};
}

static struct hal_range heap_range(void)
{
	return (struct hal_range){(uintptr_t)heap_start & -sizeof(uint64_t),
				  (heap_most + sizeof(uint64_t) - 1) & -sizeof(uint64_t)};
}

static bool is_zero(const uint64_t *word, size_t words)
{
	while (words && !*word) {
		word++;
		words--;
	}
	return !words;
}

static size_t words_from(uint64_t address, uint64_t end)
{
	return (end - address < SAVED_PAGE ? end - address : SAVED_PAGE) / sizeof(uint64_t);
}

// Calls `take` for each page that is not 0.
static void each_page(const struct hal_range *r, void (*take)(uint64_t address, size_t words))
{
	for (uint64_t address = r->from; address < r->to; address += SAVED_PAGE) {
		const size_t words = words_from(address, r->to);

		if (!is_zero((const uint64_t *)(uintptr_t)address, words))
			take(address, words);
	}
}

static void count_page(uint64_t address, size_t words)
{
	(void)address, (void)words;
	saved.count++;
}

static void save_page(uint64_t address, size_t words)
{
	struct saved_page *page = &saved.page[saved.count++];

	page->address = address;
	memcpy(page->word, (const void *)(uintptr_t)address, words * sizeof *page->word);
}

bool memory_save(void)
{
	const struct hal_range data = data_range(), heap = heap_range();

	saved.count = 0;
	each_page(&data, count_page);
	each_page(&heap, count_page);
	saved.page = memory_take(saved.count * sizeof *saved.page);
	if (!saved.page)
		return false;
	saved.heap_end = heap_end;
	saved.count = 0;
	each_page(&data, save_page);
	each_page(&heap, save_page);
	return true;
}

// Restores a range from the saved pages, which are in ascending order from *next on.
static void restore_range(const struct hal_range *r, size_t *next)
{
	for (uint64_t address = r->from; address < r->to; address += SAVED_PAGE) {
		const size_t size = words_from(address, r->to) * sizeof(uint64_t);

		if (*next < saved.count && saved.page[*next].address == address)
			memcpy((void *)(uintptr_t)address, saved.page[(*next)++].word, size);
		else if (!is_zero((const uint64_t *)(uintptr_t)address, size / sizeof(uint64_t)))
			memset((void *)(uintptr_t)address, 0, size);
	}
}

void memory_restore(void)
{
	const struct hal_range data = data_range(), heap = heap_range();
	size_t next = 0;

	if (!saved.page)
		return;
	restore_range(&data, &next);
	restore_range(&heap, &next);
	heap_end = heap_most = saved.heap_end;
}

void memory_flush(void)
{
	const struct hal_range ranges[] = {
		{(uintptr_t)text_start, (uintptr_t)text_end},
		{(uintptr_t)program_stacks_start, (uintptr_t)program_stacks_end},
		data_range(), heap_range(),
	};

	hal_flush(ranges, sizeof ranges / sizeof *ranges);
}
