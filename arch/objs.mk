# SPDX-License-Identifier: BSD-2-Clause
RUNTIME_SOURCES := $(wildcard arch/$(ARCH)/*.[cS])
