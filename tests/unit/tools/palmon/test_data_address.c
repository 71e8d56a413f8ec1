// SPDX-License-Identifier: BSD-2-Clause
// Data addresses of loads and stores from the registers after them. Encodings, operands and stack
// addresses: Intel's Software Developer's Manual, volume 2 (PUSH, POP, CALL, RET, LEAVE, MOVS).
// Overwritten registers: the performance analysis guide, "Precise Memory Access Events".

#include "unit.h"

#include <string.h>

#include "data_address.h"

// The registers after the instruction.
static const struct sample_register registers[] = {
	{"ax", 0x1000}, {"cx", 0x2000}, {"dx", 0x3000}, {"bx", 0x4000}, {"sp", 0x5000},
	{"bp", 0x6000}, {"si", 0x7000}, {"di", 0x8000}, {"r8", 0x9000}, {"r9", 0xA000},
	{"r10", 0xB000}, {"r11", 0xC000}, {"r12", 0xD000}, {"r13", 0xE000}, {"r14", 0xF000},
	{"r15", 0x123400010000},
};

#define AT		0x400000
#define DOWN		0x400		// the direction flag

static const struct instruction {
	const char *text;
	uint8_t bytes[12];
	enum payload_access access;
	enum data_address found;
	uint64_t address;
	uint64_t flags;
} instructions[] = {
	// Operands
	{"mov ecx, [rax+10h]", {0x8B, 0x48, 0x10}, PAYLOAD_LOAD, DATA_KNOWN, 0x1010, 0},
	{"mov rax, [rbx+rcx*8]", {0x48, 0x8B, 0x04, 0xCB}, PAYLOAD_LOAD, DATA_KNOWN, 0x14000, 0},
	{"mov eax, [r12-8]", {0x41, 0x8B, 0x44, 0x24, 0xF8}, PAYLOAD_LOAD, DATA_KNOWN, 0xCFF8, 0},
	{"mov ecx, [r15d]", {0x67, 0x41, 0x8B, 0x0F}, PAYLOAD_LOAD, DATA_KNOWN, 0x10000, 0},
	{"mov ecx, [r15]", {0x41, 0x8B, 0x0F}, PAYLOAD_LOAD, DATA_KNOWN, 0x123400010000, 0},
	{"mov eax, [rip+10h]", {0x8B, 0x05, 0x10}, PAYLOAD_LOAD, DATA_KNOWN, AT + 6 + 0x10, 0},
	{"mov [rax], ecx", {0x89, 0x08}, PAYLOAD_STORE, DATA_KNOWN, 0x1000, 0},
	{"add [rax], ecx", {0x01, 0x08}, PAYLOAD_LOAD, DATA_KNOWN, 0x1000, 0},
	{"add [rax], ecx", {0x01, 0x08}, PAYLOAD_STORE, DATA_KNOWN, 0x1000, 0},
	{"xchg [rax], ecx", {0x87, 0x08}, PAYLOAD_STORE, DATA_KNOWN, 0x1000, 0},
	{"cmpxchg [rbx], ecx", {0x0F, 0xB1, 0x0B}, PAYLOAD_LOAD, DATA_KNOWN, 0x4000, 0},
	{"bt [rax], 5", {0x0F, 0xBA, 0x20, 0x05}, PAYLOAD_LOAD, DATA_KNOWN, 0x1000, 0},
	{"prefetcht0 [rax]", {0x0F, 0x18, 0x08}, PAYLOAD_LOAD, DATA_KNOWN, 0x1000, 0},
	{"movaps xmm0, [rsp+20h]", {0x0F, 0x28, 0x44, 0x24, 0x20}, PAYLOAD_LOAD, DATA_KNOWN,
	 0x5020, 0},

	// Overwritten registers
	{"mov rax, [rax]", {0x48, 0x8B, 0x00}, PAYLOAD_LOAD, DATA_OVERWRITTEN, 0, 0},
	{"mov al, [rax]", {0x8A, 0x00}, PAYLOAD_LOAD, DATA_OVERWRITTEN, 0, 0},
	{"mov ecx, [rax+rcx]", {0x8B, 0x0C, 0x08}, PAYLOAD_LOAD, DATA_OVERWRITTEN, 0, 0},
	{"cmovz rax, [rax]", {0x48, 0x0F, 0x44, 0x00}, PAYLOAD_LOAD, DATA_OVERWRITTEN, 0, 0},
	{"pop rsp", {0x5C}, PAYLOAD_LOAD, DATA_OVERWRITTEN, 0, 0},
	{"enter 8, 0", {0xC8, 0x08, 0x00, 0x00}, PAYLOAD_STORE, DATA_OVERWRITTEN, 0, 0},

	// The stack
	{"push rax", {0x50}, PAYLOAD_STORE, DATA_KNOWN, 0x5000, 0},
	{"push ax", {0x66, 0x50}, PAYLOAD_STORE, DATA_KNOWN, 0x5000, 0},
	{"push [rsp+8]", {0xFF, 0x74, 0x24, 0x08}, PAYLOAD_STORE, DATA_KNOWN, 0x5000, 0},
	{"push [rsp+8]", {0xFF, 0x74, 0x24, 0x08}, PAYLOAD_LOAD, DATA_KNOWN, 0x5010, 0},
	{"pop rax", {0x58}, PAYLOAD_LOAD, DATA_KNOWN, 0x4FF8, 0},
	{"pop ax", {0x66, 0x58}, PAYLOAD_LOAD, DATA_KNOWN, 0x4FFE, 0},
	{"pop [rsp+8]", {0x8F, 0x44, 0x24, 0x08}, PAYLOAD_LOAD, DATA_KNOWN, 0x4FF8, 0},
	{"pop [rsp+8]", {0x8F, 0x44, 0x24, 0x08}, PAYLOAD_STORE, DATA_KNOWN, 0x5008, 0},
	{"pushfq", {0x9C}, PAYLOAD_STORE, DATA_KNOWN, 0x5000, 0},
	{"call", {0xE8}, PAYLOAD_STORE, DATA_KNOWN, 0x5000, 0},
	{"call [rsp+8]", {0xFF, 0x54, 0x24, 0x08}, PAYLOAD_LOAD, DATA_KNOWN, 0x5010, 0},
	{"ret", {0xC3}, PAYLOAD_LOAD, DATA_KNOWN, 0x4FF8, 0},
	{"ret 8", {0xC2, 0x08}, PAYLOAD_LOAD, DATA_KNOWN, 0x4FF0, 0},
	{"leave", {0xC9}, PAYLOAD_LOAD, DATA_KNOWN, 0x4FF8, 0},

	// Strings: the last element
	{"movsq", {0x48, 0xA5}, PAYLOAD_LOAD, DATA_KNOWN, 0x6FF8, 0},
	{"movsq", {0x48, 0xA5}, PAYLOAD_STORE, DATA_KNOWN, 0x7FF8, 0},
	{"movsq, down", {0x48, 0xA5}, PAYLOAD_LOAD, DATA_KNOWN, 0x7008, DOWN},
	{"movsq, down", {0x48, 0xA5}, PAYLOAD_STORE, DATA_KNOWN, 0x8008, DOWN},
	{"rep movsb", {0xF3, 0xA4}, PAYLOAD_STORE, DATA_KNOWN, 0x7FFF, 0},
	{"rep stosd", {0xF3, 0xAB}, PAYLOAD_STORE, DATA_KNOWN, 0x7FFC, 0},
	{"lodsb", {0xAC}, PAYLOAD_LOAD, DATA_KNOWN, 0x6FFF, 0},
	{"repne scasb", {0xF2, 0xAE}, PAYLOAD_LOAD, DATA_KNOWN, 0x7FFF, 0},

	// Two loads; segments; a bit string; a far return
	{"cmpsb", {0xA6}, PAYLOAD_LOAD, DATA_UNSUPPORTED, 0, 0},
	{"mov rax, fs:[0]", {0x64, 0x48, 0x8B, 0x04, 0x25}, PAYLOAD_LOAD, DATA_UNSUPPORTED, 0, 0},
	{"mov rax, gs:[rbx]", {0x65, 0x48, 0x8B, 0x03}, PAYLOAD_LOAD, DATA_UNSUPPORTED, 0, 0},
	{"bt [rax], ecx", {0x0F, 0xA3, 0x08}, PAYLOAD_LOAD, DATA_UNSUPPORTED, 0, 0},
	{"iretq", {0x48, 0xCF}, PAYLOAD_LOAD, DATA_UNSUPPORTED, 0, 0},

	// No such access: another instruction was sampled
	{"mov [rax], ecx", {0x89, 0x08}, PAYLOAD_LOAD, DATA_UNCERTAIN, 0, 0},
	{"cmp [rax], ecx", {0x39, 0x08}, PAYLOAD_STORE, DATA_UNCERTAIN, 0, 0},
	{"lea eax, [rax]", {0x8D, 0x00}, PAYLOAD_LOAD, DATA_UNCERTAIN, 0, 0},
	{"nop [rax]", {0x0F, 0x1F, 0x00}, PAYLOAD_LOAD, DATA_UNCERTAIN, 0, 0},
	{"ret", {0xC3}, PAYLOAD_STORE, DATA_UNCERTAIN, 0, 0},
	{"push rax", {0x50}, PAYLOAD_LOAD, DATA_UNCERTAIN, 0, 0},
};

static struct sample sample_of(const struct instruction *i)
{
	struct sample sample = {.access = i->access, .flags = i->flags, .registers = 16};

	memcpy(sample.contents, registers, sizeof registers);
	return sample;
}

static void addresses_follow_from_the_registers_after_the_instruction(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof instructions / sizeof *instructions; n++) {
		const struct instruction *i = &instructions[n];
		const struct sample sample = sample_of(i);
		uint64_t address = 0;

		print_message("%s\n", i->text);
		assert_int_equal(data_address_of(i->bytes, sizeof i->bytes, AT, &sample, &address),
				 i->found);
		assert_int_equal(address, i->address);
	}
}

static void an_instruction_that_is_cut_off_is_not_certain(void **state)
{
	const struct sample sample = sample_of(&instructions[0]);
	uint64_t address;

	(void)state;
	for (size_t count = 0; count < 3; count++)
		assert_int_equal(data_address_of(instructions[0].bytes, count, AT, &sample,
						 &address), DATA_UNCERTAIN);
}

// A trace has no registers: all of a record's are 0.
static void samples_without_registers_have_no_address(void **state)
{
	struct sample sample = sample_of(&instructions[0]);
	uint64_t address;

	(void)state;
	sample.registers = 15;
	assert_int_equal(data_address_of(instructions[0].bytes, 3, AT, &sample, &address),
			 DATA_UNRECORDED);
	sample.registers = 16;
	for (unsigned i = 0; i < 16; i++)
		sample.contents[i].contents = 0;
	assert_int_equal(data_address_of(instructions[0].bytes, 3, AT, &sample, &address),
			 DATA_UNRECORDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_follow_from_the_registers_after_the_instruction),
		cmocka_unit_test(an_instruction_that_is_cut_off_is_not_certain),
		cmocka_unit_test(samples_without_registers_have_no_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
