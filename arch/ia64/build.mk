# SPDX-License-Identifier: BSD-2-Clause
# Itanium images: built by a compiler from tools/cross. Code is linked for a fixed address, and uses
# no global pointer.

CROSS = $(eval CROSS := $$(shell tools/cross ia64))$(CROSS)
IMAGE_MACHINE := -mno-pic
# No floating-point scratch registers other than f6-f11: interruptions save none. No advanced loads:
# a handler's could satisfy a check in the interrupted code. Inline a driver's operations as on
# other targets, although nops make them look long.
RUNTIME_MACHINE := -mfixed-range=f6-f15,f32-f127 -mno-sched-br-data-spec -mno-sched-ar-data-spec -finline-limit=2000
STACK_MOST := 1024
# Dependent instructions in one group are errors in programs, too, not only warnings of the
# assembler.
WORKLOAD_MACHINE := -Wa,--fatal-warnings
LINK_MACHINE := -Wl,-z,max-page-size=4096

CONSOLE_SOURCES := one.c
ONE_CPU := one_cpu

IMAGE_FORMATS := elf
