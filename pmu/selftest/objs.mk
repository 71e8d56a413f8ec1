# SPDX-License-Identifier: BSD-2-Clause
# The self test that all PMUs share: a part of images, which run it at boot, and of the host program.
SELFTEST_SOURCES := $(wildcard pmu/selftest/*.c)
HOST_SOURCES += $(SELFTEST_SOURCES)
# The checks of global.c, only for targets that use them.
IMAGE_SELFTESTS := $(filter-out $(if $(shell grep selftest_global pmu/$(TARGET)/selftest.c),,pmu/selftest/global.c), \
	$(SELFTEST_SOURCES))
