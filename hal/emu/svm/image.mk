# SPDX-License-Identifier: BSD-2-Clause
# The monitor is in the image, beneath which it puts itself. The PMU is in the emulator's plugin.
MONITOR_SOURCES := $(wildcard hal/emu/svm/*.[cS])
IMAGE_NEEDS = $(PLUGIN)/palmon.so
