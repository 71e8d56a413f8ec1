# SPDX-License-Identifier: BSD-2-Clause
# Builds Itanium images with the compiler of tools/cross. Code runs at its link addresses and needs
# no global pointer.

CROSS = $(eval CROSS := $$(shell tools/cross ia64))$(CROSS)
IMAGE_MACHINE := -mno-pic
# No floating-point scratch registers: an interruption saves none; C code may use only f6-f11 of
# them. No advanced loads: the interrupted code's check could find a handler's load. The limit lets
# the compiler inline a driver's operations, whose nops make them look long.
RUNTIME_MACHINE := -mfixed-range=f6-f15,f32-f127 -mno-sched-br-data-spec -mno-sched-ar-data-spec -finline-limit=2000
STACK_MOST := 1024
# Assembler warnings are errors in programs, too: dependent instructions in one group.
WORKLOAD_MACHINE := -Wa,--fatal-warnings
LINK_MACHINE := -Wl,-z,max-page-size=4096

CONSOLE_SOURCES := one.c
ONE_CPU := one_cpu

IMAGE_FORMATS := elf

# As an EFI application, the image has another console and another end, and makes no calls to a
# simulator. It has no relocations and is loaded at its link address. No emulator starts it.
IMAGE_OTHER_FORMATS := efi
CONSOLE_OBJECTS := $(addprefix $(IMAGES)/,arch/ia64/simulator/simulator.o hal/native/ia64/simulator/console.o)
EFI_OBJECTS := $(addprefix $(IMAGES)/,arch/ia64/efi/entry.o arch/ia64/efi/efi.o arch/ia64/efi/simulator.o \
	hal/native/ia64/efi/exit.o hal/console/uart16550.o hal/console/serial.o)
$(CONSOLE_OBJECTS) $(EFI_OBJECTS): PART_CFLAGS = $(RUNTIME_CFLAGS) -Ihal/native/ia64/efi
%.efi: %-efi.elf $(BUILD)/peimage
	$(call say,EFI $@)$(Q)$(BUILD)/peimage $< $$($(CROSS)nm $< | sed -n 's/ R efi_descriptor$$//p') $@
