# SPDX-License-Identifier: BSD-2-Clause
# What all models have in common. As models it is executed by the monitor only.
ENGINE_SOURCES := $(wildcard pmu/engine/*.c)
RUNTIME_SOURCES += $(if $(MODELS_IN_IMAGE),$(ENGINE_SOURCES))
HOST_SOURCES += $(ENGINE_SOURCES)
LIBVPMU_SOURCES += $(ENGINE_SOURCES)

$(call object,$(ENGINE_SOURCES)): FILE_CFLAGS += $(MONITOR_MACHINE)
