#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make install, used without the tree: the command runs, a hypervisor compiles against the library
# and runs, and each manual page opens.
. tests/tap.sh

stage="$work/stage" prefix=/opt/palmon
root=$stage$prefix
installs() {
	own_build "$work/build" &&
		make --no-print-directory BUILD="$work/build" PREFIX=$prefix DESTDIR="$stage" \
		install
}
check "make install with PREFIX= and DESTDIR=" installs

# All users can run the programs and read the files.
modes() {
	[ "$(find "$root/bin" -type f | wc -l)" -ge 1 ] &&
		[ "$(find "$root" -type f | wc -l)" -ge 15 ] &&
		wrong=$(find "$root/bin" "$root/lib/palmon/find-qemu" \
		"$root/lib/palmon/palmon-amd64-linux" -type f \
			! -perm 755
			find "$root" -type f ! -perm -444) && [ -z "$wrong" ] &&
		[ -s "$root/lib/palmon/palmon-qemu.so" ] ||
		{ echo "$wrong"; false; }
}
check "programs are executable, all files can be read" modes

# palmon ARGUMENT...: runs the installed command through the PATH.
palmon() {
	capture env -i PATH="$root/bin" palmon "$@"
}
lists_targets() {
	palmon targets
	ended 0 && for target in $(awk '!/^#/ && NF { print $1 }' pmu/targets.tab); do
		says "^$target " || return
	done
}
check "the installed command runs: it lists all targets" lists_targets
# The trace has 2,400 cycles of two instructions each.
measures() {
	palmon stat -t itanium -M IPC --trace tools/palmon/examples/itanium.trace
	ended 0 && says '^ *4,800 +IA64_INST_RETIRED$' && says '^ *2 +IPC '
}
check "the installed command measures a trace" measures
# tests/command/program.t derives the counts: 1 + 1 * (2 + 4 + 2) + 1 + 3 + 5 instructions, a load
# in 64 bytes.
measures_program() {
	gcc -static -nostdlib -no-pie -DSIZE=64 -DPASSES=1 -DTIMES=1 -DSTATUS=0 -o "$work/known" \
		tests/command/known.S && palmon stat -t knc -e INSTRUCTIONS_EXECUTED,DATA_READ \
		-- "$work/known"
	ended 0 && says '^ *18 +INSTRUCTIONS_EXECUTED' && says '^ *1 +DATA_READ'
}
check "the installed command measures a program" measures_program

# Compiles in an empty folder, with only the source from this repository.
compiles() {
	mkdir "$work/example"
	cp hal/vpmu/library/example/hypervisor.c "$work/example"
	cd "$work/example" && export PKG_CONFIG_LIBDIR="$root/lib/pkgconfig" \
		PKG_CONFIG_SYSROOT_DIR="$stage" &&
		flags=$(pkg-config --cflags --libs libvpmu) && echo "$flags" &&
		gcc -std=gnu17 -Wall -Wextra -Werror -o hypervisor hypervisor.c $flags
}
example() {
	(compiles) && capture env LD_LIBRARY_PATH="$root/lib" "$work/example/hypervisor"
	ended 0 && says '^counted: 4004$'		# tests/rules/libvpmu.t derives it
}
check "an example compiles against the installed library, and runs" example

# opens PAGE: man finds the page by its name and section.
opens() {
	page=${1##*/}
	name=${page%.*}
	title=$(echo "$name" | tr a-z A-Z)
	capture env MANPATH="$root/share/man" MANWIDTH=80 man --warnings "${page##*.}" "$name"
	ended 0 && head -n 1 "$work/out" | grep -q "^$title(${page##*.})" && says '^NAME$' &&
		says "^ +$name"
}
pages=$(find "$root/share/man" -type f | sort)
several() {
	[ "$(echo "$pages" | wc -l)" -ge 8 ]
}
check "manual pages are installed" several
for page in $pages; do
	check "man ${page##*/}" opens "$page"
done

uninstalls() {
	make --no-print-directory BUILD="$work/build" PREFIX=$prefix DESTDIR="$stage" uninstall &&
		[ -z "$(find "$stage" -type f)" ]
}
check "make uninstall leaves no file" uninstalls
done_checking
