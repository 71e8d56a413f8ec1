# SPDX-License-Identifier: BSD-2-Clause
# The monitor is in the image, in front of its trap tables.
MONITOR_SOURCES := $(wildcard hal/emu/hyper/*.[cS] hal/vpmu/*.c)
# So are models.
MODELS_IN_IMAGE := yes
