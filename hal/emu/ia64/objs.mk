# SPDX-License-Identifier: BSD-2-Clause
# The emulated ia64 machine: a host program, with the models that its processor can have as PMU.

IA64_MAIN := hal/emu/ia64/main.c
IA64_SOURCES := $(filter-out $(IA64_MAIN),$(wildcard hal/emu/ia64/*.c))
IA64_OBJECTS := $(patsubst %.c,$(HOST)/%.o,$(IA64_SOURCES) $(IA64_MAIN)) $(EMU_MODEL:%=$(HOST)/%.o)

host: $(HOST)/ia64-machine
$(HOST)/ia64-machine: $(IA64_OBJECTS) $(filter-out $(HOST)/tools/palmon/main.o,$(COMMAND_OBJECTS))
	$(call say,LD $@)$(Q)$(CC) -o $@ $^ $(HOST_LIBRARIES)
-include $(wildcard $(IA64_OBJECTS:.o=.d))
