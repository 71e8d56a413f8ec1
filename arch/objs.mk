# SPDX-License-Identifier: BSD-2-Clause
RUNTIME_SOURCES := $(wildcard arch/$(ARCH)/*.[cS])

# The guesses about hardware, changed by GUESSES="NAME=VALUE ...". This header precedes the one
# among the sources.
ifneq ($(wildcard arch/$(ARCH)/include/$(ARCH)/guesses.h),)
GUESSES_HERE := $(IMAGES)/guesses/$(ARCH)/guesses.h
INCLUDES := -I$(IMAGES)/guesses $(INCLUDES)
$(GUESSES_HERE): arch/$(ARCH)/include/$(ARCH)/guesses.h FORCE | $(dir $(GUESSES_HERE))
	$(Q)tools/guesses $< $@ $(call quoted,$(GUESSES))
else ifneq ($(GUESSES),)
$(error nothing is guessed of $(TARGET) (GUESSES=))
endif
