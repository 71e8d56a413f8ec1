# SPDX-License-Identifier: BSD-2-Clause
# How x86-64 images are built, and the files that boot loaders start.

CROSS :=
IMAGE_MACHINE := -mno-red-zone -fno-stack-protector -fno-pic -no-pie -mcmodel=small -fcf-protection=none \
	-D__DYNAMIC_REENT__
RUNTIME_MACHINE := -mgeneral-regs-only
STACK_MOST := 1024

# A processor that a file of options describes is one without SSE.
SSE := $(if $(filter @%,$(PROCESSOR)),without,with)
LINK_MACHINE := -Wl,-z,max-page-size=4096 -Wl,--defsym,arch_cr4=cr4_$(SSE)_sse
PROCESSOR_LIMITS := $(if $(filter without,$(SSE)),$(TARGET) has no SSE: no function can take or return float or double and the \
	C library has none that does; long double can be used)

IMAGE_FORMATS := multiboot pvh

# QEMU's Multiboot loader wants a 32-bit ELF, its PVH loader a 64-bit one that is not Multiboot.
%.multiboot: %.elf
	objcopy -O elf32-i386 $< $@
%.pvh: %.elf
	objcopy --remove-section=.multiboot $< $@
