#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon doctor: present and missing programs; this test's programs replace real ones.
. tests/tap.sh
. tests/command/command.sh

mkdir "$work/bin"
# program NAME [LINE...]: makes a program that prints these lines.
program() {
	printf '#!/bin/sh\n' >"$work/bin/$1"
	name=$1
	shift
	for line; do printf 'echo "%s"\n' "$line" >>"$work/bin/$name"; done
	chmod +x "$work/bin/$name"
}
# doctor ARGUMENT...: runs on a machine that has only these programs, and its own cache.
for tool in sed sort head grep; do
	ln -s "$(command -v $tool)" "$work/bin/$tool"
done
cache=$work/cache/palmon
doctor() {
	env -u QEMU PATH="$work/bin" XDG_CACHE_HOME="$work/cache" ${QEMU:+"QEMU=$QEMU"} \
		"$PALMON" doctor "$@" >"$work/out" 2>"$work/messages" </dev/null
	status=$?
}

doctor perf
missing() {
	[ "$status" -eq 1 ] && has_line 'perf MISSING: package linux-perf' &&
		has_line 'missing: 1; all of it: apt-get install --no-install-recommends linux-perf'
}
check "missing programs, with their packages" missing
program perf
doctor perf
there() {
	done_quietly && has_line "perf $work/bin/perf" && has_line 'nothing is missing'
}
check "present programs" there

# An objdump for each instruction set of images. Debian 13 has ia64's binutils as source only.
with_packages "ia64's objdump" binutils-source:/usr/src/binutils && {
	program apt-cache binutils-source
	doctor annotate
	two() {
		[ "$status" -eq 1 ] && has_line 'missing: 2; all of it: apt-get install --no-install-recommends '"$(:
			)binutils-x86-64-linux-gnu binutils-sparc64-linux-gnu" &&
			has_line \
			'ia64-linux-gnu-objdump not built yet: the first image for it builds it'
	}
	check "a package for each instruction set; ia64's binutils are built" two
}
# built VERSION: makes an objdump like that of tools/cross.
built() {
	mkdir -p "$cache/binutils-$1-ia64-linux-gnu-1/bin" &&
		cp "$work/bin/perf" "$cache/binutils-$1-ia64-linux-gnu-1/bin/ia64-linux-gnu-objdump"
}
built 2.9
built 2.44
doctor annotate
check "the newest built objdump" has_line \
	"ia64-linux-gnu-objdump $cache/binutils-2.44-ia64-linux-gnu-1/bin/ia64-linux-gnu-objdump"
program ia64-linux-gnu-objdump
doctor annotate
check "a packaged objdump is preferred" has_line \
	"ia64-linux-gnu-objdump $work/bin/ia64-linux-gnu-objdump"
doctor image-ia64
check "a compiler for ia64 that is not built yet" has_line \
	'ia64-linux-gnu-gcc not built yet: the first image for it builds it'
compiler=$cache/gcc-14.2.0-ia64-linux-gnu-1-binutils-2.44/bin/ia64-linux-gnu-gcc
mkdir -p "${compiler%/*}" && cp "$work/bin/perf" "$compiler"
doctor image-ia64
check "a compiler that is built" has_line "ia64-linux-gnu-gcc $compiler"

# QEMU, as its --version and -help print it. Plugin interface 7 came with 11.1 (QEMU's
# qemu-plugin.h).
qemu=qemu-system-sparc64
plugins='-plugin [file=]<file>'
program dpkg amd64
for version in 11.1.0 11.2.3 12.0.50; do
	program $qemu "QEMU emulator version $version (Debian)" "$plugins"
	doctor image-sparc64
	check "QEMU $version on the PATH" has_line \
		"$qemu $work/bin/$qemu (${version%.*}, on the PATH)"
done
for version in 7.2.22 10.0.2 11.0.9; do
	program $qemu "QEMU emulator version $version (Debian)" "$plugins"
	doctor image-sparc64
	check "QEMU $version is too old" has_line "$qemu not fetched yet: make run fetches it"
done
QEMU=$work/bin/$qemu doctor image-sparc64
named() {
	[ "$status" -eq 1 ] &&
		has_line "$qemu QEMU=$work/bin/$qemu: $1; palmon needs $qemu 11.1 or newer"
}
check "QEMU= names one that is too old" named "its version is 11.0"
program $qemu 'QEMU emulator version 11.1.0'
QEMU=$work/bin/$qemu doctor image-sparc64
check "QEMU= names one built without plugins" named "it was built without plugins"
program $qemu 'something else'
QEMU=$work/bin/$qemu doctor image-sparc64
check "QEMU= names one without a version" named "it does not print its version"
QEMU=$work/bin doctor image-sparc64
check "QEMU= names a folder" named "it does not print its version"
program $qemu "QEMU emulator version 11.1.0" "$plugins"
QEMU=$work/bin doctor image-sparc64
check "QEMU= names a folder with a suitable one" has_line "$qemu $work/bin/$qemu (11.1, by QEMU=)"
rm "$work/bin/$qemu"
nothing_missing() {
	doctor image-sparc64
	has_line "$qemu not fetched yet: make run fetches it" &&
		! grep -q 'package qemu' "$work/out"
}
check "QEMU is not a package" nothing_missing
program dpkg arm64
doctor image-sparc64
check "a machine that cannot fetch QEMU" has_line \
	"$qemu QEMU 11.1 or newer is needed, and could not be fetched: this is not a Debian system for amd64"
mkdir -p "$cache/qemu/bin"
program $qemu 'QEMU emulator version 11.1.0' "$plugins"
mv "$work/bin/$qemu" "$cache/qemu/bin/"
doctor image-sparc64
check "QEMU in the cache" has_line "$qemu $cache/qemu/bin/$qemu (11.1, cached)"

doctor -j
json() {
	jq -se 'length > 25 and all(has("use") and has("needs") and has("good") and has("made") and has("package")) and
		(map(select(.use == "perf")) | .[0].good) and
		(map(select(.needs == "valgrind")) | .[0].good | not)' "$work/out"
}
check "JSON: one object each" json
# Its packages are those that tools/setup installs, except parts of Debian's build-essential and of
# binutils.
packages() {
	jq -r '.package // empty' "$work/out" | sort -u |
		grep -vx -e make -e binutils-x86-64-linux-gnu >"$work/packages"
	sed -n '/^packages_of()/,/^}/p' tools/setup | tr -s "' \t\\\\" '\n' | sort -u >"$work/known"
	[ "$(wc -l <"$work/packages")" -gt 20 ] && ! comm -23 "$work/packages" "$work/known" |
		grep .
}
check "its packages are tools/setup's" packages
# It looks for everything that tools/setup installs for images and for the command.
complete() {
	eval "$(sed -n '/^packages_of()/,/^}/p' tools/setup)"
	for group in image-x86 image-sparc64 image-ia64 host; do
		packages_of $group
	done | tr ' ' '\n' | sort -u >"$work/wanted"
	[ "$(wc -l <"$work/wanted")" -gt 15 ] && ! comm -23 "$work/wanted" "$work/packages" | grep .
}
check "it looks for everything that tools/setup installs" complete
doctor nothing
check "an unknown use" refuses 2 "there is no use 'nothing'"
doctor perf perf
check "two uses" refuses 2 'one use is enough'
palmon doctor
whole() {
	[ -n "${EXTRA:-}" ] && { done_quietly; return; }
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ]
}
narrow() {
	whole && ! grep -v '^  [^ ]* */' "$work/out" | grep -E '^.{101}'
}
check "this machine: no line is longer than 100 columns, except long paths" narrow
done_checking
