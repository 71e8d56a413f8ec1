#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Makefile: the list of rooms, and the processes that it starts in addition to compilers.
. tests/tap.sh
unset MAKEFLAGS MFLAGS

rooms() {
	sed -n '/^ROOMS := /,/[^\\]$/p' Makefile | sed 's/^ROOMS := //; s/\\$//' |
		tr -s ' \t' '\n' | grep . |
		sed 's|$|/objs.mk|' | sort >"$work/rooms"
	git ls-files '*objs.mk' | sort | diff - "$work/rooms"
}
check "each objs.mk is in the list of rooms" rooms

# A shell that records its commands. As SHELL is not /bin/sh, make starts it for each command.
cat >"$work/sh" <<END
#!/bin/sh
echo "\$2" >>"$work/ran"
exec /bin/sh "\$@"
END
chmod +x "$work/sh"
# runs EXPECTED MAKE'S ARGUMENTS...: number of processes that make starts. Without -n they include
# lines of recipes.
runs() {
	expected=$1
	shift
	: >"$work/ran"
	capture make --no-print-directory SHELL="$work/sh" "$@"
	ended 0 && [ "$(wc -l <"$work/ran")" $expected ] || { head "$work/ran"; false; }
}
check "make help starts no process" runs '-eq 0' help
built="image host libvpmu"
for target in nehalem knc sparct4; do
	[ $target = sparct4 ] && built="image host libvpmu"
	check "make -n starts no process, not even for compilers' properties: $target" \
		runs '-eq 0' -n -B BUILD="$work/build" TARGET=$target $built
done

# with LINE COMMAND...: runs the command with one more line in the Makefile.
with() {
	printf 'include Makefile\n%s\n' "$1" >"$work/more.mk"
	shift
	"$@"
}
check "a process is found: at the start" with 'PROBED := $(shell true)' runs '-eq 1' \
	-f "$work/more.mk" help
check "a process is found: for each object" \
	with 'IMAGE_CC = $(shell echo gcc)' runs '-gt 50' -f "$work/more.mk" \
	-n -B BUILD="$work/build" image

# alone TARGET GOAL: what a make for one target writes, besides the tools that were made before.
# make check starts one such make for each target, at the same time.
alone() {
	with '$(info tools $(IMAGE_TOOLS))' capture make --no-print-directory -n -B V=1 \
		BUILD="$work/build" TARGET="$1" -f "$work/more.mk" "$2"
	ended 0 && sed -n 's/^tools //p' "$work/out" | tr ' ' '\n' >"$work/tools" &&
		grep -oE ' -o [^ ;]+' "$work/out" | cut -c 5- | sort -u >"$work/written" &&
		[ "$(wc -l <"$work/written")" -gt 50 ] &&
		! grep -vE "^$work/build/(runtime/)?$1/" "$work/written" | grep -vxFf "$work/tools"
}
for target in nehalem knc intel itanium sparct4; do
	check "makes of two targets write no common file: $target" alone $target images
done
together() {
	! alone itanium image >"$work/common" && grep -q "$work/build/host/ia64-machine" "$work/common"
}
check "a common file is found" together

# compiles MAKE'S ARGUMENTS...: an object's recipe is one command, which make executes without a
# shell.
compiles() {
	capture make --no-print-directory -n -B V=1 BUILD="$work/build" "$@"
	ended 0 || return 1
	grep -E ' -MMD .*-c -o [^ ]+\.o ' "$work/out" | grep -v -e '-workload\.o ' >"$work/objects"
	echo "$(wc -l <"$work/objects") objects"
	[ "$(wc -l <"$work/objects")" -gt 50 ] && ! grep -vE '^(sparc64-linux-gnu-)?(g?cc|clang) ' \
		"$work/objects" &&
		! grep -E '[;|&`$<>]' "$work/objects"
}
check "an object's recipe is one compiler command" compiles image host libvpmu
slow() {
	! compiles -f "$work/more.mk" image && says "^mkdir .*; gcc "
}
check "a longer recipe is found" with '$(IMAGES)/%.o: COMPILER = mkdir -p $(@D); gcc' slow

# shows PATTERN V: compares the output while a program is built.
shows() {
	rm -rf "$work/build"
	capture make --no-print-directory BUILD="$work/build" ${2:+V=$2} "$work/build/evtab"
	ended 0 && says "$1" && [ "$(grep -c . "$work/out")" -le 3 ]
}
quiet() {
	shows '^  CC tools/evtab\.c$' "$@" && ! grep gcc "$work/out" &&
		! grep -e '-std=' "$work/out"
}
check "V=1 shows commands" shows '^[^ ]+ -std=gnu17 .*tools/evtab\.c' 1
check "without V only files are shown" quiet
check "with V=0 only files are shown" quiet 0

#
# The command line
#

# refused PATTERN ARGUMENT...: make does nothing and prints one line.
refused() {
	pattern=$1
	shift
	capture make --no-print-directory BUILD="$work/build" "$@"
	ended 2 && says "^[^ ]*: \*\*\* $pattern.*  Stop\.$" && [ "$(wc -l <"$work/out")" -eq 1 ]
}
lists='\("make help" lists all\)\.'
check "a misspelled variable: the nearest name" \
	refused "there is no variable 'EVENT'; the nearest name is EVENTS $lists" run \
	EVENT=INST_RETIRED.ANY
check "small letters" refused "there is no variable 'target'; the nearest name is TARGET $lists" \
	target=knc
check "a variable that resembles none" refused "there is no variable 'CFLAGS' $lists" host \
	CFLAGS=-O3
check "one of several variables" refused \
	"there is no variable 'WORKLOADS'; the nearest name is WORKLOAD $lists" \
	run RUN=session V=1 WORKLOADS=x.c TARGET=knc
check "a misspelled goal" refused "there is no goal 'chek'; the nearest name is check $lists" chek
check "the second goal" refused "there is no goal 'instal'; the nearest name is install $lists" \
	host instal
check "a goal that resembles none" refused "there is no goal 'deploy' $lists" deploy
check "a misspelled target" refused \
	"there is no TARGET 'nehalam'; the nearest name is nehalem; targets are: nehalem " \
	run TARGET=nehalam
check "a misspelled workload" refused \
	"there is no file 'tests/boot/workloads/trip\.c'; the nearest name is \
tests/boot/workloads/trips\.c \(WORKLOAD=\)\." run WORKLOAD=tests/boot/workloads/trip.c
check "a folder as a workload" refused "'tests/boot/workloads' is a folder, not a file of C" run \
	WORKLOAD=tests/boot/workloads

# All goals and variables that `make help` names.
documented() {
	make help >"$work/help"
	sed -n 's/^  \([A-Z_]*\)=.*/\1/p' "$work/help" | sort -u >"$work/variables"
	sed -n 's/^make \([a-z-]*\) .*/\1/p' "$work/help" | sort -u >"$work/goals"
	[ "$(wc -l <"$work/variables")" -ge 45 ] && [ "$(wc -l <"$work/goals")" -ge 15 ] || return
	for variable in $(cat "$work/variables"); do
		case $variable in
		TARGET) value=knc ;;
		BOOT) value=img ;;
		WORKLOAD) value=boot/workload.c ;;
		*) value=1 ;;
		esac
		make help "$variable=$value" >/dev/null || return
	done
	# shellcheck disable=SC2046
	make -n -q $(cat "$work/goals") >/dev/null 2>"$work/errors"
	! grep 'there is no goal' "$work/errors"
}
check "each goal and variable that make help names is known" documented
# All variables that the makefiles and their scripts take from the user.
taken() {
	git grep -hoE '^[A-Z_]+ \?=' -- '*.mk' Makefile | sed 's/ ?=//' >"$work/taken"
	for variable in TIMEOUT DEBUG LIVE SMP MEM APPEND INITRD QEMU_ARGS GUEST CLOCK MACHINE \
		SOCKETS \
			TEST_TIMEOUT TIMES EXTRA; do
		git grep -q "[\$]{$variable:[-+]" -- tools hal/emu pmu tests/run-one tests/tap.sh ||
			echo "not $variable"
		echo $variable
	done >>"$work/taken"
	[ "$(wc -l <"$work/taken")" -gt 20 ] && sort -u "$work/taken" |
		comm -23 - "$work/variables" >"$work/unknown" &&
		[ ! -s "$work/unknown" ] || { cat "$work/unknown"; false; }
}
check "make help names each variable that makefiles and scripts take" taken

# A new file is built in its folder.
tree="$work/tree"
new() {
	mkdir "$tree"
	git ls-files -z | xargs -0 cp --parents -t "$tree" || return 1
	for file in arch/x86 hal/native hal/vpmu hal/vpmu/library hal/shim pmu/core \
			pmu/nehalem pal boot tools/palmon; do
		touch "$tree/$file/new.c"
		echo "$file/new.c" >>"$work/new"
	done
	touch "$tree/tests/unit/pmu/core/test_new.c" "$tree/pmu/nehalem/defects.c"
	capture make --no-print-directory -C "$tree" -n all build/check/tests/unit/pmu/core/test_new
	ended 0 && for file in $(cat "$work/new") tests/unit/pmu/core/test_new.c; do
		grep -q -e "-c -o build/.* $file\$" "$work/out" || { echo "$file"; bad=1; }
	done
	[ -z "${bad:-}" ]
}
check "a new file needs no line in a makefile" new
library() {
	grep -e '-c -o build/libvpmu/' "$work/out" | grep pmu/nehalem/ >"$work/objects"
	grep -q pmu/nehalem/new.c "$work/objects" && ! grep -e defects "$work/objects"
}
check "the library has the model's new file, and no defects" library
done_checking
