#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# WORKLOAD=file.c: exact counts, and each way to fail, with a message, a failing status and no hang.
# The long checks are more exceptions and ways to fail of the same kinds.
. tests/tap.sh

# exact EVENTS DELIVERY LEVEL PIECES
exact() {
	make_run RUN=session WORKLOAD=tests/boot/workloads/exact.c "EVENTS=$1" PMI="$2" LEVEL="$3"
	ended 0 && says "^exact: 0 wrong of $4\$"
}
check "known code counts exactly its length" exact INST_RETIRED.ANY vector 3 700
long "also at level 0" exact INST_RETIRED.ANY vector 0 800
long "also while another counter samples by NMI" \
	exact INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD_P nmi 3 700

# way NAME: compiles fault.c for one way to end.
way() {
	printf '#define WAY %s\n#include "%s/tests/boot/workloads/fault.c"\n' "$2" "$PWD" \
		>"$work/$1.c"
	shift
}

# faults NAME CALL PATTERN: the run fails, and the dump names the exception and the function.
faults() {
	way "$1" "$2"
	make_run RUN=session WORKLOAD="$work/$1.c" LEVEL="${4:-3}"
	[ "$status" -ne 0 ] && says "$3" && says '^rip ' && says '^palmon: status 1 \(fault\)'
}
check "reading address 0" faults read_null 'read_null()' 'in read_null: #PF page fault'
long "dividing by zero" faults divide 'divide_by_zero()' 'in divide_by_zero: #DE divide error'
long "an invalid opcode" faults opcode 'invalid_opcode()' 'in invalid_opcode: #UD invalid opcode'
long "writing to code" faults code 'write_to_code()' 'in write_to_code: #PF page fault'
long "executing data" faults data 'execute_data()' 'in no function: #PF page fault'
at_3=check
for level in 3 0; do
	$at_3 "recursion for ever, level $level" faults stack$level 'overrun_stack(0)' \
		'in overrun_stack[^:]*: #(PF page|DF double) fault, the stack has overflowed$' \
		$level
	at_3=long
	long "recursion in large steps, level $level" faults wide$level 'overrun_stack_widely(0)' \
		'in overrun_stack_widely[^:]*: #(PF page|DF double) fault, the stack has overflowed$' $level
done
long "an interrupt without a handler" faults interrupt 'unused_interrupt()' \
	'in unused_interrupt: interrupt' 0

ends_with() {
	way "$1" "$2"
	make_run RUN=session WORKLOAD="$work/$1.c" LEVEL="${4:-3}" TIMEOUT="${5:-300}"
	[ "$status" -ne 0 ] && says "$3"
}
check "a workload that aborts fails the run" ends_with abort 'call_abort()' \
	'^palmon: the workload ended the run with exit status 134$'
long "a workload that returns non-zero fails the run" ends_with seven 'return 7' \
	'^palmon: the workload returned 7'
long "an endless loop ends with the time limit" ends_with loop 'loop_for_ever()' \
	'the time limit of 3 seconds' 3 3
check "an endless loop with interrupts off" ends_with off \
	'interrupts_off_for_ever()' 'the time limit of 3 seconds' 0 3

libc() {
	cat >"$work/libc.c" <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int workload(void)
{
	char *s = malloc(100000), text[80];
	volatile double x = 2;
	if (!s)
		return 1;
	memset(s, 'x', 99999);
	s[99999] = 0;
	snprintf(text, sizeof text, "%zu %.6f %lld %s", strlen(s), sqrt(x), -5000000000LL, "end");
	puts(text);
	free(s);
	return strcmp(text, "99999 1.414214 -5000000000 end");
}
END
	make_run RUN=session WORKLOAD="$work/libc.c"
	ended 0 && says '^99999 1.414214 -5000000000 end'
}
check "a workload has newlib: heap, strings, floating point, formatted output" libc

missing() {
	make_run RUN=session WORKLOAD=no/such/file.c
	[ "$status" -ne 0 ] && says "there is no file 'no/such/file.c'"
}
check "a missing file is named" missing

uncompilable() {
	echo 'int workload(void) { return nonsense; }' >"$work/bad.c"
	make_run RUN=session WORKLOAD="$work/bad.c"
	[ "$status" -ne 0 ] &&
		says "bad.c:1:.*error: 'nonsense' undeclared|bad.c:1:.*error: .nonsense. undeclared"
}
check "a file that does not compile: the compiler's message" uncompilable

# no_workload CODE
no_workload() {
	echo "$1" >"$work/other.c"
	make_run RUN=session WORKLOAD="$work/other.c"
	ended 2 && says "^palmon: $work/other.c \(WORKLOAD=\) has no function 'int workload\(void\)'" &&
		! grep 'undefined reference' "$work/out"
}
check "a file without workload() is named, with the missing function" no_workload \
	'int other(void) { return 0; }'
long "a static workload() does not count" no_workload 'static int workload(void) { return 0; }
	int other(void); int other(void) { return workload(); }'
long "nor does a variable of that name" no_workload 'int workload;'

# named NAME: a file of this name is found, compiled again after a change, and measured.
named() {
	mkdir -p "$work/my files"
	for value in 1 2; do
		{
			echo '#include <stdio.h>'
			echo "int workload(void); int workload(void) { return puts(\"it is $value\") < 0; }"
		} >"$work/my files/$1"
		touch -d "+$value seconds" "$work/my files/$1"
		make_run RUN=session WORKLOAD="$work/my files/$1"
		ended 0 && says "^it is $value\$" || return
	done
}
check "a name with spaces, in a folder with spaces" named 'my work load.c'
long "a name without a suffix" named 'mine'
long "a name with a quote" named "it's.c"
done_checking
