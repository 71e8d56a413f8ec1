# SPDX-License-Identifier: BSD-2-Clause
# QEMU's plugin contains the PMU, so an image needs no additional objects.
IMAGE_NEEDS = $(PLUGIN)/palmon-qemu.so
