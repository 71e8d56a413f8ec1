# SPDX-License-Identifier: BSD-2-Clause
# The targets' folders. A folder has drivers, self tests, meanings of fields (for people: on the
# host), defects of the model that prove the self test (on the host, with the shared folder
# `defects`); all other files are the model and its blocks.

part = $(wildcard $(foreach t,$(1),pmu/$(t)/$(2)))
drivers = $(call part,$(1),driver*.c)
selftests = $(call part,$(1),selftest*.c)
no_models = $(call drivers,$(1)) $(call selftests,$(1)) $(foreach f,meanings defects*,$(call part,$(1),$(f).c))
models = $(filter-out $(call no_models,$(1)),$(call part,$(1),*.c))

RUNTIME_SOURCES += $(call drivers,$(TARGET) $(PARTS))
HOST_SOURCES += $(call part,$(TARGETS) defects,*.c)
LIBVPMU_SOURCES += $(call models,$(TARGETS))

# driver.c contains the fast paths; driver_*.c, rarely executed code.
$(call object,$(wildcard pmu/$(TARGET)/driver_*.c)): FILE_CFLAGS += -Oz
$(IMAGES)/pmu/$(TARGET)/driver.o: FILE_CFLAGS += $(UNALIGNED)
