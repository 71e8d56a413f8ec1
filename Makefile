# SPDX-License-Identifier: BSD-2-Clause
# palmon. `make help` says what there is.

# The targets: name, instruction set, emulator, processor. The first one is the default.
TARGETS := $(shell awk '!/^\#/ && NF { print $$1 }' pmu/targets.tab)
IMAGE_TARGETS := $(shell awk '!/^\#/ && NF && $$3 !~ /^[-+]/ { print $$1 }' pmu/targets.tab)
IMAGE_ARCHS := $(shell awk '!/^\#/ && NF && $$3 !~ /^[-+]/ { print $$2 }' pmu/targets.tab | sort -u)
TARGET ?= $(firstword $(IMAGE_TARGETS))
BUILD ?= build

target_field = $(shell awk -v name=$(TARGET) '$$1 == name { print $$$(1) }' pmu/targets.tab)
ARCH := $(call target_field,2)
EMULATOR := $(call target_field,3)
PROCESSOR := $(call target_field,4)
# Further PMUs that this target's image drives.
PARTS := $(shell awk -v whole=+$(TARGET) '$$3 == whole { print $$1 }' pmu/targets.tab)
ifeq ($(ARCH),)
$(error there is no TARGET '$(TARGET)'; targets are: $(TARGETS))
endif
ifeq ($(EMULATOR),-)
$(error there is no image of $(TARGET), it runs on the host: make, then build/host/palmon selftest -t $(TARGET))
endif

ifeq ($(patsubst +%,+,$(EMULATOR)),+)
$(error $(TARGET) is part of the image of $(EMULATOR:+%=%): make TARGET=$(EMULATOR:+%=%))
endif

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all help image host libvpmu run guest guest-image example example-image check bench fuzz bench-host install uninstall clean setup

all: host libvpmu image

help:
	@echo 'make run                     boot the image under QEMU: self test, PAL, a measured session'
	@echo '  TARGET=$(TARGET)             which PMU: $(IMAGE_TARGETS)'
	@echo '  WORKLOAD=file.c            measure int workload(void) of this file, called on each thread'
	@echo '  EVENTS=EVENT:period=N,...  events to count and sample, of any of the image'"'"'s PMUs'
	@echo '  METRICS=METRIC,...         what follows from counts (palmon metrics); in several runs if it takes them;'
	@echo '                             FREQUENCY=HZ among them: those behind it in bytes a second'
	@echo '  PROFILE=PROFILE,...        a set of events (palmon profiles), likewise'
	@echo '  THREADS=n                  how many CPUs run the workload at the same time (default: the target'"'"'s)'
	@echo '  LEVEL=3|0                  privilege level of the workload: 3 as programs, 0 as the runtime'
	@echo '  RUN=selftest|session|state|all   which steps (default all)'
	@echo '  SUITE=name                 self test of one of the image'"'"'s PMUs only: $(TARGET) $(PARTS)'
	@echo '  PMI=vector|nmi             how the overflow interrupt is delivered'
	@echo '  FAULT=[MODEL/]name         switch a fault on in the model, stuck:ADDRESS:BIT:VALUE, or absent:ADDRESS'
	@echo '  BOOT=$(subst $() ,|,$(IMAGE_FORMATS))         how the image is started'
	@echo '  TIMEOUT=seconds            limit of the run (default 120)'
	@echo 'make guest GUEST=kernel      boot a Multiboot 1 kernel with a PMU, under the monitor'
	@echo '  APPEND=words               its command line'
	@echo '  INITRD=file words,file     its modules, with their command lines'
	@echo '  SMP=n                      how many CPUs it has (default 1, at most 4)'
	@echo '  EXACT=0|1|all              instruction by instruction: never, and no branch events; while branches count'
	@echo '                             (default); while anything counts'
	@echo '  TIMEOUT=seconds            limit of the run (default 120)'
	@echo 'make example GUEST=kernel    the same under the library'"'"'s example hypervisor (one CPU, no branches)'
	@echo 'make check                   all tests'
	@echo 'make fuzz                    look for inputs that break parsers and models: FUZZ_SECONDS=60 for each,'
	@echo '                             and FUZZ_SEQUENCES=10000000 of calls of the library'
	@echo 'make bench                   what the runtime costs, in instructions; build/bench.json'
	@echo 'make                         build the image, the palmon command (build/host/palmon) and the library'
	@echo 'make image, make host        one of them'
	@echo 'make libvpmu                 the PMUs as a library for hypervisors, build/libvpmu/libvpmu.a'
	@echo 'make install                 install command and library below PREFIX=$(PREFIX) (DESTDIR is honoured)'
	@echo 'make uninstall               remove them'
	@echo 'make clean'

#
# The image
#

OUT := $(BUILD)/$(TARGET)

# The runtime itself: no libc but memory and string functions, general registers only, so that an interrupt
# needs to save no others. Code around it (boot, workload) may use all of newlib and the processor.
RUNTIME_SOURCES := $(wildcard arch/$(ARCH)/*.[cS] hal/native/*.c hal/native/$(ARCH)/*.[cS] hal/emu/$(EMULATOR)/*.[cS] \
	hal/vpmu/*.c hal/console/*.c pmu/core/*.c pal/*.c) $(foreach t,$(TARGET) $(PARTS),$(wildcard pmu/$(t)/driver*.c) pmu/$(t)/model.c)
BOOT_SOURCES := $(filter-out boot/workload.c,$(wildcard boot/*.c)) $(foreach t,$(TARGET) $(PARTS),pmu/$(t)/selftest.c)

# What is compiled from targets' tables: profiles.tab need not be there.
tables = $(foreach t,$(1),events-$(t) metrics-$(t) $(if $(wildcard pmu/$(t)/profiles.tab),profiles-$(t)))

object = $(patsubst %,$(OUT)/%.o,$(basename $(1)))
RUNTIME_OBJECTS := $(call object,$(RUNTIME_SOURCES)) $(patsubst %,$(OUT)/%.o,$(call tables,$(TARGET) $(PARTS)))
BOOT_OBJECTS := $(call object,$(BOOT_SOURCES)) $(OUT)/registry.o

# What differs between instruction sets: CROSS, IMAGE_MACHINE, RUNTIME_MACHINE, the files that make an image.
include arch/$(ARCH)/build.mk
IMAGE_CC := $(CROSS)gcc

INCLUDES := arch/include arch/$(ARCH) arch/$(ARCH)/include hal/include hal/native/$(ARCH)/include pmu/include pal/include

WARNINGS := -Wall -Wextra -Werror
IMAGE_CFLAGS = -std=gnu17 -O2 -g $(WARNINGS) $(PROCESSOR) $(IMAGE_MACHINE) -ffreestanding -fno-asynchronous-unwind-tables \
	-nostdinc -isystem $(NEWLIB)/include -isystem $(COMPILER_INCLUDE) $(addprefix -I,$(INCLUDES))
RUNTIME_CFLAGS = $(RUNTIME_MACHINE) -Wstack-usage=$(STACK_MOST) -fstack-usage
WORKLOAD_CFLAGS = -std=gnu17 -O2 -g -Wall $(PROCESSOR) $(IMAGE_MACHINE) $(if $(WORKLOAD),$(WORKLOAD_MACHINE)) -fno-omit-frame-pointer \
	-nostdinc -isystem $(NEWLIB)/include -isystem $(COMPILER_INCLUDE) $(addprefix -I,$(INCLUDES))

NEWLIB = $(shell cat $(OUT)/newlib)
COMPILER_INCLUDE = $(shell $(IMAGE_CC) -print-file-name=include)

# A file name as the shell reads it, and as make does: there may be spaces in it.
quoted = '$(subst ','\'',$(1))'
escaped = $(subst $(subst x,,x x),\ ,$(1))

# Each workload has an image of its own, named after it and where it is.
ifdef WORKLOAD
ifeq ($(wildcard $(call escaped,$(WORKLOAD))),)
$(error there is no file '$(WORKLOAD)' (WORKLOAD=))
endif
WORKLOAD_SOURCE := $(WORKLOAD)
IMAGE := $(OUT)/workloads/$(shell basename $(call quoted,$(WORKLOAD)) .c | tr -c '[:alnum:]._\n-' _)-$(firstword \
	$(shell realpath -ms $(call quoted,$(WORKLOAD)) | cksum))
else
WORKLOAD_SOURCE := boot/workload.c
IMAGE := $(OUT)/palmon
endif

# What the goals of this run need, all at once.
GOALS := $(or $(MAKECMDGOALS),all)
setup:
	@tools/setup host $(if $(filter-out host libvpmu install uninstall fuzz,$(GOALS)),image-$(ARCH)) \
		$(if $(filter check,$(GOALS)),$(addprefix image-,$(IMAGE_ARCHS))) \
		$(if $(filter check bench%,$(GOALS)),check) $(if $(filter fuzz,$(GOALS)),fuzz)

image: $(IMAGE_FORMATS:%=$(IMAGE).%)

# A processor that a file of options describes is one for which the C library is compiled, too.
PROCESSOR_FILES := $(basename $(patsubst @%,%,$(filter @%,$(PROCESSOR))))
$(OUT)/newlib: tools/newlib $(if $(PROCESSOR_FILES),$(PROCESSOR_FILES:=.options) $(PROCESSOR_FILES:=.s) tools/without-sse) | setup
	@mkdir -p $(@D)
	@tools/newlib $(ARCH) "$(IMAGE_MACHINE)" $(PROCESSOR_FILES) >$@

# The table compilers.
$(BUILD)/evtab $(BUILD)/metrictab $(BUILD)/profiletab: $(BUILD)/%: tools/%.c tools/table.c tools/table.h pmu/include/event.h \
		pmu/include/metric.h pmu/include/profile.h pmu/include/pmu.h | setup
	@mkdir -p $(@D); echo "  CC $<"
	@$(CC) -std=gnu17 -O2 $(WARNINGS) -Ipmu/include -o $@ $< tools/table.c

# A target's name in C.
identifier = $(subst -,_,$(1))

define TABLE_RULES
$(1)/events-%.c: pmu/%/events.tab $(BUILD)/evtab
	@mkdir -p $$(@D)
	@$(BUILD)/evtab $$(call identifier,$$*) $$< >$$@
$(1)/metrics-%.c: pmu/%/metrics.tab $(BUILD)/metrictab
	@mkdir -p $$(@D)
	@$(BUILD)/metrictab $$(call identifier,$$*) $$< >$$@
$(1)/profiles-%.c: pmu/%/profiles.tab $(BUILD)/profiletab
	@mkdir -p $$(@D)
	@$(BUILD)/profiletab $$(call identifier,$$*) $$< >$$@
endef
$(eval $(call TABLE_RULES,$(OUT)))

$(OUT)/registry.c: pmu/targets.tab tools/registry
	@mkdir -p $(@D)
	@tools/registry $(TARGET) $(PARTS) >$@

$(RUNTIME_OBJECTS): PART_CFLAGS = $(RUNTIME_CFLAGS)
# What is rarely executed, and resident: what must be fast is compiled with the driver.
$(filter $(OUT)/pmu/core/% $(OUT)/pmu/$(TARGET)/driver_%.o $(OUT)/pal/features.o $(OUT)/pal/halt.o $(OUT)/pal/processor.o $(OUT)/hal/native/%/interrupts.o,$(RUNTIME_OBJECTS)): \
	PART_CFLAGS += -Oz
# Resident and fast: no room for alignment.
$(filter $(OUT)/pmu/$(TARGET)/driver.o $(OUT)/pal/%,$(RUNTIME_OBJECTS)): PART_CFLAGS += -fno-align-functions \
	-fno-align-loops -fno-align-jumps -fno-align-labels
# The dispatch: comparisons take less room than a table with gaps, and the expected index is the first.
$(filter $(OUT)/pal/pal.o,$(RUNTIME_OBJECTS)): PART_CFLAGS += -fno-jump-tables

# Of boot/ what takes samples, in the overflow interrupt.
$(call object,boot/session_take.c boot/histogram.c boot/symbols.c): PART_CFLAGS = $(RUNTIME_CFLAGS)

# What only the monitor executes.
$(filter $(OUT)/hal/emu/% $(OUT)/hal/vpmu/% %/model.o,$(RUNTIME_OBJECTS)): PART_CFLAGS += $(MONITOR_MACHINE)

COMPILE = @mkdir -p $(@D); echo "  CC $<"; $(IMAGE_CC) $(IMAGE_CFLAGS) $(PART_CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/%.o: %.c $(OUT)/newlib Makefile
	$(COMPILE)
$(OUT)/%.o: %.S $(OUT)/newlib Makefile
	$(COMPILE)
$(OUT)/%.o: $(OUT)/%.c $(OUT)/newlib Makefile
	$(COMPILE)

$(IMAGE)-workload.o: $(call escaped,$(WORKLOAD_SOURCE)) $(OUT)/newlib Makefile
	@mkdir -p $(@D); echo "  CC $<"
	@$(IMAGE_CC) $(WORKLOAD_CFLAGS) -MMD -MP -x c -c -o $@ $(call quoted,$(WORKLOAD_SOURCE)) || $(SAY_LIMITS)
	@$(CROSS)nm --defined-only $@ | grep -q ' T workload$$' || \
		{ echo "palmon: $< (WORKLOAD=) has no function 'int workload(void)', which is what is measured" >&2; exit 1; }

# What no workload can do on this processor, for one that does not compile or link.
SAY_LIMITS = { $(if $(WORKLOAD),$(if $(PROCESSOR_LIMITS),echo 'palmon: $(PROCESSOR_LIMITS)' >&2;)) exit 1; }

# LINK_AT, before the linker script, which asks for it: an image that is linked elsewhere.
LINK = $(IMAGE_CC) $(LINK_AT) -nostdlib -static -no-pie -Wl,-T,linker/$(ARCH).ld $(LINK_MACHINE) -Wl,-z,noexecstack \
	-Wl,--build-id=none
LIBRARIES = -L$(NEWLIB)/lib -lc -lm -lc -lgcc

# An archive, so that an image has of the core, of virtual PMUs, and of what the compiler calls, what it uses.
CORE_OBJECTS := $(filter $(OUT)/pmu/core/% $(OUT)/hal/vpmu/% $(OUT)/arch/%/popcount.o $(OUT)/arch/%/divide.o,$(RUNTIME_OBJECTS))
$(OUT)/core.a: $(CORE_OBJECTS)
	@rm -f $@; $(CROSS)ar rcs $@ $^

# Linked twice: the second time with the names of its own functions.
$(IMAGE).elf: $(filter-out $(CORE_OBJECTS),$(RUNTIME_OBJECTS)) $(EARLY) $(EARLY_END) $(BOOT_OBJECTS) $(IMAGE)-workload.o $(OUT)/core.a \
		linker/$(ARCH).ld tools/symbols
	@echo "  LD $@"
	@printf '%s\n' '.section .symbols,"a"' '.global symbols_start,symbols_end' 'symbols_start:' 'symbols_end:' | \
		$(IMAGE_CC) -x assembler -c -o $(IMAGE)-symbols.o -
	@$(LINK) -o $@ $(filter %.o,$^) $(IMAGE)-symbols.o $(OUT)/core.a $(LIBRARIES) || $(SAY_LIMITS)
	@tools/symbols $(CROSS)nm $@ | $(IMAGE_CC) -x assembler -c -o $(IMAGE)-symbols.o -
	@$(LINK) -o $@ $(filter %.o,$^) $(IMAGE)-symbols.o $(OUT)/core.a $(LIBRARIES)

-include $(wildcard $(RUNTIME_OBJECTS:.o=.d) $(BOOT_OBJECTS:.o=.d) $(IMAGE)-workload.d)

#
# Runs
#

RUN ?= all
BOOT ?= $(firstword $(IMAGE_FORMATS))
ifeq ($(filter $(BOOT),$(IMAGE_FORMATS)),)
$(error the image of $(TARGET) is not started by BOOT=$(BOOT), but by: $(IMAGE_FORMATS))
endif
ARGUMENTS = run=$(RUN) $(if $(SUITE),suite=$(SUITE)) $(if $(EVENTS),events=$(EVENTS)) \
	$(if $(METRICS),metrics=$(METRICS)) $(if $(PROFILE),profile=$(PROFILE)) $(if $(THREADS),threads=$(THREADS)) \
	$(if $(LEVEL),level=$(LEVEL)) $(if $(PMI),pmi=$(PMI)) $(if $(FAULT),fault=$(FAULT))

run: image
	@tools/run-image $(TARGET) $(IMAGE).$(BOOT) $(ARGUMENTS)

#
# Guests: kernels that nobody here wrote, under the monitor
#

# The monitor as a boot loader, in a room of its own (hal/emu/guest/room.h).
GUEST_SOURCES := $(wildcard hal/emu/guest/*.c)
GUEST_BENEATH := $(wildcard arch/$(ARCH)/*.[cS]) $(wildcard hal/vpmu/*.c) hal/console/uart16550.c pmu/$(TARGET)/model.c \
	$(filter-out %/processor.c %/decode.c,$(wildcard hal/emu/$(EMULATOR)/*.[cS]))
GUEST_OBJECTS := $(call object,$(GUEST_SOURCES))
GUEST_IMAGE := $(OUT)/guest

$(GUEST_OBJECTS): PART_CFLAGS = $(RUNTIME_CFLAGS) -Ihal/emu/$(EMULATOR) $(MONITOR_MACHINE)
$(OUT)/guest-models.c: Makefile
	@mkdir -p $(@D)
	@printf '%s\n' '#include "model.h"' 'extern const struct pmu_model pmu_model_$(call identifier,$(TARGET));' \
		'const struct pmu_model *const pmu_models[] = {&pmu_model_$(call identifier,$(TARGET)), 0};' >$@
$(OUT)/guest-beneath.a: $(call object,$(GUEST_BENEATH))
	@rm -f $@; $(CROSS)ar qcs $@ $^
$(GUEST_IMAGE).elf: LINK_AT = -Wl,--defsym,arch_image_start=0x1C000000
$(GUEST_IMAGE).elf: $(GUEST_OBJECTS) $(OUT)/guest-models.o $(OUT)/arch/x86/entry.o $(EARLY) $(EARLY_END_OF_GUESTS) \
		$(OUT)/guest-beneath.a linker/$(ARCH).ld
	@echo "  LD $@"
	@$(LINK) -o $@ $(filter %.o %.a,$^) $(LIBRARIES)
-include $(GUEST_OBJECTS:.o=.d)

# The same with the library's example for a monitor: of ours, what is beneath it and around the guest. libvpmu.a is
# the image's only PMU.
EXAMPLE_IMAGE := $(OUT)/example
EXAMPLE_SOURCE := hal/vpmu/library/example/svm.c
EXAMPLE_AROUND := $(addprefix $(OUT)/hal/emu/guest/,start.o load.o tables.o nested.o kernel.o permissions.o)
$(call object,$(EXAMPLE_SOURCE)): PART_CFLAGS = $(RUNTIME_CFLAGS) -Ihal/emu/$(EMULATOR) -Ihal/emu/guest -Ihal/vpmu/library
$(EXAMPLE_IMAGE).elf: LINK_AT = -Wl,--defsym,arch_image_start=0x1C000000
$(EXAMPLE_IMAGE).elf: $(call object,$(EXAMPLE_SOURCE)) $(EXAMPLE_AROUND) $(OUT)/arch/x86/entry.o $(EARLY) $(EARLY_END_OF_GUESTS) \
		$(BUILD)/libvpmu/libvpmu.a $(OUT)/guest-beneath.a linker/$(ARCH).ld
	@echo "  LD $@"
	@$(LINK) -o $@ $(filter %.o %.a,$^) $(LIBRARIES)
-include $(patsubst %.o,%.d,$(call object,$(EXAMPLE_SOURCE)))

ifeq ($(EMULATOR),svm)
IMAGE_OF_GUESTS := guest-image
guest-image: $(GUEST_IMAGE).multiboot
example-image: $(EXAMPLE_IMAGE).multiboot
else
guest-image example-image:
	@echo 'palmon: guests have no PMU of $(TARGET)' >&2; exit 2
endif
guest: guest-image
	@tools/run-guest $(TARGET) $(GUEST_IMAGE).multiboot
example: example-image
	@tools/run-guest $(TARGET) $(EXAMPLE_IMAGE).multiboot

bench: image $(IMAGE_OF_GUESTS)
	@tools/bench $(EMULATOR) $(TARGET) $(OUT) $(IMAGE).$(BOOT) $(BUILD)/bench.json
	@$(MAKE) --no-print-directory bench-host

#
# All targets on the host shim: the palmon command, and unit tests with sanitizers
#

PREFIX ?= /usr/local
HOST := $(BUILD)/host
CHECK := $(BUILD)/check

COMMAND_SOURCES := $(wildcard tools/palmon/*.c)
HOST_SOURCES := $(wildcard pmu/core/*.c pal/*.c hal/vpmu/*.c hal/shim/*.c $(foreach t,$(TARGETS),pmu/$(t)/*.c)) \
	$(wildcard boot/selftest*.c)
HOST_TABLES := registry $(call tables,$(TARGETS))
HOST_WARNINGS := -std=gnu17 -g $(WARNINGS) \
	$(addprefix -I,hal/include hal/shim/include hal/vpmu/library pmu/include pal/include boot tools/palmon)
# Traces are long.
COMMAND_CFLAGS := $(HOST_WARNINGS) -O3
CHECK_CFLAGS := $(HOST_WARNINGS) -Itests/unit -O1 -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer

host_objects = $(patsubst %.c,$(1)/%.o,$(HOST_SOURCES) $(COMMAND_SOURCES)) $(HOST_TABLES:%=$(1)/%.o)
COMMAND_OBJECTS := $(call host_objects,$(HOST))
CHECK_OBJECTS := $(filter-out $(CHECK)/tools/palmon/main.o,$(call host_objects,$(CHECK))) \
	$(patsubst %.c,$(CHECK)/%.o,$(wildcard hal/vpmu/library/*.c))
UNIT_TESTS := $(patsubst %.c,$(CHECK)/%,$(shell find tests/unit -name 'test_*.c' | sort))
TEST_SCRIPTS := $(sort $(wildcard tests/rules/*.t tests/command/*.t tests/boot/*.t tests/proof/*.t))

$(HOST)/registry.c $(CHECK)/registry.c: pmu/targets.tab tools/registry
	@mkdir -p $(@D)
	@tools/registry -m $(TARGETS) >$@
$(foreach d,$(HOST) $(CHECK),$(eval $(call TABLE_RULES,$(d))))

HOST_COMPILE = @mkdir -p $(@D); echo "  CC $< (host)"; $(CC) $(HOST_CFLAGS) -MMD -MP -c -o $@ $<
$(HOST)/%.o: HOST_CFLAGS = $(COMMAND_CFLAGS)
$(HOST)/%.o: %.c Makefile | setup
	$(HOST_COMPILE)
$(HOST)/%.o: $(HOST)/%.c Makefile | setup
	$(HOST_COMPILE)
$(CHECK)/%.o: HOST_CFLAGS = $(CHECK_CFLAGS)
# A test's tables leave out what is 0.
$(CHECK)/tests/%.o: HOST_CFLAGS = $(CHECK_CFLAGS) -Wno-missing-field-initializers -Ihal/emu/svm -Iarch/x86/include
$(CHECK)/%.o: %.c Makefile | setup
	$(HOST_COMPILE)
$(CHECK)/%.o: $(CHECK)/%.c Makefile | setup
	$(HOST_COMPILE)

host: $(HOST)/palmon
$(HOST)/palmon: $(COMMAND_OBJECTS)
	@echo "  LD $@"; $(CC) -o $@ $^ -ljansson -lm
$(CHECK)/tests/unit/%: $(CHECK)/tests/unit/%.o $(CHECK_OBJECTS)
	@$(CC) $(CHECK_CFLAGS) -o $@ $^ -lcmocka -lpfm -ljansson -lm

# All event tables, also of a PMU that is no target.
$(UNIT_TESTS): $(patsubst pmu/%/events.tab,$(CHECK)/events-%.o,$(wildcard pmu/*/events.tab))

# Benchmarks of the host program: tests/bench/*.c, each printing lines of what, number, unit, at least.
HOST_BENCHES := $(patsubst %.c,$(HOST)/%,$(wildcard tests/bench/*.c))
$(HOST)/tests/bench/%: $(HOST)/tests/bench/%.o $(filter-out $(HOST)/tools/palmon/main.o,$(COMMAND_OBJECTS))
	@$(CC) -o $@ $^ -lpfm -ljansson -lm
bench-host: $(HOST_BENCHES)
	@tools/bench-host $^

#
# The library for hypervisors: freestanding, and so that it can be linked anywhere, into a kernel too. Compiled for the
# machine that LIBVPMU_CC compiles for.
#

LIBVPMU := $(BUILD)/libvpmu
LIBVPMU_CC ?= $(CC)
LIBVPMU_BINUTILS ?=
LIBVPMU_VERSION := 1.0
LIBVPMU_SOURCES := $(wildcard hal/vpmu/library/*.c) hal/vpmu/vpmu.c $(TARGETS:%=pmu/%/model.c)
LIBVPMU_OBJECTS := $(LIBVPMU_SOURCES:%.c=$(LIBVPMU)/%.o) $(LIBVPMU)/models.o
# General registers only, and no red zone, where a compiler has an option for it.
LIBVPMU_MACHINE := $(foreach o,-mgeneral-regs-only -mno-red-zone,$(shell \
	echo 'int x;' | $(LIBVPMU_CC) $(o) -x c -c -o /dev/null - 2>/dev/null && echo $(o)))
LIBVPMU_CFLAGS := -std=gnu17 -O2 -g $(WARNINGS) -ffreestanding -fPIE -fvisibility=hidden -fno-stack-protector \
	-fno-asynchronous-unwind-tables -Wstack-usage=1280 $(LIBVPMU_MACHINE) \
	-Ihal/include -Ihal/vpmu/library -Ipmu/include

libvpmu: $(LIBVPMU)/libvpmu.a $(LIBVPMU)/libvpmu.pc
$(LIBVPMU)/models.c: pmu/targets.tab tools/registry
	@mkdir -p $(@D)
	@tools/registry -l $(TARGETS) >$@
LIBVPMU_COMPILE = @mkdir -p $(@D); echo "  CC $< (libvpmu)"; $(LIBVPMU_CC) $(LIBVPMU_CFLAGS) -MMD -MP -c -o $@ $<
$(LIBVPMU)/%.o: %.c Makefile | setup
	$(LIBVPMU_COMPILE)
$(LIBVPMU)/models.o: $(LIBVPMU)/models.c Makefile | setup
	$(LIBVPMU_COMPILE)
# One object, in which only the public functions have names.
$(LIBVPMU)/libvpmu.a: $(LIBVPMU_OBJECTS)
	@echo "  AR $@"; rm -f $@
	@$(LIBVPMU_CC) -r -nostdlib -o $(LIBVPMU)/libvpmu.o $^
	@$(LIBVPMU_BINUTILS)objcopy --localize-hidden $(LIBVPMU)/libvpmu.o
	@$(LIBVPMU_BINUTILS)ar rcs $@ $(LIBVPMU)/libvpmu.o
$(LIBVPMU)/libvpmu.pc: hal/vpmu/library/libvpmu.pc.in Makefile FORCE
	@mkdir -p $(@D); sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(LIBVPMU_VERSION)|' $< >$@
.PHONY: FORCE
-include $(wildcard $(LIBVPMU_OBJECTS:.o=.d))

install: host libvpmu
	install -D -m 755 $(HOST)/palmon $(DESTDIR)$(PREFIX)/bin/palmon
	install -D -m 644 tools/palmon/palmon.1 $(DESTDIR)$(PREFIX)/share/man/man1/palmon.1
	install -D -m 644 $(LIBVPMU)/libvpmu.a $(DESTDIR)$(PREFIX)/lib/libvpmu.a
	install -D -m 644 $(LIBVPMU)/libvpmu.pc $(DESTDIR)$(PREFIX)/lib/pkgconfig/libvpmu.pc
	install -D -m 644 hal/vpmu/library/palmon/vpmu.h $(DESTDIR)$(PREFIX)/include/palmon/vpmu.h
	install -D -m 644 hal/vpmu/library/libvpmu.3 $(DESTDIR)$(PREFIX)/share/man/man3/libvpmu.3

uninstall:
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/palmon share/man/man1/palmon.1 lib/libvpmu.a lib/pkgconfig/libvpmu.pc \
		include/palmon/vpmu.h share/man/man3/libvpmu.3)
	rmdir $(DESTDIR)$(PREFIX)/include/palmon

.SECONDARY: $(UNIT_TESTS:=.o) $(HOST_BENCHES:=.o) $(CHECK_OBJECTS) $(foreach d,$(HOST) $(CHECK),$(HOST_TABLES:%=$(d)/%.c)) \
	$(patsubst %,$(OUT)/%.c,$(call tables,$(TARGET) $(PARTS)))
-include $(wildcard $(COMMAND_OBJECTS:.o=.d) $(CHECK_OBJECTS:.o=.d) $(UNIT_TESTS:=.d))

#
# Fuzzing: `make check` runs the same inputs every time, `make fuzz` has libFuzzer look for new ones
#

FUZZ := $(BUILD)/fuzz
FUZZ_SECONDS ?= 60
FUZZ_SEQUENCES ?= 10000000
FUZZ_NAMES := $(patsubst tests/fuzz/%.c,%,$(filter-out %/seeded.c,$(wildcard tests/fuzz/*.c)))
FUZZ_CFLAGS := -std=gnu17 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all $(filter -I%,$(HOST_WARNINGS))
FUZZ_OBJECTS := $(patsubst $(CHECK)/%,$(FUZZ)/%,$(CHECK_OBJECTS))
FUZZ_TESTS := $(FUZZ_NAMES:%=$(CHECK)/tests/fuzz/%)

$(CHECK)/tests/fuzz/%: $(CHECK)/tests/fuzz/%.o $(CHECK)/tests/fuzz/seeded.o $(CHECK_OBJECTS)
	@$(CC) $(CHECK_CFLAGS) -o $@ $^ -ljansson -lm
FUZZ_COMPILE = @mkdir -p $(@D); echo "  CLANG $<"; clang $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<
$(FUZZ)/%.o: %.c Makefile | setup
	$(FUZZ_COMPILE)
$(FUZZ)/%.o: $(CHECK)/%.c Makefile | setup
	$(FUZZ_COMPILE)
$(FUZZ)/%: $(FUZZ)/tests/fuzz/%.o $(FUZZ_OBJECTS)
	@clang $(FUZZ_CFLAGS) -fsanitize=fuzzer -o $@ $^ -ljansson -lm
.SECONDARY: $(FUZZ_TESTS:=.o) $(CHECK)/tests/fuzz/seeded.o $(FUZZ_OBJECTS) $(FUZZ_NAMES:%=$(FUZZ)/tests/fuzz/%.o)
-include $(wildcard $(FUZZ_TESTS:=.d) $(FUZZ_OBJECTS:.o=.d) $(FUZZ_NAMES:%=$(FUZZ)/tests/fuzz/%.d))

fuzz: $(FUZZ_NAMES:%=$(FUZZ)/%) $(FUZZ_TESTS)
	@echo "  FUZZ vpmu, $(FUZZ_SEQUENCES) sequences of calls"; $(CHECK)/tests/fuzz/vpmu -n $(FUZZ_SEQUENCES)
	@for name in $(FUZZ_NAMES); do \
		echo "  FUZZ $$name, $(FUZZ_SECONDS) seconds"; mkdir -p $(FUZZ)/inputs/$$name; \
		$(CHECK)/tests/fuzz/$$name $(FUZZ)/inputs/$$name || exit 1; \
		$(FUZZ)/$$name -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=10 -verbosity=0 \
			-artifact_prefix=$(FUZZ)/$$name- $(FUZZ)/inputs/$$name || exit 1; \
		echo "  nothing found; $$(ls $(FUZZ)/inputs/$$name | wc -l) different inputs are in $(FUZZ)/inputs/$$name"; \
	done

# The other targets' images.
OTHER_IMAGES := $(patsubst %,image-%,$(filter-out $(TARGET),$(IMAGE_TARGETS)))
.PHONY: $(OTHER_IMAGES)
$(OTHER_IMAGES): image-%: setup
	@$(MAKE) --no-print-directory image TARGET=$*

check: setup image $(IMAGE_OF_GUESTS) $(OTHER_IMAGES) host libvpmu $(UNIT_TESTS) $(FUZZ_TESTS)
	@tests/run-all $(CHECK)/tap $(UNIT_TESTS) $(FUZZ_TESTS) $(TEST_SCRIPTS)

clean:
	rm -rf $(BUILD)
