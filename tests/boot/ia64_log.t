#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares the performance monitor's counts and records of a program on the emulated ia64 machine
# with the machine's log of executed instructions. Only the program executes at level 3, always in the
# same way, so the log of one run gives the counts of all runs without interrupts.
. tests/tap.sh
use_target itanium elf
export LC_ALL=C	# awk is several times faster with bytes than with characters of UTF-8

cat >"$work/logged.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double halves[64];
_Alignas(64) static char steps[256 << 10];
static int rising(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
__attribute__((noipa)) static int deep(int n, int a, int b)
{
	return n ? (deep(n - 1, b, a + n) * 3 ^ a) - b : a;
}
static size_t unaligned(char *at, long value)
{
	size_t got;

	__asm__ volatile("st8 [%1]=%2;; ld4 %0=[%1];;" : "=r"(got) : "r"(at), "r"(value) : "memory");
	return got;
}
int workload(void)
{
	static int numbers[400];
	static long shared;
	char text[64];
	size_t length = 0;

	for (int i = 0; i < 400; i++)
		numbers[i] = i * 7919 % 2003;
	qsort(numbers, 400, sizeof *numbers, rising);
	for (int i = 0; i < 64; i++)
		halves[i] = numbers[i] * 0.5 + halves[(i * 7) & 63];
	for (int i = 0; i < 40; i++) {
		snprintf(text, sizeof text, "%d %s", numbers[i], i & 1 ? "odd" : "even");
		length += strlen(text) + (size_t)__sync_fetch_and_add(&shared, 1);
	}
	for (size_t i = 0; i < sizeof steps; i += 96)
		length += (size_t)++steps[i];
	for (int i = 0; i < 20; i++)
		length += unaligned(steps + 64 * i + 1, (long)length);
	return deep(150, 1, (int)length) == (int)halves[9];
}
END

# counted EVENTS [LOG]: runs the program, with a log if it has a name. $fault: a defect of the monitor.
counted() {
	"$BUILD/host/ia64-machine" ${fault:+-f "$fault"} ${2:+-l "$2"} -m 192 -p "$TARGET" "$program" \
		run=session events="$1" >"$work/out" 2>&1
}
logged() {
	counted "$1" "$work/log"
}
count_of() {
	sed -n "s/^ *\([0-9,]*\)  $1 .*/\1/p" "$work/out" | tr -d ,
}
# built NAME: builds $work/NAME.c as a workload; $program is the image.
built() {
	make_run RUN=session EVENTS=CPU_CYCLES WORKLOAD="$work/$1.c"
	program=$(ls -t "$BUILD/$TARGET"/workloads/"$1"-*.elf | head -n 1)
	ended 0 && [ -n "$program" ]
}
check "the program runs" built logged

# Totals of the log at level 3, one line for each: name and number. Instructions of the B unit are
# never squashed (7.8).
total() {
	awk '
		$2 ~ /^[0-2]$/ {
			if ($3 != 3)
				next
			slot = $2
			n["retired"]++
			n["nops"] += $4 && / nop\.[mib]/
			n["squashed"] += !$4 && !/( br\.| nop\.b)/
			next
		}
		$1 == "branch" && $3 == 3 { n["taken in slot " slot]++ }
		/^(load|store|semaphore|check|fill|spill) / && $4 == 3 {
			n[$1]++
			# An operand of 10 bytes is aligned like one of 16.
			size = $3 == 10 ? 16 : $3
			digits = index("0123456789abcdef", substr($2, length($2))) - 1
			n["misaligned " $1] += digits % size != 0
		}
		END { for (name in n) print name "\t" n[name] }' "$work/log" >"$work/total"
}
in_log() {
	awk -F '\t' -v name="$1" '$1 == name { n = $2 } END { print n + 0 }' "$work/total"
}
# same NAME COUNTED LOGGED
same() {
	echo "$1: $2 counted, $3 in the log"
	[ -n "$2" ] && [ "$2" -gt 0 ] && [ "$2" -eq "$3" ]
}

retired() {
	logged IA64_INST_RETIRED:u,NOPS_RETIRED:u && total || return
	same retired "$(count_of IA64_INST_RETIRED:u)" "$(in_log retired)" &&
		same nops "$(count_of NOPS_RETIRED:u)" "$(in_log nops)" || return
	counted PREDICATE_SQUASHED_RETIRED:u &&
		same squashed "$(count_of PREDICATE_SQUASHED_RETIRED:u)" "$(in_log squashed)"
}
check "instructions, nops, and those whose predicate is false" retired

# 7.8: loads and stores include those of the register stack engine. A check load whose register the
# ALAT has is a reference, but no load; so is a semaphore.
references() {
	counted LOADS_RETIRED:u,RSE_LOADS_RETIRED:u,STORES_RETIRED:u,RSE_REFERENCES_RETIRED:u ||
		return
	fills=$(in_log fill) spills=$(in_log spill) loads=$(in_log load) stores=$(in_log store)
	same "the engine's loads" "$(count_of RSE_LOADS_RETIRED:u)" "$fills" &&
		same "its references" "$(count_of RSE_REFERENCES_RETIRED:u)" $((fills + spills)) &&
		same loads "$(count_of LOADS_RETIRED:u)" $((loads + fills)) &&
		same stores "$(count_of STORES_RETIRED:u)" $((stores + spills)) || return
	counted DATA_REFERENCES_RETIRED:u,MISALIGNED_LOADS_RETIRED:u,MISALIGNED_STORES_RETIRED:u ||
		return
	same references "$(count_of DATA_REFERENCES_RETIRED:u)" \
		$((loads + stores + fills + spills + $(in_log check) + $(in_log semaphore))) &&
		same "misaligned loads" "$(count_of MISALIGNED_LOADS_RETIRED:u)" \
		"$(in_log 'misaligned load')" &&
		same "misaligned stores" "$(count_of MISALIGNED_STORES_RETIRED:u)" \
		"$(in_log 'misaligned store')"
}
check "loads and stores, with the register stack engine's, by their addresses and sizes" references

# Counts loads of 64 KB in the middle of the largest structure.
in_range() {
	start=$(ia64-linux-gnu-nm "$program" | awk '/ steps$/ { print $1 }')
	from=$(((0x$start + 0xFFFF) / 0x10000 * 0x10000))
	range=$(printf '0x%x-0x%x' $from $((from + 0xFFFF)))
	counted "LOADS_RETIRED:u:dar=$range" || return
	page=$(printf '%x' $((from / 0x10000)))
	same loads "$(count_of "LOADS_RETIRED:u:dar=$range")" \
		"$(awk -v page="$page" '
			/^(load|fill) / && $4 == 3 && $2 ~ "^" page "....$" { n++ }
			END { print n + 0 }' "$work/log")"
}
check "loads of a range of addresses" in_range

taken() {
	counted BRANCH_TAKEN_SLOT.SLOT_0:u,BRANCH_TAKEN_SLOT.SLOT_1:u || return
	slot_0=$(count_of BRANCH_TAKEN_SLOT.SLOT_0:u) slot_1=$(count_of BRANCH_TAKEN_SLOT.SLOT_1:u)
	counted BRANCH_TAKEN_SLOT.SLOT_2:u || return
	set -- "$slot_0" "$slot_1" "$(count_of BRANCH_TAKEN_SLOT.SLOT_2:u)"
	same "in slot 1" "$2" "$(in_log 'taken in slot 1')" &&
		same "in slot 2" "$3" "$(in_log 'taken in slot 2')" &&
		[ "$1" -eq "$(in_log 'taken in slot 0')" ]
}
check "branches taken, by slot" taken

# adds_up EVENT PERIOD: samples x period + rest = count, as the session prints, and each sample is
# an interrupt.
adds_up() {
	sed -n "s/^$1: \(.*\) samples x \(.*\) + \(.*\) = \(.*\): exactly its count/\1 \2 \3 \4/p" \
		"$work/out" |
		tr -d , >"$work/sum"
	read -r samples period rest counted <"$work/sum" || return
	echo "$samples x $period + $rest = $counted"
	[ "$period" -eq "$2" ] && [ "$samples" -gt 3 ] &&
		[ $((samples * period + rest)) -eq "$counted" ] &&
		[ "$(grep -c '^interruption 3000$' "$work/log")" -eq "$samples" ]
}
# Each interrupt comes before the instruction that follows the one that makes the count a multiple
# of the period. The overflow freezes the monitors, so the rest of a frame that is being filled does
# not count.
samples() {
	logged LOADS_RETIRED:u:period=4000 && adds_up LOADS_RETIRED:u 4000 &&
		awk -v samples="$samples" -v counted="$counted" '
			frozen && ($2 ~ /^[0-2]$/ || $1 == "load") { print "late", $0; bad = 1 }
			$2 ~ /^[0-2]$/ { next }
			/^(load|fill) / && $4 == 3 && !frozen { frozen = ++n % 4000 == 0 }
			/^interruption 3000$/ {
				bad += !frozen
				frozen = 0
				interrupts++
			}
			END { print n, "loads"; exit bad || n != counted || interrupts != samples }' "$work/log"
}
check "samples x period + rest is the count; interrupts come where it is a multiple of the period" \
	samples

# 6.2.7: PMD2 is the data address, PMD3 11:0 the latency, PMD17 the instruction: slot in bits 3:2,
# bit 0 valid. Each capture since the last sample must be a load of the log.
captures() {
	logged "DATA_EAR_EVENTS:u:lat=$1:period=20" && adds_up "DATA_EAR_EVENTS:u:lat=$1" 20 &&
		awk -v least="$1" -v samples="$samples" '
			function hex(text, i, n) {
				for (i = 1; i <= length(text); i++)
					n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
				return n
			}
			$2 ~ /^[0-2]$/ && $3 == 3 { at = $1 " " $2 }
			$1 == "load" && $4 == 3 { loads[at, $2] = 1 }
			$3 == 0 && / mov r[0-9]+=pmd\[/ {
				pmd[$5] = $7
				if ($5 != "11")
					next
				tail = hex(substr($7, length($7)))
				bundle = substr($7, 1, length($7) - 1) "0"
				latency = hex(substr(pmd[3], length(pmd[3]) - 2))
				at = bundle " " int(tail / 4)
				if (tail % 4 != 1 || latency < least || !((at, pmd[2]) in loads)) {
					print "PMD2", pmd[2], "PMD3", pmd[3], "PMD17", $7
					bad = 1
				}
				split("", loads)
				captured++
			}
			END { print captured, "captures"; exit bad || captured != samples }' \
				"$work/log"
}
check "the data event address register's captures are loads of the log" captures 8
again() {
	mv "$work/log" "$work/first" && mv "$work/out" "$work/counts" &&
		logged DATA_EAR_EVENTS:u:lat=8:period=20 &&
		cmp "$work/first" "$work/log" && cmp "$work/counts" "$work/out"
}
check "a second run logs and counts the same, to the byte" again
long "captures of at least 64 cycles are loads of the log" captures 64

# 6.2.8: PMD16 has the next index, and the full bit (bit 3). A taken branch has a source (slot in
# bits 3:2, bit 0 set; bit 1 is its prediction) and a target (bits 1:0 are 2); a branch that is not
# taken has only the source (slot 3). A branch that follows at once in the target bundle replaces
# the target. A bundle is one branch.
trace() {
	logged BRANCH_EVENT:u:period=4000 && adds_up BRANCH_EVENT:u 4000 &&
		awk -v samples="$samples" -v counted="$counted" '
			function enter(entry, bundle) {
				# Compares texts: as numbers 403e740 and 403e750 are equal
				# (infinite).
				if (entries && target[entries] "" == bundle "" && now == left + 1)
					entries--
				entry_of[++entries] = entry
				target[entries] = ""
				sources++
			}
			# A source, without its prediction: the last digit is 4 x slot + 1.
			function source(bundle, slot) {
				return substr(bundle, 1, length(bundle) - 1) substr("159d", slot + 1, 1)
			}
			function not_taken() {
				if (open != "")
					enter(source(open, 3), open)
				open = ""
			}
			$2 ~ /^[0-2]$/ && $3 == 3 {
				if (open != "" && $1 "" != open "")
					not_taken()
				now++
				bundle = $1
				slot = $2
				if (/ br\./)
					open = $1
			}
			$1 == "branch" && $3 == 3 {
				enter(source(bundle, slot), bundle)
				open = ""
				target[++entries] = $2
				entry_of[entries] = substr($2, 1, length($2) - 1) "2"
				left = now
			}
			/^interruption 3000$/ { not_taken() }
			$3 == 0 && / mov r[0-9]+=pmd\[/ {
				pmd[$5] = $7
				if ($5 != "f" || pmd[10] == "")
					next
				read++
				next_index = index("89abcdef", pmd[10]) - 1
				for (i = 0; i < 8; i++) {
					value = pmd[substr("89abcdef", (next_index + i) % 8 + 1, 1)]
					expected = entry_of[entries - 7 + i]
					digit = substr(value, length(value))
					# Removes bit 1 of a source.
					if (index("37bf", digit))
						digit = substr("159d", index("37bf", digit), 1)
					value = substr(value, 1, length(value) - 1) digit
					if (next_index < 0 || value != expected) {
						print "sample", read, "entry", i, value, "not", expected
						bad = 1
					}
				}
				pmd[10] = ""
			}
			END {
				not_taken()
				print read, "traces,", sources, "branches in the log"
				exit bad || read != samples || sources != counted
			}' "$work/log"
}
check "the branch trace buffer has the log's last branches before the freeze, in order" trace

finds() {
	fault=$1
	shift
	"$@"
	found=$?
	fault=
	[ $found -ne 0 ]
}
check "a branch that is recorded in another slot is found" finds btb-slot trace
long "a capture that is not marked valid is found" finds ear-valid-missing captures 8

# The built-in workload with a thousandth of the text to hash, and a hundredth of the records and
# words.
shorter() {
	digest=$(printf '%1000s' | tr ' ' a | sha256sum | cut -c 1-64 | sed 's/......../0x&, /g')
	sed -e 's/length = 1000000;/length = 1000;/' -e "/expected\[8\] = {/{n;s/.*/$digest/}" \
		-e 's/count = 20000;/count = 200;/' -e 's/words = 60000,/words = 600,/' \
		boot/workload.c \
		>"$work/shorter.c"
	[ "$(diff boot/workload.c "$work/shorter.c" | grep -c '^>')" -eq 4 ] && built shorter ||
		return
	logged IA64_INST_RETIRED:u,NOPS_RETIRED:u,LOADS_RETIRED:u,STORES_RETIRED:u && total &&
		same retired "$(count_of IA64_INST_RETIRED:u)" "$(in_log retired)" &&
		same nops "$(count_of NOPS_RETIRED:u)" "$(in_log nops)" &&
		same loads "$(count_of LOADS_RETIRED:u)" $(($(in_log load) + $(in_log fill))) &&
		same stores "$(count_of STORES_RETIRED:u)" \
		$(($(in_log store) + $(in_log spill))) && taken
}
long "the built-in workload, shorter: instructions, nops, loads, stores, branches taken" shorter
done_checking
