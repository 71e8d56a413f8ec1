# SPDX-License-Identifier: BSD-2-Clause
# Nothing of the machine is in the image: QEMU's plugin has the PMU.
IMAGE_NEEDS = $(PLUGIN)/palmon-qemu.so
