# SPDX-License-Identifier: BSD-2-Clause
# The runtime as a library for other firmware and kernels: this target's driver, core, PAL and self
# test. It runs at any address and exports only its public functions.

ifeq ($(ARCH),x86)
RUNTIME := $(BUILD)/runtime/$(TARGET)
LIBPALMON := $(RUNTIME)/libpalmon-$(TARGET)
LIBPALMON_SOURCES := $(CORE_SOURCES) $(call drivers,$(TARGET)) $(call selftests,$(TARGET)) $(wildcard pal/*.c) \
	$(IMAGE_SELFTESTS) $(wildcard hal/runtime/*.c) \
	hal/native/execute.c hal/native/one_cpu/cpus.c arch/$(ARCH)/execute.S
LIBPALMON_OBJECTS := $(patsubst %,$(RUNTIME)/%.o,$(basename $(LIBPALMON_SOURCES)) registry $(call tables,$(TARGET)))
LIBPALMON_CFLAGS = -std=gnu17 -O2 -g $(WARNINGS) $(PROCESSOR) -ffreestanding -fPIC -D__NO_CTYPE -U_FORTIFY_SOURCE \
	-mno-red-zone -mgeneral-regs-only -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables \
	-fno-tree-loop-distribute-patterns -fstack-usage $(addprefix -I,hal/runtime/include hal/runtime \
	hal/native/$(ARCH)/include arch/include arch/$(ARCH) arch/$(ARCH)/include hal/include pmu/include pal/include \
	pmu/selftest)
$(RUNTIME)/%.o: COMPILER = $(CC) $(LIBPALMON_CFLAGS)
$(RUNTIME)/registry.c: REGISTRY = $(TARGET)
$(eval $(call TABLE_RULES,$(RUNTIME)))
LIBPALMON_HEADERS := hal/runtime/palmon_runtime.h hal/runtime/palmon_host.h pmu/include/pmu.h pmu/include/event.h \
	pal/include/pal.h

runtime: $(LIBPALMON).a $(LIBPALMON).pc $(LIBPALMON_HEADERS)
	$(Q)mkdir -p $(RUNTIME)/include && cp -u $(LIBPALMON_HEADERS) $(RUNTIME)/include
# Link only the used parts of the core. The linker finds the table of register accesses by its
# section name (runtime.c).
$(LIBPALMON).a: $(LIBPALMON_OBJECTS) hal/runtime/public
	$(call say,AR $@)$(Q)rm -f $@ $(RUNTIME)/core.a
	$(Q)ar rcs $(RUNTIME)/core.a $(filter $(RUNTIME)/pmu/core/%,$(LIBPALMON_OBJECTS))
	$(Q)ld -r -o $(RUNTIME)/palmon.o $(patsubst %,-u %,$(file <hal/runtime/public)) \
		$(filter-out $(RUNTIME)/pmu/core/%,$(LIBPALMON_OBJECTS)) $(RUNTIME)/core.a
	$(Q)objcopy --keep-global-symbols=hal/runtime/public --rename-section .fault_fixups=palmon_fixups \
		$(RUNTIME)/palmon.o
	$(Q)ar rcs $@ $(RUNTIME)/palmon.o
$(LIBPALMON).pc: hal/runtime/libpalmon.pc.in FORCE | $(RUNTIME)/
	$(Q)sed 's|@TARGET@|$(TARGET)|' $< >$@.$$$$ && mv $@.$$$$ $@
images: runtime
.SECONDARY: $(patsubst %,$(RUNTIME)/%.c,$(call tables,$(TARGET)))
-include $(wildcard $(LIBPALMON_OBJECTS:.o=.d))
else
runtime:
	@echo 'palmon: the library exists for x86 targets only, not for $(TARGET)' >&2; exit 2
endif
