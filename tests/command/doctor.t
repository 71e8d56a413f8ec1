#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon doctor: what is there and what is not; programs of these tests in the place of others.
. tests/tap.sh
. tests/command/command.sh

mkdir "$work/bin"
# program NAME [LINE...]: one that prints these lines.
program() {
	printf '#!/bin/sh\n' >"$work/bin/$1"
	name=$1
	shift
	for line; do printf 'echo "%s"\n' "$line" >>"$work/bin/$name"; done
	chmod +x "$work/bin/$name"
}
# doctor ARGUMENT...: on a machine that has these programs only.
doctor() {
	PATH=$work/bin "$PALMON" doctor "$@" >"$work/out" 2>"$work/messages" </dev/null
	status=$?
}

doctor perf
missing() {
	[ "$status" -eq 1 ] && has_line 'perf MISSING: package linux-perf' &&
		has_line 'missing: 1; all of it: apt-get install --no-install-recommends linux-perf'
}
check "what is missing, with its package" missing
program perf
doctor perf
there() {
	done_quietly && has_line "perf $work/bin/perf" && has_line 'nothing is missing'
}
check "what is there" there
doctor annotate
# An objdump for each instruction set that images have.
three() {
	[ "$status" -eq 1 ] && has_line 'missing: 3; all of it: apt-get install --no-install-recommends '"$(:
		)binutils-x86-64-linux-gnu binutils-sparc64-linux-gnu binutils-ia64-linux-gnu"
}
check "a package for each instruction set" three

# QEMU's versions: plugins came with 4.2, and 9.0 took those of version 1 no more (QEMU's include/qemu/qemu-plugin.h).
for version in 7.2.22 8.2.1 4.2.0; do
	program qemu-system-sparc64 "QEMU emulator version $version (Debian)" '-plugin [file=]<file>'
	doctor image-sparc64
	check "QEMU $version" has_line \
		"qemu-system-sparc64 $work/bin/qemu-system-sparc64 (${version%.*}, plugins of version 1)"
done
for version in 9.0.0 10.0.2 4.1.0; do
	program qemu-system-sparc64 "QEMU emulator version $version (Debian)" '-plugin [file=]<file>'
	doctor image-sparc64
	no_plugins="${version%.*} has no plugins of version 1; QEMU 7.2 has"
	check "QEMU $version will not do" has_line "qemu-system-sparc64 $no_plugins: package qemu-system-sparc"
done
program qemu-system-sparc64 'QEMU emulator version 7.2.22' '-display none'
doctor image-sparc64
check "one that was built without plugins" has_line \
	'qemu-system-sparc64 7.2 was built without plugins: package qemu-system-sparc'
program qemu-system-sparc64 'something else'
doctor image-sparc64
check "one that does not say what it is" has_line \
	'qemu-system-sparc64 its version is not known: package qemu-system-sparc'

PATH=$work/bin "$PALMON" doctor -j >"$work/out" 2>"$work/messages"
json() {
	jq -se 'length > 25 and all(has("use") and has("needs") and has("good") and has("package")) and
		(map(select(.use == "perf")) | .[0].good) and
		(map(select(.needs == "valgrind")) | .[0].good | not)' "$work/out"
}
check "JSON: an object each" json
# Its packages are those that tools/setup installs, but for parts of Debian's build-essential and of binutils.
eval "$(sed -n '/^packages_of()/,/^}/p' tools/setup)"
packages() {
	jq -r .package "$work/out" | sort -u | grep -vx -e make -e binutils-x86-64-linux-gnu >"$work/packages"
	packages_of check | tr ' ' '\n' >"$work/known"
	for group in image-x86 image-sparc64 image-ia64 host; do
		packages_of $group
	done | tr ' ' '\n' | sort -u >"$work/wanted"
	[ "$(wc -l <"$work/packages")" -gt 20 ] &&
		! sort -u "$work/known" "$work/wanted" | comm -23 "$work/packages" - | grep .
}
check "its packages are tools/setup's" packages
# And what that installs for images and for the command is looked for.
complete() {
	[ "$(wc -l <"$work/wanted")" -gt 15 ] && ! comm -23 "$work/wanted" "$work/packages" | grep .
}
check "what tools/setup installs is looked for" complete
doctor nothing
check "no use" refuses 2 "there is no use 'nothing'"
doctor perf perf
check "two uses" refuses 2 'one use is enough'
palmon doctor
whole() {
	[ -n "${CI:-}" ] && { done_quietly; return; }
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ]
}
check "this machine's: no line is longer than 100 columns" eval 'whole && ! grep -E "^.{101}" "$work/out"'
done_checking
