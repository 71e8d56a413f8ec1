/* SPDX-License-Identifier: BSD-2-Clause */
/* Code at level 3: it returns with INT 80H, for which guest_interrupt calls leave_level_3. */
#ifndef TEST_LEVEL3_H
#define TEST_LEVEL3_H

#include "guest.h"

#define VECTOR_BACK	0x80
#define FLAGS_OFF	0x002	/* interrupts off */
#define FLAGS_ON	0x202

static volatile uint32_t user_eip_back, user_esp_back;
static uint32_t user_stack[256];

static inline void leave_level_3(void)
{
	__asm__ volatile("mov %0, %%esp; jmp *%1" : : "r"(user_esp_back), "r"(user_eip_back));
	__builtin_unreachable();
}

static inline void at_level_3(const char *code, uint32_t ecx, uint32_t flags)
{
	set_gate(VECTOR_BACK, 3);
	__asm__ volatile("pusha; mov %%esp, %0; movl $1f, %1; push $0x23; push %3; push %5; push "
			 "$0x1B; push %2; iret\n"
			 "1: mov $0x10, %%eax; mov %%eax, %%ds; mov %%eax, %%es; popa"
			 : "=m"(user_esp_back), "=m"(user_eip_back)
			 : "r"(code), "r"(user_stack + 256), "c"(ecx), "r"(flags) : "eax", "edx",
			 "memory");
}

#endif
