#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Code that may become firmware compiles as such today: every target's driver and model, the core
# and PAL, with newlib's headers, general registers only and little stack.
. tests/tap.sh

newlib=$(cat "$BUILD/$TARGET/newlib")
compiles() {
	gcc -std=gnu17 -O2 -Wall -Wextra -Werror -ffreestanding -mgeneral-regs-only \
		-Wstack-usage=1024 -nostdinc \
		-isystem "$newlib/include" -isystem "$(gcc -print-file-name=include)" \
		-Ihal/include -Ihal/shim/include -Ipmu/include -Ipal/include -c -o "$work/part.o" \
		"$1"
}

# Allows references to the runtime's own functions and to those that a freestanding compiler may
# call.
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
	check "$part compiles as firmware, and calls only the engine and its own blocks" \
		calls_nothing_else "$part"
done
for part in $(git ls-files 'pmu/core/*.c' 'pal/*.c' | grep -v -e explain.c); do
	check "$part compiles as firmware" compiles "$part"
done

# An x86 image starts in 32-bit mode with code that is linked with 64-bit code, which it must not
# call. The compiler may add calls of memcmp. The linker script defines `image_start` and
# `image_end`; `early_leave` switches to 64-bit mode and continues at `firmware_return`.
calls_no_64_bit_code() {
	objects=$(find "$BUILD/$1/early" -name '*.o' | grep -v /image/)
	[ "$(echo "$objects" | wc -l)" -ge 8 ] || return
	nm --defined-only $objects | awk 'NF == 3 && $2 ~ /[A-Z]/ { print $3 }' |
		sort -u >"$work/defined"
	nm -u $objects | awk 'NF == 2 { print $2 }' | sort -u |
		grep -vxE 'image_(start|end)|early_leave|firmware_return' |
		comm -23 - "$work/defined" >"$work/others"
	cat "$work/others"
	[ ! -s "$work/others" ]
}
for target in nehalem knc intel; do
	check "$target: the code of 32-bit mode calls no 64-bit code" calls_no_64_bit_code $target
done
done_checking
