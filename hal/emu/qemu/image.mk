# SPDX-License-Identifier: BSD-2-Clause
# The image contains no part of the machine: the PMU is in QEMU's plugin.
IMAGE_NEEDS = $(PLUGIN)/palmon-qemu.so
