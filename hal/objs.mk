# SPDX-License-Identifier: BSD-2-Clause
# The layer below the runtime: silicon in an image, the shim on the host.
include hal/emu/$(EMULATOR)/image.mk	# IMAGE_NEEDS: programs that execute the image
# CONSOLE_SOURCES: one console, or the parts of several. ONE_CPU: one_cpu, if the machine has one
# CPU.
RUNTIME_SOURCES += $(wildcard hal/native/*.c $(addsuffix /*.[cS],$(addprefix hal/native/,$(ARCH) $(ONE_CPU)))) \
	$(addprefix hal/console/,owner.c $(CONSOLE_SOURCES))
HOST_SOURCES += $(wildcard hal/vpmu/*.c hal/shim/*.c)
LIBVPMU_SOURCES += hal/vpmu/vpmu.c hal/vpmu/raised.c

$(IMAGES)/hal/native/$(ARCH)/interrupts.o: FILE_CFLAGS += -Oz
