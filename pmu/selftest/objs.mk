# SPDX-License-Identifier: BSD-2-Clause
# The self test that all PMUs share: a part of images, which run it at boot, and of the host program.
SELFTEST_SOURCES := $(wildcard pmu/selftest/*.c)
HOST_SOURCES += $(SELFTEST_SOURCES)
