# SPDX-License-Identifier: BSD-2-Clause
# The valgrind tool: valgrind's core, from Debian's package valgrind, and the models. Not built
# without the package.

VALGRIND := $(BUILD)/valgrind
VALGRIND_CORE := $(patsubst %,/usr/lib/x86_64-linux-gnu/valgrind/lib%-amd64-linux.a,coregrind vex gcc-sup)
# Goals that need the tool install the package first.
VALGRIND_TOOL := $(if $(wildcard $(VALGRIND_CORE))$(filter check quick bench%,$(GOALS)),$(VALGRIND)/palmon-amd64-linux)
$(VALGRIND_CORE): | setup ;
VALGRIND_OBJECTS := $(patsubst %.c,$(VALGRIND)/%.o,$(wildcard hal/emu/valgrind/*.c) \
	$(filter-out hal/emu/model/processor%,$(wildcard hal/emu/model/*.c)))
$(VALGRIND)/%.o: COMPILER = $(CC) $(HOST_WARNINGS) -O3 -fno-pie -fno-stack-protector -isystem /usr/include/valgrind \
	-DVGA_amd64 -DVGO_linux -DVGP_amd64_linux
# Valgrind's core requires a tool to be linked at this address, outside the program's memory.
$(VALGRIND)/palmon-amd64-linux: $(VALGRIND_OBJECTS) $(VALGRIND_CORE)
	$(call say,LD $@)$(Q)$(CC) -static -nostdlib -no-pie -Wl,--build-id=none,-Ttext-segment=0x58000000,-u,_start \
		-o $@ -Wl,--start-group $^ -lgcc -Wl,--end-group
-include $(wildcard $(VALGRIND_OBJECTS:.o=.d))

host: $(VALGRIND_TOOL)
INSTALLED += $(foreach f,$(VALGRIND_TOOL),$(f):lib/palmon/$(notdir $(f)))
