# SPDX-License-Identifier: BSD-2-Clause
# For the tests of the table compilers: runs $compiler on $table. Source it after tap.sh.
program=$BUILD/$compiler
[ -x "$program" ] || make --no-print-directory BUILD="$BUILD" "$program" >/dev/null ||
	{ echo "Bail out! no $compiler"; exit 1; }
table=$work/some.tab

# compile: compiles $table into $work/out, with messages in $work/messages and the status in
# $status.
compile() {
	"$program" some "$table" >"$work/out" 2>"$work/messages"
	status=$?
}

# lines LINE...: makes a table of these lines, and compiles it.
lines() {
	printf '%s\n' "$@" >"$table"
	compile
}

good() {
	[ "$status" -eq 0 ] && [ ! -s "$work/messages" ] && return
	echo "status $status"
	cat "$work/messages"
	false
}

# complains LINE PATTERN: succeeds if the compiler refused the table with one message, FILE:LINE:
# and a matching text, and printed no output. If LINE is empty, the message begins with FILE:.
complains() {
	if [ "$status" -eq 1 ] && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/messages")" -eq 1 ] &&
		grep -qE "^$table:${1:+$1:} .*$2" "$work/messages"; then
		return
	fi
	echo "status $status, expected line $1: $2"
	cat "$work/messages" "$work/out"
	false
}

# printed EXPECTED: compiles the C program on standard input, which includes the compiled table, and
# compares its output.
printed() {
	cat >"$work/print.c"
	gcc -std=gnu17 -Wall -Wextra -Werror -Ipmu/include -o "$work/print" "$work/print.c" ||
		return
	found=$("$work/print")
	[ "$found" = "$1" ] || { echo "expected $1"; echo "found    $found"; false; }
}
