#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The installed library for hypervisors: its files, needed symbols, exported symbols, and examples,
# which use nothing else.
. tests/tap.sh

# make_of VARIABLE=VALUE... GOAL: runs make quietly, with this test's build folder.
make_of() {
	make --no-print-directory BUILD="$BUILD" DESTDIR= "$@"
}

installed="$work/usr"
library="$installed/lib/libvpmu.a"
shared="$installed/lib/libvpmu.so.1"
check "make install-libvpmu" make_of PREFIX="$installed" install-libvpmu

# Modes: all files are data. A program that maps a shared library need not execute it.
cat >"$work/expected" <<'END'
644 include/palmon/vpmu.h
644 lib/libvpmu.a
lib/libvpmu.so -> libvpmu.so.1
644 lib/libvpmu.so.1
644 lib/pkgconfig/libvpmu.pc
644 share/doc/palmon/libvpmu/LICENSE
644 share/doc/palmon/libvpmu/examples/hypervisor.c
644 share/doc/palmon/libvpmu/examples/unicorn.c
644 share/man/man3/libvpmu.3
644 share/man/man5/libvpmu-image.5
END
# files FOLDER: prints its files and links, with modes.
files() {
	{ find "$1" -type f -printf '%m %P\n'; find "$1" ! -type f ! -type d -printf '%P -> %l\n'; \
		} 
}
has_the_files() {
	files "$1" | sort >"$work/files"
	sort "$work/expected" | diff - "$work/files"
}
check "installs these files and no other" has_the_files "$installed"

# needs_only PATTERN LIBRARY [NM'S ARGUMENTS]: the library needs memory functions and symbols that
# match, nothing else. A symbol is a name after the letter U; registers have no name.
needs_only() {
	nm -u ${3:-} "$2" | sed 's/@.*//' | awk '$1 == "U" && NF == 2 { print $2 }' >"$work/needed"
	[ -s "$work/needed" ] && ! grep -vxE "mem(cpy|set|move|cmp)|strcmp|$1" "$work/needed"
}
check "the library needs at most memcpy, memset, memmove, memcmp and strcmp" needs_only strcmp \
	"$library"
check "the shared library needs at most the same" needs_only strcmp "$shared" -D
elsewhere() {
	make_of BUILD="$work/sparc64" \
		LIBVPMU_CC=sparc64-linux-gnu-gcc LIBVPMU_BINUTILS=sparc64-linux-gnu- libvpmu &&
		needs_only "__c[lt]zdi2|__multi3|_GLOBAL_OFFSET_TABLE_" \
		"$work/sparc64/libvpmu/libvpmu.a" &&
		sparc64-linux-gnu-readelf -h "$work/sparc64/libvpmu/libvpmu.so.1" |
		grep -q 'Sparc v9'
}
check "compiled for a SPARC it also needs three functions of the compiler" elsewhere

has_no_data() {
	size -A "$library" | awk '
		$1 ~ /^\.data\.rel\.ro/ { next }
		$1 ~ /^\.(data|bss|tdata|tbss|init|fini|ctors|dtors)/ && $2 { print; bad = 1 }
		END { exit bad }' && ! nm "$library" | grep -E ' [BbCcSsGg] '
}
check "the library has no writable data" has_no_data

# exports LIBRARY [NM'S ARGUMENTS]: prints the names that a program can link with.
exports() {
	nm -g --defined-only ${2:-} "$1" | awk 'NF == 3 { print $3 }' | sort
}
declared() {
	gcc -fsyntax-only -aux-info "$work/info" -x c "$installed/include/palmon/vpmu.h" &&
		grep palmon/vpmu.h "$work/info" | grep -oE '\bvpmu_[a-z_]+ \(' | tr -d ' (' |
		sort -u >"$work/declared"
	[ "$(wc -l <"$work/declared")" -gt 20 ]
}
same_names() {
	declared && exports "$@" | diff "$work/declared" -
}
check "the library exports the header's names" same_names "$library"
check "the shared library exports no others" same_names "$shared" -D
more_names() {
	printf 'int vpmu_core_more(void) { return 0; }\nint memory_of_vpmu;\n' |
		gcc -c -fPIC -x c -o "$work/more.o" - &&
		gcc -shared -nostartfiles -o "$work/more.so" "$work/more.o" \
		-Wl,--whole-archive "$library" \
			-Wl,--no-whole-archive &&
		! same_names "$work/more.so" -D >"$work/more" &&
		[ "$(grep -c '^>' "$work/more")" = 2 ]
}
check "another exported name is found" more_names

documented() {
	for name in $(cat "$work/declared"); do
		grep -q "$name" "$installed/share/man/man3/libvpmu.3" || { echo "$name"; bad=1; }
	done
	[ -z "${bad:-}" ]
}
check "the manual page names each function" documented
stands_alone() {
	echo '#include <palmon/vpmu.h>' |
		gcc -std=c11 -Wall -Wextra -Werror -pedantic -ffreestanding \
		-I"$installed/include" -fsyntax-only -x c -
}
# syntax LANGUAGE STANDARD
syntax() {
	echo '#include <palmon/vpmu.h>' |
		gcc -std="$2" -Wall -Wextra -Werror -pedantic -I"$installed/include" \
		-fsyntax-only -x "$1" -
}
check "the header stands alone, in C11 without a library" stands_alone
check "the header compiles in C99" syntax c c99
cxx() {
	command -v g++ >/dev/null || return 0
	syntax c++ c++11 && printf '%s\n' '#include <palmon/vpmu.h>' \
		'const vpmu_event list[] = {VPMU_EVENT_ANY, VPMU_EVENT_MASKED(0xC0, 1, 1, true)};' \
		'int main() { return !vpmu_target(0) || !list[1].exclude; }' >"$work/main.cc" &&
		g++ -Wall -Wextra -Werror -pedantic -o "$work/main" "$work/main.cc" \
		-I"$installed/include" "$library" &&
		"$work/main"
}
check "the header compiles in C++11, and a program links with the library" cxx

general_registers() {
	objdump -d --no-show-raw-insn "$library" | sed 's/^ *[0-9a-f]*://; s/ [0-9a-f]* <.*//' \
		>"$work/code"
	[ "$(wc -l <"$work/code")" -gt 5000 ] &&
		! grep -E '%(xmm|ymm|st\b|mm[0-7])|%fs:|\bf(ld|st|add|mul|sub|div|xch)[a-z]*\b' \
		"$work/code"
}
check "the library uses general registers only" general_registers

# The dynamic section has the library's name and needs the C library only. No relocation is in code.
shared_library() {
	readelf -d "$shared" >"$work/dynamic"
	grep -q 'SONAME.*\[libvpmu\.so\.1\]' "$work/dynamic" && ! grep TEXTREL "$work/dynamic" &&
		[ "$(grep -c NEEDED "$work/dynamic")" = 1 ] && grep -q 'NEEDED.*\[libc\.so' \
		"$work/dynamic"
}
check "the shared library is libvpmu.so.1, and needs the C library only" shared_library
without_shared() {
	make_of -n LIBVPMU_SHARED= PREFIX="$installed" install-libvpmu >"$work/recipes" &&
		grep -q 'libvpmu\.a ' "$work/recipes" && ! grep -e -shared -e 'libvpmu\.so' \
		"$work/recipes"
}
check "LIBVPMU_SHARED= builds no shared library" without_shared

# Version and layout, on processors with 64-bit pointers. A change of a size or value here needs a
# new number of the shared library, LIBVPMU_ABI, and new numbers in this test: programs linked with
# the old library would fail.
cat >"$work/abi.c" <<'END'
#include <palmon/vpmu.h>
#include <stdio.h>
#define SIZE(type, size) _Static_assert(sizeof(struct type) == (size), #type)
#define AT(type, member, at) _Static_assert(offsetof(struct type, member) == (at), #type "." #member)
SIZE(vpmu_event, 8); AT(vpmu_event, umask, 2); AT(vpmu_event, umask_ignored, 3); AT(vpmu_event, exclude, 6);
SIZE(vpmu_features, 32); AT(vpmu_features, events, 8); AT(vpmu_features, reports, 24);
SIZE(vpmu_guest, 32); AT(vpmu_guest, registers, 24);
SIZE(vpmu_register, 24); AT(vpmu_register, address, 12); AT(vpmu_register, intercept, 18);
SIZE(vpmu_counter, 32); AT(vpmu_counter, event, 8); AT(vpmu_counter, exposed, 16); AT(vpmu_counter, value, 24);
SIZE(vpmu_occurrence, 56); AT(vpmu_occurrence, thread, 8); AT(vpmu_occurrence, latency, 16);
AT(vpmu_occurrence, ip, 24); AT(vpmu_occurrence, target, 48);
SIZE(vpmu_headroom, 16);
SIZE(vpmu_lack, 24); AT(vpmu_lack, needed, 8); AT(vpmu_lack, event, 16);
_Static_assert(VPMU_ERROR_OTHER == 7 && VPMU_NOT_MINE == 3 && VPMU_RESET_INIT == 2 && VPMU_DELIVER_SMI == 3, "values");
#if VPMU_VERSION < 0x10002 || VPMU_VERSION_MAJOR != 1
#error "versions are numbers of the preprocessor"
#endif
int main(void)
{
	printf("%d.%d\n", VPMU_VERSION_MAJOR, VPMU_VERSION_MINOR);
	return vpmu_version() != VPMU_VERSION || vpmu_version() != (VPMU_VERSION_MAJOR << 16 | VPMU_VERSION_MINOR);
}
END

# flags [PKG-CONFIG'S ARGUMENTS]
flags() {
	PKG_CONFIG_PATH="$installed/lib/pkgconfig" pkg-config "$@" --cflags --libs libvpmu
}
# run PROGRAM: runs it with the installed shared library.
run() {
	LD_LIBRARY_PATH="$installed/lib" "$@"
}
abi() {
	gcc -std=c11 -Wall -Wextra -Werror -o "$work/abi" "$work/abi.c" $(flags) &&
		run "$work/abi" >"$work/version" &&
		flags --print-provides | grep -x "libvpmu = $(cat "$work/version")"
}
check "header, library and pkg-config agree about the version, and libvpmu.so.1 about the layout" \
	abi

# needs_shared PROGRAM: succeeds if it is linked with the shared library.
needs_shared() {
	readelf -d "$1" | grep -q 'NEEDED.*\[libvpmu\.so\.1\]'
}
examples="$installed/share/doc/palmon/libvpmu/examples"
# example FLAGS...: compiles and runs the installed example.
example() {
	gcc -std=gnu17 -Wall -Wextra -Werror -o "$work/example" "$examples/hypervisor.c" "$@" &&
		run "$work/example" >"$work/out"
}
with_shared() {
	example $(flags) && needs_shared "$work/example"
}
with_static() {
	example "$@" && ! needs_shared "$work/example"
}
archive() {
	flags | sed 's/ -L.*//' && PKG_CONFIG_PATH="$installed/lib/pkgconfig" \
		pkg-config --variable=archive libvpmu
}
# The guest's fourth instruction writes IA32_PERF_GLOBAL_CTRL; the overflow comes 1000 instructions
# later. The count: 2000 iterations of two instructions, three of the handler, and the write that
# stops the counter.
check "the example hypervisor compiles against the shared library, and runs" with_shared
check "its guest's interrupt comes at its instruction" says \
	'^interrupts: 1, the first after instruction 1004, status 0x1$'
check "its guest migrates, and its count is exact" says '^counted: 4004$'
check "against the static library, as a static program" with_static -static $(flags --static)
check "the static program prints the same count" says '^counted: 4004$'
check "the example is a position-independent static program" with_static \
	-static-pie $(flags --static)
check "the example links with no PIE, against the archive by its path" with_static \
	-no-pie $(archive)

# After the write of the counter there are three instructions, one that loads the number of
# iterations, 4,000 of 2,000 iterations, and three that stop the counter; the handler has 13. The
# thousandth is the jump of iteration 498.
unicorn() {
	gcc -std=gnu17 -Wall -Wextra -Werror -o "$work/unicorn" "$examples/unicorn.c" $(flags) \
		$(pkg-config --cflags --libs unicorn) && run "$work/unicorn" >"$work/out" &&
		says '^interrupt: 1502 iterations are left$' && says '^counted: 4020$'
}
name="the example on Unicorn counts, and is interrupted at its instruction"
! with_packages "$name" libunicorn-dev:/usr/include/unicorn/unicorn.h || check "$name" unicorn

# Models with defects are for tests of the self test. The emulator's plugin and the command have
# them, and are found.
has_defects() {
	nm "$1" | grep -e ' pmu_defective_' -e ' defective_' | grep -v ' pmu_defective_models$'
}
no_defects() {
	! has_defects "$library" && ! has_defects "$IMAGE.elf" &&
		has_defects "$BUILD/plugin/palmon-qemu.so" && has_defects "$BUILD/host/palmon"
}
check "neither the library nor an image has models with defects" no_defects

# Under the thread sanitizer, at the addresses that it supports.
threads() {
	gcc -std=gnu17 -g -O1 -Wall -Wextra -Werror -fsanitize=thread -Ihal/include \
		-Ihal/vpmu/library -Ipmu/include \
		-o "$work/threads" tests/threads/libvpmu.c hal/vpmu/library/*.c hal/vpmu/vpmu.c \
		hal/vpmu/raised.c \
		pmu/engine/*.c $(models) "$BUILD/libvpmu/models.c" "$BUILD/libvpmu/most.c" \
		"$BUILD"/libvpmu/codes-*.c &&
		setarch -R "$work/threads" >"$work/out"
}
each_the_same() {
	[ "$(grep -cE '^[a-z0-9-]+: [1-9][0-9]* accesses done, the same$' "$work/out")" = \
		"$(awk '!/^#/ && NF' pmu/targets.tab | wc -l)" ]
}
check "vPMUs of two threads share no data" threads
check "vPMUs of two threads give the same results" each_the_same

# uninstalls FOLDER MAKE'S ARGUMENTS...: removes all installed files, no other files, and the
# folders that are palmon's own.
uninstalls() {
	folder=$1
	shift
	for other in include/palmon/other.h lib/libvpmu.so.0 share/doc/palmon/other; do
		mkdir -p "$(dirname "$folder/$other")" && echo other >"$folder/$other"
	done
	make_of LIBVPMU_SHARED= "$@" && [ "$(files "$folder" | wc -l)" = 3 ] &&
		rm "$folder/include/palmon/other.h" "$folder/lib/libvpmu.so.0" \
		"$folder/share/doc/palmon/other" &&
		make_of "$@" && [ -z "$(files "$folder")" ] &&
		[ -z "$(find "$folder" -name 'palmon*')" ]
}
check "make uninstall-libvpmu removes it, and no other file" \
	uninstalls "$installed" PREFIX="$installed" uninstall-libvpmu

# DESTDIR, as for a package: all files are written below it, with the same layout as below PREFIX.
stage="$work/stage"
staged() {
	make_of PREFIX=/opt/vpmu DESTDIR="$stage" install-libvpmu &&
		has_the_files "$stage/opt/vpmu" &&
		[ "$(files "$stage" | wc -l)" = "$(wc -l <"$work/expected")" ] &&
		[ ! -e /opt/vpmu ] &&
		grep -x 'prefix=/opt/vpmu' "$stage/opt/vpmu/lib/pkgconfig/libvpmu.pc"
}
check "DESTDIR" staged
# staged_example [-static]
staged_example() {
	gcc -std=gnu17 -Wall -Wextra -Werror ${1:-} -o "$work/staged" \
		"$stage/opt/vpmu/share/doc/palmon/libvpmu/examples/hypervisor.c" \
		$(PKG_CONFIG_SYSROOT_DIR="$stage" \
		PKG_CONFIG_PATH="$stage/opt/vpmu/lib/pkgconfig" pkg-config ${1:+-}${1:-} \
		--cflags --libs libvpmu) &&
		LD_LIBRARY_PATH="$stage/opt/vpmu/lib" "$work/staged" >"$work/out" &&
		says '^counted: 4004$'
}
check "an example compiles there, against the shared library" staged_example
check "an example compiles there, against the static library" staged_example -static
check "make uninstall-libvpmu honours DESTDIR" \
	uninstalls "$stage/opt/vpmu" PREFIX=/opt/vpmu DESTDIR="$stage" uninstall-libvpmu

with_the_command() {
	make_of PREFIX=/opt/vpmu DESTDIR="$stage" install && files "$stage/opt/vpmu" >"$work/all" &&
		grep -q ' bin/palmon$' "$work/all" && while read -r line; do
			grep -qxF "$line" "$work/all" || { echo "$line"; return 1; }
		done <"$work/expected"
}
check "make install installs it with the command" with_the_command
check "make uninstall removes both" uninstalls "$stage/opt/vpmu" PREFIX=/opt/vpmu DESTDIR="$stage" \
	uninstall
done_checking
