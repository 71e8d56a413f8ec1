#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The form of sources: licence tags, no variation by #ifdef, self-standing headers, line length, a
# README per folder.
. tests/tap.sh

sources=$(git ls-files '*.c' '*.h' '*.S' '*.ld' '*.tab' '*.mk' tools tests .ci Makefile | sort -u |
	grep -v -e '\.md$' -e '\.png$' -e '/vectors/')

tagged() {
	# shellcheck disable=SC2086
	awk 'FNR <= 3 && /SPDX-License-Identifier: BSD-2-Clause/ { tagged[FILENAME] }
		END { for (i = 1; i < ARGC; i++) if (!(ARGV[i] in tagged)) { print ARGV[i]; bad = 1 }
			exit bad }' $sources
}
check "each source has its licence tag" tagged

no_variation() {
	! grep -nE '^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)\b' \
		$(git ls-files 'arch/*.[chS]' 'boot/*.[chS]' 'hal/*.[chS]' 'pal/*.[chS]' \
		'pmu/*.[chS]') |
		grep -vE '#ifndef [A-Z0-9_]+_H$|#ifndef __ASSEMBLER__$|#ifdef __cplusplus$'
}
check "no #if except include guards and guards for assembler and C++" no_variation

# alone HEADER...: writes a file of C for each header, which includes it, and lists them in $alone.
alone() {
	alone=
	for header; do
		file=$work/$(echo "$header" | tr / _).c
		echo "#include \"$header\"" >"$file" || return
		alone="$alone $file"
	done
	[ "$alone" ]
}
stand_alone() {
	try="gcc -std=gnu17 -Wall -Wextra -Werror -fsyntax-only -I. -isystem /usr/include/efi
		-isystem /usr/include/efi/x86_64"
	for arch in x86 sparc64; do
		emulator=$(awk -v arch=$arch '$2 == arch && $3 ~ /^[a-z]/ { print $3; exit }' \
			pmu/targets.tab)
		includes="-Iarch/include -Iarch/$arch -Iarch/$arch/include -Ihal/include -Ihal/native/$arch/include
			-Ihal/console -Ipmu/include -Ipal/include -Iboot -Ihal/emu/$emulator -Ipal"
		alone $(git ls-files "arch/$arch/*.h" "hal/native/$arch/*.h" "hal/emu/$emulator/*.h" \
			'arch/include/*.h' 'boot/*.h' 'hal/include/*.h' 'hal/console/*.h' 'hal/vpmu/*.h' \
			'pal/*.h' 'pmu/*.h') && $try $includes $alone || bad=1
	done
	# Inline assembly names ia64's registers and needs its compiler.
	alone $(git ls-files 'arch/ia64/*.h' 'hal/native/ia64/*.h') &&
		"$(tools/cross ia64)"$try -ffreestanding -Iarch/include -Iarch/ia64 -Iarch/ia64/include \
		-Ihal/include -Ihal/native/ia64/include -Ihal/console $alone || bad=1
	alone $(git ls-files 'hal/shim/*.h') &&
		$try -Ihal/include -Ihal/shim/include -Ipmu/include $alone || bad=1
	[ -z "${bad:-}" ]
}
check "each header compiles alone" stand_alone

# lines_fit MOST PATTERN...: the files that match have no line of more columns.
lines_fit() {
	most=$1
	shift
	awk -v most="$most" '{
			columns = length
			if (columns > most / 8 && /\t/) {	# a tab extends to the next multiple of 8
				columns = 0
				parts = split($0, part, "\t")
				for (i = 1; i < parts; i++)
					columns = int((columns + length(part[i])) / 8) * 8 + 8
				columns += length(part[parts])
			}
		}
		columns > most { print FILENAME ":" FNR ": " columns; bad = 1 }
		END { exit bad }' $(git ls-files "$@" | grep -v -e '\.md$' -e '\.png$')
}
check "no line of C or assembly is longer than 100 columns" lines_fit 100 '*.c' '*.h' '*.S'
check "no line of a script or make file is longer than 120 columns" \
	lines_fit 120 '*.t' '*.mk' Makefile tools

no_bare_numbers() {
	! grep -nE 'reg_(read|write)\(0x|rdmsr\(0x|wrmsr\(0x|case 0x[0-9A-F]{2,}' \
		$(git ls-files 'arch/*.[ch]' 'boot/*.[ch]' 'hal/*.[ch]' 'pal/*.[ch]' 'pmu/*.[ch]')
}
check "no register is accessed by its bare number" no_bare_numbers

self_contained() {
	! git grep -nE '\.\./shared|/shared/|DESIGN\.md|FACTS\.md|seeds/' -- . \
		':!tests/rules/sources.t'
}
check "nothing refers to files outside the repository" self_contained

top_level() {
	extra=$(git ls-files | cut -d/ -f1 | sort -u |
		grep -vxE 'Makefile|arch|boot|pmu|pal|hal|tests|linker|tools|README\.md|LICENSE|\..*') || return 0
	echo "$extra"
	false
}
check "the top level has the allowed names only" top_level

readmes() {
	for folder in . arch arch/x86 boot hal hal/console hal/emu hal/emu/qemu hal/native \
		hal/shim hal/vpmu linker \
		pal pmu pmu/core pmu/itanium pmu/nehalem pmu/selftest tests tests/boot \
		tests/command tests/proof \
		tests/rules tests/unit tests/vectors tools tools/palmon; do
		[ -s "$folder/README.md" ] || { echo "$folder"; bad=1; }
	done
	[ -z "${bad:-}" ]
}
check "each folder has a README" readmes

faults_documented() {
	for table in tests/vectors/*-faults.tab; do
		target=$(basename "$table" -faults.tab)
		for fault in $(grep -v -e '^#' -e '^stuck:' -e '^[^[:space:]]*/' "$table" |
			cut -f1); do
			grep -q "\`$fault\`" "pmu/$target/README.md" ||
				{ echo "$target: $fault"; bad=1; }
		done
	done
	[ -z "${bad:-}" ]
}
check "each fault of the model is in its README" faults_documented

executable() {
	not=$(git ls-files -s tests | awk '/\.t$/ && $1 != "100755" { print $4 }')
	[ -z "$not" ] || { echo "$not"; false; }
}
check "test scripts are executable" executable
done_checking
