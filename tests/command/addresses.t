#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon report: data addresses that follow from the sampled instruction and the registers recorded
# after it (the performance analysis guide, "Precise Memory Access Events"), in the views of its
# profiles "Working Set" and "False-True Sharing".
. tests/tap.sh
. tests/command/command.sh

# Each instruction with its address. The data is at 0x10000.
cat >"$work/program.S" <<'END'
	.globl worker
	.type worker, @function
worker:	mov	%rax, 8(%rbx)		# 4000
	mov	(%rbx,%rcx,8), %rax	# 4004
	mov	(%rax), %rax		# 4008
	push	%rax			# 400b
	ret				# 400c
	nop				# 400d
	.size worker, . - worker
END
gcc -nostdlib -static -Wl,-Ttext=0x4000,-e,worker,--build-id=0x00ff00ff -o "$work/elf" \
	"$work/program.S" || echo 'Bail out! no program'

# samples: a file of samples, one for each line with event, cpu, ip, and registers bx, cx and sp
samples() {
	echo '{"palmon_samples":1,"target":"nehalem","trace":"t","build_id":"00ff00ff","cpus":2,"events":['\
'{"event":"MEM_INST_RETIRED.LOADS:p:period=2","period":2},'\
'{"event":"MEM_INST_RETIRED.STORES:p:period=2","period":2},'\
'{"event":"MEM_UNCORE_RETIRED.LOCAL_DRAM:p:period=2","period":2},'\
'{"event":"MEM_UNCORE_RETIRED.REMOTE_DRAM:p:period=2","period":2},'\
'{"event":"INST_RETIRED.ANY_P:p:period=2","period":2}]}'
	echo '{"symbol":"worker","address":"0x4000","end":"0x400e"}'
	while read -r event cpu ip bx cx sp; do
		# flags, ip, ax, bx, cx, dx, si, di, bp, sp, r8 to r15, and four words
		printf '{"event":%s,"ip":"%s","level":3,"cpu":%s,"payload":["0x1","0x2","%s","0x5",' \
			"$event" "$ip" "$cpu" "$ip"
		printf '"%s","%s","0x0","0x0","0x0","0x0","%s"' "$bx" "$cx" "$sp"
		printf ',"0x0"%.0s' 1 2 3 4 5 6 7 8 9 10 11 12
		echo ']}'
	done
	echo '{"end":true,"dropped":0,"events":[{"count":99,"throttled":false},{"count":99,"throttled":false},'\
'{"count":99,"throttled":false},{"count":99,"throttled":false},{"count":99,"throttled":false}]}'
}

# Stores to 0x10000 + 8 by both threads; loads from 0x11000 + 8 x CX; a pointer chase; a return,
# whose target is after RET; a push to 0x1ff8.
samples >"$work/samples" <<'END'
1 0 0x4004 0x10000 0x0 0x2000
1 1 0x4004 0x10000 0x0 0x2000
0 0 0x4008 0x11000 0x0 0x2000
0 0 0x4008 0x11000 0x8 0x2000
0 1 0x4008 0x10000 0x2 0x2000
0 0 0x400b 0x11000 0x0 0x2000
0 0 0x400d 0x11000 0x0 0x2000
1 0 0x400c 0x11000 0x0 0x1ff8
2 0 0x4008 0x11000 0x0 0x2000
3 0 0x4008 0x11000 0x10 0x2000
4 0 0x4008 0x11000 0x10 0x2000
END

# Of 8 samples with addresses 4 are in page 0x11000, in its lines 0, 1 (8 x 8) and 2 (8 x 16).
palmon report -i "$work/samples" --elf="$work/elf" --working-set
working_set() {
	has_line 'samples share stores lines local remote page' &&
		has_line '4 50.0% 0 3 1 1 0x0000000000011000' &&
		has_line '3 37.5% 2 1 0 0 0x0000000000010000' &&
		has_line '1 12.5% 1 1 0 0 0x0000000000001000' &&
		has_line '3 pages of 4096 bytes: 12288 bytes; in them 5 lines of 64 bytes: 320 bytes' &&
		has_line '1 samples have no data address: '\
'the instruction overwrote a register of its address' &&
		has_line '1 samples have no data address: the sampled instruction is not certain'
}
check "--working-set: pages of loads and stores, and the memory that served them" working_set
palmon report -i "$work/samples" --elf="$work/elf" --working-set -j
check "--working-set as JSON" has_line \
	'{"samples":4,"share":0.5,"stores":0,"lines":3,"local":1,"remote":1,"page":"0x11000"}'
palmon report -i "$work/samples" --elf="$work/elf" --shared -x ,
shared() {
	[ "$status" -eq 0 ] && a=0x0000000000010000 && printf '%s\n' \
		"MEM_INST_RETIRED.STORES:p:period=2,$a,3,0,8,0,0,1,,worker" \
		"MEM_INST_RETIRED.STORES:p:period=2,$a,3,0,8,1,0,1,,worker" \
		"MEM_INST_RETIRED.LOADS:p:period=2,$a,3,0,16,1,1,0,,worker" | diff - "$work/out"
}
check "--shared: the loads and stores of each thread in a line" shared
palmon report -i "$work/samples" --elf="$work/elf" --shared
check "--shared: the number of lines that are written" has_line \
	'1 lines of 64 bytes are used by several threads, 1 of them in samples of stores: '\
'3 samples, of which 0 read another cache'"'"'s modified copy'

# With branch records a return is known: it leads from 0x400c to 0x4004.
{
	sed -n '1,2p' "$work/samples" | sed 's/LOADS:p:/LOADS:p:lbr:/'
	sed -n '/"event":0,"ip":"0x4008".*"0x8"/p' "$work/samples" |
		sed 's/0x4008/0x4004/g; s/\["0x1",/["0x103",/; s/\]/,"0x400c","0x4004"]/'
	sed -n '$p' "$work/samples"
} >"$work/branches"
palmon report -i "$work/branches" --elf="$work/elf" --working-set
# It popped 8 bytes: it read at 0x2000 - 8.
check "with branch records a return's load is known" has_line '1 100.0% 0 1 0 0 0x0000000000001000'

palmon report -i "$work/samples" --working-set
check "without the program's ELF file there are no addresses" \
	refuses 1 'its samples have no data addresses: .*--elf=FILE'
palmon report -i "$work/samples" --elf="$work/samples" --working-set
check "a file that is no ELF file" refuses 1 'not an ELF file'
objcopy 2>"$work/messages" --remove-section=.note.gnu.build-id "$work/elf" "$work/other"
palmon report -i "$work/samples" --elf="$work/other" --working-set
check "another program" refuses 1 'not the image that ran'
sed '/"event":[0123],"ip/d' "$work/samples" >"$work/instructions"
palmon report -i "$work/instructions" --elf="$work/elf" --working-set
check "samples of instructions" refuses 1 'the event is not one of loads or of stores'
sed 's/"0x5","[^]]*\]/"0x0"'"$(printf ',"0x0"%.0s' $(seq 19))"']/' "$work/samples" >"$work/zero"
palmon report -i "$work/zero" --elf="$work/elf" --working-set
check "samples of a trace" refuses 1 'the sample has no registers'
palmon report -i "$work/samples" --elf="$work/elf" --functions
check "other views need no ELF file" refuses 2 'elf is for --source, --working-set and --shared'
sed -n '1,2p' "$work/samples" | sed 's/"0x4000"/"0x3000"/' >"$work/outside"
sed -n '3,$p' "$work/samples" >>"$work/outside"
palmon report -i "$work/outside" --elf="$work/elf" --working-set
check "a function that begins outside the file's code" \
	refuses 1 'the sampled instruction is not certain'
done_checking
