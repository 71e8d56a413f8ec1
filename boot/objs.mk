# SPDX-License-Identifier: BSD-2-Clause
# The image: the runtime, the boot code, a workload to measure; and how to run it.

BOOT_SOURCES := $(filter-out boot/workload.c,$(wildcard boot/*.c)) $(SELFTEST_SOURCES) \
	$(call selftests,$(TARGET) $(PARTS))
HOST_SOURCES += boot/selftest_print.c

RUNTIME_OBJECTS := $(call object,$(RUNTIME_SOURCES)) $(patsubst %,$(IMAGES)/%.o,$(call tables,$(TARGET) $(PARTS)))
BOOT_OBJECTS := $(call object,$(BOOT_SOURCES)) $(IMAGES)/registry.o
# Files of boot/ that collect samples in the overflow interrupt are compiled like the runtime.
BOOT_IN_TRAPS := $(addprefix boot/,session_take.c live.c histogram.c symbols.c)
$(RUNTIME_OBJECTS) $(call object,$(BOOT_IN_TRAPS)): PART_CFLAGS = $(RUNTIME_CFLAGS)

# Option parsing and printing is compiled for size: a boot loader copies each byte of an image.
$(call object,$(addprefix boot/,options.c board.c summary.c session_plan.c session_report.c session_samples.c \
	session_records.c session_remarks.c session_output.c result.c)): FILE_CFLAGS = -Os

# The C library. A processor with a file of options needs a library compiled for it.
PROCESSOR_FILES := $(basename $(patsubst @%,%,$(filter @%,$(PROCESSOR))))
$(IMAGES)/newlib: tools/newlib $(PROCESSOR_FILES:=.options) $(PROCESSOR_FILES:=.s) | setup $(IMAGES)/
	$(Q)tools/newlib $(ARCH) "$(IMAGE_MACHINE)" $(PROCESSOR_FILES) >$@
$(if $(PROCESSOR_FILES),$(IMAGES)/newlib: tools/without-sse)
$(IMAGES)/newlib.options: $(IMAGES)/newlib
	$(Q)printf -- '-nostdinc -isystem "%s/include" -isystem "%s" -L"%s/lib"\n' \
		"$$(cat $<)" "$$($(IMAGE_CC) -print-file-name=include)" "$$(cat $<)" >$@

# Each workload has an image of its own, named after the workload and its folder.
ifdef WORKLOAD
ifeq ($(wildcard $(call escaped,$(WORKLOAD))),)
$(error there is no file '$(WORKLOAD)'$(call nearest,$(WORKLOAD),$(wildcard $(dir $(WORKLOAD))*)) (WORKLOAD=))
endif
ifneq ($(wildcard $(call escaped,$(WORKLOAD))/.),)
$(error '$(WORKLOAD)' is a folder, not a file of C (WORKLOAD=))
endif
WORKLOAD_SOURCE := $(WORKLOAD)
IMAGE := $(IMAGES)/workloads/$(shell basename $(call quoted,$(WORKLOAD)) .c | tr -c '[:alnum:]._\n-' _)-$(firstword \
	$(shell realpath -ms $(call quoted,$(WORKLOAD)) | cksum))
else
WORKLOAD_SOURCE := boot/workload.c
IMAGE := $(IMAGES)/palmon
endif
WORKLOAD_CFLAGS = -std=gnu17 -O2 -g -Wall $(PROCESSOR) $(IMAGE_MACHINE) $(if $(WORKLOAD),$(WORKLOAD_MACHINE)) \
	-fno-omit-frame-pointer @$(IMAGES)/newlib.options $(INCLUDES)

$(IMAGE)-workload.o: $(call escaped,$(WORKLOAD_SOURCE)) $(IMAGES)/newlib.options $(RULES) | $(dir $(IMAGE))
	$(call say,CC $<)$(Q)$(IMAGE_CC) $(WORKLOAD_CFLAGS) -MMD -MP -x c -c -o $@ \
		$(call quoted,$(WORKLOAD_SOURCE)) || $(SAY_LIMITS)
	$(Q)$(CROSS)nm --defined-only $@ | grep -q ' T workload$$' || \
		{ echo "palmon: $< (WORKLOAD=) has no function 'int workload(void)' to measure" >&2; \
		exit 1; }

# If a workload does not compile or link: features that workloads cannot use on this processor.
SAY_LIMITS = { $(if $(WORKLOAD),$(if $(PROCESSOR_LIMITS),echo 'palmon: $(PROCESSOR_LIMITS)' >&2;)) exit 1; }

LINK = $(IMAGE_CC) -nostdlib -static -no-pie -Wl,-T,linker/$(ARCH).ld $(LINK_MACHINE) -Wl,-z,noexecstack \
	-Wl,--build-id=sha1
LIBRARIES = @$(IMAGES)/newlib.options -lc -lm -lc -lgcc

# An archive, so that an image links only the core files and compiler helpers that it uses.
CORE_OBJECTS := $(filter $(IMAGES)/pmu/core/% $(IMAGES)/arch/%/popcount.o $(IMAGES)/arch/%/divide.o,$(RUNTIME_OBJECTS))
$(IMAGES)/core.a: $(CORE_OBJECTS)
	$(Q)rm -f $@; $(CROSS)ar rcs $@ $^

# Linked twice: the second time with the names of its own functions.
$(IMAGE).elf: $(filter-out $(CORE_OBJECTS),$(RUNTIME_OBJECTS)) $(IMAGE_START) $(EARLY) \
		$(EARLY_OF_IMAGE) $(BOOT_OBJECTS) $(IMAGE)-workload.o $(IMAGES)/core.a linker/$(ARCH).ld tools/symbols
	$(call say,LD $@)$(Q)printf '%s\n' '.section .symbols,"a"' '.global symbols_start,symbols_end' \
		'symbols_start:' 'symbols_end:' | $(IMAGE_CC) -x assembler -c -o $(@:.elf=-symbols.o) -
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(@:.elf=-symbols.o) $(IMAGES)/core.a $(LIBRARIES) || $(SAY_LIMITS)
	$(Q)tools/symbols $(CROSS)nm $@ >$(@:.elf=-symbols.s)
	$(Q)$(IMAGE_CC) -c -o $(@:.elf=-symbols.o) $(@:.elf=-symbols.s)
	$(Q)$(LINK) -o $@ $(filter %.o,$^) $(@:.elf=-symbols.o) $(IMAGES)/core.a $(LIBRARIES)

image: $(IMAGE_FORMATS:%=$(IMAGE).%) $(IMAGE_NEEDS)

# Files of one target: its image, and its library if it has one (hal/runtime).
images: $(IMAGE_FORMATS:%=$(IMAGE).%)
# The same of the other targets. Each make writes only into its target's folders. What two of them
# need is made first: a file that another make writes can be read when it is still empty.
IMAGE_TOOLS := $(addprefix $(BUILD)/,evtab metrictab profiletab peimage)
OTHER_IMAGES := $(patsubst %,image-%,$(filter-out $(TARGET),$(IMAGE_TARGETS)))
$(OTHER_IMAGES): image-%: setup $(IMAGE_TOOLS)
	$(Q)$(MAKE) --no-print-directory images TARGET=$*

-include $(wildcard $(patsubst %.o,%.d,$(RUNTIME_OBJECTS) $(IMAGE_START) $(EARLY) $(EARLY_OF_IMAGE) \
	$(BOOT_OBJECTS)) $(IMAGE)-workload.d)

RUN ?= all
INTERVAL ?= 10
BOOT ?= $(firstword $(IMAGE_FORMATS))
ifeq ($(filter $(BOOT),$(IMAGE_FORMATS)),)
$(error the image of $(TARGET) is not started by BOOT=$(BOOT), but by: $(IMAGE_FORMATS))
endif
# The default run, if no options are given and the target has an overview profile. It counts TLB
# misses, which large pages seldom cause.
ASKED = $(SUITE)$(EVENTS)$(METRICS)$(PROFILE)$(THREADS)$(LEVEL)$(PMI)$(FAULT)$(CLOCK)$(CONSOLE)$(TICKS)\
	$(MULTIPLEX)$(SCOPE)
FIRST_LOOK = $(if $(shell grep -s '^OVERVIEW ' pmu/$(TARGET)/profiles.tab),profile=OVERVIEW $(if $(PAGES),,pages=4k))
# Events of a file are passed as terms of perf.
EVENTS_TEXT = $(if $(EVENTS_FILE),"$$events",$(EVENTS))
TRANSLATED = $(if $(EVENTS_FILE),events=$$($(HOST)/palmon encode -t $(TARGET) --events=$(call quoted,$(EVENTS_FILE)) \
	--translate $(call quoted,$(EVENTS))) &&)
ARGUMENTS = run=$(RUN) $(if $(SUITE),suite=$(SUITE)) $(if $(EVENTS),events=$(EVENTS_TEXT)) \
	$(if $(METRICS),metrics=$(METRICS)) $(if $(PROFILE),profile=$(PROFILE)) $(if $(THREADS),threads=$(THREADS)) \
	$(if $(LEVEL),level=$(LEVEL)) $(if $(PMI),pmi=$(PMI)) \
	$(if $(filter-out 0,$(CALLS)),calls=$(CALLS)) $(if $(PAGES),pages=$(PAGES)) \
	$(if $(REGISTERS),registers=$(REGISTERS)) \
	$(if $(LIVE),interval=$(INTERVAL)) $(if $(TICKS),ticks=$(TICKS)) $(if $(MULTIPLEX),multiplex=$(MULTIPLEX)) \
	$(if $(SCOPE),scope=$(SCOPE)) \
	$(if $(CONSOLE),console=$(CONSOLE)) $(if $(END),end=$(END)) \
	$(if $(filter all,$(RUN)$(ASKED)),$(FIRST_LOOK))

# Images that start from a CD or a USB stick, for targets that GRUB starts.
ifneq ($(filter img,$(IMAGE_FORMATS)),)
iso: $(IMAGE).img $(if $(EVENTS_FILE),$(HOST)/palmon)
	$(call say,ISO $(IMAGE).iso)$(Q)$(TRANSLATED) tools/iso $< $(IMAGE).iso $(ARGUMENTS)
# Checks under QEMU that all loaders and firmwares start the image.
boards: $(IMAGE).img $(IMAGE).pvh
	$(Q)tools/boards $(IMAGE)
else
iso boards:
	@echo 'palmon: GRUB does not start the image of $(TARGET)' >&2; exit 2
endif

# The self test's TAP goes to a file. The terminal shows a summary instead, unless V=1.
SELFTEST_OUTPUT = $(if $(filter selftest all,$(RUN)),$(if $(Q),SUMMARY=1) \
	TAP=$(if $(OUT),$(call quoted,$(OUT)/selftest.tap)))

# Sessions whose samples go to files record callers: their flame graphs need them. Samples by time
# have none, and neither have those of groups that take turns.
FOLLOWED = $(if $(CALLS)$(TICKS)$(MULTIPLEX),,$(if $(OUT),$(if $(filter session all,$(RUN)),calls=16)))

run: $(IMAGE).$(BOOT) $(IMAGE_NEEDS) $(HOST)/palmon
	$(Q)$(TRANSLATED) BUILD=$(BUILD) LIVE=$(LIVE) OUT=$(if $(filter session all,$(RUN)),$(call quoted,$(OUT))) \
		BOARD=$(if $(OUT),$(call quoted,$(OUT)/palmon.board)) $(SELFTEST_OUTPUT) \
		tools/run-image $(TARGET) $(IMAGE).$(BOOT) $(ARGUMENTS) $(FOLLOWED)
