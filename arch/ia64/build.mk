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
# What the assembler warns of is an error in programs, too: instructions of one group that depend on each other.
WORKLOAD_MACHINE := -Wa,--fatal-warnings
LINK_MACHINE := -Wl,-z,max-page-size=4096

CONSOLE_SOURCES := one.c
ONE_CPU := one_cpu

IMAGE_FORMATS := elf

# As an EFI application it has another console and another end, and nothing is asked of a simulator. It is loaded where
# it is linked: there are no relocations. No emulator starts it.
IMAGE_OTHER_FORMATS := efi
CONSOLE_OBJECTS := $(addprefix $(IMAGES)/,arch/ia64/simulator/simulator.o hal/native/ia64/simulator/console.o)
EFI_OBJECTS := $(addprefix $(IMAGES)/,arch/ia64/efi/entry.o arch/ia64/efi/efi.o arch/ia64/efi/simulator.o \
	hal/native/ia64/efi/exit.o hal/console/uart16550.o hal/console/serial.o)
$(CONSOLE_OBJECTS) $(EFI_OBJECTS): PART_CFLAGS = $(RUNTIME_CFLAGS) -Ihal/native/ia64/efi
%.efi: %-efi.elf $(BUILD)/peimage
	$(call say,EFI $@)$(Q)$(BUILD)/peimage $< $$($(CROSS)nm $< | sed -n 's/ R efi_descriptor$$//p') $@
