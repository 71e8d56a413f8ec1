#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon annotate: instructions of a known program with samples, for each instruction set; refusals.
. tests/tap.sh
. tests/command/command.sh

# Functions as in two_events, with lines at known addresses, and an instruction of three bytes at
# 0x4010.
cat >"$work/program.S" <<'END'
	.text
	.file 1 "/src/known.c"
	.globl first, second_one, third
	.type first, @function
	.type second_one, @function
	.type third, @function
first:	.loc 1 10
	nop
	nop
	.fill 14, 1, 0x90
	.loc 1 11
	mov	%rax, %rbx
	.fill 0x100 - 19, 1, 0x90
	.size first, . - first
second_one:
	.loc 1 20
	add	%rax, %rbx
	.fill 0x80 - 3, 1, 0x90
	.size second_one, . - second_one
third:	.loc 1 30
	ret
	.fill 0x80 - 1, 1, 0x90
	.size third, . - third
END
gcc -g -nostdlib -static -Wl,-Ttext=0x4000,-e,first,--build-id=0x00ff00ff -o "$work/elf" \
	"$work/program.S" ||
	echo 'Bail out! no program'
two_events third 00ff00ff "$work/samples"

palmon annotate -i "$work/samples" --elf="$work/elf" -e INST_RETIRED.ANY_P:u
# Three of its six samples are in first: two at 0x4010, one at 0x40fc.
hottest() {
	done_quietly &&
		has_line 'first: 3 of 6 samples (50.0%) of INST_RETIRED.ANY_P:u:period=1000' &&
		has_line 'addresses: where the program was interrupted' &&
		has_line '2 66.7% 4010: mov %rax,%rbx' &&
		has_line '1 33.3% 40fc: nop' && has_line '4000: nop' &&
		[ "$(grep -c '%)\? ' "$work/out")" -ge 3 ] &&
		! grep -q second_one "$work/out"
}
check "instructions of the hottest function, with samples" hottest
check "lost samples are mentioned" has_line \
	'UNC_CLK_UNHALTED:period=500: 3 samples are LOST with lines of the log'
lines() {
	grep -E '\.c:|  4000:|  4010:' "$work/out" | sed 's/^ *//; s/  */ /g' >"$work/lines"
	printf '%s\n' /src/known.c:10 '4000: nop' /src/known.c:11 '2 66.7% 4010: mov %rax,%rbx' |
		diff - "$work/lines"
}
check "instructions are below their source lines" lines
palmon annotate -i "$work/samples" --elf="$work/elf" -j -n 0
json() {
	has_keys address event file function instruction line samples share && jq -r \
		'"\(.event[0:3]) \(.function) \(.address) \(.line) \(.samples) \(.file)"' \
		"$work/out" >"$work/rows"
	printf '%s\n' 'INS first 0x4010 11 2 /src/known.c' 'INS first 0x40fc 11 1 /src/known.c' \
		'INS second_one 0x4110 20 1 /src/known.c' \
		'INS second_one 0x4120 20 1 /src/known.c' \
		'INS third 0x4190 30 1 /src/known.c' 'UNC first 0x4020 11 1 /src/known.c' |
		diff - "$work/rows"
}
check "JSON: each instruction with samples, of all functions and events" json
palmon annotate -i "$work/samples" --elf="$work/elf" third second_one
asked() {
	done_quietly && [ "$(grep -c ' samples (' "$work/out")" -eq 2 ] && has_line \
		'third: 1 of 6 samples (16.7%) of INST_RETIRED.ANY_P:u:period=1000' &&
		has_line '1 100.0% 4190: nop'
}
check "requested functions" asked
# A sample's address in the middle of an instruction.
sed 's/"0x4010"/"0x4011"/' "$work/samples" >"$work/within"
palmon annotate -i "$work/within" --elf="$work/elf" -e INST_RETIRED.ANY_P:u first
check "an address within an instruction counts for it" has_line '2 66.7% 4010: mov %rax,%rbx'

# No ELF file, another one's, and no disassembler.
palmon annotate -i "$work/samples"
check "a missing ELF file" refuses 1 'no ELF file is at hand \(--elf=IMAGE\)'
mkdir "$work/run"
cp "$work/samples" "$work/run/samples"
cp "$work/elf" "$work/run/image.elf"
palmon annotate -i "$work/run" -e INST_RETIRED.ANY_P:u
check "the ELF file that fetch copied" hottest
objcopy 2>/dev/null --remove-section=.note.gnu.build-id "$work/elf" "$work/other"
palmon annotate -i "$work/samples" --elf="$work/other"
check "an ELF file other than the measured program's" \
	refuses 1 'not the image that ran: .* is not there, not 00ff00ff$'
palmon annotate -i "$work/samples" --elf="$work/samples"
check "not an ELF file" refuses 1 'it is not an ELF file'
palmon annotate -i "$work/samples" --elf="$work/elf" --objdump=/nowhere/objdump
check "a missing objdump, and the package that contains one" \
	refuses 1 '/nowhere/objdump: No such file .* x86_64-linux-gnu-objdump is in .* binutils-x86-64-linux-gnu$'
palmon annotate -i "$work/samples" --elf="$work/elf" --objdump=false
check "an objdump that fails" refuses 1 'false: it has failed'
palmon annotate -i "$work/samples" --elf="$work/elf" nowhere
check "a function that does not exist" refuses 1 "there is no function 'nowhere'$"
palmon annotate -i "$work/samples" --elf="$work/elf" first secnd_one
check "one wrong function of several: nothing is printed, and the nearest one is named" \
	refuses 1 "there is no function 'secnd_one'; the nearest name is second_one$"
palmon annotate -i "$work/samples" --elf="$work/elf" -e CYCLES
check "an event that does not exist" refuses 1 "there is no event 'CYCLES'; events are: "
palmon annotate -n many
check "not a number of functions" refuses 2 "'many' is not a number"
palmon annotate -i "$work/none"
check "no samples" refuses 1 'No such file'
done_checking
