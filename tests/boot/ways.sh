# SPDX-License-Identifier: BSD-2-Clause
# For tests whose program has several ways to run, sourced after tap.sh: the program is built once,
# and each way boots a copy of the image. The program has this constant, the number of the way:
#   static const volatile char way[] = "way 00";

# build_ways NAME VARIABLE=VALUE...: builds $work/NAME.c, and runs it with these variables. The image
# is $program.
build_ways() {
	name=$1
	shift
	make_run RUN=session WORKLOAD="$work/$name.c" "$@"
	program=$(ls -t "$BUILD/$TARGET"/workloads/"$name"-*."$FORMAT" | head -n 1)
}

# boot_way WAY ARGUMENTS: boots $program with this number, of two digits.
boot_way() {
	LC_ALL=C sed "s/way 00/way $1/" "$program" >"$work/way.$FORMAT"
	IMAGE=$work/way
	shift
	boot run=session "$@"
}
