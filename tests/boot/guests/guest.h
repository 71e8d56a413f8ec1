/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the guests of these tests: the console on COM1, TAP, the end of the run through the
 * debug-exit port, registers, interrupts. Guests are kernels of their own and include nothing of
 * palmon. Sections named are those of the Intel Software Developer's Manual (SDM), volume 3.
 */
#ifndef TEST_GUEST_H
#define TEST_GUEST_H

#include <stdbool.h>
#include <stdint.h>

static inline void outb(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint8_t inb(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline void put(char c)
{
	while (!(inb(0x3FD) & 0x20))
		;
	outb(0x3F8, (uint8_t)c);
}

static inline void print(const char *s)
{
	while (*s)
		put(*s++);
}

static inline void print_hex(uint64_t value)
{
	print("0x");
	for (int shift = 60; shift >= 0; shift -= 4)
		if (value >> shift || shift == 0)
			put("0123456789ABCDEF"[value >> shift & 15]);
}

static inline void print_number(uint32_t value)
{
	if (value >= 10)
		print_number(value / 10);
	put((char)('0' + value % 10));
}

/* Ends the run with this value, by the debug-exit port. QEMU executes some more instructions. */
static inline void end_guest(uint8_t value)
{
	outb(0xF4, value);
	for (;;)
		__asm__ volatile("cli; hlt");
}

static int checks, failures;

/* Prints one line of TAP, with both values if they differ. */
static inline void is(const char *name, uint64_t measured, uint64_t expected)
{
	char number[4] = {0};

	checks++;
	print(measured == expected ? "ok " : "not ok ");
	number[0] = (char)('0' + checks / 10);
	number[1] = (char)('0' + checks % 10);
	print(number);
	print(" - ");
	print(name);
	if (measured != expected) {
		failures++;
		print(": ");
		print_hex(measured);
		print(", not ");
		print_hex(expected);
	}
	print("\n");
}

/* Ends the run: with value 0 if all checks passed, else 1. */
static inline void finish(void)
{
	char plan[] = "1..00\n";

	plan[3] = (char)('0' + checks / 10);
	plan[4] = (char)('0' + checks % 10);
	print(plan);
	end_guest(failures != 0);
}

/* Registers pushed by start.S, then those pushed by the processor. */
struct frame {
	uint32_t edi, esi, ebp, esp, ebx, edx, ecx, eax, vector, error, eip, cs, eflags;
	uint32_t user_esp, user_ss;	/* only from level 3 */
};

extern char vector_stubs[];

static uint64_t idt[256] __attribute__((aligned(8)));

static inline void set_gate(unsigned vector, unsigned level)
{
	uint32_t stub = (uint32_t)vector_stubs + vector * 16;

	idt[vector] = (stub & 0xFFFFu) | 0x08u << 16 |
		(uint64_t)(0x8E00u | level << 13 | (stub & 0xFFFF0000u)) << 32;
}

static inline void start_interrupts(void)
{
	struct __attribute__((packed)) {
		uint16_t limit;
		uint32_t base;
	} pointer = {sizeof idt - 1, (uint32_t)idt};

	for (unsigned vector = 0; vector < 256; vector++)
		set_gate(vector, 0);
	__asm__ volatile("lidt %0" : : "m"(pointer));
	outb(0x21, 0xFF);		/* mask the old interrupt controllers */
	outb(0xA1, 0xFF);
}

/*
 * The length of the next instruction, which may raise an exception; the handler skips that many
 * bytes.
 */
static volatile uint32_t expected_length, exceptions, last_vector, last_error;

static inline bool take_exception(struct frame *frame)
{
	if (frame->vector >= 32 || frame->vector == 2 || !expected_length)
		return false;
	exceptions++;
	last_vector = frame->vector;
	last_error = frame->error;
	frame->eip += expected_length;
	return true;
}

static inline void fail_on(const struct frame *frame)
{
	print("Bail out! interrupt ");
	print_hex(frame->vector);
	print(" error ");
	print_hex(frame->error);
	print(" at ");
	print_hex(frame->eip);
	print("\n");
	end_guest(1);
}

static inline void wrmsr(uint32_t msr, uint64_t value)
{
	__asm__ volatile("wrmsr" : : "c"(msr), "A"(value) : "memory");
}

static inline uint64_t rdmsr(uint32_t msr)
{
	uint64_t value;

	__asm__ volatile("rdmsr" : "=A"(value) : "c"(msr) : "memory");
	return value;
}

static inline uint64_t rdpmc(uint32_t index)
{
	uint64_t value;

	__asm__ volatile("rdpmc" : "=A"(value) : "c"(index) : "memory");
	return value;
}

/* Whether an instruction of two bytes raises #GP(0), which is vector 13. */
#define FAULTS(instruction)							\
	({									\
		exceptions = 0;							\
		expected_length = 2;						\
		instruction;							\
		expected_length = 0;						\
		exceptions == 1 && last_vector == 13 && last_error == 0;	\
	})

static inline bool wrmsr_faults(uint32_t msr, uint64_t value)
{
	return FAULTS(wrmsr(msr, value));
}

static inline bool rdmsr_faults(uint32_t msr)
{
	return FAULTS(rdmsr(msr));
}

static inline bool rdpmc_faults(uint32_t index)
{
	return FAULTS(rdpmc(index));
}

static inline uint64_t rdtsc(void)
{
	uint64_t value;

	__asm__ volatile("rdtsc" : "=A"(value) : : "memory");
	return value;
}

static inline void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
	__asm__ volatile("cpuid" : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3]) : "a"(leaf),
			 "c"(subleaf));
}

/* The command line from its second word on; "" if it has one word only. */
static inline const char *second_word(const uint32_t *information)
{
	const char *word = (const char *)information[4];

	while (*word && *word != ' ')
		word++;
	return word + (*word == ' ');
}

/* The decimal number at *text, which moves to the next word; 0 if there is none. */
static inline uint32_t next_number(const char **text)
{
	uint32_t value = 0;

	for (; **text >= '0' && **text <= '9'; ++*text)
		value = value * 10 + (uint32_t)(**text - '0');
	while (**text == ' ')
		++*text;
	return value;
}

/* The local APIC. */
static inline volatile uint32_t *apic(uint32_t offset)
{
	return (volatile uint32_t *)(0xFEE00000u + offset);
}

#define APIC_EOI	0x0B0
#define APIC_SPURIOUS	0x0F0
#define APIC_IN_SERVICE	0x100
#define APIC_IRR	0x200
#define APIC_COMMAND	0x300
#define APIC_COMMAND_HIGH 0x310
#define APIC_TIMER	0x320
#define APIC_LVTPC	0x340
#define APIC_TIMER_START 0x380
#define APIC_TIMER_NOW	0x390
#define APIC_TIMER_DIVIDE 0x3E0
#define COMMAND_FIXED	0x4000u
#define COMMAND_SELF	0x40000u

#endif
