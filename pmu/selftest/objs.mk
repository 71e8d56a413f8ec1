# SPDX-License-Identifier: BSD-2-Clause
# The self test that all PMUs share: a part of images, which run it at boot, and of the host program.
SELFTEST_SOURCES := $(wildcard pmu/selftest/*.c)
HOST_SOURCES += $(SELFTEST_SOURCES)
# No target with an image uses the checks of global.c.
IMAGE_SELFTESTS := $(filter-out pmu/selftest/global.c,$(SELFTEST_SOURCES))
