# SPDX-License-Identifier: BSD-2-Clause
# Unit tests, each linked with all host code, and the test scripts.

CHECK_OBJECTS := $(filter-out $(CHECK)/tools/palmon/main.o,$(call host_objects,$(CHECK))) \
	$(LIBVPMU_OWN:%.c=$(CHECK)/%.o) $(CHECK)/most.o $(IA64_SOURCES:%.c=$(CHECK)/%.o)
UNIT_TESTS := $(patsubst %.c,$(CHECK)/%,$(sort $(wildcard \
	$(addsuffix /test_*.c,tests/unit/* tests/unit/*/* tests/unit/*/*/*))))
TEST_SCRIPTS := $(sort $(wildcard tests/rules/*.t tests/command/*.t tests/boot/*.t tests/proof/*.t))

# make quick: unit tests, command tests and rules without the slow ones, and boots (tests/quick.tab).
quick_table := $(subst $(tab),|,$(subst $(space),_,$(file <tests/quick.tab)))
quick_lines := $(filter-out $(hash)%,$(subst $(newline), ,$(quick_table)))
quick_names = $(foreach l,$(quick_lines),$(if $(call same,$(1),$(call field,1,$(l))),$(call field,2,$(l))))
QUICK_TESTS := $(filter-out $(call quick_names,slow) $(addprefix $(CHECK)/,$(call quick_names,slow)),$(UNIT_TESTS) \
	$(filter tests/rules/% tests/command/%,$(TEST_SCRIPTS))) $(call quick_names,boot)

# Prints full traces of programs, for program.t.
FULL_TRACE := $(HOST)/tests/command/full_trace
$(FULL_TRACE): %: %.o $(filter-out $(HOST)/tools/palmon/main.o,$(COMMAND_OBJECTS))
	$(Q)$(CC) -o $@ $^ $(HOST_LIBRARIES)
-include $(FULL_TRACE).d

# Tables in tests omit zero members.
$(CHECK)/tests/%.o: FILE_CFLAGS = -Wno-missing-field-initializers
# Tests of thousands of runs. They have no sanitizers, with which they would take minutes; other
# tests run the same sources with sanitizers.
LONG_TESTS := $(addprefix $(CHECK)/tests/unit/,hal/test_ia64_observed pmu/selftest/test_selftest)
$(LONG_TESTS): %: %.o $(filter-out $(HOST)/tools/palmon/main.o,$(COMMAND_OBJECTS)) \
		$(IA64_SOURCES:%.c=$(HOST)/%.o)
$(LONG_TESTS): SANITIZED := -O1
# An archive, so that a test links only the objects that it uses.
CHECK_ARCHIVE := $(CHECK)/objects.a
$(CHECK_ARCHIVE): $(CHECK_OBJECTS) $(patsubst pmu/%/events.tab,$(CHECK)/events-%.o,$(wildcard pmu/*/events.tab))
	$(Q)rm -f $@; ar rcsT $@ $^
$(filter-out $(LONG_TESTS),$(UNIT_TESTS)): %: %.o $(CHECK_ARCHIVE)
$(UNIT_TESTS):
	$(Q)$(CC) $(CHECK_CFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -lcmocka -lpfm $(HOST_LIBRARIES) \
		$(TEST_LIBRARIES)
$(CHECK)/tests/unit/hal/test_madt.o $(CHECK)/tests/unit/arch/x86/%.o: FILE_CFLAGS += -Iarch/x86/include
# Sources of QEMU's plugin and of images, and their tests.
TESTED_X86 := $(CHECK)/hal/emu/qemu/x86
TESTED_SPARC64 := $(CHECK)/hal/emu/qemu/sparc64
$(CHECK)/tests/unit/boot/test_session_take: $(CHECK)/boot/histogram.o $(CHECK)/boot/session_take.o
$(CHECK)/tests/unit/hal/test_classify: $(TESTED_X86)/classify.o $(TESTED_X86)/classify_pipes.o
$(CHECK)/tests/unit/hal/test_forgets: $(TESTED_X86)/forgets.o
$(CHECK)/tests/unit/hal/test_lacking: $(addprefix $(TESTED_X86)/,spflt.o coprocessor.o classify_pipes.o operands.o \
	vector.o)
$(CHECK)/tests/unit/hal/test_spflt: $(TESTED_X86)/spflt.o
$(CHECK)/tests/unit/hal/test_sparc64_access: $(TESTED_SPARC64)/class.o $(TESTED_SPARC64)/operands.o
$(CHECK)/tests/unit/hal/test_sparc64_class: $(TESTED_SPARC64)/class.o
$(CHECK)/tests/unit/hal/test_quad: $(CHECK)/hal/native/sparc64/quad.o
$(CHECK)/tests/unit/hal/test_madt: $(CHECK)/hal/native/x86/early/processors.o
$(CHECK)/hal/native/x86/early/processors.o: FILE_CFLAGS = -Iarch/x86/include
$(CHECK)/tests/unit/hal/test_rates: $(addprefix $(TESTED_X86)/,uops.o classify.o classify_pipes.o) \
	$(CHECK)/hal/emu/qemu/allocate.o
$(CHECK)/tests/unit/hal/test_rates: TEST_LIBRARIES = -lZydis
# The instructions of the table, 16 bytes each.
$(CHECK)/rates.bin: tests/vectors/nehalem-rates.tab | setup $(CHECK)/
	$(call say,AS $<)$(Q)awk -F'\t' '!/^#/ { print $$1; print ".balign 16" }' $< | as --64 -o $@.o - && \
		objcopy -O binary -j .text $@.o $@
$(CHECK)/tests/unit/hal/test_rates.o: $(CHECK)/rates.bin
$(CHECK)/tests/unit/hal/test_rates.o: FILE_CFLAGS += -DRATES_CODE='"$(CHECK)/rates.bin"'
-include $(wildcard $(addsuffix /*.d,$(CHECK)/boot $(TESTED_X86) $(TESTED_SPARC64) $(CHECK)/hal/native/*))
IA64_ORACLE := $(addprefix $(CHECK)/tests/unit/hal/ia64_,oracle.o random.o)
$(CHECK)/tests/unit/hal/test_ia64_mpfr: $(IA64_ORACLE)
$(CHECK)/tests/unit/hal/test_ia64_mpfr: TEST_LIBRARIES = -lmpfr -lgmp
-include $(IA64_ORACLE:.o=.d)
$(foreach t,classify lacking,$(CHECK)/tests/unit/hal/test_$(t)): TEST_LIBRARIES = -lZydis
# binutils' listings of all ia64 instructions, from its own tests.
IA64_LISTINGS := $(foreach unit,a b f i m x,$(CHECK)/ia64/opc-$(unit).d)
$(IA64_LISTINGS) &: | setup $(CHECK)/ia64/
	$(call say,UNPACK $(@D)/opc-*.d)$(Q)tar -xf /usr/src/binutils/binutils-*.tar.xz -C $(@D) --strip-components=5 \
		--touch --wildcards '*/gas/ia64/opc-*.d'
$(CHECK)/tests/unit/hal/test_ia64_encodings.o: $(IA64_LISTINGS)
$(CHECK)/tests/unit/hal/test_ia64_encodings.o: FILE_CFLAGS += -DIA64_LISTINGS='"$(CHECK)/ia64"'
# Programs that the test runs with and without observers.
IA64_OBSERVED := $(patsubst tests/boot/ia64/%.s,$(CHECK)/ia64/%,$(wildcard tests/boot/ia64/observed_*.s))
$(IA64_OBSERVED): $(CHECK)/ia64/%: tests/boot/ia64/%.s $(wildcard tests/boot/ia64/*.inc) | setup $(CHECK)/ia64/
	$(call say,AS $<)$(Q)$$(tools/cross ia64)gcc -nostdlib -Wa,-I,tests/boot/ia64,--fatal-warnings -o $@ $< \
		-Wl,-Ttext=0x100000,-Tdata=0x180000,--section-start=.vectors=0x18000,--build-id=none
# Merced with an L3 small enough for these programs to fill.
$(CHECK)/ia64/small.machine: hal/emu/model/merced.machine | $(CHECK)/ia64/
	$(Q)sed '/^cache.*L3/s/bytes=[0-9A-Z]*/bytes=256K/' $< >$@
$(CHECK)/tests/unit/hal/test_ia64_observed.o: $(IA64_OBSERVED) $(CHECK)/ia64/small.machine
$(CHECK)/tests/unit/hal/test_ia64_observed.o: FILE_CFLAGS += -DIA64_PROGRAMS='"$(CHECK)/ia64"'
.SECONDARY: $(UNIT_TESTS:=.o) $(CHECK_OBJECTS)
-include $(wildcard $(CHECK_OBJECTS:.o=.d) $(UNIT_TESTS:=.d))

# On fresh Debian 12 and 13, including all of make check; takes hours.
SUITES ?= bookworm trixie
debian:
	$(Q)tools/setup debian
	$(Q)tests/debian/run $(SUITES)

# All of GCC's programs for ia64, at three levels of optimization, and a long run of the firmware's
# interrupts.
torture: setup $(HOST)/ia64-machine $(CHECK)/torture/
	$(Q)tools/setup image-ia64
	$(Q)for level in -O0 -O2 -O3; do BUILD=$(BUILD) tests/torture/run $(CHECK)/torture $$level || exit 1; done
	$(Q)WIDE=1 BUILD=$(BUILD) prove tests/boot/itanium-interrupts.t
