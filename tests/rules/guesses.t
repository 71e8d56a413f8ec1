#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Guesses about a T4 and a Xeon Phi card are documented, and GUESSES= changes them without a change
# of the source.
. tests/tap.sh

# documented HEADER DOCUMENT
documented() {
	names=$(sed -n 's/^#define \([A-Z0-9_]*\)[[:blank:]][[:blank:]]*[^[:blank:]].*/\1/p' "$1")
	[ "$(echo "$names" | wc -l)" -ge 4 ] || return
	for name in $names; do
		grep -q "^|.*\`$name\`" "$2" || { echo "$name"; return 1; }
	done
}
check "each guess of a T4 is in its table" documented arch/sparc64/include/sparc64/guesses.h \
	arch/sparc64/README.md
# Other documents give these trap types to another trap.
conflict() {
	for header in arch/sparc64/README.md arch/sparc64/include/sparc64/guesses.h; do
		grep -q 'SPARC JPS1' $header && grep -q '68H to 6BH' $header ||
			{ echo "$header"; return 1; }
	done
}
check "the documents' conflict about the types of the performance traps is documented" conflict
check "each guess of a card is in its table" documented arch/x86/include/x86/guesses.h \
	boot/BOARDS.md

# made TARGET GUESSES FILE...: builds files in another build folder.
made() {
	target=$1 guesses=$2
	shift 2
	capture make --no-print-directory BUILD="$work" TARGET="$target" GUESSES="$guesses" "$@"
}
halt() {
	object=$work/sparct4/arch/sparc64/execute.o
	made sparct4 HALT_INSTRUCTION=0xBD982001 "$object"
	ended 0 && sparc64-linux-gnu-objdump -d "$object" | grep -q 'bd 98 20 01' &&
		! sparc64-linux-gnu-objdump -d "$object" | grep -q 'bd 98 20 00' || return
	made sparct4 "" "$object"
	ended 0 && sparc64-linux-gnu-objdump -d "$object" | grep -q 'bd 98 20 00'
}
check "a T4's HALT is changed, and reset to its default" halt
memory() {
	made sparct4 MEMORY_END=0x8000000 "$work/sparct4/guesses/sparc64/guesses.h"
	ended 0 && options=$work/sparct4/guesses/link.options &&
		grep -q 'defsym=MEMORY_END=0x8000000$' "$options" &&
		grep -q 'defsym=PROM_BASE=0xFFF0000000$' "$options" &&
		nm "$BUILD/sparct4/palmon.elf" | grep -qi '^0*4000000 A memory_end$'
}
check "the end of a T4's memory reaches the linker" memory
ports() {
	object=$work/knc/hal/native/x86/interrupts.o
	made knc HAS_8259=1 "$object"
	ended 0 && objdump -d "$object" | grep -qw out || return
	made knc HAS_8259=0 "$object"
	ended 0 && ! objdump -d "$object" | grep -qw out
}
check "HAS_8259=0: a card's image writes no port" ports
misspelled() {
	made sparct4 UART_CONSOL=1 "$work/sparct4/guesses/sparc64/guesses.h"
	ended 2 && says "^palmon: GUESSES: 'UART_CONSOL=1' is invalid; the nearest name is UART_CONSOLE; names, "
}
check "a misspelled name: the nearest name is printed" misspelled
nothing_guessed() {
	made itanium UART_CONSOLE=1 "$work/itanium/arch/ia64/traps.o"
	ended 2 && says '[*]{3} nothing is guessed of itanium \(GUESSES=\)\.  Stop\.$'
}
check "GUESSES= of a target without guesses is refused" nothing_guessed
for guess in NOTHING=1 UART_CONSOLE UART_CONSOLE=x 'UART_CONSOLE=1;2' _H=1; do
	refused() {
		made sparct4 "$guess" "$work/sparct4/guesses/sparc64/guesses.h"
		ended 2 && says "^palmon: GUESSES: '$guess' is invalid; names, and their values, are in arch/"
	}
	check "refused: $guess" refused
done
done_checking
