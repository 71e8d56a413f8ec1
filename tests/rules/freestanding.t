#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is to run as firmware some day runs on the host today: every target's driver and model, the core and PAL compile
# as an image's parts do, with newlib's headers, general registers and little stack.
. tests/tap.sh

newlib=$(cat "$BUILD/$TARGET/newlib")
compiles() {
	gcc -std=gnu17 -O2 -Wall -Wextra -Werror -ffreestanding -mgeneral-regs-only -Wstack-usage=1024 -nostdinc \
		-isystem "$newlib/include" -isystem "$(gcc -print-file-name=include)" \
		-Ihal/include -Ihal/shim/include -Ipmu/include -Ipal/include -c -o "$work/part.o" "$1"
}

# References to anything but the runtime's own functions and what a freestanding compiler may call.
calls_nothing_else() {
	compiles "$1"
	own=$(basename "$(dirname "$1")" | tr - _)
	! nm -u "$work/part.o" | awk '{ print $2 }' |
		grep -vE "^(mem(cpy|set|move|cmp)|${own}_.*|pmu_.*|engine_.*|hal_.*|reg_.*|pal_.*|__[a-z]+[dt]i[34])\$"
}

for part in pmu/*/driver*.c; do
	check "$part compiles as firmware" compiles "$part"
done
for part in pmu/engine/*.c $(models); do
	check "$part compiles as firmware, and calls only the engine and its own blocks" calls_nothing_else "$part"
done
for part in $(git ls-files 'pmu/core/*.c' 'pal/*.c' | grep -v -e explain.c); do
	check "$part compiles as firmware" compiles "$part"
done

# What an x86 image does first, in 32-bit mode, is linked with 64-bit code, of which it must call nothing: the compiler
# may ask for memcmp. `image_start` and `image_end` are the linker script's; `early_leave` leads to 64-bit mode, and
# `firmware_return` is where to.
calls_no_64_bit_code() {
	objects=$(find "$BUILD/$1/early" -name '*.o' | grep -v /image/)
	[ "$(echo "$objects" | wc -l)" -ge 8 ] || return
	nm --defined-only $objects | awk 'NF == 3 && $2 ~ /[A-Z]/ { print $3 }' | sort -u >"$work/defined"
	nm -u $objects | awk 'NF == 2 { print $2 }' | sort -u |
		grep -vxE 'image_(start|end)|early_leave|firmware_return' |
		comm -23 - "$work/defined" >"$work/others"
	cat "$work/others"
	[ ! -s "$work/others" ]
}
for target in nehalem knc; do
	check "$target: what is done in 32-bit mode calls nothing else" calls_no_64_bit_code $target
done
done_checking
