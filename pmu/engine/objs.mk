# SPDX-License-Identifier: BSD-2-Clause
# Code shared by all models.
ENGINE_SOURCES := $(wildcard pmu/engine/*.c)
HOST_SOURCES += $(ENGINE_SOURCES)
LIBVPMU_SOURCES += $(ENGINE_SOURCES)
