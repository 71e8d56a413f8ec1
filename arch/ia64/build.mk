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

# The EFI application has its own console, end of the run and replacement of the simulator. It is
# loaded at its link address, because it has no relocations. No emulator starts it.
IMAGE_OTHER_FORMATS := efi
CONSOLE_OBJECTS := $(addprefix $(IMAGES)/,arch/ia64/simulator/simulator.o hal/native/ia64/simulator/console.o)
EFI_OBJECTS := $(addprefix $(IMAGES)/,arch/ia64/efi/entry.o arch/ia64/efi/efi.o arch/ia64/efi/simulator.o \
	hal/native/ia64/efi/exit.o hal/console/uart16550.o hal/console/serial.o)
$(CONSOLE_OBJECTS) $(EFI_OBJECTS): PART_CFLAGS = $(RUNTIME_CFLAGS) -Ihal/native/ia64/efi
%.efi: %-efi.elf $(BUILD)/peimage
	$(call say,EFI $@)$(Q)$(BUILD)/peimage $< $$($(CROSS)nm $< | sed -n 's/ R efi_descriptor$$//p') $@
