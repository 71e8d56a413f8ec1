# SPDX-License-Identifier: BSD-2-Clause
# The image contains no part of the machine: a host program, which has the PMU.
IMAGE_NEEDS = $(HOST)/ia64-machine
