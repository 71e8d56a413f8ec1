#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# palmon convert --html: the page in Debian's Chromium, with real clicks and keys (tests/browser).
. tests/tap.sh
. tests/command/command.sh

# A name that would end the script, or be an element, without escaping.
hostile='</script><img src=x onerror=alert(1)>'
two_events "$hostile" 00ff00ff "$work/samples"
palmon convert -i "$work/samples" --html "$work/page.html"
check "the page is written" done_quietly
palmon convert -i "$work/samples" --folded --before="$work/samples"
check "--before is for the page" refuses 2 '--before=RUN is for --html$'
palmon convert -i "$work/samples" --html --before="$work/nowhere" "$work/none.html"
check "a run before that does not exist" refuses 1 'nowhere: No such file'
sed 's/"target":"nehalem",/"target":"sparct4",/; s/INST_RETIRED.ANY_P:u/Instr_all:u/; s/UOPS_RETIRED.ANY/Cycles/
	s/UNC_CLK_UNHALTED/READS.MCU0/; s/"nehalem-uncore"/"sparct4-dram"/' "$work/samples" \
		>"$work/other"
palmon convert -i "$work/samples" --html --before="$work/other" "$work/none.html"
check "a run before of another target" refuses 1 'other: a run of sparct4, not of nehalem$'
check "no page is left" eval '[ ! -e "$work/none.html" ]'
with_packages "the page in Chromium" chromium:chromium chromium-driver:chromedriver ||
	{ done_checking; exit; }

# browse: executes the commands of standard input; its output is in $work/out.
browse() {
	tests/browser >"$work/out" 2>"$work/messages"
	status=$?
}
# Frames by name and width, in hundredths of the chart's width.
frames='[...document.querySelectorAll("#flame g")].map(g => g.dataset.name + " " +
	Math.round(100 * g.firstChild.getBoundingClientRect().width /
	document.getElementById("flame").getBoundingClientRect().width)).sort()'
frames=$(echo "$frames" | tr -d '\n')
hits='[...document.querySelectorAll(".hit")].map(e => e.dataset.name || e.cells[3].textContent).sort()'
browse <<END
open $work/page.html
print performance.getEntriesByType("resource").length
print [document.title, document.querySelector("h1").textContent, document.querySelectorAll("img, b").length]
print [...document.querySelectorAll("#functions td")].map(e => e.textContent)
print [...document.querySelectorAll("#lines td.name")].map(e => e.textContent)
print [...document.querySelectorAll("#counts td")].map(e => e.textContent)
print document.querySelector("#losses").innerText
print document.querySelector("#finding").textContent
print [document.querySelector("#code-hint").textContent, document.querySelector("#before-section").hidden]
print $frames
click #flame g[data-name="first"]
print $frames
press Escape
print $frames
type #search SECOND
print [document.querySelector("#matched").textContent, $hits]
click #cpu option:nth-child(2)
print document.querySelector("#matched").textContent
click #event option:nth-child(2)
print [...document.querySelectorAll("#functions td")].map(e => e.textContent)
print ["timeline", "data", "latencies", "branches"].map(s => document.getElementById(s + "-section").hidden)
print document.querySelector("#finding").textContent
log
END
check "Chromium runs the page" done_quietly
# line NUMBER: this line of the browser's output. is NUMBER LINE: it equals LINE.
is() {
	printf '%s\n' "$2" >"$work/expected"
	sed -n "$1p" "$work/out" | diff "$work/expected" -
}
check "the page loads nothing" is 1 0
check "names are text, whatever they contain" is 2 \
	'["build/<b> of more than 15.elf - palmon","build/<b> of more than 15.elf",0]'
check "functions and their shares" is 3 \
	'["3","50.0%","","first","2","33.3%","","second_one","1","16.7%","","'"$hostile"'"]'
check "addresses, if no line is known" is 4 \
	'["first+0x10","'"$hostile"'+0x10","first+0xfc","second_one+0x10","second_one+0x20"]'
check "counts" is 5 '["6,700","1,000","INST_RETIRED.ANY_P:u","sampled, one in 1,000","1,200","",'\
'"UNC_CLK_UNHALTED","sampled, one in 500","<not counted>","","UOPS_RETIRED.ANY",""]'
check "lost samples are mentioned" is 6 \
	'"UNC_CLK_UNHALTED:period=500: 3 samples are LOST with lines of the log"'
whole='["'"$hostile"' 17","'"$hostile"'+0x10 17","first 50","first+0x10 33","first+0xfc 17","nehalem 100",'\
'"second_one 33","second_one+0x10 17","second_one+0x20 17"]'
check "the finding of samples alone" is 7 '"first takes 50.0% of INST_RETIRED.ANY_P:u (6 samples)."'
check "why there are no instructions; no comparison" is 8 \
	'["No ELF file of the program is at hand: convert --elf=IMAGE names it.",true]'
check "a flame graph: frames as wide as their shares" is 9 "$whole"
check "a click zooms" is 10 '["first 100","first+0x10 67","first+0xfc 33","nehalem 100"]'
check "Escape zooms out" is 11 "$whole"
check "search finds text in charts and tables" is 12 \
	'["33.3% matched",["second_one","second_one",'\
'"second_one+0x10","second_one+0x10","second_one+0x20","second_one+0x20"]]'
check "one CPU alone" is 13 '"50.0% matched"'
check "another event, of the selected CPU" is 14 '["1","100.0%","","first"]'
check "charts without data are hidden" is 15 '[true,true,true,true]'
check "the finding of the selected event and CPU" is 16 \
	'"first takes 100.0% of UNC_CLK_UNHALTED (1 sample)."'
check "the console has no errors" eval \
	'[ "$(wc -l <"$work/out")" -eq 16 ] || sed -n "17,\$p" "$work/out"'

# Loads and branches of traces, with the numbers of convert.t.
palmon record -t nehalem -e MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2 \
	-o "$work/loads" \
	--trace tests/command/traces/latency.trace
palmon convert -i "$work/loads" --html "$work/loads.html"
palmon record -t nehalem -e BR_INST_RETIRED.NEAR_CALL:p:lbr:period=3 -o "$work/calls" \
	--trace tests/command/traces/calls.trace
palmon convert -i "$work/calls" --html "$work/calls.html"
browse <<END
open $work/loads.html
print [...document.querySelectorAll("#pages td")].map(e => e.textContent)
print [...document.querySelectorAll("#latencies title")].map(e => e.textContent)
print document.querySelector("#latencies-hint").textContent
open $work/calls.html
print [...document.querySelectorAll("#branches td")].map(e => e.textContent)
log
END
check "pages by samples and latency" is 1 \
	'["3","","0x10000","1","42.3","45","1","","0x20000","1","300.0","300"]'
check "latencies in powers of two" is 2 \
	'["32 to 63 cycles: 3 samples","64 to 127 cycles: 0 samples",'\
'"128 to 255 cycles: 0 samples","256 to 511 cycles: 1 samples"]'
# 40, 42, 45 and 300 cycles.
check "latencies in numbers" is 3 \
	'"Cycles that 4 samples waited: average 106.8, median 45, 90% at most 300, longest 300."'
# The fourth, eighth and twelfth call, with 7, 15 and 16 records: calls 3 + 7 + 8 from 0x2000 and 1
# + 1 from 0x2100, returns 3 + 6 + 7 to 0x2005 and 1 + 1 to 0x2105.
check "branches, by number of records" is 4 \
	'["18","47.4%","","0x2000","0x3000","","16","42.1%","","0x3010",'\
'"0x2005","","2","5.3%","","0x2100","0x3000","","2","5.3%","","0x3010","0x2105",""]'
check "no errors on this page's console" eval '[ "$(wc -l <"$work/out")" -eq 4 ]'

# Counts of two CPUs: 12,300 instructions and 3,000 misses are 4.1 instructions per miss, and 243.9
# misses per 1,000 instructions. Multiplications took turns: their count is an estimate. The second
# run's clock has a meaning; its CPI of 1.25 says more.
mkdir "$work/now" "$work/before"
cat >"$work/now/counts.json" <<'END'
{"counter-value":8200,"event":"INST_RETIRED.ANY_P:u","cpu":"0"}
{"counter-value":4100,"event":"INST_RETIRED.ANY_P:u","cpu":"1"}
{"counter-value":2000,"event":"L1D.REPL:u","cpu":"0"}
{"counter-value":1000,"event":"L1D.REPL:u","cpu":"1"}
{"counter-value":7,"event":"ARITH.DIV","cpu":"0"}
{"counter-value":8,"event":"ARITH.DIV","cpu":"0"}
{"counter-value":24600,"event":"ARITH.MUL:u","pcnt-running":50.0,"scaled":true,"counted":12300,"group":2,"cpu":"0"}
{"event":"CPI","metric-value":1.25,"metric-unit":"cycles/instruction","cpu":"0"}
END
sed 's/"L1D.REPL:u","cpu":"1"/"UNC_CLK_UNHALTED"/' "$work/now/counts.json" \
	>"$work/before/counts.json"
sed 's/"a backend"/"QEMU plugin, unit clock"/' "$work/samples" >"$work/now/samples"
# Before, one sample of second_one was in first.
sed 's/"ip":"0x4110"/"ip":"0x4020"/' "$work/samples" >"$work/before/samples"

# A program whose first function is lines 2 (0x4000) and 3 (0x4020) of its file: nops.
cat >"$work/program.c" <<'END'
__attribute__((naked)) void first(void) {
	__asm__(".fill 0x20, 1, 0x90");
	__asm__(".fill 0x1e0, 1, 0x90"); /* line 3 */
}
END
gcc -g -O1 -falign-functions=1 -nostdlib -static -Wl,-Ttext=0x4000,-e,first,--build-id=0x00ff00ff \
	-o "$work/now/image.elf" "$work/program.c"
palmon convert -i "$work/now" --html --before="$work/before" "$work/now.html"
check "a page with code and a comparison" done_quietly
palmon convert -i "$work/before" --html "$work/before.html"
touch -d tomorrow "$work/program.c"
palmon convert -i "$work/now" --html "$work/newer.html"
code='[...document.querySelectorAll("#code tbody tr")].filter(r => /source|hottest/.test(r.className))
	.map(r => r.className + " " + [...r.cells].map(c => c.textContent.replace(/\s+/g, " ").trim())
	.filter(t => t).join(" ").replace(/\S*program.c/, "program.c"))'
code=$(echo "$code" | tr -d '\n')
browse <<END
open $work/now.html
print document.querySelector("#finding").textContent
print [...document.querySelectorAll("#counts tr")].map(r => [...r.cells].map(c => c.textContent).join(" "))
print $code
print [...document.querySelectorAll("#before tbody tr")].map(r => [...r.cells].map(c => c.textContent).join(" "))
click #event option:nth-child(2)
print [document.querySelector("#before-hint").textContent, document.querySelectorAll("#before tbody tr").length]
open $work/before.html
print document.querySelector("#finding").textContent
open $work/newer.html
print $code
log
END
check "the finding: share, share before, instructions per miss" is 1 \
	'"first takes 50.0% of INST_RETIRED.ANY_P:u (6 samples), before 66.7%; 4.1 instructions per L1D.REPL."'
check "counts of each CPU and of all, counts before, metrics" is 2 '['\
'"all CPUs CPU 0 CPU 1 before change per 1,000 instr. event or metric ",'\
'"12,300 8,200 4,100 12,300 same 1,000 INST_RETIRED.ANY_P:u sampled, one in 1,000",'\
'"3,000 2,000 1,000 2,000 +50.0% 244 L1D.REPL:u ",'\
'"7 7 - 7 same  ARITH.DIV ","8 8 - 8 same  ARITH.DIV ",'\
'"~24,600 ~24,600 - ~24,600 same ~2,000 ARITH.MUL:u scaled: group 2, which counted 50% of the time",'\
'"1.25 1.25 - 1.25 same  CPI cycles/instruction, cycles for an instruction"]'
# Two of the three samples are at 0x4010, one at 0x40fc.
check "source lines, and the hottest instruction" is 3 \
	'["source program.c:2 __asm__(\".fill 0x20, 1, 0x90\");",'\
'"hottest 2 66.7% +0x10 nop","source program.c:3 __asm__(\".fill 0x1e0, 1, 0x90\"); /* line 3 */"]'
check "shares and events of functions, before and now" is 4 '['\
'"66.7% 50.0% −16.7 4,000 3,000 −25.0%  first","16.7% 33.3% +16.7 1,000 2,000 +100.0%  second_one"]'
check "an event that is the same in both runs" is 5 \
	'["The same program. Functions that differ. Events are samples times the period. None does.",0]'
check "the finding: a metric, if the clock has a meaning" is 6 \
	'"first takes 66.7% of INST_RETIRED.ANY_P:u (6 samples); CPI is 1.25 cycles/instruction."'
check "no text of a source file that is newer than the program" is 7 \
	'["source program.c:2","hottest 2 66.7% +0x10 nop","source program.c:3"]'
check "no errors on these pages' consoles" eval \
	'[ "$(wc -l <"$work/out")" -eq 7 ] || sed -n "8,\$p" "$work/out"'
done_checking
