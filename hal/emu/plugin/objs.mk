# SPDX-License-Identifier: BSD-2-Clause
# The emulator's plugin, which has all targets' models, and their defects.

PLUGIN_SOURCES := $(wildcard hal/emu/plugin/*.c hal/vpmu/*.c) hal/emu/guest/paging.c $(ENGINE_SOURCES) \
	$(call models,$(TARGETS)) $(call part,$(TARGETS) defects,defects.c)
$(PLUGIN)/%.o: COMPILER = $(CC) $(HOST_WARNINGS) -O2 -flto -fPIC -fvisibility=hidden $(FILE_CFLAGS)
PLUGIN_OBJECTS := $(PLUGIN_SOURCES:%.c=$(PLUGIN)/%.o) $(PLUGIN)/registry.o $(PLUGIN)/defects.o \
	$(patsubst %,$(PLUGIN)/%.o,$(call model_tables,$(TARGETS))) $(EMU_MODEL:%=$(PLUGIN)/%.o)
# The guest is the SVM monitor's, and is where that keeps it.
$(PLUGIN)/hal/emu/plugin/guest.o $(PLUGIN)/hal/emu/guest/paging.o: FILE_CFLAGS = \
	-Ihal/emu/svm -Ihal/emu/guest -Iarch/x86
# What the hyperprivileged monitor shares with it.
$(PLUGIN)/hal/emu/plugin/sparc64_observe.o: FILE_CFLAGS = -Iarch/sparc64

$(PLUGIN)/palmon.so: $(PLUGIN_OBJECTS)
	$(call say,LD $@)$(Q)$(CC) -O2 -flto=auto -shared -o $@ $^ -lZydis -lm
-include $(wildcard $(PLUGIN_OBJECTS:.o=.d))
