// SPDX-License-Identifier: BSD-2-Clause
// The page that palmon convert --html writes. html.c describes `run`, its data. All tables and
// charts are computed here for the selected event and CPU.
"use strict";

const run = JSON.parse(document.getElementById("run").textContent);
const COLOURS = ["#4477aa", "#ee6677", "#3a9a52", "#d2b441", "#66bfe0", "#aa4488", "#ee8844", "#2aa198"];
const ROWS = 20, BINS = 150, ROW_HEIGHT = 20, CHARACTER = 7.3;
const chosen = {event: 0, cpu: -1, text: "", zoom: null, lines: true, code: -1};
const colours = new Map();		// of the hottest functions

const by = (id) => document.getElementById(id);
const grouped = (n) => n.toLocaleString("en-US");
const percent = (part, whole) => `${(100 * part / whole).toFixed(1)}%`;

function element(name, attributes = {}, ...children) {
	const e = document.createElement(name);

	for (const [key, value] of Object.entries(attributes))
		e.setAttribute(key, value);
	e.append(...children);
	return e;
}

function drawn(name, attributes = {}, text) {
	const e = document.createElementNS("http://www.w3.org/2000/svg", name);

	for (const [key, value] of Object.entries(attributes))
		e.setAttribute(key, value);
	if (text !== undefined)
		e.textContent = text;
	return e;
}

// A rectangle with a tooltip.
function rectangle(attributes, title) {
	const e = drawn("rect", attributes);

	e.append(drawn("title", {}, title));
	return e;
}

// Empties a chart and sets its height. Returns its width.
function prepare(svg, height) {
	const width = Math.max(svg.clientWidth, 300);

	svg.replaceChildren();
	svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
	svg.setAttribute("height", height);
	return width;
}

//
// Samples
//

const functionOf = (place) => run.functions[run.places[place][1]];
const lineOf = (place) => run.places[place][2] < 0 ? null : run.lines[run.places[place][2]];

// A short form of a file's path: the end of an absolute path.
function shortened(line) {
	const parts = line.split("/");

	return line.startsWith("/") && parts.length > 4 ? `…/${parts.slice(-3).join("/")}` : line;
}

// "function+0x12", or the address.
function nameOf(place) {
	const [address, , , offset] = run.places[place];

	return offset < 0 ? address : `${functionOf(place)}+0x${offset.toString(16)}`;
}

function chosenSamples() {
	const of = run.samples, samples = [];

	for (let i = 0; i < of.event.length; i++)
		if (of.event[i] === chosen.event && (chosen.cpu < 0 || of.cpu[i] === chosen.cpu))
			samples.push({cpu: of.cpu[i], clock: of.clock[i], times: of.times[i],
				stack: run.stacks[of.stack[i]], data: of.data[i], latency: of.latency[i]});
	for (const s of samples)
		s.place = s.stack[s.stack.length - 1];
	return samples;
}

// Pairs [key, sum] of samples by key, greatest first. Samples whose key is null are left out.
function sums(samples, key) {
	const map = new Map();

	for (const s of samples) {
		const k = key(s);

		if (k !== null)
			map.set(k, (map.get(k) || 0) + s.times);
	}
	return [...map].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

// Samples by function, most first.
const byFunction = (samples) => sums(samples, (s) => functionOf(s.place));

// Assigns colours to the event's hottest functions, the same on all CPUs.
function chooseColours() {
	const cpu = chosen.cpu;

	chosen.cpu = -1;
	colours.clear();
	byFunction(chosenSamples()).slice(0, COLOURS.length)
		.forEach(([name], i) => colours.set(name, COLOURS[i]));
	chosen.cpu = cpu;
}
const colourOf = (name) => colours.get(name) || "var(--other)";

function matches(name) {
	return chosen.text !== "" && name.toLowerCase().includes(chosen.text);
}

//
// Tables
//

// Columns: [heading, class]. Rows: {cells, hit, kind}; a cell is text or an element.
function table(id, columns, rows, count = rows.length) {
	const t = by(id);

	t.replaceChildren(element("thead", {}, element("tr", {}, ...columns.map(([text, kind]) =>
		element("th", {class: kind}, text)))));
	const body = element("tbody");
	for (const {cells, hit, kind} of rows)
		body.append(element("tr", {class: [hit ? "hit" : "", kind ?? ""].join(" ").trim()},
			...cells.map((cell, i) => element("td", {class: columns[i][1]}, cell))));
	if (count > rows.length)
		body.append(element("tr", {class: "more"}, element("td", {colspan: columns.length},
			`and ${grouped(count - rows.length)} more`)));
	t.append(body);
}

function bar(part, most, colour = "var(--bar)") {
	return element("i", {style: `width:${100 * part / most}%;background:${colour}`});
}

function sampleTable(id, title, entries, total, colour) {
	const most = entries.length ? entries[0][1] : 1;

	table(id, [["samples", "number"], ["share", "number"], ["", "bar"], [title, "name"]],
		entries.slice(0, ROWS).map(([key, n]) => ({hit: matches(key), cells: [grouped(n), percent(n, total),
			bar(n, most, colour(key)), element("span", {title: key}, shortened(key))]})), entries.length);
}

function drawFunctions(samples, total) {
	sampleTable("functions", "function", byFunction(samples), total, colourOf);
}

// The hottest lines, or addresses if no lines are known.
function drawLines(samples, total) {
	const known = run.lines.length > 0, functions = new Map();
	const key = (s) => known ? lineOf(s.place) ?? nameOf(s.place) : nameOf(s.place);

	for (const s of samples)
		functions.set(key(s), functionOf(s.place));
	by("lines-title").textContent = known ? "Hottest lines" : "Hottest addresses";
	sampleTable("lines", known ? "line" : "address", sums(samples, key), total, (k) => colourOf(functions.get(k)));
}

function drawPages(samples) {
	const pages = new Map(), loads = samples.filter((s) => s.data !== null);

	by("data-section").hidden = !loads.length;
	for (const s of loads) {
		const key = "0x" + (s.data.slice(2, -3) || "0") + "000";
		const page = pages.get(key) || {samples: 0, lines: new Set(), sum: 0, timed: 0, most: 0};

		page.samples += s.times;
		page.lines.add(Math.floor(parseInt(s.data.slice(-3), 16) / 64));
		if (s.latency !== null) {
			page.sum += s.latency;
			page.timed++;
			page.most = Math.max(page.most, s.latency);
		}
		pages.set(key, page);
	}
	const rows = [...pages].sort((a, b) => b[1].samples - a[1].samples || (a[0] < b[0] ? -1 : 1));
	const most = rows.length ? rows[0][1].samples : 1;

	table("pages", [["samples", "number"], ["", "bar"], ["page", "name"], ["lines", "number"],
		["average", "number"], ["most", "number"]], rows.slice(0, ROWS).map(([key, p]) => ({cells: [
			grouped(p.samples), bar(p.samples, most), key, p.lines.size,
			p.timed ? (p.sum / p.timed).toFixed(1) : "", p.timed ? grouped(p.most) : ""]})),
		rows.length);
}

function drawBranches() {
	const edges = run.branches.filter((b) => b[0] === chosen.event && (chosen.cpu < 0 || b[1] === chosen.cpu));
	const joined = new Map();
	let total = 0;

	by("branches-section").hidden = !edges.length;
	for (const [, , from, to, count, mispredicted] of edges) {
		const edge = joined.get(`${from} ${to}`) || {from, to, count: 0, mispredicted: 0};

		edge.count += count;
		edge.mispredicted += mispredicted;
		total += count;
		joined.set(`${from} ${to}`, edge);
	}
	const rows = [...joined.values()].sort((a, b) => b.count - a.count ||
		(nameOf(a.from) + nameOf(a.to) < nameOf(b.from) + nameOf(b.to) ? -1 : 1));

	by("branches-hint").textContent = `${grouped(total)} branches that were taken are recorded with the samples.`;
	table("branches", [["times", "number"], ["share", "number"], ["", "bar"], ["from", "name"], ["to", "name"],
		["mispredicted", "number"]], rows.slice(0, ROWS).map((e) => ({
			hit: matches(nameOf(e.from)) || matches(nameOf(e.to)),
			cells: [grouped(e.count), percent(e.count, total), bar(e.count, rows[0].count,
				colourOf(functionOf(e.from))), nameOf(e.from), nameOf(e.to), e.mispredicted ?
				percent(e.mispredicted, e.count) : ""]})), rows.length);
}
