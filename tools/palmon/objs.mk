# SPDX-License-Identifier: BSD-2-Clause
# The palmon command: all targets on the host shim.

COMMAND_SOURCES := $(wildcard tools/palmon/*.c)
HOST_TABLES := registry defects $(call tables,$(TARGETS)) $(call model_tables,$(TARGETS))
host_objects = $(patsubst %.c,$(1)/%.o,$(HOST_SOURCES) $(COMMAND_SOURCES)) $(HOST_TABLES:%=$(1)/%.o)
COMMAND_OBJECTS := $(call host_objects,$(HOST))
# What it is linked with, as all that is linked with its objects.
HOST_LIBRARIES := -ljansson -lelf -lz -lm
INSTALLED += $(HOST)/palmon:bin/palmon $(call manuals,tools/palmon)

host: $(HOST)/palmon
$(HOST)/palmon: $(COMMAND_OBJECTS)
	$(call say,LD $@)$(Q)$(CC) -o $@ $^ $(HOST_LIBRARIES)
-include $(wildcard $(COMMAND_OBJECTS:.o=.d))
