# SPDX-License-Identifier: BSD-2-Clause
# Builds SPARC V9 images, and the folder with the boot PROM's parts: the reset code, and the image
# that it copies.

CROSS := sparc64-linux-gnu-
IMAGE_MACHINE := -mcmodel=medlow -fno-stack-protector -fno-pic -no-pie
RUNTIME_MACHINE := -mno-fpu -mno-vis
STACK_MOST := 1200		# 1024, plus the ABI's part of each frame
LINK_MACHINE := -Wl,-z,max-page-size=8192 @$(IMAGES)/guesses/link.options

CONSOLE_SOURCES := one.c serial.c uart16550.c
ONE_CPU := one_cpu

IMAGE_FORMATS := prom

%.prom: %.elf
	@mkdir -p $@
	$(CROSS)objcopy -O binary -j .reset $< $@/reset.bin
	$(CROSS)objcopy -O binary -R .reset $< $@/openboot.bin
	@touch $@
