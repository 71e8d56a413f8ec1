# SPDX-License-Identifier: BSD-2-Clause
# The library for hypervisors: freestanding, and so that it can be linked anywhere, into a kernel too. Compiled for the
# machine that LIBVPMU_CC compiles for.

LIBVPMU_CC ?= $(CC)
LIBVPMU_BINUTILS ?=
LIBVPMU_VERSION := 1.1
LIBVPMU_OWN := $(wildcard hal/vpmu/library/*.c)
LIBVPMU_SOURCES += $(LIBVPMU_OWN)
LIBVPMU_OBJECTS := $(LIBVPMU_SOURCES:%.c=$(LIBVPMU)/%.o) $(LIBVPMU)/models.o $(LIBVPMU)/most.o \
	$(patsubst %,$(LIBVPMU)/%.o,$(call model_tables,$(TARGETS)))
LIBVPMU_CFLAGS = -std=gnu17 -O2 -g $(WARNINGS) -ffreestanding -fPIE -fvisibility=hidden -fno-stack-protector \
	-fno-asynchronous-unwind-tables -Wstack-usage=1280 @$(LIBVPMU)/machine.options \
	-Ihal/include -Ihal/vpmu/library -Ipmu/include
INSTALLED += $(LIBVPMU)/libvpmu.a:lib/libvpmu.a $(LIBVPMU)/libvpmu.pc:lib/pkgconfig/libvpmu.pc \
	hal/vpmu/library/palmon/vpmu.h:include/palmon/vpmu.h $(call manuals,hal/vpmu/library) \
	LICENSE:share/doc/palmon/LICENSE

libvpmu: $(LIBVPMU)/libvpmu.a $(LIBVPMU)/libvpmu.pc
$(LIBVPMU)/models.c: pmu/targets.tab tools/registry | $(LIBVPMU)/
	$(Q)tools/registry -l $(TARGETS) >$@
# What events add at most: for the library, and where it is tested.
MOST_FOLDERS := $(LIBVPMU)/ $(CHECK)/ $(FUZZ)/
$(MOST_FOLDERS:%=%most.c): $(TARGETS:%=pmu/%/events.tab) $(BUILD)/evtab | $(MOST_FOLDERS)
	$(Q){ printf '// Made by tools/evtab.\n#include "core.h"\nconst struct event_most event_most[] = {\n' && \
		for target in $(TARGETS); do $(BUILD)/evtab -m $$target pmu/$$target/events.tab || exit 1; done && \
		echo '	{0},' && echo '};'; } >$@
# General registers only, and no red zone, where a compiler has an option for it.
$(LIBVPMU)/machine.options: FORCE | setup $(LIBVPMU)/
	$(Q)for option in -mgeneral-regs-only -mno-red-zone; do \
		echo 'int x;' | $(LIBVPMU_CC) $$option -x c -c -o /dev/null - 2>/dev/null && echo $$option; \
	done >$@.$$$$; if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi
# One object, in which only the public functions have names.
$(LIBVPMU)/libvpmu.a: $(LIBVPMU_OBJECTS)
	$(call say,AR $@)$(Q)rm -f $@
	$(Q)$(LIBVPMU_CC) -r -nostdlib -o $(LIBVPMU)/libvpmu.o $^
	$(Q)$(LIBVPMU_BINUTILS)objcopy --localize-hidden $(LIBVPMU)/libvpmu.o
	$(Q)$(LIBVPMU_BINUTILS)ar rcs $@ $(LIBVPMU)/libvpmu.o
$(LIBVPMU)/libvpmu.pc: hal/vpmu/library/libvpmu.pc.in FORCE | $(LIBVPMU)/
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(LIBVPMU_VERSION)|' $< >$@.$$$$ && mv $@.$$$$ $@
-include $(wildcard $(LIBVPMU_OBJECTS:.o=.d))
