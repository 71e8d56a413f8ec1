# SPDX-License-Identifier: BSD-2-Clause
# The library for hypervisors, freestanding: an archive, which can also be linked into a kernel, and
# a shared library of the same object for programs. LIBVPMU_CC compiles it. LIBVPMU_SHARED= omits
# the shared library, for compilers that cannot link one.

LIBVPMU_CC ?= $(CC)
LIBVPMU_BINUTILS ?=
LIBVPMU_SHARED ?= 1
# The N of libvpmu.so.N: incremented when programs linked with the previous one would fail
# (README.md).
LIBVPMU_ABI := 1
LIBVPMU_H := hal/vpmu/library/palmon/vpmu.h
LIBVPMU_SO := libvpmu.so.$(LIBVPMU_ABI)
LIBVPMU_OWN := $(wildcard hal/vpmu/library/*.c)
LIBVPMU_SOURCES += $(LIBVPMU_OWN)
LIBVPMU_OBJECTS := $(LIBVPMU_SOURCES:%.c=$(LIBVPMU)/%.o) $(LIBVPMU)/models.o $(LIBVPMU)/most.o \
	$(patsubst %,$(LIBVPMU)/%.o,$(call model_tables,$(TARGETS)))
LIBVPMU_CFLAGS = -std=gnu17 -O2 -g $(WARNINGS) -ffreestanding -fPIE -fvisibility=hidden -fno-stack-protector \
	-fno-asynchronous-unwind-tables -Wstack-usage=1280 @$(LIBVPMU)/machine.options \
	-Ihal/include -Ihal/vpmu/library -Ipmu/include
LIBVPMU_DOC := share/doc/palmon/libvpmu
LIBVPMU_EXAMPLES := $(addprefix hal/vpmu/library/example/,hypervisor.c unicorn.c)
LIBVPMU_INSTALLED := $(LIBVPMU)/libvpmu.a:lib/libvpmu.a $(LIBVPMU)/libvpmu.pc:lib/pkgconfig/libvpmu.pc \
	$(if $(LIBVPMU_SHARED),$(LIBVPMU)/$(LIBVPMU_SO):lib/$(LIBVPMU_SO)) \
	$(LIBVPMU_H):include/palmon/vpmu.h $(call manuals,hal/vpmu/library) LICENSE:$(LIBVPMU_DOC)/LICENSE \
	$(foreach e,$(LIBVPMU_EXAMPLES),$(e):$(LIBVPMU_DOC)/examples/$(notdir $(e)))
# Uninstalling also removes the linker's link, and the folders if they are empty.
LIBVPMU_LINK := lib/libvpmu.so
LIBVPMU_FOLDERS := include/palmon $(LIBVPMU_DOC)/examples $(LIBVPMU_DOC) share/doc/palmon

.PHONY: install-libvpmu uninstall-libvpmu
install: install-libvpmu
install-libvpmu: libvpmu
	$(foreach f,$(LIBVPMU_INSTALLED),install -D -m 644 $(call from,$(f)) $(call place,$(f))$(newline))
	$(if $(LIBVPMU_SHARED),ln -sf $(LIBVPMU_SO) $(call place,$(LIBVPMU_LINK)))
uninstall: uninstall-libvpmu
uninstall-libvpmu:
	rm -f $(foreach f,$(LIBVPMU_INSTALLED) lib/$(LIBVPMU_SO) $(LIBVPMU_LINK),$(call place,$(f)))
	rmdir $(foreach f,$(LIBVPMU_FOLDERS),$(call place,$(f))) 2>/dev/null || true

libvpmu: $(LIBVPMU)/libvpmu.a $(if $(LIBVPMU_SHARED),$(LIBVPMU)/$(LIBVPMU_SO)) $(LIBVPMU)/libvpmu.pc
$(LIBVPMU)/models.c: pmu/targets.tab tools/registry | $(LIBVPMU)/
	$(Q)tools/registry -l $(TARGETS) >$@
# The most that events add, for the library and its tests.
MOST_FOLDERS := $(LIBVPMU)/ $(CHECK)/ $(FUZZ)/
$(MOST_FOLDERS:%=%most.c): $(TARGETS:%=pmu/%/events.tab) $(BUILD)/evtab | $(MOST_FOLDERS)
	$(Q){ printf '// Made by tools/evtab.\n#include "core.h"\nconst struct event_most event_most[] = {\n' && \
		for target in $(TARGETS); do $(BUILD)/evtab -m $$target pmu/$$target/events.tab || exit 1; done && \
		echo '	{0},' && echo '};'; } >$@
# Only general registers and no red zone, if the compiler has options for these.
$(LIBVPMU)/machine.options: FORCE | setup $(LIBVPMU)/
	$(Q)for option in -mgeneral-regs-only -mno-red-zone; do \
		echo 'int x;' | $(LIBVPMU_CC) $$option -x c -c -o /dev/null - 2>/dev/null && echo $$option; \
	done >$@.$$$$; if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi
# One object that exports only the public functions.
$(LIBVPMU)/libvpmu.o: $(LIBVPMU_OBJECTS)
	$(call say,LD $@)$(Q)$(LIBVPMU_CC) -r -nostdlib -o $@ $^
	$(Q)$(LIBVPMU_BINUTILS)objcopy --localize-hidden $@
$(LIBVPMU)/libvpmu.a: $(LIBVPMU)/libvpmu.o
	$(call say,AR $@)$(Q)rm -f $@
	$(Q)$(LIBVPMU_BINUTILS)ar rcs $@ $<
$(LIBVPMU)/$(LIBVPMU_SO): $(LIBVPMU)/libvpmu.o
	$(call say,LD $@)$(Q)$(LIBVPMU_CC) -shared -nostartfiles -Wl,-soname,$(LIBVPMU_SO) -Wl,-z,defs -Wl,-z,text \
		-Wl,-z,relro -Wl,-z,now -Wl,-Bsymbolic -o $@ $<
$(LIBVPMU)/libvpmu.pc: hal/vpmu/library/libvpmu.pc.in $(LIBVPMU_H) FORCE | $(LIBVPMU)/
	$(Q)version=$$(awk '/^#define VPMU_VERSION_(MAJOR|MINOR)/ { v = v s $$3; s = "." } END { print v }' \
		$(LIBVPMU_H)) && sed -e 's|@PREFIX@|$(PREFIX)|' -e "s|@VERSION@|$$version|" $< >$@.$$$$ && mv $@.$$$$ $@
-include $(wildcard $(LIBVPMU_OBJECTS:.o=.d))
