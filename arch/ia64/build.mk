# SPDX-License-Identifier: BSD-2-Clause
# How Itanium images are built, by a compiler that tools/cross makes. Code has the addresses that it is linked for, and
# needs no global pointer.

CROSS = $(eval CROSS := $$(shell tools/cross ia64))$(CROSS)
IMAGE_MACHINE := -mno-pic
# No scratch register of floating point: an interruption saves none, and f6-f11 are what C code may have of them. No
# advanced loads: the interrupted code's check could find those of a handler.
# A driver's operations are inlined as elsewhere, though nops make them look long.
RUNTIME_MACHINE := -mfixed-range=f6-f15,f32-f127 -mno-sched-br-data-spec -mno-sched-ar-data-spec -finline-limit=2000
STACK_MOST := 1024
# Instructions of one group that depend on each other are an error in programs, too.
WORKLOAD_MACHINE := -Wa,--fatal-warnings
LINK_MACHINE := -Wl,-z,max-page-size=4096

IMAGE_FORMATS := elf
