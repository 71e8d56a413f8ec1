#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The ia64 machine's prompt (-d): steps, breakpoints, registers, memory, disassembly.
. tests/tap.sh
. tests/boot/ia64.sh

# The 25th Fibonacci number is computed much faster than the 30th.
sed 's/mov r34=30/mov r34=25/; s/832040/75025/' tests/boot/ia64/fibonacci.s >"$work/program.s"
ia64-linux-gnu-as -I tests/boot/ia64 -o "$work/program.o" "$work/program.s"
ia64-linux-gnu-ld -Ttext=0x100000 -o "$work/program" "$work/program.o"
address() {
	ia64-linux-gnu-nm "$work/program" |
		awk -v name="$1" '$3 == name { sub(/^0*/, "", $1); print $1 }'
}

# asks COMMANDS PATTERN...: gives these commands, with \n between them; the output must have lines
# that match, in this order.
asks() {
	printf '%b\n' "$1" >"$work/commands"
	timeout 300 "$MACHINE" -d -p itanium "$work/program" <"$work/commands" >"$work/out" 2>&1
	status=$?
	shift
	ended 0 && for pattern; do
		says "$pattern" || return
		sed -E -i "0,/$(echo "$pattern" | sed 's|/|\\/|g')/d" "$work/out"
	done
}
check "it stops before the first instruction; the end of the input ends the run" \
	asks '' '^100000 <_start\+0> slot 0: mov.m ar.rsc=0' '^.ia64. .ia64. $'
check "step, and an empty line for one more" asks 'step\n\n' 'slot 0: mov.m ar.rsc=0' \
	'slot 1: movl r12=0x200000'
check "a long instruction is one of two in its bundle" asks 'step 2' \
	'100010 <_start\+10> slot 0: nop.m 0'
check "a breakpoint at a function, and its argument" \
	asks 'b fibonacci\nc\nreg' " $(address fibonacci) <fibonacci.0> slot 0: alloc" \
	'r32  0000000000000019'
check "the second time there it has the first argument less one" \
	asks 'b fibonacci\nc\nc\nreg' 'r32  0000000000000018'
check "next goes over a call: the 25th Fibonacci number is 75,025 (12511H)" \
	asks 'b fibonacci\nc\ndel fibonacci\nb 100040\nnext\nc\nreg' '100040 <_start.40> slot 0' \
	'r8   0000000000012511'
check "a deleted breakpoint stops nothing" asks 'b fibonacci\nb\ndel fibonacci\nb\nc' \
	'fibonacci.0> slot 0: alloc' '^.ia64. .ia64. .ia64. *$'
check "memory at a function is its code" asks 'mem fibonacci 1' \
	"$(address fibonacci): $(ia64-linux-gnu-objcopy -O binary "$work/program" /dev/stdout |
	od -An -v -t x8 -w8 |
		sed -n "$(((0x$(address fibonacci) - 0x100000) / 8 + 1))s/ //p")"
check "disassembly as objdump has it" asks 'dis fibonacci 1' 'alloc r33=ar.pfs,5,4,0' 'mov r34=b0'
check "PMC and PMD registers" asks 'monitor' 'pmc0  ' 'pmd17 '
check "invalid commands, addresses and numbers: a line each" asks \
	'foo\nb nosuch\nstep 0\nmem fffffffffffffff0' \
	"no command 'foo'" 'no function and no hexadecimal address: nosuch' \
	'a number from 1 on is expected: 0' \
	'no memory'
check "help names each command" asks 'help' '^.*step ' '^next ' '^continue ' '^break ' '^delete ' \
	'^quit '

# continues PROGRAM [OPTION]: a program that checks its own counts must find the same counts at the
# prompt.
continues() {
	build "$1" && echo continue >"$work/commands" || return
	timeout 300 "$MACHINE" -d ${2:+"$2"} -p "$PMU" "$work/$1" <"$work/commands" >"$work/out" \
		2>&1
	status=$?
	ended 0
}
for program in debug_status frames misses pairs predictions qualified references retired \
	stack_traffic weights; do
	check "the prompt changes no count of $program" continues $program
done
for program in debug_status fetches misses pairs predictions references thresholds timed walks \
	weights; do
	check "the prompt changes no count of $program, with the timed clock" continues $program -t
done
done_checking
