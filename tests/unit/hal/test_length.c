// SPDX-License-Identifier: BSD-2-Clause
// Lengths of instructions against a disassembler of others: binutils' objdump, on the C library, the shell, and this
// test (64-bit), and on this project's own sources compiled for 32 and 16 bits. Each instruction is either as long as
// objdump says, or not known; those not known are counted.

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../hal/emu/guest/length.c"

#define LINE_MOST 256

struct tally {
	unsigned long known, unknown;
};

// objdump's lines: address, colon, tab, bytes in hexadecimal, tab, text.
static size_t take_bytes(const char *line, uint8_t bytes[LINE_MOST], const char **text)
{
	const char *at = strchr(line, ':');
	size_t count = 0;

	if (!at || at[1] != '\t')
		return 0;
	for (at += 2; *at != ' ' && sscanf(at, "%2hhx", &bytes[count]) == 1 && at[2] == ' '; at += 3)
		count++;
	*text = strchr(at, '\t');
	return *text ? count : 0;
}

// What objdump has as one line and the processor as two instructions: FWAIT and what is behind it. And what is none.
static bool is_left_out(const uint8_t *bytes, size_t count, const char *text)
{
	return (count > 1 && bytes[0] == 0x9B) || strstr(text, "(bad)") || strstr(text, ".byte");
}

static void check_line(const char *line, unsigned bits, struct tally *tally)
{
	uint8_t bytes[LINE_MOST];
	const char *text;
	const size_t count = take_bytes(line, bytes, &text);
	struct length length;

	if (!count || is_left_out(bytes, count, text))
		return;
	length = length_decode(bytes, count, bits);
	tally->known += length.instruction != 0;
	tally->unknown += length.instruction == 0;
	if (length.instruction && length.instruction != count)
		fail_msg("%u bits: %zu bytes, not %u: %s", bits, count, length.instruction, line);
	// Nor does it see an end before the end, when there is more behind.
	memset(bytes + count, 0x90, DECODE_LONGEST);
	if (length_decode(bytes, count + DECODE_LONGEST, bits).instruction != length.instruction && length.instruction)
		fail_msg("%u bits: another length with no-operations behind: %s", bits, line);
}

// At least so many known, and at most one in `rare` unknown.
static void check_all(const char *command, unsigned bits, unsigned long least, unsigned long rare)
{
	char line[LINE_MOST];
	struct tally tally = {0};
	FILE *from = popen(command, "r");

	assert_non_null(from);
	while (fgets(line, sizeof line, from))
		check_line(line, bits, &tally);
	assert_int_equal(pclose(from), 0);
	print_message("%u bits: %lu known, %lu not\n", bits, tally.known, tally.unknown);
	assert_true(tally.known >= least);
	assert_true(tally.unknown <= tally.known / rare);
}

#define OBJDUMP "objdump -d --insn-width=16 "

static void as_long_as_objdump_says_in_64_bit_code(void **state)
{
	(void)state;
	check_all(OBJDUMP "/bin/sh", 64, 10000, 100);
	check_all(OBJDUMP "/proc/$PPID/exe", 64, 10000, 100);
	check_all(OBJDUMP "$(ldd /bin/sh | awk '/libc\\.so/ { print $3 }')", 64, 100000, 10);
}

#define COMPILED(options) \
	"o=$(mktemp) && gcc -std=gnu17 -D__int128=int -O2 -fno-pic -ffreestanding -Ihal/include -Ipmu/include " \
	options " -include pmu/nehalem/pebs.c -include pmu/nehalem/lbr.c "\
	"-include pmu/engine/registers.c -include pmu/engine/counting.c -c -o $o pmu/nehalem/model.c && " OBJDUMP

static void as_long_as_objdump_says_in_32_bit_code(void **state)
{
	(void)state;
	check_all(COMPILED("-m32") "$o; e=$?; rm -f $o; exit $e", 32, 3000, 100);
	check_all(COMPILED("-m32 -O0 -mno-sse") "$o; e=$?; rm -f $o; exit $e", 32, 3000, 100);
}

// The compiler's calls and returns have 32-bit operands, and are not known.
static void as_long_as_objdump_says_in_16_bit_code(void **state)
{
	(void)state;
	check_all(COMPILED("-m16 -O3 -fno-jump-tables") "-m i8086 $o; e=$?; rm -f $o; exit $e", 16, 3000, 25);
}

// An instruction and all that is shorter: nothing is known of what is not whole.
static void what_is_not_whole_is_unknown(void **state)
{
	static const struct {
		unsigned bits, length;
		uint8_t bytes[DECODE_LONGEST];
	} whole[] = {
		{64, 10, {0x48, 0xB8, 1, 2, 3, 4, 5, 6, 7, 8}},			// MOV RAX, number
		{64, 8, {0xC7, 0x44, 0x24, 4, 1, 2, 3, 4}},			// MOV [RSP + byte], number
		{32, 10, {0xC7, 0x05, 1, 2, 3, 4, 5, 6, 7, 8}},			// MOV [address], number
		{32, 4, {0x66, 0xB8, 1, 2}},					// MOV AX, number
		{16, 3, {0xB8, 1, 2}},						// MOV AX, number
		{16, 4, {0x8B, 0x06, 1, 2}},					// MOV AX, [address]
		{16, 8, {0x67, 0x8B, 0x04, 0x25, 1, 2, 3, 4}},			// MOV AX, [address of 32 bits]
		{64, 9, {0xA0, 1, 2, 3, 4, 5, 6, 7, 8}},			// MOV AL, [address]
		{64, 7, {0x48, 0xF7, 0xC1, 1, 2, 3, 4}},			// TEST RCX, number
		{64, 3, {0x48, 0xF7, 0xD9}},					// NEG RCX
		{32, 3, {0xC2, 4, 0}},						// RET
		{64, 6, {0x0F, 0x85, 1, 2, 3, 4}},				// JNZ
	};

	(void)state;
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		for (unsigned size = 0; size <= whole[i].length; size++)
			assert_int_equal(length_decode(whole[i].bytes, size, whole[i].bits).instruction,
					 size == whole[i].length ? size : 0);
}

static void alone(void **state)
{
	static const char *const instructions[] = {
		"\xFB", "\xFA", "\xF4", "\x9D", "\xCF", "\xCC", "\xCD\x80", "\xF1",	// STI, CLI, HLT, POPF, INT
		"\x8E\xD0", "\x17", "\x1F", "\x07", "\x0F\xA1", "\x0F\xB2\x00",		// segments
		"\xF3\xA4", "\xF2\xAE", "\xF3\x90", "\x66\xE8\x01\x01\x01\x01",		// REP, PAUSE, CALL of 16 bits
		"\x0F\x01\xD8", "\x0F\x01\x38", "\x0F\x22\xC0", "\x0F\x23\xC0",		// VMRUN, INVLPG, MOV CR, MOV DR
		"\x0F\x30", "\x0F\x32", "\x0F\x33", "\x0F\xA2", "\x0F\x05", "\x0F\x34",	// registers, CPUID, SYSCALL
		"\xE6\x80", "\xEC", "\x6C", "\xCB", "\xFF\x18", "\xFF\x28", "\x0F\x06",	// ports, far, CLTS
		"\xC8\x01\x01\x01", "\x0F\x0B", "\xC5\xF8\x77",				// ENTER, UD2, VEX
	};
	uint8_t bytes[DECODE_LONGEST];

	(void)state;
	for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
		for (unsigned bits = 16; bits <= 64; bits *= 2) {
			memset(bytes, 0, sizeof bytes);
			memcpy(bytes, instructions[i], strlen(instructions[i]));
			if (length_decode(bytes, sizeof bytes, bits).instruction)
				fail_msg("number %zu in %u bits is not alone", i, bits);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_long_as_objdump_says_in_64_bit_code),
		cmocka_unit_test(as_long_as_objdump_says_in_32_bit_code),
		cmocka_unit_test(as_long_as_objdump_says_in_16_bit_code),
		cmocka_unit_test(what_is_not_whole_is_unknown),
		cmocka_unit_test(alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
