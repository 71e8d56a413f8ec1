# SPDX-License-Identifier: BSD-2-Clause
# An image contains only the used parts of the core (core.a), compiled for size; fast paths are
# compiled with the driver.
CORE_SOURCES := $(wildcard pmu/core/*.c)
RUNTIME_SOURCES += $(CORE_SOURCES)
HOST_SOURCES += $(CORE_SOURCES)

$(call object,$(CORE_SOURCES)): FILE_CFLAGS += -Oz
