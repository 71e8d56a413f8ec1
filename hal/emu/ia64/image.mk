# SPDX-License-Identifier: BSD-2-Clause
# The image contains no part of the machine, which is a host program with the PMU.
IMAGE_NEEDS = $(HOST)/ia64-machine
