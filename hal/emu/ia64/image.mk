# SPDX-License-Identifier: BSD-2-Clause
# Nothing of the machine is in the image: it is a program of the host, which has the PMU.
IMAGE_NEEDS = $(HOST)/ia64-machine
