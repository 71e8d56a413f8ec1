#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon stat and record of programs. Expected counts are computed by hand from the program's
# instructions, and from the geometry of caches and TLBs in hal/emu/model/knc.machine, which has no
# prefetchers.
. tests/tap.sh
. tests/command/command.sh

# program SIZE PASSES TIMES [STATUS]: builds known.S as $work/known.
program() {
	gcc -g -static -nostdlib -no-pie -DSIZE="$1" -DPASSES="$2" -DTIMES="$3" -DSTATUS="${4:-0}" \
		-o "$work/known" \
		tests/command/known.S
}

# of TARGET EVENTS VALUE...: the program's counts, in the order of the events.
of() {
	palmon stat -t "$1" -e "$2" -x, -- "$work/known"
	shift 2
	[ "$status" -eq 0 ] && [ "$(cut -d, -f1 "$work/out" | tr '\n' ' ')" = "$* " ] ||
		{ echo "expected $*"; show; }
}

# 2 passes of 256 lines; in total 1 + 2 * (2 + 4 * 256 + 2) + 1 + 3 * 100 + 5 instructions
program 16384 2 100
check "instructions, loads and stores" of nehalem \
	INST_RETIRED.ANY_P,INST_RETIRED.ANY,CPU_CLK_UNHALTED.THREAD,MEM_INST_RETIRED.LOADS,MEM_INST_RETIRED.STORES \
	2363 2363 2363 512 100
# pmu/nehalem/README.md: loads include software prefetches; stores include fences, CLFLUSH and
# CPUID.
says_what_is_missing() {
	palmon stat -t nehalem -e MEM_INST_RETIRED.LOADS,MEM_INST_RETIRED.STORES:u,INST_RETIRED.ANY -- "$work/known"
	unknown='which are unknown for a program'
	[ "$status" -eq 0 ] && printf '%s\n' \
		"palmon stat: MEM_INST_RETIRED.LOADS: without software prefetches, $unknown" \
		"palmon stat: MEM_INST_RETIRED.STORES: without fences, CLFLUSH and CPUID, $unknown" |
		diff - "$work/messages"
}
check "a message names the missing instructions" says_what_is_missing
check "the same on Knights Corner" of knc \
	INSTRUCTIONS_EXECUTED,DATA_READ,DATA_WRITE,DATA_READ_OR_WRITE \
	2363 512 100 612
check "only the lowest level counts" of nehalem INST_RETIRED.ANY_P:k,INST_RETIRED.ANY_P:u 0 2363

# 1,000 loads whose value the next instruction overwrites; 1 + 4 * 1,000 + 2 instructions in total.
cat >"$work/unused.S" <<'END'
	.globl	_start
_start:	mov	$1000, %ecx
1:	mov	-8(%rsp), %rax
	mov	$60, %eax
	dec	%ecx
	jnz	1b
	xor	%edi, %edi
	syscall
END
unused() {
	gcc -static -nostdlib -no-pie -o "$work/known" "$work/unused.S" &&
		of nehalem INST_RETIRED.ANY,MEM_INST_RETIRED.LOADS 4003 1000
}
check "loads of unused values" unused
program 16384 2 100

# A cycle is an instruction (palmon(1), PROGRAMS), so their ratio is always 1.
clock_note() {
	note='cycles are instructions (unit clock)'
	palmon stat -t nehalem -M CPI,STORE_DTLB_MISSES -- "$work/known"
	done_quietly && has_line "2,363 CPU_CLK_UNHALTED.THREAD # $note" &&
		has_line '2,363 INST_RETIRED.ANY' &&
		has_line "1 CPI # cycles/instruction, always 1 here: $note" &&
		grep -q 'STORE_DTLB_MISSES  # count$' "$work/out" || { show; return; }
	palmon stat -t nehalem -M CPI -j -- "$work/known"
	done_quietly && grep -qF "\"note\":\"always 1 here: $note\"" "$work/out" ||
		{ show; return; }
	palmon stat -t nehalem -M CPI --trace tools/palmon/examples/nehalem.trace
	done_quietly && has_line '2 CPI # cycles/instruction' &&
		has_line '1,000 CPU_CLK_UNHALTED.THREAD'
}
check "a note mentions that clock, but not for traces" clock_note

# 16 KB fit into the L1 data cache of 32 KB: each line misses once. 64 KB do not: with LRU
# replacement every access of each pass misses. 4 pages of 4 KB, then 16; the data TLB has 64
# entries. A store hits lines that were read.
check "data that fits into a cache misses once" of knc \
	DATA_READ_MISS,DATA_WRITE_MISS,DATA_PAGE_WALK 256 0 4
program 65536 3 1
check "data that does not fit misses each time" of knc DATA_READ,DATA_READ_MISS,DATA_PAGE_WALK \
	3072 3072 16
# 128 pages, 64 entries, 4 ways: with LRU replacement no page is ever found again.
program 524288 2 1
check "pages that do not fit into the TLB are walked each time" of knc DATA_READ,DATA_PAGE_WALK \
	16384 256
# 8,192 lines of data. Code, and the tables of 128 pages, take at most 64 lines.
memory() {
	palmon stat -t nehalem-uncore -e UNC_IMC_NORMAL_READS.ANY -x, -- "$work/known"
	count=$(cut -d, -f1 "$work/out")
	[ "$status" -eq 0 ] && [ "$count" -ge 8192 ] && [ "$count" -le 8256 ] || show
}
check "reads of memory" memory

program 65536 3 1
samples() {
	palmon record -t knc -e DATA_READ_MISS:period=32 -o "$work/samples" -- "$work/known"
	[ "$status" -eq 0 ] && grep -qx 'DATA_READ_MISS:period=32: 96 samples x 32 + 0 = 3072' \
		"$work/messages" ||
		{ show; return; }
	nm "$work/known" | awk '$3 == "read" { print "0x" $1 }' | sed 's/0x0*/0x/' >"$work/read"
	palmon report -i "$work/samples" -j
	each_object '$o->{address} eq "'"$(cat "$work/read")"'" && $o->{samples} == 96'
}
check "each sample shows its instruction" samples
# A function with 100,000 loads: 100 samples of one in 1,000, plus or minus one, depending on the
# first one.
cat >"$work/walk.c" <<'END'
__attribute__((noipa)) static int walk(volatile int *p, int n)
{
	int sum = 0;

	while (n--)
		sum += *p;
	return sum;
}
int main(void)
{
	volatile int one = 1;

	return walk(&one, 100000) - 100000;
}
END
named() {
	gcc -O1 "$1" -o "$work/walk" "$work/walk.c" || return
	palmon record -t nehalem -e MEM_INST_RETIRED.LOADS:period=1000 -o "$work/walked" \
		-- "$work/walk"
	[ "$status" -eq 0 ] && palmon report -i "$work/walked" --functions -x ' ' &&
		done_quietly || return
	samples=$(sed -n 's/.*=1000 \([0-9]*\) [0-9.]* walk$/\1/p' "$work/out")
	[ "$samples" -ge 99 ] && [ "$samples" -le 101 ] || show
}
check "function names of a position-independent program" named -pie
check "and of one at fixed addresses" named -no-pie
nameless() {
	palmon record -t nehalem -e INST_RETIRED.ANY:period=1000 -o "$work/walked" -- "$@"
	[ "$status" -eq 0 ] && ! grep '"symbol"' "$work/walked" &&
		[ "$(grep -c ^ "$work/messages")" -eq 1 ] || show
}
stripped() {
	strip "$work/walk" && nameless "$work/walk"
}
check "a program without symbols has no names" stripped
printf '#!/bin/sh\nexit 0\n' >"$work/script"
chmod +x "$work/script"
check "nor does a script" nameless "$work/script"
line() {
	line=$(grep -n '^read:' tests/command/known.S | cut -d: -f1)
	palmon report -i "$work/samples" --source --elf="$work/known"
	done_quietly && grep -qE "^ +96 +100.*known.S:$line\$" "$work/out" || show
}
check "each sample has its source line" line

# full TARGET PROGRAM: writes the full trace of a program to $work/all.
full() {
	[ -e "$work/full" ] || {
		make --no-print-directory BUILD="$BUILD" "$BUILD/host/tests/command/full_trace" \
			>/dev/null &&
			mkdir -p "$work/full/host" && cp "$BUILD/host/tests/command/full_trace" \
			"$work/full/host" &&
			ln -s "$(realpath "$BUILD/valgrind")" "$work/full/valgrind"
	} && "$work/full/host/full_trace" "$@" >"$work/all"
}
kept() {
	full knc "$work/known" && head -n 1 "$work/all" | grep -qx target=knc || return
	palmon stat -t knc -e INSTRUCTIONS_EXECUTED,DATA_READ_MISS,DATA_PAGE_WALK -x, \
		--trace="$work/all"
	[ "$(cut -d, -f1 "$work/out" | tr '\n' ' ')" = '12310 3072 16 ' ] || show
}
check "its full trace gives the same counts" kept

# A full trace lists each instruction separately. Counting and sampling list only the needed ones;
# results must agree.
agrees() {
	for target in nehalem knc; do
		full $target "$1" || return
		case $target in
		nehalem) one=L1D.REPL other=MEM_INST_RETIRED.STORES \
			cycles=MEM_INST_RETIRED.LOADS:c=1:e ;;
		knc) one=DATA_READ_MISS other=DATA_WRITE cycles=DATA_READ:c=1:i ;;
		esac
		for options in "stat -e $one,$other" "stat -e $one,$other -I 1 --frequency=777000" \
			"stat -e $cycles" \
			"record -o $work/run -e $one:period=64,$other" \
			"record -o $work/run -e $other:period=66" \
			"record -o $work/run -e $one:period=3" \
			"record -o $work/run -e $cycles:period=1000"; do
			same_twice $options || { echo "of $target: $options"; return 1; }
		done
	done
	same_twice record -o "$work/run" \
		-e INSTRUCTIONS_EXECUTED:period=1001,DATA_READ_OR_WRITE:period=500
}
# same_twice COMMAND OPTION...: runs the command on the trace, then on the program.
same_twice() {
	command=$1
	shift
	for from in --trace="$work/all" "-- $program"; do
		palmon "$command" -t "$target" "$@" $from
		[ "$status" -eq 0 ] || { show; return; }
		[ "$command" = stat ] || mv "$work/run" "$work/out"
		sed -e '/"symbol"/d; /^ Performance counter/d; s/"trace":"[^"]*"//' "$work/out" \
			>"$work/${from%%[= ]*}"
	done
	[ -s "$work/--" ] && diff "$work/--trace" "$work/--"
}
gcc -O1 -static -nostdlib -no-pie -fno-stack-protector -fno-tree-loop-distribute-patterns \
	-DTIMES=1 \
	-o "$work/workload" tests/lackey/start.S tests/lackey/program.c
how=check
for program in "$work/workload" "$work/known"; do
	$how "${program##*/}: counts and samples equal those of its full trace" agrees "$program"
	how=long
done

# Line A, then B and C alternating 1,000 times, then C 1,000 times: a line is fetched if the
# previous one was different.
cat >"$work/lines.S" <<'END'
	.globl	_start
	.balign	64
_start:	mov	$1000, %ecx
	jmp	1f
	.balign	64
1:	dec	%ecx
	jmp	2f
	.balign	64
2:	jnz	1b
	mov	$1000, %ecx
3:	dec	%ecx
	jnz	3b
	xor	%edi, %edi
	mov	$60, %eax		// exit
	syscall
	.section .note.GNU-stack,"",@progbits
END
lines() {
	gcc -static -nostdlib -no-pie -o "$work/known" "$work/lines.S" || return
	of nehalem L1I.HITS,L1I.MISSES 1998 3
}
check "an instruction fetches its line if that differs from the previous one" lines

# 100 loads; a child executes 1,000 more, and then another program replaces this one.
cat >"$work/leaves.S" <<'END'
	.globl	_start
_start:	mov	$100, %ecx
1:	mov	path, %rax
	dec	%ecx
	jnz	1b
	mov	$57, %eax		// fork
	syscall
	test	%eax, %eax
	jz	child
	mov	$path, %edi
	mov	$names, %esi
	xor	%edx, %edx
	mov	$59, %eax		// execve
	syscall
	ud2
child:	mov	$1000, %ecx
2:	mov	path, %rax
	dec	%ecx
	jnz	2b
	xor	%edi, %edi
	mov	$60, %eax		// exit
	syscall
names:	.quad	path, 0
path:	.asciz	"/bin/true"
	.section .note.GNU-stack,"",@progbits
END
leaves() {
	gcc -static -nostdlib -no-pie -o "$work/known" "$work/leaves.S" || return
	of knc INSTRUCTIONS_EXECUTED,DATA_READ 310 100 && [ ! -s "$work/messages" ]
}
check "children, and a program that replaces it, are not measured" leaves
program 65536 3 1

two_runs() {
	palmon stat -t knc -e INSTRUCTIONS_EXECUTED,DATA_READ,DATA_WRITE -j -- "$work/known"
	[ "$status" -eq 0 ] && [ "$(jq -r '."counter-value"' "$work/out" | tr '\n' ' ')" = '12310 3072 1 ' ] || show
}
check "events of two runs: the program runs once" two_runs

standard_files() {
	echo text | "$PALMON" stat -t knc -e DATA_READ -x, -- sh \
		-c 'read word; echo "$word" >&2; exit 3' \
		2>"$work/messages" >"$work/out"
	status=$?
	[ "$status" -eq 0 ] && [ "$(cat "$work/messages")" = "text
palmon stat: sh: it ended with status 3" ] && grep -q ',DATA_READ,' "$work/out" || show
}
check "it gets the standard files; its status is reported" standard_files
program 64 1 1 256
killed() {
	palmon stat -t knc -e DATA_READ -x, -- "$work/known"
	[ "$status" -eq 0 ] && grep -q 'Illegal instruction; measured up to there$' \
		"$work/messages" &&
		grep -q '^1,,DATA_READ' "$work/out" || show
}
check "a killed program is measured up to its end" killed

# refusal STATUS PATTERN ARGUMENT...
refusal() {
	expected_status=$1 pattern=$2
	shift 2
	palmon "$@"
	[ "$status" -eq "$expected_status" ] && grep -qE -- "$pattern" "$work/messages" &&
		[ ! -s "$work/out" ] || show
}
e=INST_RETIRED.ANY_P
# elsewhere PATTERN: runs a copy of the command without the valgrind tool, or with another one.
elsewhere() {
	mkdir -p "$work/elsewhere/host" "$work/elsewhere/valgrind" &&
		cp "$PALMON" "$work/elsewhere/host"
	"$work/elsewhere/host/palmon" stat -t nehalem -e $e -- true >"$work/out" \
		2>"$work/messages" </dev/null
	status=$?
	refuses 1 "$1"
}
other_tool() {
	ln -sf "$1" "$work/elsewhere/valgrind/palmon-amd64-linux"
	elsewhere "$2"
}
check "a program that does not exist" refusal 1 '^palmon stat: ./none: it cannot be executed' \
	stat -t nehalem -e $e -- ./none
check "palmon was built without valgrind" elsewhere \
	"valgrind.*: install Debian's package valgrind, and build palmon"
check "a tool that reports nothing" other_tool /bin/true 'true: it cannot be executed'
check "a target with other instructions" refusal 1 \
	'^palmon stat: sparct4: its programs have instructions of sparc64' \
	stat -t sparct4 -e Instr_ld -- true
check "an unknown event" refusal 1 'BR_INST_RETIRED.ALL_BRANCHES: unknown for a program; ' \
	stat -t nehalem -e BR_INST_RETIRED.ALL_BRANCHES -- true
check "an absent event" refusal 1 'RESOURCE_STALLS.ANY: unknown for a program; ' \
	stat -t nehalem -e RESOURCE_STALLS.ANY -- true
check "without --" refusal 2 "'true': stat takes no arguments; a program follows --" stat \
	-t nehalem -e $e true
check "a program and a trace" refusal 2 'trace=FILE or -- PROGRAM, not both' \
	stat -t nehalem -e $e --trace=x -- true
check "nothing after --" refusal 2 'which trace' stat -t nehalem -e $e --
done_checking
