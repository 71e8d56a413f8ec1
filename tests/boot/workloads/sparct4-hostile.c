// SPDX-License-Identifier: BSD-2-Clause
// A workload in user mode that attempts a forbidden access. WAY is the address of
// one of the functions without arguments. tests/boot/sparct4-workload.t changes this word in the
// image.

#include <stdio.h>
#include <stdlib.h>

#include "sparct4-words.h"

int workload(void);

WORD(WAY, read_pcr);

// Symbols of the runtime.
extern uint64_t hal_memory_start;
extern const char arch_execute_user[], memory_end[];

#define HYPERVISOR_MEMORY	0x100000	/* the first address, below the image */
#define CONSOLE			0x1F10000000

// The runtime's system call to write (hal/include/system.h).
__attribute__((noipa, used)) static void write_from(uint64_t address, uint64_t size)
{
	register uint64_t o0 __asm__("o0") = 0, o1 __asm__("o1") = address, o2 __asm__("o2") = size;

	__asm__ volatile("ta 0x61" : "+r"(o0) : "r"(o1), "r"(o2) : "memory");
	printf("written: %d\n", (int)o0);
}

// Instructions that trap.
#define REFUSED(name, instruction) \
	__attribute__((noipa, used)) static void name(void) \
	{ \
		__asm__ volatile(instruction : : : "g1", "g2", "memory"); \
		puts("not refused"); \
	}

REFUSED(read_pcr, "ldxa [%%g0] 0x64, %%g1")
REFUSED(read_pic, "ldxa [%%g0] 0xB0, %%g1")
REFUSED(write_pic, "stxa %%g0, [%%g0] 0xB0")
REFUSED(write_hpstate, "wrhpr %%g0, 4, %%hpstate")
REFUSED(write_clock, "wr %%g0, 0, %%asr24")
REFUSED(use_restricted_asi, "wr %%g0, 0x21, %%asi; ldxa [%%g0] %%asi, %%g1")
REFUSED(return_from_trap, "retry")
REFUSED(return_as_known_code, "ta 0x62")
REFUSED(switch_fpu_off, "wr %%g0, 0, %%fprs; fmovd %%f0, %%f2")

// Jumps to the instruction with which known code returns, its eleventh.
__attribute__((noipa, used)) static void jump_into_known_code(void)
{
	__asm__ volatile("jmpl %0 + 10 * 4, %%o7; nop" : : "r"(arch_execute_user) : "o7", "memory");
	puts("not refused");
}

// All windows are in use. The runtime needs one for the trap, and spills the oldest one to
// `address`.
__attribute__((noipa, used)) static void spill_in_trap_to(uint64_t address)
{
	__asm__ volatile("mov %%sp, %%g1\n"
			 "sub %0, 2047, %%g2\n"
			 "save %%g1, -192, %%sp\n"
			 "flushw\n"
			 "mov %%g2, %%sp\n"
			 "save %%g1, -384, %%sp\n"
			 ".rept 5\n"
			 "save %%sp, -192, %%sp\n"
			 ".endr\n"
			 "mov 1, %%o0; mov 0, %%o1\n"		// extends the heap by 0
			 "ta 0x61\n"
			 ".rept 7\n"
			 "restore\n"
			 ".endr\n"
			 : : "r"(address) : "g1", "g2", "memory");
	puts("not refused");
}

// The program itself spills to an invalid address.
__attribute__((noipa, used)) static void lose_stack_pointer(void)
{
	__asm__ volatile("save %%sp, -192, %%sp; clr %%sp\n"
			 ".rept 8\n"
			 "save\n"
			 ".endr\n" : : : "memory");
	puts("not refused");
}

__attribute__((noipa, used)) static int recurse_for_ever(int n)
{
	volatile int here = n;

	return recurse_for_ever(n + 1) + here;
}

// A way that is this code.
#define A_WAY(name, code)						\
	__attribute__((noipa, used)) static void name(void)		\
	{								\
		code;							\
	}

A_WAY(write_hypervisor, write_from(HYPERVISOR_MEMORY, 64))
A_WAY(write_device, write_from(CONSOLE, 8))
A_WAY(write_past_end, write_from((uint64_t)memory_end - 8, 9))
A_WAY(write_around, write_from(-64, 128))
A_WAY(write_last, write_from((uint64_t)memory_end - 8, 8))
A_WAY(spill_to_runtime, spill_in_trap_to((uint64_t)&hal_memory_start))
A_WAY(spill_to_device, spill_in_trap_to(CONSOLE))
A_WAY(recurse, recurse_for_ever(0))
A_WAY(exit_3, exit(3))
A_WAY(exit_0, exit(0))
A_WAY(call_abort, abort())

__attribute__((noipa, used)) static void spill_to_own(void)
{
	static uint64_t window[16];

	spill_in_trap_to((uint64_t)window);
}

int workload(void)
{
	((void (*)(void))(uintptr_t)WAY)();
	return 0;
}
