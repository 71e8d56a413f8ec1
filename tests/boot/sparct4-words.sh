# SPDX-License-Identifier: BSD-2-Clause
# For tests of the SPARC T4 with workloads that read their settings from words of 32 bits
# (workloads/sparct4-words.h). A workload is built once, and these functions change the words in its
# image. To be sourced after use_target.
. tests/boot/workload.sh

# prepare PROGRAM: builds the image that measures this workload, for `measure_with`.
prepare() {
	use_workload tests/boot/workloads/sparct4-$1.c &&
		cp -r "$IMAGE.prom" "$work/$1.prom" && ln -s "$(realpath "$IMAGE.elf")" "$work/$1.elf" &&
		sparc64-linux-gnu-nm "$IMAGE.elf" >"$work/$1.names" || {
		cat "$work/out"
		echo "Bail out! sparct4-$1.c cannot be built"
		exit 1
	}
}
# address NAME: the address of this name in $program
address() {
	at=$(awk -v name="$1" '$3 == name { print $1 }' "$work/$program.names")
	[ -n "$at" ] && echo $((0x$at))
}
# set_word NAME VALUE: changes this word of the image of $program to a number, or to the address of
# a name. The image's file holds the memory from 4 MB on (linker/sparc64.ld).
set_word() {
	case $2 in
	[0-9]*) value=$2 ;;
	*) value=$(address "$2") || return ;;
	esac
	word=$(address "$1") || return
	printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $((value >> 24)) $((value >> 16 & 255)) \
		$((value >> 8 & 255)) $((value & 255)))" |
		dd of="$work/$program.prom/openboot.bin" bs=4 \
		seek=$(((word - 0x400000) / 4)) conv=notrunc status=none
}
# measure_with PROGRAM WORDS ARGUMENTS: boots a session of this program with the words NAME VALUE...
measure_with() {
	program=$1 arguments=$3
	set -- $2
	while [ $# -gt 0 ]; do
		set_word "$1" "$2" || {
			echo "no word $1, or no name $2" >"$work/out"
			status=1
			return
		}
		shift 2
	done
	IMAGE=$work/$program
	boot run=session $arguments
}
