# SPDX-License-Identifier: BSD-2-Clause
# What the image costs, and the host program: each of these prints lines of what, number, unit, at least.

HOST_BENCHES := $(patsubst %.c,$(HOST)/%,$(wildcard tests/bench/*.c))
$(HOST_BENCHES): %: %.o $(filter-out $(HOST)/tools/palmon/main.o,$(COMMAND_OBJECTS))
	$(Q)$(CC) -o $@ $^ -lpfm $(HOST_LIBRARIES)
.SECONDARY: $(HOST_BENCHES:=.o)
-include $(wildcard $(HOST_BENCHES:=.d))

bench-host: $(HOST_BENCHES) $(HOST)/ia64-machine
	$(Q)BUILD=$(BUILD) tools/bench-host $(HOST_BENCHES) tests/bench/ia64
bench: image $(IMAGE_OF_GUESTS)
	$(Q)BUILD=$(BUILD) tools/bench $(EMULATOR) $(TARGET) $(IMAGES) $(IMAGE).$(BOOT) $(BUILD)/bench.json
	$(Q)$(MAKE) --no-print-directory bench-host
