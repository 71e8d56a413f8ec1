# SPDX-License-Identifier: BSD-2-Clause
RUNTIME_SOURCES := $(wildcard arch/$(ARCH)/*.[cS])

# Guesses about hardware, as changed by GUESSES="NAME=VALUE ...": this file is found before the one
# in the sources.
ifneq ($(wildcard arch/$(ARCH)/include/$(ARCH)/guesses.h),)
GUESSES_HERE := $(IMAGES)/guesses/$(ARCH)/guesses.h
INCLUDES := -I$(IMAGES)/guesses $(INCLUDES)
$(GUESSES_HERE): arch/$(ARCH)/include/$(ARCH)/guesses.h FORCE | $(dir $(GUESSES_HERE))
	$(Q)tools/guesses $< $@ $(call quoted,$(GUESSES))
else ifneq ($(GUESSES),)
$(error nothing is guessed of $(TARGET) (GUESSES=))
endif
