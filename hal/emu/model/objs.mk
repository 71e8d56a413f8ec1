# SPDX-License-Identifier: BSD-2-Clause
# Models of processor parts, for emulated machines and tests; and the .machine files, embedded in
# programs as a generated table (processor.h).

EMU_MODEL := $(basename $(wildcard hal/emu/model/*.c)) machines
MACHINES := $(sort $(wildcard hal/emu/model/*.machine))
define MACHINES_RULE
$(1)/machines.c: $(MACHINES) hal/emu/model/objs.mk | $(1)/
	$(Q){ echo '#include "hal/emu/model/processor.h"'; \
	for file in $(MACHINES); do name=$$$${file##*/}; name=$$$${name%.machine}; \
		printf '%s\n' "__asm__(\".section .rodata\\nmachine_$$$$name: .incbin \\\"$$$$file\\\"\\n\"" \
			"	\"machine_$$$${name}_end: .previous\");" \
			"extern const char machine_$$$$name[], machine_$$$${name}_end[];"; \
	done; \
	echo 'const struct processor_text processor_texts[] = {'; \
	for file in $(MACHINES); do name=$$$${file##*/}; name=$$$${name%.machine}; \
		echo "	{\"$$$$name\", machine_$$$$name, machine_$$$${name}_end},"; \
	done; \
	echo '	{0},'; echo '};'; } >$$@
$(1)/machines.o: COMPILER += -I. -fno-lto
endef
$(foreach d,$(HOST) $(CHECK) $(FUZZ) $(PLUGIN),$(eval $(call MACHINES_RULE,$(d))))
