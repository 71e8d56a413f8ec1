// SPDX-License-Identifier: BSD-2-Clause
// The instructions and source lines of the hottest functions.

const AROUND = 2, CODE_HOTTEST = 12;	// rows around each of a function's hottest instructions

// The event's functions whose code is known, hottest first.
const functionsWithCode = (samples) => byFunction(samples).map(([name]) => run.code.functions.findIndex(
	(f) => f.name === name)).filter((f) => f >= 0);

// Samples by index of the row that contains their instruction.
function samplesOfRows(f, samples) {
	const at = new Map();
	const first = BigInt(f.start);

	for (const [place, times] of sums(samples, (s) => s.place)) {
		const [address, , , offset] = run.places[place];

		if (offset < 0 || BigInt(address) - BigInt(offset) !== first)
			continue;
		let row = -1;
		f.rows.forEach(([key], i) => { if (typeof key === "number" && key <= offset) row = i; });
		at.set(row, (at.get(row) ?? 0) + times);
	}
	return at;
}

// By row: whether it is near one of the hottest instructions.
function shownRows(f, at) {
	const hottest = [...at].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, CODE_HOTTEST).map(([row]) => row);

	return f.rows.map((_, i) => hottest.some((row) => Math.abs(row - i) <= AROUND));
}

function drawCode(samples) {
	const known = functionsWithCode(samples);

	if (!known.includes(chosen.code))
		chosen.code = known[0] ?? -1;
	fill(by("function"), known.map((f) => [f, run.code.functions[f].name]));
	by("function").value = chosen.code;
	by("function").hidden = !known.length;
	by("code-hint").textContent = run.code.note ||
		(known.length ? "" : "No function with samples is in the ELF file.");
	by("code").replaceChildren();
	if (chosen.code < 0)
		return;
	const f = run.code.functions[chosen.code], at = samplesOfRows(f, samples), shown = shownRows(f, at);
	const total = [...at.values()].reduce((sum, n) => sum + n, 0), most = Math.max(...at.values());
	const rows = [];
	let line = null, written = null, gap = false, silent = false;

	f.rows.forEach(([key, text], i) => {
		if (typeof key === "string")
			line = [key, text];
		gap ||= !shown[i];
		if (!shown[i] || typeof key === "string")
			return;
		if (gap && rows.length) {
			rows.push({kind: "gap", cells: ["", "", "", "⋮"]});
			written = null;
		}
		gap = false;
		if (line && line !== written) {
			silent ||= line[1] === null;
			rows.push({kind: "source", hit: matches(line[0]), cells: ["", "", "", element("span", {},
				element("b", {title: line[0]}, shortened(line[0])), ` ${(line[1] ?? "").trim()}`)]});
		}
		written = line;
		const n = at.get(i) ?? 0;

		rows.push({kind: n === most ? "hottest" : "", cells: [n ? grouped(n) : "", n ? percent(n, total) : "",
			n ? bar(n, most, colourOf(f.name)) : "",
			`  +0x${key.toString(16).padEnd(5)} ${text.replace(/ {3,}/, " ")}`]});
	});
	by("code-hint").textContent = [`${grouped(total)} samples; its ${CODE_HOTTEST} hottest instructions.`,
		...run.events[chosen.event].places.map((p) => `Addresses: ${p}.`),
		silent ? "Lines without text: the source file is missing, or newer than the program." : ""]
		.join(" ").trim();
	table("code", [["samples", "number"], ["share", "number"], ["", "bar"], ["instruction", "name code"]], rows);
}
