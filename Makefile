# SPDX-License-Identifier: BSD-2-Clause
# palmon. `make help` says what there is.

# The targets: name, instruction set, emulator, processor. The first one is the default.
TARGETS := $(shell awk '!/^\#/ && NF { print $$1 }' pmu/targets.tab)
TARGET ?= $(firstword $(TARGETS))
BUILD ?= build

target_field = $(shell awk -v name=$(TARGET) '$$1 == name { print $$$(1) }' pmu/targets.tab)
ARCH := $(call target_field,2)
EMULATOR := $(call target_field,3)
PROCESSOR := $(call target_field,4)
ifeq ($(ARCH),)
$(error there is no TARGET '$(TARGET)'; targets are: $(TARGETS))
endif

.DEFAULT_GOAL := image
.DELETE_ON_ERROR:
.PHONY: help image run check bench clean setup-image setup-check

help:
	@echo 'make run                     boot the image under QEMU: self test, PAL, a measured session'
	@echo '  TARGET=$(TARGET)             which PMU: $(TARGETS)'
	@echo '  WORKLOAD=file.c            measure int workload(void) of this file'
	@echo '  EVENTS=EVENT:period=N,...  events to count and sample'
	@echo '  RUN=selftest|session|all   which steps (default all)'
	@echo '  PMI=vector|nmi             how the overflow interrupt is delivered'
	@echo '  FAULT=name                 switch a fault on in the model'
	@echo '  BOOT=multiboot|pvh         how the image is started'
	@echo '  TIMEOUT=seconds            limit of the run (default 120)'
	@echo 'make check                   all tests'
	@echo 'make bench                   what the runtime costs, in instructions; build/bench.json'
	@echo 'make image                   build the image only'
	@echo 'make clean'

#
# The image
#

OUT := $(BUILD)/$(TARGET)

# The runtime itself: no libc but memory and string functions, general registers only, so that an interrupt
# needs to save no others. Code around it (boot, workload) may use all of newlib and the processor.
RUNTIME_SOURCES := $(wildcard arch/$(ARCH)/*.[cS] hal/native/*.c hal/native/$(ARCH)/*.c hal/emu/$(EMULATOR)/*.[cS] \
	hal/vpmu/*.c hal/console/*.c pmu/core/*.c pal/*.c) pmu/$(TARGET)/driver.c pmu/$(TARGET)/model.c
BOOT_SOURCES := $(filter-out boot/workload.c,$(wildcard boot/*.c)) pmu/$(TARGET)/selftest.c

object = $(patsubst %,$(OUT)/%.o,$(basename $(1)))
RUNTIME_OBJECTS := $(call object,$(RUNTIME_SOURCES)) $(OUT)/events.o
BOOT_OBJECTS := $(call object,$(BOOT_SOURCES)) $(OUT)/registry.o

INCLUDES := arch/include arch/$(ARCH) arch/$(ARCH)/include hal/include hal/native/$(ARCH)/include pmu/include pal/include

WARNINGS := -Wall -Wextra -Werror
IMAGE_MACHINE := -mno-red-zone -fno-stack-protector -fno-pic -no-pie -mcmodel=small -fcf-protection=none
IMAGE_CFLAGS = -std=gnu17 -O2 -g $(WARNINGS) $(PROCESSOR) $(IMAGE_MACHINE) -ffreestanding -fno-asynchronous-unwind-tables \
	-nostdinc -isystem $(NEWLIB)/include -isystem $(COMPILER_INCLUDE) $(addprefix -I,$(INCLUDES))
RUNTIME_CFLAGS = -mgeneral-regs-only -Wstack-usage=1024 -fstack-usage
WORKLOAD_CFLAGS = -std=gnu17 -O2 -g -Wall $(PROCESSOR) $(IMAGE_MACHINE) -fno-omit-frame-pointer \
	-nostdinc -isystem $(NEWLIB)/include -isystem $(COMPILER_INCLUDE)

NEWLIB = $(shell cat $(OUT)/newlib)
COMPILER_INCLUDE = $(shell $(CC) -print-file-name=include)

# Each workload has an image of its own.
ifdef WORKLOAD
ifeq ($(wildcard $(WORKLOAD)),)
$(error there is no file '$(WORKLOAD)' (WORKLOAD=))
endif
WORKLOAD_SOURCE := $(WORKLOAD)
IMAGE := $(OUT)/workloads/$(notdir $(basename $(WORKLOAD)))-$(firstword $(shell echo $(abspath $(WORKLOAD)) | cksum))
else
WORKLOAD_SOURCE := boot/workload.c
IMAGE := $(OUT)/palmon
endif

setup-image setup-check: setup-%:
	@tools/setup image $(filter-out image,$*)

image: $(IMAGE).elf $(IMAGE).multiboot $(IMAGE).pvh

$(OUT)/newlib: tools/newlib | setup-image
	@mkdir -p $(@D)
	@tools/newlib $(ARCH) "$(IMAGE_MACHINE)" >$@

$(BUILD)/evtab: tools/evtab.c pmu/include/event.h | setup-image
	@mkdir -p $(@D); echo "  CC $<"
	@$(CC) -std=gnu17 -O2 $(WARNINGS) -Ipmu/include -o $@ $<

$(OUT)/events.c: pmu/$(TARGET)/events.tab $(BUILD)/evtab
	@mkdir -p $(@D)
	@$(BUILD)/evtab $(TARGET) $< >$@

$(OUT)/registry.c: pmu/targets.tab tools/registry
	@mkdir -p $(@D)
	@tools/registry $(TARGET) >$@

$(RUNTIME_OBJECTS): PART_CFLAGS = $(RUNTIME_CFLAGS)
# What is rarely executed, and resident: what must be fast is compiled with the driver.
$(filter $(OUT)/pmu/core/%,$(RUNTIME_OBJECTS)): PART_CFLAGS += -Os

COMPILE = @mkdir -p $(@D); echo "  CC $<"; $(CC) $(IMAGE_CFLAGS) $(PART_CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/%.o: %.c $(OUT)/newlib Makefile
	$(COMPILE)
$(OUT)/%.o: %.S $(OUT)/newlib Makefile
	$(COMPILE)
$(OUT)/%.o: $(OUT)/%.c $(OUT)/newlib Makefile
	$(COMPILE)

$(IMAGE)-workload.o: $(WORKLOAD_SOURCE) $(OUT)/newlib Makefile
	@mkdir -p $(@D); echo "  CC $<"
	@$(CC) $(WORKLOAD_CFLAGS) -MMD -MP -c -o $@ $<

LINK = $(CC) -nostdlib -static -no-pie -Wl,-T,linker/$(TARGET).ld -Wl,-z,max-page-size=4096 -Wl,-z,noexecstack \
	-Wl,--build-id=none -Wl,-u,_printf_float
LIBRARIES = -L$(NEWLIB)/lib -lc -lm -lc -lgcc

# Linked twice: the second time with the names of its own functions.
$(IMAGE).elf: $(RUNTIME_OBJECTS) $(BOOT_OBJECTS) $(IMAGE)-workload.o linker/$(TARGET).ld tools/symbols
	@echo "  LD $@"
	@printf '%s\n' '.section .symbols,"a"' '.global symbols_start,symbols_end' 'symbols_start:' 'symbols_end:' | \
		$(CC) -x assembler -c -o $(IMAGE)-symbols.o -
	@$(LINK) -o $@ $(filter %.o,$^) $(IMAGE)-symbols.o $(LIBRARIES)
	@tools/symbols nm $@ | $(CC) -x assembler -c -o $(IMAGE)-symbols.o -
	@$(LINK) -o $@ $(filter %.o,$^) $(IMAGE)-symbols.o $(LIBRARIES)

# QEMU's Multiboot loader wants a 32-bit ELF, its PVH loader a 64-bit one that is not Multiboot.
$(IMAGE).multiboot: $(IMAGE).elf
	objcopy -O elf32-i386 $< $@
$(IMAGE).pvh: $(IMAGE).elf
	objcopy --remove-section=.multiboot $< $@

-include $(wildcard $(RUNTIME_OBJECTS:.o=.d) $(BOOT_OBJECTS:.o=.d) $(IMAGE)-workload.d)

#
# Runs
#

RUN ?= all
BOOT ?= multiboot
ARGUMENTS = run=$(RUN) $(if $(EVENTS),events=$(EVENTS)) $(if $(PMI),pmi=$(PMI)) $(if $(FAULT),fault=$(FAULT))

run: image
	@tools/run-image $(EMULATOR) $(IMAGE).$(BOOT) $(ARGUMENTS)

bench: image
	@tools/bench $(EMULATOR) $(TARGET) $(OUT) $(BUILD)/bench.json

#
# Tests: unit tests on the host with sanitizers, then scripts that boot images
#

CHECK := $(BUILD)/check
HOST_INCLUDES := hal/include hal/shim/include pmu/include pal/include boot tests/unit
HOST_CFLAGS := -std=gnu17 -O1 -g $(WARNINGS) -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer $(addprefix -I,$(HOST_INCLUDES))
HOST_SOURCES := $(wildcard pmu/core/*.c pal/*.c hal/vpmu/*.c hal/shim/*.c $(foreach t,$(TARGETS),pmu/$(t)/*.c)) \
	boot/selftest.c
HOST_OBJECTS := $(patsubst %.c,$(CHECK)/%.o,$(HOST_SOURCES)) $(CHECK)/registry.o \
	$(foreach t,$(TARGETS),$(CHECK)/events-$(t).o)
UNIT_TESTS := $(patsubst %.c,$(CHECK)/%,$(shell find tests/unit -name 'test_*.c' | sort))
TEST_SCRIPTS := $(sort $(wildcard tests/rules/*.t tests/boot/*.t))

$(CHECK)/registry.c: pmu/targets.tab tools/registry
	@mkdir -p $(@D)
	@tools/registry $(TARGETS) >$@
$(CHECK)/events-%.c: pmu/%/events.tab $(BUILD)/evtab
	@mkdir -p $(@D)
	@$(BUILD)/evtab $* $< >$@
$(CHECK)/%.o: %.c Makefile | setup-check
	@mkdir -p $(@D); echo "  CC $< (host)"
	@$(CC) $(HOST_CFLAGS) -MMD -MP -c -o $@ $<
$(CHECK)/%.o: $(CHECK)/%.c Makefile | setup-check
	@$(CC) $(HOST_CFLAGS) -MMD -MP -c -o $@ $<
$(CHECK)/tests/unit/%: $(CHECK)/tests/unit/%.o $(HOST_OBJECTS)
	@$(CC) $(HOST_CFLAGS) -o $@ $^ -lcmocka -lpfm

.SECONDARY: $(UNIT_TESTS:=.o) $(HOST_OBJECTS) $(TARGETS:%=$(CHECK)/events-%.c)
-include $(wildcard $(HOST_OBJECTS:.o=.d) $(UNIT_TESTS:=.d))

check: setup-check image $(UNIT_TESTS)
	@tests/run-all $(CHECK)/tap $(UNIT_TESTS) $(TEST_SCRIPTS)

clean:
	rm -rf $(BUILD)
