# SPDX-License-Identifier: BSD-2-Clause
# Source files of the targets' folders: drivers, self tests, meanings of fields (texts, on the host
# only), defects of the model (on the host and in the QEMU plugin only; pmu/defects has their common
# part); all other files are the model and its blocks.

part = $(wildcard $(foreach t,$(1),pmu/$(t)/$(2)))
drivers = $(call part,$(1),driver*.c)
selftests = $(call part,$(1),selftest*.c)
no_models = $(call drivers,$(1)) $(call selftests,$(1)) $(foreach f,meanings defects*,$(call part,$(1),$(f).c))
models = $(filter-out $(call no_models,$(1)),$(call part,$(1),*.c))

RUNTIME_SOURCES += $(call drivers,$(TARGET) $(PARTS))
HOST_SOURCES += $(call part,$(TARGETS) defects,*.c)
LIBVPMU_SOURCES += $(call models,$(TARGETS))

# Fast paths are in driver.c, rarely executed code is in driver_*.c.
$(call object,$(wildcard pmu/$(TARGET)/driver_*.c)): FILE_CFLAGS += -Oz
$(IMAGES)/pmu/$(TARGET)/driver.o: FILE_CFLAGS += $(UNALIGNED)
