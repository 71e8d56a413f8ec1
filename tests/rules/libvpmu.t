#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The library for hypervisors as it is installed: what is in it, what it needs, and that its example works with nothing
# else.
. tests/tap.sh

installed="$work/usr"
library="$installed/lib/libvpmu.a"
installs() {
	make --no-print-directory BUILD="$BUILD" PREFIX="$installed" DESTDIR= install
}
check "make install" installs
for file in lib/libvpmu.a lib/pkgconfig/libvpmu.pc include/palmon/vpmu.h share/man/man3/libvpmu.3 \
	share/man/man5/libvpmu-image.5 share/man/man1/palmon.1 share/man/man5/palmon-trace.5 \
	share/man/man5/palmon-state.5 share/man/man5/palmon-board.5 share/man/man7/palmon-events.7 \
	share/doc/palmon/LICENSE; do
	check "it has $file" test -s "$installed/$file"
done
nothing_else() {
	find "$installed/include" "$installed/lib" -type f | sed "s|$installed/||" | sort >"$work/files"
	printf '%s\n' include/palmon/vpmu.h lib/libvpmu.a lib/pkgconfig/libvpmu.pc | diff - "$work/files"
}
check "and no other header or library" nothing_else

# needs_only PATTERN LIBRARY: beside memory functions. A symbol is a name behind the letter U; registers have none.
needs_only() {
	nm -u "$2" | awk '$1 == "U" && NF == 2 { print $2 }' >"$work/needed"
	[ -s "$work/needed" ] && ! grep -vxE "mem(cpy|set|move|cmp)|strcmp|$1" "$work/needed"
}
check "it needs memcpy, memset, memmove, memcmp and strcmp at most" needs_only strcmp "$library"
elsewhere() {
	make --no-print-directory BUILD="$work/sparc64" LIBVPMU_CC=sparc64-linux-gnu-gcc \
		LIBVPMU_BINUTILS=sparc64-linux-gnu- libvpmu &&
		needs_only "__c[lt]zdi2|__multi3|_GLOBAL_OFFSET_TABLE_" "$work/sparc64/libvpmu/libvpmu.a"
}
check "compiled for a SPARC it needs three functions of the compiler, too" elsewhere

has_no_data() {
	size -A "$library" | awk '
		$1 ~ /^\.data\.rel\.ro/ { next }
		$1 ~ /^\.(data|bss|tdata|tbss|init|fini|ctors|dtors)/ && $2 { print; bad = 1 }
		END { exit bad }' && ! nm "$library" | grep -E ' [BbCcSsGg] '
}
check "it has nothing that can be written to" has_no_data

# What the header declares, and the library defines, is the same.
same_names() {
	nm -g --defined-only "$library" | awk 'NF == 3 { print $3 }' | sort >"$work/defined"
	gcc -fsyntax-only -aux-info "$work/info" -x c "$installed/include/palmon/vpmu.h" &&
		grep palmon/vpmu.h "$work/info" | grep -oE '\bvpmu_[a-z_]+ \(' | tr -d ' (' | sort -u >"$work/declared"
	[ "$(wc -l <"$work/declared")" -gt 20 ] && diff "$work/declared" "$work/defined"
}
check "its names are those of the header" same_names

documented() {
	for name in $(cat "$work/declared"); do
		grep -q "$name" "$installed/share/man/man3/libvpmu.3" || { echo "$name"; bad=1; }
	done
	[ -z "${bad:-}" ]
}
check "its manual page names each of them" documented
stands_alone() {
	echo '#include <palmon/vpmu.h>' | gcc -std=c11 -Wall -Wextra -Werror -pedantic -ffreestanding \
		-I"$installed/include" -fsyntax-only -x c -
}
# syntax LANGUAGE STANDARD
syntax() {
	echo '#include <palmon/vpmu.h>' | gcc -std="$2" -Wall -Wextra -Werror -pedantic -I"$installed/include" \
		-fsyntax-only -x "$1" -
}
check "the header stands alone, in C11 without a library" stands_alone
check "in C99" syntax c c99
cxx() {
	command -v g++ >/dev/null || return 0
	syntax c++ c++11 && printf '%s\n' '#include <palmon/vpmu.h>' 'int main() { return !vpmu_target(0); }' \
		>"$work/main.cc" && g++ -o "$work/main" "$work/main.cc" -I"$installed/include" "$library" &&
		"$work/main"
}
check "in C++11, linked with the library" cxx

general_registers() {
	objdump -d --no-show-raw-insn "$library" | sed 's/^ *[0-9a-f]*://; s/ [0-9a-f]* <.*//' >"$work/code"
	[ "$(wc -l <"$work/code")" -gt 5000 ] &&
		! grep -E '%(xmm|ymm|st\b|mm[0-7])|%fs:|\bf(ld|st|add|mul|sub|div|xch)[a-z]*\b' "$work/code"
}
check "it uses general registers only" general_registers

flags() {
	PKG_CONFIG_PATH="$installed/lib/pkgconfig" pkg-config --cflags --libs libvpmu
}
example() {
	[ "$(wc -l <hal/vpmu/library/example/hypervisor.c)" -lt 200 ] &&
		gcc -std=gnu17 -Wall -Wextra -Werror "$@" -o "$work/example" \
			hal/vpmu/library/example/hypervisor.c $(flags) &&
		"$work/example" >"$work/out"
}
# IA32_PERF_GLOBAL_CTRL is the fourth instruction to be written, the overflow comes 1000 behind it. Counted are 2000
# iterations of two instructions, the handler's three, and the write that stops the counter.
check "the example hypervisor compiles against it, in fewer than 200 lines, and runs" example
check "its guest's interrupt comes at its instruction" says \
	'^interrupts: 1, the first behind instruction 1004, status 0x1$'
check "its guest migrates, and its count is exact" says '^counted: 4004$'
check "the same as a position-independent and as a static program" example -static-pie
check "and with no PIE" example -no-pie

# Behind the write of the counter there are three instructions, one that loads the count of iterations, 4,000 of 2,000
# iterations, and three that stop the counter. The handler's are 13. So the thousandth is the jump of iteration 498.
unicorn() {
	[ "$(wc -l <hal/vpmu/library/example/unicorn.c)" -le 60 ] &&
		gcc -std=gnu17 -Wall -Wextra -Werror -o "$work/unicorn" hal/vpmu/library/example/unicorn.c $(flags) \
			$(pkg-config --cflags --libs unicorn) && "$work/unicorn" >"$work/out" &&
		says '^interrupt: 1502 iterations are left$' && says '^counted: 4020$'
}
name="the example on Unicorn counts, and is interrupted at its instruction"
! with_packages "$name" /usr/include/unicorn/unicorn.h || check "$name" unicorn

# Models with defects prove self tests; nobody else has them. The emulator's plugin and the command, which have them,
# are found out.
has_defects() {
	nm "$1" | grep -e ' pmu_defective_' -e ' defective_' | grep -v ' pmu_defective_models$'
}
no_defects() {
	! has_defects "$library" && ! has_defects "$IMAGE.elf" &&
		has_defects "$BUILD/plugin/palmon.so" && has_defects "$BUILD/host/palmon"
}
check "neither it nor an image has models with defects" no_defects

# The other one needs the world switch: tests/boot/libvpmu.t runs it.
svm() {
	[ "$(wc -l <hal/vpmu/library/example/svm.c)" -lt 200 ] &&
		grep -ho '^#include.*' hal/vpmu/library/example/svm.c | sort >"$work/included" &&
		printf '#include %s\n' '"exits.h"' '"frame.h"' '"kernel.h"' '"world.h"' '"x86/apic.h"' \
			'<palmon/vpmu.h>' | diff - "$work/included"
}
check "the example on SVM, too, has fewer than 200 lines, and of a PMU only the public header" svm
for header in hal/emu/guest/exits.h hal/emu/guest/kernel.h hal/emu/svm/world.h hal/emu/svm/frame.h; do
	no_pmu() {
		gcc -Iarch/x86 -Iarch/x86/include -Ihal/emu/svm -Ihal/emu/guest -Ihal/include -M "$header" \
			>"$work/needs" && ! grep -E '\b(vpmu|model|monitor)\.h' "$work/needs"
	}
	check "$header knows no PMU" no_pmu
done
# Under the thread sanitizer, with addresses where it expects them.
threads() {
	gcc -std=gnu17 -g -O1 -Wall -Wextra -Werror -fsanitize=thread -Ihal/include -Ihal/vpmu/library -Ipmu/include \
		-o "$work/threads" tests/threads/libvpmu.c hal/vpmu/library/*.c hal/vpmu/vpmu.c hal/vpmu/raised.c \
		pmu/engine/*.c $(models) "$BUILD/libvpmu/models.c" "$BUILD/libvpmu/most.c" \
		"$BUILD"/libvpmu/codes-*.c &&
		setarch -R "$work/threads" >"$work/out"
}
each_the_same() {
	[ "$(grep -cE '^[a-z0-9-]+: [1-9][0-9]* accesses done, the same$' "$work/out")" = \
		"$(awk '!/^#/ && NF' pmu/targets.tab | wc -l)" ]
}
check "vPMUs of two threads know nothing of each other" threads
check "and do the same" each_the_same

uninstalls() {
	make --no-print-directory BUILD="$BUILD" PREFIX="$installed" DESTDIR= uninstall &&
		[ -z "$(find "$installed" -type f)" ]
}
check "make uninstall leaves no file" uninstalls
staged() {
	make --no-print-directory BUILD="$BUILD" PREFIX=/usr DESTDIR="$work/stage" install &&
		[ "$(find "$work/stage" -type f | wc -l)" = 15 ] &&
		[ "$(find "$work/stage/usr" -type f | wc -l)" = 15 ] &&
		grep -x 'prefix=/usr' "$work/stage/usr/lib/pkgconfig/libvpmu.pc" &&
		make --no-print-directory PREFIX=/usr DESTDIR="$work/stage" uninstall &&
		[ -z "$(find "$work/stage" -type f)" ]
}
check "both honour DESTDIR" staged
done_checking
