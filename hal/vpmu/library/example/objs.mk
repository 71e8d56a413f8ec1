# SPDX-License-Identifier: BSD-2-Clause
# The example hypervisor on SVM: of ours, what is beneath it and around the guest. libvpmu.a is the image's only PMU.

EXAMPLE_IMAGE := $(IMAGES)/example
EXAMPLE := $(IMAGES)/hal/vpmu/library/example/svm
EXAMPLE_AROUND := $(addprefix $(IMAGES)/hal/emu/guest/, \
		start.o configuration.o tables.o nested.o kernel.o permissions.o smm.o) \
	$(filter $(IMAGES)/hal/emu/guest/load%,$(GUEST_OBJECTS))
$(EXAMPLE).o: PART_CFLAGS = $(RUNTIME_CFLAGS) -Ihal/emu/$(EMULATOR) -Ihal/emu/guest -Ihal/vpmu/library
$(EXAMPLE_IMAGE).elf: LINK_AT = $(GUEST_AT)
$(EXAMPLE_IMAGE).elf: $(EXAMPLE).o $(EXAMPLE_AROUND) $(GUEST_START) $(LIBVPMU)/libvpmu.a \
		$(IMAGES)/guest-beneath.a linker/$(ARCH).ld
	$(call say,LD $@)$(Q)$(LINK) -o $@ $(filter %.o %.a,$^) $(LIBRARIES)
-include $(wildcard $(EXAMPLE).d)

ifeq ($(EMULATOR),svm)
example-image: $(EXAMPLE_IMAGE).multiboot
endif
example: example-image
	$(Q)tools/run-guest $(TARGET) $(EXAMPLE_IMAGE).multiboot
