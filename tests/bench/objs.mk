# SPDX-License-Identifier: BSD-2-Clause
# Benchmarks of the image, and of host programs: each prints lines of title, number, unit, limit.

HOST_BENCHES := $(patsubst %.c,$(HOST)/%,$(filter-out tests/bench/references.c,$(wildcard tests/bench/*.c)))
$(HOST_BENCHES): %: %.o $(filter-out $(HOST)/tools/palmon/main.o,$(COMMAND_OBJECTS))
	$(Q)$(CC) -o $@ $^ -lpfm $(HOST_LIBRARIES)
# Programs that scripts need to measure others.
REFERENCES := $(HOST)/tests/bench/references
$(REFERENCES): %: %.o $(EMU_MODEL:%=$(HOST)/%.o) $(HOST)/pmu/core/nearest.o
	$(Q)$(CC) -o $@ $^
.SECONDARY: $(HOST_BENCHES:=.o) $(REFERENCES).o
-include $(wildcard $(HOST_BENCHES:=.d) $(REFERENCES).d)

bench-host: $(HOST_BENCHES) $(REFERENCES) $(HOST)/ia64-machine $(HOST)/palmon $(VALGRIND_TOOL)
	$(Q)BUILD=$(BUILD) tools/bench-host $(HOST_BENCHES) tests/bench/references tests/bench/ia64 \
		tests/bench/programs tests/bench/samples
bench: image $(if $(RUNTIME),runtime)
	$(Q)BUILD=$(BUILD) tools/bench $(TARGET) $(IMAGES) $(IMAGE).$(BOOT) $(BUILD)/bench.json
	$(Q)$(MAKE) --no-print-directory bench-host
	$(Q)BUILD=$(BUILD) tests/bench/guests $(TARGET)
