# SPDX-License-Identifier: BSD-2-Clause
# Guests: kernels that nobody here wrote, under the monitor, a boot loader with memory of its own (monitor_memory.h).

GUEST_OBJECTS := $(call object,$(wildcard hal/emu/guest/*.c))
GUEST_BENEATH := $(wildcard arch/$(ARCH)/*.[cS]) hal/console/uart16550.c hal/console/serial.c \
	$(filter-out %/processor.c,$(wildcard hal/emu/$(EMULATOR)/*.[cS]))
GUEST_IMAGE := $(IMAGES)/guest

$(GUEST_OBJECTS): PART_CFLAGS = $(RUNTIME_CFLAGS) -Ihal/emu/$(EMULATOR) $(MONITOR_MACHINE) \
	-DGUEST_TARGET='"$(TARGET)"'
$(IMAGES)/guest-beneath.a: $(call object,$(GUEST_BENEATH))
	$(Q)rm -f $@; $(CROSS)ar qcs $@ $^
# What any image that starts guests has.
GUEST_START := $(IMAGES)/arch/x86/entry.o $(IMAGES)/hal/emu/guest/early/header.o $(EARLY) $(EARLY_OF_GUESTS)
GUEST_AT := -Wl,--defsym,arch_image_start=0x1C000000
$(GUEST_IMAGE).elf: LINK_AT = $(GUEST_AT)
$(GUEST_IMAGE).elf: $(GUEST_OBJECTS) $(GUEST_START) \
		$(IMAGES)/guest-beneath.a linker/$(ARCH).ld
	$(call say,LD $@)$(Q)$(LINK) -o $@ $(filter %.o %.a,$^) $(LIBRARIES)
-include $(wildcard $(GUEST_OBJECTS:.o=.d))

ifeq ($(EMULATOR),svm)
IMAGE_OF_GUESTS := guest-image
guest-image: $(GUEST_IMAGE).multiboot $(IMAGE_NEEDS)
else
guest-image example-image:
	@echo 'palmon: guests have no PMU of $(TARGET)' >&2; exit 2
endif
guest: guest-image
	$(Q)tools/run-guest $(TARGET) $(GUEST_IMAGE).multiboot
