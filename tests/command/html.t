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
with_packages "the page in Chromium" chromium:chromium chromium-driver:chromedriver || { done_checking; exit; }

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
print ["timeline", "data", "branches"].map(s => document.getElementById(s + "-section").hidden)
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
check "counts" is 5 '["6,700","INST_RETIRED.ANY_P:u","","sampled, one in 1,000","1,200",'\
'"UNC_CLK_UNHALTED","","sampled, one in 500","<not counted>","UOPS_RETIRED.ANY","",""]'
check "lost samples are mentioned" is 6 '"UNC_CLK_UNHALTED:period=500: 3 samples are LOST with lines of the log"'
whole='["'"$hostile"' 17","'"$hostile"'+0x10 17","first 50","first+0x10 33","first+0xfc 17","nehalem 100",'\
'"second_one 33","second_one+0x10 17","second_one+0x20 17"]'
check "a flame graph: frames as wide as their shares" is 7 "$whole"
check "a click zooms" is 8 '["first 100","first+0x10 67","first+0xfc 33","nehalem 100"]'
check "Escape zooms out" is 9 "$whole"
check "search finds text in charts and tables" is 10 \
	'["33.3% matched",["second_one","second_one",'\
'"second_one+0x10","second_one+0x10","second_one+0x20","second_one+0x20"]]'
check "one CPU alone" is 11 '"50.0% matched"'
check "another event, of the selected CPU" is 12 '["1","100.0%","","first"]'
check "charts without data are hidden" is 13 '[true,true,true]'
check "the console has no errors" eval '[ "$(wc -l <"$work/out")" -eq 13 ] || sed -n "14,\$p" "$work/out"'

# Loads and branches of traces, with the numbers of convert.t.
palmon record -t nehalem -e MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD_20:p:period=2 -o "$work/loads" \
	--trace tests/command/traces/latency.trace
palmon convert -i "$work/loads" --html "$work/loads.html"
palmon record -t nehalem -e BR_INST_RETIRED.NEAR_CALL:p:lbr:period=3 -o "$work/calls" \
	--trace tests/command/traces/calls.trace
palmon convert -i "$work/calls" --html "$work/calls.html"
browse <<END
open $work/loads.html
print [...document.querySelectorAll("#pages td")].map(e => e.textContent)
print [...document.querySelectorAll("#latencies title")].map(e => e.textContent)
open $work/calls.html
print [...document.querySelectorAll("#branches td")].map(e => e.textContent)
log
END
check "pages by samples and latency" is 1 '["3","","0x10000","1","42.3","45","1","","0x20000","1","300.0","300"]'
check "latencies in powers of two" is 2 '["32 to 63 cycles: 3 samples","64 to 127 cycles: 0 samples",'\
'"128 to 255 cycles: 0 samples","256 to 511 cycles: 1 samples"]'
# The fourth, eighth and twelfth call, with 7, 15 and 16 records: calls 3 + 7 + 8 from 0x2000 and 1
# + 1 from 0x2100, returns 3 + 6 + 7 to 0x2005 and 1 + 1 to 0x2105.
check "branches, by number of records" is 3 '["18","47.4%","","0x2000","0x3000","","16","42.1%","","0x3010",'\
'"0x2005","","2","5.3%","","0x2100","0x3000","","2","5.3%","","0x3010","0x2105",""]'
check "no errors on this page's console" eval '[ "$(wc -l <"$work/out")" -eq 3 ]'
done_checking
