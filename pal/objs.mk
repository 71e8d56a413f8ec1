# SPDX-License-Identifier: BSD-2-Clause
RUNTIME_SOURCES += $(wildcard pal/*.c)
HOST_SOURCES += $(wildcard pal/*.c)

$(call object,pal/features.c pal/halt.c pal/processor.c): FILE_CFLAGS += -Oz
$(call object,$(wildcard pal/*.c)): FILE_CFLAGS += $(UNALIGNED)
# Compares indices instead of using a jump table: smaller, and the most likely index is compared
# first.
$(IMAGES)/pal/pal.o: FILE_CFLAGS += -fno-jump-tables
