// SPDX-License-Identifier: BSD-2-Clause
// The register dump of an unexpected exception or interrupt.

#include <stddef.h>

#include "arch.h"
#include "arch_put.h"
#include "layout.h"
#include "x86/cpu.h"
#include "x86/this_cpu.h"
#include "x86/traps.h"

static const char *const exception_names[] = {
	"#DE divide error", "#DB debug", "NMI", "#BP breakpoint", "#OF overflow", "#BR bound range",
	"#UD invalid opcode", "#NM no coprocessor", "#DF double fault", "coprocessor overrun",
	"#TS invalid task state", "#NP segment not present", "#SS stack fault",
	"#GP general protection",
	"#PF page fault", "reserved exception", "#MF x87 error", "#AC alignment check",
	"#MC machine check",
	"#XM SIMD error",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

void arch_frame_print(const struct arch_frame *frame, void (*put)(char c))
{
	static const struct {
		const char *name;
		size_t offset;
	} registers[] = {
#define REGISTER(name) {#name, offsetof(struct arch_frame, name)}
		REGISTER(rax), REGISTER(rbx), REGISTER(rcx), REGISTER(rdx), REGISTER(rsi),
		REGISTER(rdi),
		REGISTER(rbp), REGISTER(rsp), REGISTER(r8), REGISTER(r9), REGISTER(r10),
		REGISTER(r11),
		REGISTER(r12), REGISTER(r13), REGISTER(r14), REGISTER(r15), REGISTER(rip),
		REGISTER(cs), REGISTER(rflags), REGISTER(ss), REGISTER(vector), REGISTER(error),
#undef REGISTER
	};
	uint64_t cr2;

	__asm__ volatile("mov %%cr2, %0" : "=r"(cr2));
	put_string(put, frame->vector < COUNT(exception_names) ? exception_names[frame->vector] :
		   "interrupt");
	if ((frame->vector == VECTOR_PAGE_FAULT || frame->vector == VECTOR_DOUBLE_FAULT) &&
	    x86_memory_is_guard(cr2))
		put_string(put, ", the stack has overflowed");
	for (size_t i = 0; i < COUNT(registers); i++) {
		put_string(put, i % 4 ? "  " : "\n");
		put_string(put, registers[i].name);
		for (size_t width = 0; width < 7; width++)
			if (!registers[i].name[width]) {
				while (width++ < 7)
					put(' ');
				break;
			}
		put_hex(put, *(const uint64_t *)((const char *)frame + registers[i].offset));
	}
	put_string(put, "  cr2    ");
	put_hex(put, cr2);
	put_string(put, "\ncpu    ");
	put_hex(put, x86_this_cpu.number);
	put('\n');
}
