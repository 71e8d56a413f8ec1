# SPDX-License-Identifier: BSD-2-Clause
# x86-64 images, and the files that boot loaders start.

CROSS :=
IMAGE_MACHINE := -mno-red-zone -fno-stack-protector -fno-pic -no-pie -mcmodel=small -fcf-protection=none \
	-D__DYNAMIC_REENT__
RUNTIME_MACHINE := -mgeneral-regs-only
STACK_MOST := 1024
# Probe the stack in frames larger than a page, so that none can skip the unmapped page below the
# stack.
WORKLOAD_MACHINE := -fstack-clash-protection

# A target with a file of options has a processor without SSE.
SSE := $(if $(filter @%,$(PROCESSOR)),without,with)
FEATURES := $(if $(filter -march=x86-64,$(PROCESSOR)),x86_64,$(SSE)_sse)
LINK_MACHINE := -Wl,-z,max-page-size=4096 -Wl,--defsym,arch_cr4=cr4_$(SSE)_sse
PROCESSOR_LIMITS := $(if $(filter without,$(SSE)),$(TARGET) has no SSE: no function can take or return float or double \
	and the C library has none that does; long double can be used)

CONSOLE_SOURCES := uart16550.c screen.c font.c log.c consoles.c

# All loaders start palmon.img, except PVH and coreboot, which need an ELF file.
IMAGE_FORMATS := img pvh
%.img: %.elf $(BUILD)/peimage
	$(call say,IMG $@)$(Q)$(BUILD)/peimage $< $$(nm $< | sed -n 's/ [TR] efi_\(entry\|relocations\)$$//p') $@
%.pvh: %.elf
	objcopy --remove-section=.multiboot --remove-section=.setup $< $@

# The early code: 32-bit code for any processor (early/), with the backend's part.
# The runtime's consoles and end of the run, compiled as 32-bit code, with other names.
early = $(patsubst %.c,$(IMAGES)/early/%.o,$(1))
EARLY := $(call early,$(addprefix arch/x86/early/,main.c loaders.c state.c features_$(FEATURES).c))
EARLY_OF_IMAGE := $(call early,$(wildcard hal/native/x86/early/*.c) hal/native/x86/end.c \
	$(CONSOLE_SOURCES:%=hal/console/%))
EARLY_NAMES := uart16550_is_there uart16550_start uart16550_write screen_start_text screen_start_pixels screen_write \
	screen_clear font_has_dot log_write consoles_write end_machine memcpy
comma := ,
$(IMAGES)/early/%.o: PART_CFLAGS = -Os -g0 -m32 -march=i386 -malign-double -mcmodel=32 -mgeneral-regs-only \
	-fno-tree-loop-distribute-patterns --param=min-pagesize=0 -Wa,--64 -Wa,arch/x86/code32.s \
	$(foreach n,$(EARLY_NAMES),-D$(n)=early_$(n))
$(IMAGES)/early/hal/native/%.o: FILE_CFLAGS = -Ihal/native/x86 -DX86_IMAGE_DRIVES='"$(TARGET)$(PARTS:%=$(comma) %)"'

# The entry code of palmon.img: 64-bit code that runs on any such processor, at any address.
IMAGE_START := $(patsubst %,$(IMAGES)/early/%.o,$(basename $(wildcard arch/x86/image/*.[cS])))
$(IMAGES)/early/arch/x86/image/%.o: PART_CFLAGS = -Os -g0 $(if $(filter with,$(SSE)),@arch/x86/pentium.options) \
	-mgeneral-regs-only -fpie -fvisibility=hidden -fshort-wchar -maccumulate-outgoing-args \
	-DGNU_EFI_USE_MS_ABI -isystem /usr/include/efi -isystem /usr/include/efi/x86_64
