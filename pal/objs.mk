# SPDX-License-Identifier: BSD-2-Clause
RUNTIME_SOURCES += $(wildcard pal/*.c)
HOST_SOURCES += $(wildcard pal/*.c)

$(call object,pal/features.c pal/halt.c pal/processor.c): FILE_CFLAGS += -Oz
$(call object,$(wildcard pal/*.c)): FILE_CFLAGS += $(UNALIGNED)
# The dispatch: comparisons are smaller than a table with gaps, and the expected index comes first.
$(IMAGES)/pal/pal.o: FILE_CFLAGS += -fno-jump-tables
