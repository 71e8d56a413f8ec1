#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands of the top README.md, in order, and those of other READMEs and manual pages that boot
# images. Each runs as printed and must print the lines shown. Counts depend on the image; words,
# small numbers and short hexadecimal numbers must match.
. tests/tap.sh
. tests/documents.sh

# One shell runs all commands of README.md except make check, which runs this test. It starts with a
# login's environment: earlier commands of README.md must set up anything else that a command needs.
# DESTDIR keeps make install out of the system.
readme_script() {
	for command_file in "$work"/readme/*.command; do
		base=${command_file%.command}
		printf '{\n%s\n} >"%s.raw" 2>&1 </dev/null\necho $? >"%s.status"\n' \
			"$(cat "$command_file")" \
			"$base" "$base"
	done
}
run_readme() {
	rm "$work/readme/$(grep -lx 'make check' "$work"/readme/*.command | xargs basename)" &&
		make_top "$BUILD/check/documents" && readme_script >"$work/readme.sh" && (
		cd "$top" && env -i HOME="$HOME" DESTDIR="$work/stage" \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash \
			"$work/readme.sh"
	)
}
check "README.md: one shell runs its commands in order" run_readme
for command_file in "$work"/readme/*.command; do
	base=${command_file%.command}
	compare=compare-form
	runner=$(runner_of "$(cat "$command_file")" "$(cat "$base.place")")
	[ "$runner" != tests/command/documents.t ] || compare=compare
	check "$(cat "$base.place"): $(head -n 1 "$command_file" | sed 's/ *#.*//')" as_shown \
		$compare
done

PATH=$(cd "$BUILD/host" && pwd):$PATH
in_place() {
	cd "$top"
}
run_commands tests/boot/documents.t compare-form long
done_checking
