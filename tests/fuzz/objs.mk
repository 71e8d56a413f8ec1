# SPDX-License-Identifier: BSD-2-Clause
# Fuzzing: `make check` runs the same inputs every time; `make fuzz` runs libFuzzer, which looks for
# new ones.

FUZZ_SECONDS ?= 60
FUZZ_SEQUENCES ?= 10000000
FUZZ_FLOATING ?= 10000000
FUZZ_GUEST_SECONDS ?= 600
FUZZ_NAMES := $(patsubst tests/fuzz/%.c,%,$(filter-out %/seeded.c,$(wildcard tests/fuzz/*.c)))
FUZZ_CFLAGS = -std=gnu17 -g $(SANITIZED) $(HOST_INCLUDES)
FUZZ_OBJECTS := $(patsubst $(CHECK)/%,$(FUZZ)/%,$(CHECK_OBJECTS))
FUZZ_TESTS := $(FUZZ_NAMES:%=$(CHECK)/tests/fuzz/%)
FUZZERS := $(FUZZ_NAMES:%=$(FUZZ)/%)

$(FUZZ_TESTS): %: %.o $(CHECK)/tests/fuzz/seeded.o $(CHECK_ARCHIVE)
	$(Q)$(CC) $(CHECK_CFLAGS) -o $@ $^ $(HOST_LIBRARIES)
$(FUZZERS): $(FUZZ)/%: $(FUZZ)/tests/fuzz/%.o $(FUZZ_OBJECTS)
	$(Q)clang $(FUZZ_CFLAGS) -fsanitize=fuzzer -o $@ $^ $(HOST_LIBRARIES)
.SECONDARY: $(FUZZ_TESTS:=.o) $(CHECK)/tests/fuzz/seeded.o $(FUZZ_OBJECTS) $(FUZZ_NAMES:%=$(FUZZ)/tests/fuzz/%.o)
-include $(wildcard $(FUZZ_TESTS:=.d) $(FUZZ_OBJECTS:.o=.d) $(FUZZ_NAMES:%=$(FUZZ)/tests/fuzz/%.d))

# Floating-point instructions of the ia64 machine; `make check` runs only a few.
FLOATING_TEST := $(CHECK)/tests/unit/hal/test_ia64_mpfr

fuzz: $(FUZZERS) $(FUZZ_TESTS) $(FLOATING_TEST)
	$(Q)echo "  FUZZ ia64's arithmetic, $(FUZZ_FLOATING) instructions, and as many parallel ones"; \
		$(FLOATING_TEST) -n $(FUZZ_FLOATING)
	$(Q)echo "  FUZZ vpmu, $(FUZZ_SEQUENCES) sequences of calls"; $(CHECK)/tests/fuzz/vpmu -n $(FUZZ_SEQUENCES)
	$(Q)for name in $(FUZZ_NAMES); do \
		echo "  FUZZ $$name, $(FUZZ_SECONDS) seconds"; mkdir -p $(FUZZ)/inputs/$$name; \
		$(CHECK)/tests/fuzz/$$name $(FUZZ)/inputs/$$name || exit 1; \
		$(FUZZ)/$$name -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=10 -verbosity=0 \
			-artifact_prefix=$(FUZZ)/$$name- $(FUZZ)/inputs/$$name || exit 1; \
		found=$$(ls $(FUZZ)/inputs/$$name | wc -l); \
		echo "  nothing found; $$found different inputs are in $(FUZZ)/inputs/$$name"; \
	done
	$(Q)echo "  FUZZ guests, $(FUZZ_GUEST_SECONDS) seconds for x86 and for SPARC"; \
		FUZZ_GUEST_SECONDS=$(FUZZ_GUEST_SECONDS) BUILD=$(BUILD) \
		prove tests/boot/fuzz.t tests/boot/sparct4-fuzz.t

# On all processors, like the tests.
MAKEFLAGS += $(if $(filter check quick,$(GOALS)),-j$(shell nproc))
check quick: setup images $(OTHER_IMAGES) host libvpmu $(PLUGIN)/palmon-qemu.so $(UNIT_TESTS)
check: $(FUZZ_TESTS)
	$(Q)tests/run-all $(CHECK)/tap $(UNIT_TESTS) $(FUZZ_TESTS) $(TEST_SCRIPTS)
quick:
	$(Q)tests/run-all $(CHECK)/tap $(QUICK_TESTS)
