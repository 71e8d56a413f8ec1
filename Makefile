# SPDX-License-Identifier: BSD-2-Clause
# palmon. `make help` says what there is; V=1 shows the commands. Each room's objs.mk says what the room builds, of all
# sources it has: a new file needs no line anywhere.

MAKEFLAGS += --no-builtin-rules	# looking for them is most of what make has to do when nothing is to be made
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
include pmu/targets.mk		# TARGET, and what pmu/targets.tab says of it
GOALS := $(or $(MAKECMDGOALS),all)	# of this run; rooms ask for them
BUILD ?= build
PREFIX ?= /usr/local
# Where is built: the image, the palmon command, tests with all sources under sanitizers, library, fuzzers, plugin.
IMAGES := $(BUILD)/$(TARGET)
HOST := $(BUILD)/host
CHECK := $(BUILD)/check
LIBVPMU := $(BUILD)/libvpmu
FUZZ := $(BUILD)/fuzz
PLUGIN := $(BUILD)/plugin
# Where a run leaves what it measures.
OUT := $(IMAGES)/run

# say TEXT: the line that stands for a command, in a recipe.
Q := $(if $(filter-out 0,$(V)),,@)
say = $(if $(Q),$(info $(space) $(1)))
# A file name as make reads it: there may be spaces in it.
escaped = $(subst $(space),\ ,$(1))
# The image's objects of these sources; what is installed of a folder's manual pages.
object = $(patsubst %,$(IMAGES)/%.o,$(basename $(1)))
manuals = $(foreach m,$(wildcard $(1)/*.[1-9]),$(m):share/man/man$(subst .,,$(suffix $(m)))/$(notdir $(m)))

#
# How it is compiled
#

WARNINGS := -Wall -Wextra -Werror -Wa,--fatal-warnings

# The image. What differs between instruction sets: CROSS, IMAGE_MACHINE, RUNTIME_MACHINE, the files made of an image.
include arch/$(ARCH)/build.mk
IMAGE_CC = $(CROSS)gcc
INCLUDES := $(addprefix -I,arch/include arch/$(ARCH) arch/$(ARCH)/include hal/include hal/native/$(ARCH)/include \
	hal/console pmu/include pal/include)
IMAGE_CFLAGS = -std=gnu17 -O2 -g $(WARNINGS) $(PROCESSOR) $(IMAGE_MACHINE) -ffreestanding \
	-fno-asynchronous-unwind-tables @$(IMAGES)/newlib.options $(INCLUDES)
# The runtime: of libc memory and string functions only; general registers only, so that an interrupt saves no others.
RUNTIME_CFLAGS = $(RUNTIME_MACHINE) -Wstack-usage=$(STACK_MOST) -fstack-usage
# Resident and fast: no room for alignment.
UNALIGNED := -fno-align-functions -fno-align-loops -fno-align-jumps -fno-align-labels

HOST_INCLUDES := $(addprefix -I,hal/include hal/shim/include hal/vpmu/library pmu/include pal/include boot tools/palmon)
HOST_WARNINGS := -std=gnu17 -g $(WARNINGS) $(HOST_INCLUDES)
SANITIZED := -O1 -fsanitize=address,undefined,object-size -fno-sanitize-recover=all
CHECK_CFLAGS = $(HOST_WARNINGS) -Itests/unit $(SANITIZED) -fno-omit-frame-pointer

# Of each folder of objects. PART_CFLAGS: of a part of the image. FILE_CFLAGS: of single files.
$(IMAGES)/%.o: COMPILER = $(IMAGE_CC) $(IMAGE_CFLAGS) $(PART_CFLAGS) $(FILE_CFLAGS)
$(HOST)/%.o: COMPILER = $(CC) $(HOST_WARNINGS) -O3	# traces are long
$(CHECK)/%.o: COMPILER = $(CC) $(CHECK_CFLAGS) $(FILE_CFLAGS)
$(LIBVPMU)/%.o: COMPILER = $(LIBVPMU_CC) $(LIBVPMU_CFLAGS)
$(FUZZ)/%.o: COMPILER = clang $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link

#
# The rooms; those that only have sources first: RUNTIME_SOURCES are the image's, HOST_SOURCES the command's and tests'.
#

ROOMS := tools arch hal pmu/core pmu/engine pal pmu boot hal/vpmu/library \
	hal/runtime hal/emu/model tools/palmon hal/emu/ia64 hal/emu/qemu hal/emu/valgrind tests tests/bench tests/fuzz
RULES := Makefile pmu/targets.mk arch/$(ARCH)/build.mk $(ROOMS:%=%/objs.mk)
include tools/help.mk $(ROOMS:%=%/objs.mk)

# compile FOLDER,LABEL,PREREQUISITES: its objects, of sources and of what was made there; nothing else runs.
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

# What the goals of this run need, all at once.
setup:
	@tools/setup host $(if $(filter-out host libvpmu %install %-libvpmu torture,$(GOALS)),image-$(ARCH)) \
		$(if $(filter install,$(GOALS)),plugin) \
		$(if $(filter check quick,$(GOALS)),$(addprefix image-,$(IMAGE_ARCHS))) \
		$(if $(filter check quick boards bench%,$(GOALS)),check $(if $(EXTRA),extra)) \
		$(filter fuzz iso,$(GOALS))

# Rooms say what of them is installed: FILE:PLACE.
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
