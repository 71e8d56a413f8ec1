# SPDX-License-Identifier: BSD-2-Clause
# An image has of the core what it uses (core.a), and small: what must be fast is compiled with the driver.
CORE_SOURCES := $(wildcard pmu/core/*.c)
RUNTIME_SOURCES += $(CORE_SOURCES)
HOST_SOURCES += $(CORE_SOURCES)

$(call object,$(CORE_SOURCES)): FILE_CFLAGS += -Oz
