# SPDX-License-Identifier: BSD-2-Clause
# What lies beneath the runtime: silicon and the monitor in an image, the shim on the host.
MONITOR_SOURCES := $(wildcard hal/emu/$(EMULATOR)/*.[cS] hal/vpmu/*.c)
RUNTIME_SOURCES += $(wildcard hal/native/*.c hal/native/$(ARCH)/*.[cS]) $(MONITOR_SOURCES) $(wildcard hal/console/*.c)
HOST_SOURCES += $(wildcard hal/vpmu/*.c hal/shim/*.c)
LIBVPMU_SOURCES += hal/vpmu/vpmu.c

$(OUT)/hal/native/$(ARCH)/interrupts.o: FILE_CFLAGS += -Oz
$(call object,$(MONITOR_SOURCES)): FILE_CFLAGS += $(MONITOR_MACHINE)
