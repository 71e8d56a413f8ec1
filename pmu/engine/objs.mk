# SPDX-License-Identifier: BSD-2-Clause
# What all models have in common.
ENGINE_SOURCES := $(wildcard pmu/engine/*.c)
HOST_SOURCES += $(ENGINE_SOURCES)
LIBVPMU_SOURCES += $(ENGINE_SOURCES)
