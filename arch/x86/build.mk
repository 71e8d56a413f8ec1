# SPDX-License-Identifier: BSD-2-Clause
# How x86-64 images are built, and the files that boot loaders start.

CROSS :=
IMAGE_MACHINE := -mno-red-zone -fno-stack-protector -fno-pic -no-pie -mcmodel=small -fcf-protection=none \
	-D__DYNAMIC_REENT__
RUNTIME_MACHINE := -mgeneral-regs-only
STACK_MOST := 1024
# However large a function's frame is, it does not step over the page that is missing below the stack.
WORKLOAD_MACHINE := -fstack-clash-protection

# A processor that a file of options describes is one without SSE.
SSE := $(if $(filter @%,$(PROCESSOR)),without,with)
LINK_MACHINE := -Wl,-z,max-page-size=4096 -Wl,--defsym,arch_cr4=cr4_$(SSE)_sse
PROCESSOR_LIMITS := $(if $(filter without,$(SSE)),$(TARGET) has no SSE: no function can take or return float or double \
	and the C library has none that does; long double can be used)

IMAGE_FORMATS := multiboot pvh

# QEMU's Multiboot loader wants a 32-bit ELF, its PVH loader a 64-bit one that is not Multiboot.
%.multiboot: %.elf
	objcopy -O elf32-i386 $< $@
%.pvh: %.elf
	objcopy --remove-section=.multiboot $< $@

# What is checked first, in 32-bit code for any processor (early/); and the backend's end, of images and of guests'.
EARLY := $(patsubst %.c,$(IMAGES)/%.o,$(addprefix arch/x86/early/,main.c put.c features_$(SSE)_sse.c))
EARLY_END := $(IMAGES)/hal/native/x86/early/end.o
EARLY_END_OF_GUESTS := $(IMAGES)/hal/emu/guest/early/end.o
comma := ,
$(EARLY) $(EARLY_END) $(EARLY_END_OF_GUESTS): PART_CFLAGS = -Os -g0 -m32 -march=i386 -mcmodel=32 -mgeneral-regs-only \
	-Wa,--64 -Wa,arch/x86/code32.s -DX86_IMAGE_DRIVES='"$(DRIVES)"'
$(EARLY_END): DRIVES = $(TARGET)$(PARTS:%=$(comma) %)
$(EARLY_END_OF_GUESTS): DRIVES = $(TARGET) for guests
