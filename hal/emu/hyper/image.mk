# SPDX-License-Identifier: BSD-2-Clause
# The monitor is in the image, in front of its trap tables. The PMU is in the emulator's plugin.
MONITOR_SOURCES := $(wildcard hal/emu/hyper/*.[cS])
IMAGE_NEEDS = $(PLUGIN)/palmon.so
