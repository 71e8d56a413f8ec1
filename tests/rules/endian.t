#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Core, drivers, models, shim and traces, compiled for a big-endian processor and run on an emulated
# one, must print the same as on this processor, to the character.
. tests/tap.sh

with_packages "a big-endian processor" qemu-user:qemu-sparc64 || { done_checking; exit; }
make --no-print-directory BUILD="$BUILD" host "$BUILD/libvpmu/most.c" >/dev/null ||
	{ echo 'Bail out! no tables'; exit 1; }
CROSS=sparc64-linux-gnu-gcc

sources=$(ls pmu/core/*.c pal/*.c hal/vpmu/*.c hal/vpmu/library/*.c hal/shim/*.c pmu/*/driver*.c \
	pmu/engine/*.c $(models) pmu/*/defects*.c pmu/*/selftest.c pmu/*/meanings.c \
	pmu/selftest/*.c boot/selftest_print.c \
	$(ls "$BUILD"/host/*.c | grep -vE '/(machines|programs).c$') "$BUILD/libvpmu/most.c" \
	tools/palmon/trace*.c \
	tools/palmon/agree.c tests/endian/main.c | sort -u)
includes='-Ihal/include -Ihal/shim/include -Ihal/vpmu/library -Ipmu/include -Ipal/include -Iboot
	-Itools/palmon -Itests/unit'
files="tests/vectors/nehalem-state.hex $(ls tests/command/traces/*.trace)"

# The host program has most objects already.
here() {
	objects=$(for source in $sources; do
		case $source in
		"$BUILD"/host/*) object=${source%.c}.o ;;
		*) object=$BUILD/host/${source%.c}.o ;;
		esac
		if [ -e "$object" ]; then echo "$object"; else echo "$source"; fi
	done)
	gcc -std=gnu17 -Wall -Wextra -Werror $includes -o "$work/gcc" $objects &&
		"$work/gcc" $files >"$work/here"
}
# Byte 5 of the ELF header has the byte order.
is_big_endian() {
	[ "$(od -An -tu1 -j5 -N1 "$1" | tr -d ' ')" = 2 ]
}
there() {
	"$CROSS" -std=gnu17 -O1 -static -Wall -Wextra -Werror $includes -o "$work/$CROSS" $sources &&
		is_big_endian "$work/$CROSS" && qemu-sparc64 "$work/$CROSS" $files >"$work/there"
}
same() {
	[ "$(wc -l <"$work/here")" -gt 100 ] && diff "$work/here" "$work/there" &&
		cmp "$work/here" "$work/there"
}
check "it runs here" here
check "it runs on a big-endian processor" there
check "both print the same" same
done_checking
