# SPDX-License-Identifier: BSD-2-Clause
# An image links only the core files that it uses (core.a), compiled for size. Fast paths are
# compiled with the driver.
CORE_SOURCES := $(wildcard pmu/core/*.c)
RUNTIME_SOURCES += $(CORE_SOURCES)
HOST_SOURCES += $(CORE_SOURCES)

$(call object,$(CORE_SOURCES)): FILE_CFLAGS += -Oz
