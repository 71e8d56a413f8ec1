# SPDX-License-Identifier: BSD-2-Clause
# The palmon command, with all targets on the host shim.

COMMAND_SOURCES := $(wildcard tools/palmon/*.c)
HOST_TABLES := registry defects programs $(call tables,$(TARGETS)) $(call model_tables,$(TARGETS))
host_objects = $(patsubst %.c,$(1)/%.o,$(HOST_SOURCES) $(COMMAND_SOURCES)) $(HOST_TABLES:%=$(1)/%.o) \
	$(EMU_MODEL:%=$(1)/%.o) $(1)/page.o
COMMAND_OBJECTS := $(call host_objects,$(HOST))
# The libraries of the command, and of all programs that use its objects.
HOST_LIBRARIES := -ljansson -ldw -lelf -lZydis -lz -lm
INSTALLED += $(HOST)/palmon:bin/palmon $(call manuals,tools/palmon) LICENSE:share/doc/palmon/LICENSE \
	tools/palmon/completion/palmon.bash:share/bash-completion/completions/palmon \
	tools/palmon/completion/_palmon:share/zsh/site-functions/_palmon

# palmon qemu looks for these in lib/palmon and in the build tree.
QEMU_FOLDER := palmon-qemu.so find-qemu
INSTALLED += $(foreach f,$(QEMU_FOLDER),$(PLUGIN)/$(f):lib/palmon/$(f))
$(HOST)/palmon: | $(PLUGIN)/find-qemu
install: $(PLUGIN)/palmon-qemu.so
$(PLUGIN)/find-qemu: tools/qemu | $(PLUGIN)/
	$(Q)install -m 755 $< $@

# The page of palmon convert --html: one file, embedded in the program.
PAGE := $(addprefix tools/palmon/page/,page.html page.css page.js findings.js code.js charts.js)
$(BUILD)/page.html: $(PAGE) | $(BUILD)/
	$(Q)sed -e '/^@STYLE@/{r tools/palmon/page/page.css' -e 'd}' -e '/^@SCRIPT@/{r tools/palmon/page/page.js' \
		-e 'r tools/palmon/page/findings.js' -e 'r tools/palmon/page/code.js' \
		-e 'r tools/palmon/page/charts.js' \
		-e 'd}' tools/palmon/page/page.html >$@
%/page.o: $(BUILD)/page.html | setup %/
	$(Q)printf '%s\n' '.section .rodata' '.global page_start,page_end' 'page_start: .incbin "$<"' 'page_end:' \
		'.section .note.GNU-stack,"",@progbits' | $(CC) -x assembler -c -o $@ -

host: $(HOST)/palmon
$(HOST)/palmon: $(COMMAND_OBJECTS)
	$(call say,LD $@)$(Q)$(CC) -o $@ $^ $(HOST_LIBRARIES)
-include $(wildcard $(COMMAND_OBJECTS:.o=.d))
