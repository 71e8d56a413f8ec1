#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tools/cross: messages of the first build of Itanium's compiler about its steps; the second run
# builds nothing. Programs of this test replace tar, make, nproc and GCC's configure: nothing is
# compiled.
. tests/tap.sh

mkdir "$work/bin" "$work/cache"
# program NAME: makes a shell script of standard input.
program() {
	{ echo '#!/bin/sh'; cat; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}
# cores NUMBER: the machine's number of cores.
cores() {
	echo "echo $1" | program nproc
}
# Unpacks a configure that stores its prefix in its working folder.
program tar <<-'END'
	while [ "$1" != -C ]; do shift; done
	cat >"$2/configure" <<-'CONFIGURE'
		#!/bin/sh
		for argument; do
			case $argument in --prefix=*) echo "${argument#*=}" >prefix ;; esac
		done
	CONFIGURE
	chmod +x "$2/configure"
END
program make <<-END
	echo "\$*" >>"$work/ran"
	folder=. destination=
	for argument; do
		[ "\$last" != -C ] || folder=\$argument
		case \$argument in
		all-gcc) [ ! -e "$work/broken" ] || { echo 'no such register class'; exit 1; } ;;
		DESTDIR=*) destination=\${argument#DESTDIR=} ;;
		install-strip | install-target-libgcc) mkdir -p "\$destination\$(cat "\$folder/prefix")/bin" ;;
		esac
		last=\$argument
	done
END
cross() {
	: >"$work/ran"
	capture env XDG_CACHE_HOME="$work/cache" PATH="$work/bin:$PATH" tools/cross ia64
}

cores 2
touch "$work/broken"
fails() {
	cross
	ended 1 && says '^no such register class$' &&
		says '^palmon: the compiler for ia64-linux-gnu did not build; ' &&
		[ -z "$(ls -d "$work"/cache/palmon/cross.[0-9]* 2>/dev/null)" ]
}
check "a failed build: its last lines, the log's path, and no files left" fails
rm "$work/broken"

# Each step has a number, a name and a time; the sum of the times is the total, which is below five
# minutes.
names_steps() {
	cross
	ended 0 && says '^palmon: building a C compiler for ia64-linux-gnu into .* minutes on 2 free cores' &&
		sed -n 's/.*, step \([0-9] of [0-9]\): [a-z]* (about \([0-9:]* of [0-9:]*\) minutes)$/\1 \2/p' \
			"$work/out" | awk -F '[ :]' '
			# step, "of", steps, minutes, seconds, "of", minutes, seconds
			$1 != NR { bad = 1 }
			{ steps = $3; sum += $4 * 60 + $5; whole = $7 * 60 + $8 }
			END {
				print NR, steps, sum, whole
				exit bad || NR != steps || NR < 5 || sum != whole || whole >= 300
			}'
}
check "each step shows its number and time, and all take less than five minutes on two cores" \
	names_steps
builds_nothing() {
	cross
	ended 0 && [ ! -s "$work/ran" ] && [ "$(wc -l <"$work/out")" -eq 1 ] &&
		says "^$work/cache/.*/bin/ia64-linux-gnu-$"
}
check "a second run prints the prefix only" builds_nothing
rm -rf "$work/cache/palmon"
cores 1
takes_longer() {
	cross
	ended 0 && says 'minutes on 1 free cores' && grep -q -- '-j1 ' "$work/ran" &&
		[ "$(sed -n 's/.*step 1 of .* of \([0-9]*\):.*/\1/p' "$work/out")" -ge 5 ]
}
check "the total is longer on one core" takes_longer
done_checking
