# SPDX-License-Identifier: BSD-2-Clause
# palmon. `make help` lists goals and variables; V=1 shows the commands. Each folder's objs.mk
# builds all sources of the folder: a new file needs no line anywhere.

MAKEFLAGS += --no-builtin-rules	# searching them takes most of the time of an idle make
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
include pmu/targets.mk		# TARGET, and its line of pmu/targets.tab
GOALS := $(or $(MAKECMDGOALS),all)	# of this run; the folders' objs.mk use them
BUILD ?= build
PREFIX ?= /usr/local
# Output folders: image, palmon command, tests with all sources under sanitizers, library, fuzzers,
# plugin.
IMAGES := $(BUILD)/$(TARGET)
HOST := $(BUILD)/host
CHECK := $(BUILD)/check
LIBVPMU := $(BUILD)/libvpmu
FUZZ := $(BUILD)/fuzz
PLUGIN := $(BUILD)/plugin
# Folder for the measurements of a run.
OUT := $(IMAGES)/run

# say TEXT: prints a line instead of a recipe's command.
Q := $(if $(filter-out 0,$(V)),,@)
say = $(if $(Q),$(info $(space) $(1)))
# Escapes blanks in a file name for make.
escaped = $(subst $(space),\ ,$(1))
# The image's objects of these sources; the manual pages of a folder, for INSTALLED.
object = $(patsubst %,$(IMAGES)/%.o,$(basename $(1)))
manuals = $(foreach m,$(wildcard $(1)/*.[1-9]),$(m):share/man/man$(subst .,,$(suffix $(m)))/$(notdir $(m)))

#
# Compilation
#

WARNINGS := -Wall -Wextra -Werror -Wa,--fatal-warnings

# The image. Defined per instruction set: CROSS, IMAGE_MACHINE, RUNTIME_MACHINE, the files made from
# an image.
include arch/$(ARCH)/build.mk
IMAGE_CC = $(CROSS)gcc
INCLUDES := $(addprefix -I,arch/include arch/$(ARCH) arch/$(ARCH)/include hal/include hal/native/$(ARCH)/include \
	hal/console pmu/include pal/include)
IMAGE_CFLAGS = -std=gnu17 -O2 -g $(WARNINGS) $(PROCESSOR) $(IMAGE_MACHINE) -ffreestanding \
	-fno-asynchronous-unwind-tables @$(IMAGES)/newlib.options $(INCLUDES)
# The runtime uses only memory and string functions of libc, and only general registers, because an
# interrupt saves no others.
RUNTIME_CFLAGS = $(RUNTIME_MACHINE) -Wstack-usage=$(STACK_MOST) -fstack-usage
# Resident and fast code has no room for alignment.
UNALIGNED := -fno-align-functions -fno-align-loops -fno-align-jumps -fno-align-labels

HOST_INCLUDES := $(addprefix -I,hal/include hal/shim/include hal/vpmu/library pmu/include pal/include boot tools/palmon)
HOST_WARNINGS := -std=gnu17 -g $(WARNINGS) $(HOST_INCLUDES)
SANITIZED := -O1 -fsanitize=address,undefined,object-size -fno-sanitize-recover=all
CHECK_CFLAGS = $(HOST_WARNINGS) -Itests/unit $(SANITIZED) -fno-omit-frame-pointer

# The compiler for each output folder. PART_CFLAGS: for a part of the image. FILE_CFLAGS: for single
# files.
$(IMAGES)/%.o: COMPILER = $(IMAGE_CC) $(IMAGE_CFLAGS) $(PART_CFLAGS) $(FILE_CFLAGS)
$(HOST)/%.o: COMPILER = $(CC) $(HOST_WARNINGS) -O3	# traces are long
$(CHECK)/%.o: COMPILER = $(CC) $(CHECK_CFLAGS) $(FILE_CFLAGS)
$(LIBVPMU)/%.o: COMPILER = $(LIBVPMU_CC) $(LIBVPMU_CFLAGS)
$(FUZZ)/%.o: COMPILER = clang $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link

#
# The folders; those that only list sources come first: RUNTIME_SOURCES for the image, HOST_SOURCES
# for command and tests.
#

ROOMS := tools arch hal pmu/core pmu/engine pmu/selftest pal pmu boot hal/vpmu/library \
	hal/runtime hal/emu/model tools/palmon hal/emu/ia64 hal/emu/qemu hal/emu/valgrind tests tests/bench tests/fuzz
RULES := Makefile pmu/targets.mk arch/$(ARCH)/build.mk $(ROOMS:%=%/objs.mk)
include tools/help.mk $(ROOMS:%=%/objs.mk)

# compile FOLDER,LABEL,PREREQUISITES: rules for the objects of a folder, from sources and from
# generated files.
define compile
$(1)/%.o: %.c $(3) $(RULES) | setup $$$$(@D)/
	$$(call say,$(2))$(Q)$$(COMPILER) -MMD -MP -c -o $$@ $$<
$(1)/%.o: %.S $(3) $(RULES) | setup $$$$(@D)/
	$$(call say,$(2))$(Q)$$(COMPILER) -MMD -MP -c -o $$@ $$<
$(1)/%.o: $(1)/%.c $(3) $(RULES) | setup $$$$(@D)/
	$$(call say,$(2))$(Q)$$(COMPILER) -MMD -MP -c -o $$@ $$<
endef
.SECONDEXPANSION:
$(foreach d,$(IMAGES) $(IMAGES)/early,$(eval $(call compile,$(d),CC $$<,$(IMAGES)/newlib.options $(GUESSES_HERE))))
$(foreach d,$(HOST) $(CHECK) $(PLUGIN) $(VALGRIND) $(RUNTIME),$(eval $(call compile,$(d),CC $$< (host))))
$(eval $(call compile,$(LIBVPMU),CC $$< (libvpmu),$(LIBVPMU)/machine.options))
$(eval $(call compile,$(FUZZ),CLANG $$<))
%/:
	@mkdir -p $@
.PRECIOUS: %/

all: host libvpmu image

# Installs the packages for all goals of this run at once.
setup:
	@tools/setup host $(if $(filter-out host libvpmu %install %-libvpmu torture,$(GOALS)),image-$(ARCH)) \
		$(if $(filter install,$(GOALS)),plugin) \
		$(if $(filter check quick,$(GOALS)),$(addprefix image-,$(IMAGE_ARCHS))) \
		$(if $(filter check quick boards bench%,$(GOALS)),check $(if $(EXTRA),extra)) \
		$(filter fuzz iso,$(GOALS))

# INSTALLED lists FILE:PLACE; each folder adds to it.
from = $(firstword $(subst :, ,$(1)))
place = $(DESTDIR)$(PREFIX)/$(lastword $(subst :, ,$(1)))
mode = $(if $(findstring :bin/,$(1))$(filter %/find-qemu %/palmon-amd64-linux,$(1)),755,644)
install: host libvpmu
	$(foreach f,$(INSTALLED),install -D -m $(call mode,$(f)) $(call from,$(f)) $(call place,$(f))$(newline))
uninstall:
	rm -f $(foreach f,$(INSTALLED),$(call place,$(f)))
	rmdir $(DESTDIR)$(PREFIX)/share/doc/palmon $(DESTDIR)$(PREFIX)/lib/palmon 2>/dev/null || true

clean:
	rm -rf $(BUILD)
