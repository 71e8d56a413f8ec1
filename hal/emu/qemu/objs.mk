# SPDX-License-Identifier: BSD-2-Clause
# The plugin for QEMU 11.1: the models of all targets, with their defects, and the drivers on the
# host shim, which provide event names and the register writes of an event.

QEMU_SOURCES := $(wildcard hal/emu/qemu/*.c hal/emu/qemu/*/*.c hal/vpmu/*.c hal/shim/*.c pmu/core/*.c) \
	tools/palmon/event_text.c $(ENGINE_SOURCES) \
	$(call models,$(TARGETS)) $(call drivers,$(TARGETS)) $(call part,$(TARGETS) defects,defects*.c)
QEMU_OBJECTS := $(QEMU_SOURCES:%.c=$(PLUGIN)/%.o) $(patsubst %,$(PLUGIN)/%.o,registry drivers defects \
	$(call tables,$(TARGETS)) $(call model_tables,$(TARGETS)) $(EMU_MODEL))
$(PLUGIN)/%.o: COMPILER = $(CC) $(HOST_WARNINGS) -O2 -fno-tree-vectorize -flto -fPIC -fvisibility=hidden $(FILE_CFLAGS)
# The shim's PMU may write into a program's memory from __data_start on. Only executables define
# that symbol.
$(PLUGIN)/palmon-qemu.so: $(QEMU_OBJECTS)
	$(call say,LD $@)$(Q)$(CC) -O2 -flto=auto -shared -Wl,--defsym=__data_start=__bss_start -o $@ $^ -lZydis -lm
-include $(wildcard $(QEMU_OBJECTS:.o=.d))

guest: $(PLUGIN)/palmon-qemu.so
	$(Q)BUILD=$(BUILD) tools/run-guest $(TARGET)
