#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon doctor: installed and missing programs. This test's programs replace the real ones.
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
# doctor ARGUMENT...: runs it on a machine with only these programs and an empty cache.
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
check "a missing program, with its package" missing
program perf
doctor perf
there() {
	done_quietly && has_line "perf $work/bin/perf" && has_line 'nothing is missing'
}
check "an installed program" there

# An objdump for each instruction set of images. Debian 13 has ia64's binutils as source only.
with_packages "ia64's objdump" binutils-source:/usr/src/binutils && {
	program apt-cache binutils-source
	doctor annotate
	two() {
		[ "$status" -eq 1 ] && has_line 'missing: 2; all of it: apt-get install --no-install-recommends '"$(:
			)binutils-x86-64-linux-gnu binutils-sparc64-linux-gnu" &&
			has_line 'ia64-linux-gnu-objdump not built yet: the first image for it builds it'
	}
	check "a package for each instruction set; ia64's binutils are built" two
}
# built VERSION: makes an objdump as tools/cross builds it.
built() {
	mkdir -p "$cache/binutils-$1-ia64-linux-gnu-1/bin" &&
		cp "$work/bin/perf" "$cache/binutils-$1-ia64-linux-gnu-1/bin/ia64-linux-gnu-objdump"
}
built 2.9
built 2.44
doctor annotate
check "the newest objdump that was built" has_line \
	"ia64-linux-gnu-objdump $cache/binutils-2.44-ia64-linux-gnu-1/bin/ia64-linux-gnu-objdump"
program ia64-linux-gnu-objdump
doctor annotate
check "a package's objdump comes first" has_line "ia64-linux-gnu-objdump $work/bin/ia64-linux-gnu-objdump"
doctor image-ia64
check "a compiler for ia64 that is not built" has_line \
	'ia64-linux-gnu-gcc not built yet: the first image for it builds it'
compiler=$cache/gcc-14.2.0-ia64-linux-gnu-1-binutils-2.44/bin/ia64-linux-gnu-gcc
mkdir -p "${compiler%/*}" && cp "$work/bin/perf" "$compiler"
doctor image-ia64
check "a compiler for ia64 that is built" has_line "ia64-linux-gnu-gcc $compiler"

# QEMU's --version and -help. Interface 7 of plugins came with 11.1 (QEMU's qemu-plugin.h).
qemu=qemu-system-sparc64
plugins='-plugin [file=]<file>'
program dpkg amd64
for version in 11.1.0 11.2.3 12.0.50; do
	program $qemu "QEMU emulator version $version (Debian)" "$plugins"
	doctor image-sparc64
	check "QEMU $version on the PATH" has_line "$qemu $work/bin/$qemu (${version%.*}, on the PATH)"
done
for version in 7.2.22 10.0.2 11.0.9; do
	program $qemu "QEMU emulator version $version (Debian)" "$plugins"
	doctor image-sparc64
	check "QEMU $version is too old" has_line "$qemu not fetched yet: make run fetches it"
done
QEMU=$work/bin/$qemu doctor image-sparc64
named() {
	[ "$status" -eq 1 ] && has_line "$qemu QEMU=$work/bin/$qemu: $1; palmon needs $qemu 11.1 or newer"
}
check "QEMU= names a QEMU that is too old" named "its version is 11.0"
program $qemu 'QEMU emulator version 11.1.0'
QEMU=$work/bin/$qemu doctor image-sparc64
check "QEMU= names a QEMU without plugins" named "it was built without plugins"
program $qemu 'something else'
QEMU=$work/bin/$qemu doctor image-sparc64
check "one that does not say what it is" named "it does not say its version"
QEMU=$work/bin doctor image-sparc64
check "a folder is named" named "it does not say its version"
program $qemu "QEMU emulator version 11.1.0" "$plugins"
QEMU=$work/bin doctor image-sparc64
check "QEMU= names a folder with a suitable QEMU" has_line "$qemu $work/bin/$qemu (11.1, by QEMU=)"
rm "$work/bin/$qemu"
nothing_missing() {
	doctor image-sparc64
	has_line "$qemu not fetched yet: make run fetches it" && ! grep -q 'package qemu' "$work/out"
}
check "QEMU is not listed as a package" nothing_missing
program dpkg arm64
doctor image-sparc64
check "where it cannot be fetched" has_line \
	"$qemu QEMU 11.1 or newer is needed, and could not be fetched: this is no Debian of amd64 processors"
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
check "JSON: one object per program" json
# doctor's packages are those that tools/setup installs, except parts of build-essential and
# binutils.
packages() {
	jq -r '.package // empty' "$work/out" | sort -u |
		grep -vx -e make -e binutils-x86-64-linux-gnu >"$work/packages"
	sed -n '/^packages_of()/,/^}/p' tools/setup | tr -s "' \t\\\\" '\n' | sort -u >"$work/known"
	[ "$(wc -l <"$work/packages")" -gt 20 ] && ! comm -23 "$work/packages" "$work/known" | grep .
}
check "doctor's packages are tools/setup's" packages
# doctor checks each package that tools/setup installs for images and the command.
complete() {
	eval "$(sed -n '/^packages_of()/,/^}/p' tools/setup)"
	for group in image-x86 image-sparc64 image-ia64 host; do
		packages_of $group
	done | tr ' ' '\n' | sort -u >"$work/wanted"
	[ "$(wc -l <"$work/wanted")" -gt 15 ] && ! comm -23 "$work/wanted" "$work/packages" | grep .
}
check "doctor checks the packages that tools/setup installs" complete
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
