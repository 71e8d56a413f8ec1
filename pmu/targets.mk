# SPDX-License-Identifier: BSD-2-Clause
# Reads pmu/targets.tab without starting a process: each line becomes a word with | between its
# fields.

empty :=
space := $(empty) $(empty)
tab := $(empty)	$(empty)
hash := \#
define newline


endef
# A file name quoted for the shell; it may contain spaces.
quoted = '$(subst ','\'',$(1))'
# nearest NAME,NAMES: the end of an error message, with the nearest valid name.
nearest = $(call nearest_is,$(shell tools/nearest $(call quoted,$(1)) $(2)))
nearest_is = $(if $(1),; the nearest name is $(1))
target_table := $(subst $(tab),|,$(subst $(space),|,$(file <pmu/targets.tab)))
target_lines := $(filter-out $(hash)%,$(subst $(newline), ,$(target_table)))
# field NUMBER,LINE same A,B: not empty if A and B are equal
field = $(word $(1),$(subst |, ,$(2)))
same = $(if $(subst x$(1),,x$(2))$(subst x$(2),,x$(1)),,yes)

TARGETS := $(strip $(foreach l,$(target_lines),$(call field,1,$(l))))
image_lines := $(strip $(foreach l,$(target_lines),$(if $(filter -% +%,$(call field,3,$(l))),,$(l))))
IMAGE_TARGETS := $(strip $(foreach l,$(image_lines),$(call field,1,$(l))))
IMAGE_ARCHS := $(sort $(foreach l,$(image_lines),$(call field,2,$(l))))

TARGET ?= $(firstword $(IMAGE_TARGETS))
target_line := $(strip $(foreach l,$(target_lines),$(if $(call same,$(TARGET),$(call field,1,$(l))),$(l))))
ARCH := $(call field,2,$(target_line))
EMULATOR := $(call field,3,$(target_line))
PROCESSOR := $(call field,4,$(target_line))
# Further PMUs that this target's image drives.
PARTS := $(strip $(foreach l,$(target_lines),$(if $(call same,+$(TARGET),$(call field,3,$(l))),$(call field,1,$(l)))))

ifeq ($(ARCH),)
$(error there is no TARGET '$(TARGET)'$(call nearest,$(TARGET),$(TARGETS)); targets are: $(TARGETS))
endif
ifeq ($(EMULATOR),-)
$(error there is no image of $(TARGET), it runs on the host: make, then build/host/palmon selftest -t $(TARGET))
endif
ifneq ($(filter +%,$(EMULATOR)),)
$(error $(TARGET) is part of the image of $(EMULATOR:+%=%): make TARGET=$(EMULATOR:+%=%))
endif
