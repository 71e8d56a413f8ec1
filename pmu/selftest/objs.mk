# SPDX-License-Identifier: BSD-2-Clause
# The self test that all PMUs share: a part of images, which run it at boot, and of the host program.
SELFTEST_SOURCES := $(wildcard pmu/selftest/*.c)
HOST_SOURCES += $(SELFTEST_SOURCES)
# The checks of global.c, only for targets that use them.
USES_GLOBAL := $(findstring selftest_global,$(file <pmu/$(TARGET)/selftest.c))
IMAGE_SELFTESTS := $(filter-out $(if $(USES_GLOBAL),,pmu/selftest/global.c),$(SELFTEST_SOURCES))
