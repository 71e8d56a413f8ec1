/* SPDX-License-Identifier: BSD-2-Clause */
/* Workloads that count every event: memory outside all caches, accesses to it, and branches. */
#ifndef EVERY_EVENT_H
#define EVERY_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

//
// More memory than the L3 caches hold. It is executable, and full of returns. Each step accesses
// lines of a page that no step has accessed for so long that no cache holds them.
//

#define LINE		64
#define PAGE		4096
#define PAGES		4096
#define LINES		8		/* of a step */
#define PARTS		(PAGE / LINE / LINES)
#define RETURN		0xC3

/* First, so that half of the machine's memory ends within it. */
static uint8_t memory[PAGES][PAGE] __attribute__((aligned(2 * 1024 * 1024)));
#define AFTER_MEMORY	__attribute__((section(".bss.after_memory")))

// Takes lines from high to low addresses in each page: prefetchers go upwards. Successive pages
// belong to both packages' memory.
static inline uint8_t *take_lines(void)
{
	static size_t taken;
	const size_t page = taken * 1571 % PAGES, part = PARTS - 1 - taken / PAGES % PARTS;

	taken++;
	return &memory[page][part * LINES * LINE];
}

#define LARGE	(2 * 1024 * 1024)
static uint8_t small[LARGE / PAGE][PAGE] AFTER_MEMORY __attribute__((aligned(LARGE)));
static uint64_t small_entries[512] __attribute__((aligned(PAGE)));

#define ENTRY_LARGE	0x80ULL
#define ENTRY_NX	(1ULL << 63)
#define ENTRY_ADDRESS	0xFFFFFFFFFF000ULL

// The entry in the runtime's page tables.
static inline uint64_t *large_entry(uintptr_t address)
{
	uint64_t table;

	__asm__ volatile("mov %%cr3, %0" : "=r"(table));
	for (unsigned shift = 39; shift > 21; shift -= 9)
		table = ((uint64_t *)(table & ENTRY_ADDRESS))[address >> shift & 511];
	return &((uint64_t *)(table & ENTRY_ADDRESS))[address >> 21 & 511];
}

static inline void flush_tlbs(void)
{
	__asm__ volatile("mov %%cr3, %%rax; mov %%rax, %%cr3" : : : "rax", "memory");
}

// Makes both arrays executable, and maps `small` in small pages. Returns false if the runtime has
// no large pages.
static inline bool arrange_pages(void)
{
	uint64_t *const entry = large_entry((uintptr_t)small);
	const bool large = *entry & ENTRY_LARGE;

	memset(memory, RETURN, sizeof memory);
	memset(small, RETURN, sizeof small);
	for (size_t at = 0; at < sizeof memory; at += LARGE)
		*large_entry((uintptr_t)*memory + at) &= ~ENTRY_NX;
	for (size_t i = 0; i < 512; i++)
		small_entries[i] = (uintptr_t)small[i] | (*entry & 0xFFF & ~ENTRY_LARGE);
	*entry = (uintptr_t)small_entries | (*entry & 7);
	flush_tlbs();
	return large;
}

static inline void load(uint8_t *at)
{
	__asm__ volatile("movb (%0), %%al" : : "r"(at) : "rax");
}

static inline void store(uint8_t *at)
{
	__asm__ volatile("movb %1, (%0)" : : "r"(at), "q"((uint8_t)RETURN) : "memory");
}

static inline void lock(uint8_t *at)
{
	__asm__ volatile("lock; orb $0, (%0)" : : "r"(at) : "memory", "cc");
}

static inline void fetch(uint8_t *at)
{
	__asm__ volatile("call *%0" : : "r"(at) : "memory");
}

// Loads of other lines in the same sets. The L1 data cache's sets repeat every 4 KB.
static uint8_t others[16 * 64 * 1024] AFTER_MEMORY __attribute__((aligned(64 * 1024)));

static inline void lose_l1(uint8_t *at)
{
	for (unsigned i = 0; i < 8; i++)
		load(others + (uintptr_t)at % PAGE + i * PAGE);
}

// Accesses a large page, and then, twice, more small pages than the first TLBs have entries. The
// TLBs start empty.
#define SMALL_PAGES 200

static inline void walk(void)
{
	static void (*const kinds[])(uint8_t *) = {load, store, fetch};

	for (unsigned kind = 0; kind < 3; kind++) {
		flush_tlbs();
		kinds[kind](memory[0]);
		for (unsigned i = 0; i < 2 * SMALL_PAGES; i++)
			kinds[kind](small[i % SMALL_PAGES]);
	}
}

// Branches with unpredictable targets and directions, taken from a random number's bits.
__asm__(".text\n"
	"unforeseen: mov $200, %esi; mov $0x12345, %edi\n"
	"1: imul $1664525, %edi, %edi; add $1013904223, %edi\n"
	"mov %edi, %eax; shr $29, %eax; and $1, %eax\n"
	"lea places(,%rax,8), %rcx; mov (%rcx), %rcx; jmp *%rcx\n"
	"first: nop\n"
	"second: mov functions(,%rax,8), %rcx; call *%rcx\n"
	"test $0x40000000, %edi; jz 2f; nop\n"
	"2: test $0x80000000, %edi; jnz 3f; nop\n"
	"3: dec %esi; jnz 1b; ret\n"
	"one: ret\ntwo: nop; ret\n"
	// More nested calls than there are return addresses.
	"deep: dec %edi; jz 4f; call deep\n4: ret\n"
	// Returns to another address.
	"elsewhere: call 5f\n5: add $6f - 5b, (%rsp); ret\n6: ret\n"
	".data\n.balign 8\nplaces: .quad first, second\nfunctions: .quad one, two\n.text\n");
static inline void branch(void)
{
	__asm__ volatile("call unforeseen; mov $40, %%edi; call deep; call elsewhere"
			 : : : "rax", "rcx", "rsi", "rdi", "memory", "cc");
}

#endif
