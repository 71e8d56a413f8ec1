# SPDX-License-Identifier: BSD-2-Clause
# The targets' rooms. A room has drivers, self tests, what fields mean (for people: on the host), defects of the model
# that prove the self test (on the host, with what these share: defects), and what remains: the model and its blocks.

part = $(wildcard $(foreach t,$(1),pmu/$(t)/$(2)))
drivers = $(call part,$(1),driver*.c)
selftests = $(call part,$(1),selftest*.c)
no_models = $(call drivers,$(1)) $(call selftests,$(1)) $(foreach f,meanings defects*,$(call part,$(1),$(f).c))
models = $(filter-out $(call no_models,$(1)),$(call part,$(1),*.c))

RUNTIME_SOURCES += $(call drivers,$(TARGET) $(PARTS))
HOST_SOURCES += $(call part,$(TARGETS) defects,*.c)
LIBVPMU_SOURCES += $(call models,$(TARGETS))

# What must be fast is in driver.c, what is rarely executed in driver_*.c.
$(call object,$(wildcard pmu/$(TARGET)/driver_*.c)): FILE_CFLAGS += -Oz
$(IMAGES)/pmu/$(TARGET)/driver.o: FILE_CFLAGS += $(UNALIGNED)
