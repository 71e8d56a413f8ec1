# SPDX-License-Identifier: BSD-2-Clause
# The monitor is in the image, beneath which it puts itself.
MONITOR_SOURCES := $(wildcard hal/emu/svm/*.[cS] hal/vpmu/*.c)
