#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands of the top README.md, in order; and those of other READMEs and of manual pages that boot images. They are
# run as they are printed, and must print the lines that are shown. Counts depend on the image; words, small numbers and
# hexadecimal ones do not.
. tests/tap.sh
. tests/documents.sh

# A folder like the top of the tree, in which commands can leave files. It is at the same place each time: images of
# workloads are named after where they are.
top=$BUILD/check/documents
make_top() {
	rm -rf "$top"
	mkdir -p "$top" && top=$(realpath "$top") || return
	for file in *; do
		[ "$file" = build ] || ln -s "$PWD/$file" "$top/$file"
	done
	own_build "$top/build"
}

# One shell runs all commands of README.md but make check, which runs this test. Its environment is a login's: whatever
# else a command needs, an earlier command of README.md must have set up. DESTDIR keeps make install out of the system.
readme_script() {
	for command_file in "$work"/readme/*.command; do
		base=${command_file%.command}
		printf '{\n%s\n} >"%s.raw" 2>&1 </dev/null\necho $? >"%s.status"\n' "$(cat "$command_file")" \
			"$base" "$base"
	done
}
run_readme() {
	rm "$work/readme/$(grep -lx 'make check' "$work"/readme/*.command | xargs basename)" &&
		make_top && readme_script >"$work/readme.sh" && (
		cd "$top" && env -i HOME="$HOME" DESTDIR="$work/stage" \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash "$work/readme.sh"
	)
}
check "README.md: one shell runs its commands in order" run_readme
for command_file in "$work"/readme/*.command; do
	base=${command_file%.command}
	compare=compare-form
	[ "$(runner_of "$(cat "$command_file")")" != tests/command/documents.t ] || compare=compare
	check "$(cat "$base.place"): $(head -n 1 "$command_file" | sed 's/ *#.*//')" as_shown $compare
done

PATH=$(cd "$BUILD/host" && pwd):$PATH
in_place() {
	cd "$top"
}
run_commands tests/boot/documents.t compare-form
done_checking
