// SPDX-License-Identifier: BSD-2-Clause
// The page's charts, and its reactions to selections.

//
// Flame graph
//

// A frame of the flame graph: its name, the function that determines its colour, its samples, and
// its callees.
const frameOf = (name, of) => ({name, of, samples: 0, parent: null, callees: new Map()});

function buildTree(samples) {
	const root = frameOf(run.target, null);

	for (const s of samples) {
		let at = root;
		const names = s.stack.map((place) => [functionOf(place), functionOf(place)]);

		if (chosen.lines)
			names.push([lineOf(s.place) ?? nameOf(s.place), functionOf(s.place)]);
		root.samples += s.times;
		for (const [name, of] of names) {
			if (!at.callees.has(name)) {
				const frame = frameOf(name, of);

				frame.parent = at;
				at.callees.set(name, frame);
			}
			at = at.callees.get(name);
			at.samples += s.times;
		}
	}
	return root;
}

const depthOf = (frame) => 1 + Math.max(0, ...[...frame.callees.values()].map(depthOf));
const pathOf = (frame) => frame.parent ? [...pathOf(frame.parent), frame.name] : [];

// The frame that the user has zoomed to, in a new tree.
function findZoomed(root) {
	let at = root;

	for (const name of chosen.zoom ?? []) {
		if (!at.callees.has(name))
			return root;
		at = at.callees.get(name);
	}
	return at;
}

// Dark text on light colours, and vice versa.
function inkOn(colour) {
	if (!colour.startsWith("#"))
		return "var(--ink)";
	const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));

	return r * 299 + g * 587 + b * 114 > 135000 ? "#10151a" : "#ffffff";
}

function clipped(text, width) {
	const most = Math.floor((width - 8) / CHARACTER);

	return most >= text.length ? text : most < 3 ? "" : text.slice(0, most - 1) + "…";
}

function describe(frame, total) {
	by("details").textContent = `${frame.name}: ${grouped(frame.samples)} samples, ` +
		`${percent(frame.samples, total)}, ${grouped(frame.samples * run.events[chosen.event].period)} events`;
}

function drawFlame(samples, total) {
	const svg = by("flame"), root = buildTree(samples), zoomed = findZoomed(root);
	const rows = depthOf(zoomed) + pathOf(zoomed).length;
	const width = prepare(svg, rows * ROW_HEIGHT);

	function draw(frame, level, x, wide) {
		const fill = frame.of === null ? "var(--base)" : colourOf(frame.of);
		const y = (rows - 1 - level) * ROW_HEIGHT;
		const group = drawn("g", {tabindex: 0, class: [matches(frame.name) ? "hit" : "",
			level < pathOf(zoomed).length ? "above" : ""].join(" ").trim()});

		if (wide < 0.4)
			return;
		group.dataset.name = frame.name;
		group.append(rectangle({x, y, width: wide, height: ROW_HEIGHT - 1, fill}, frame.name),
			drawn("text", {x: x + 4, y: y + 14, style: `fill:${inkOn(fill)}`},
				clipped(frame.name.replace(/^.*\//, ""), wide)));
		group.addEventListener("click", () => zoomTo(frame));
		group.addEventListener("keydown", (e) => { if (e.key === "Enter") zoomTo(frame); });
		group.addEventListener("mouseenter", () => describe(frame, total));
		group.addEventListener("focus", () => describe(frame, total));
		svg.append(group);
		if (level < pathOf(zoomed).length)
			return;
		for (const callee of [...frame.callees.values()].sort((a, b) => a.name < b.name ? -1 : 1)) {
			const part = wide * callee.samples / frame.samples;

			draw(callee, level + 1, x, part);
			x += part;
		}
	}
	for (let at = zoomed.parent, level = pathOf(zoomed).length - 1; at; at = at.parent, level--)
		draw(at, level, 0, width);
	draw(zoomed, pathOf(zoomed).length, 0, width);
}

function zoomTo(frame) {
	chosen.zoom = frame.parent ? pathOf(frame) : null;
	draw();
}

//
// Timeline: samples per interval of time, by function
//

function drawTimeline(samples) {
	const timed = samples.filter((s) => s.clock !== null);
	const cpus = [...new Set(timed.map((s) => s.cpu))].sort((a, b) => a - b);
	const high = 70, gap = 22, svg = by("timeline");

	by("timeline-section").hidden = timed.length < 2;
	if (timed.length < 2)
		return;
	const first = timed.reduce((least, s) => Math.min(least, s.clock), Infinity);
	const last = timed.reduce((most, s) => Math.max(most, s.clock), 0);
	const width = prepare(svg, cpus.length * (high + gap) + 18), left = 52;
	const bins = Math.min(BINS, Math.max(10, Math.floor(timed.length / 2))), step = (width - left) / bins;
	const binOf = (s) => Math.min(bins - 1, Math.floor((s.clock - first) * bins / (last - first || 1)));
	const order = [...colours.keys(), null];

	cpus.forEach((cpu, row) => {
		const count = Array.from({length: bins}, () => new Map()), sum = new Array(bins).fill(0);
		const bottom = row * (high + gap) + high + 8;

		for (const s of timed)
			if (s.cpu === cpu) {
				const name = functionOf(s.place), key = colours.has(name) ? name : null, bin = binOf(s);

				count[bin].set(key, (count[bin].get(key) || 0) + s.times);
				sum[bin] += s.times;
			}
		const most = Math.max(...sum);

		svg.append(drawn("text", {x: 0, y: bottom - high / 2, class: "axis"}, `CPU ${cpu}`),
			drawn("text", {x: left - 6, y: bottom - high + 9, class: "axis", "text-anchor": "end"}, most),
			drawn("line", {x1: left, x2: width, y1: bottom + 0.5, y2: bottom + 0.5}));
		for (let bin = 0; bin < bins; bin++) {
			let y = bottom;

			for (const key of order.filter((k) => count[bin].has(k))) {
				const n = count[bin].get(key), h = n * high / most;

				y -= h;
				svg.append(rectangle({x: left + bin * step, y, height: h,
					width: Math.max(step - 0.6, 0.6),
					fill: key === null ? "var(--other)" : colourOf(key)},
				`${key ?? "others"}: ${n} samples`));
			}
		}
	});
	const bottom = cpus.length * (high + gap) + 12;

	for (const [x, anchor, clock] of [[left, "start", first], [(left + width) / 2, "middle", (first + last) / 2],
		[width, "end", last]])
		svg.append(drawn("text", {x, y: bottom, class: "axis", "text-anchor": anchor},
			grouped(Math.round(clock))));
	by("timeline-hint").textContent = "Samples of each stretch of time, by function; clocks since the start." +
		(timed.length < samples.length ?
			` Of ${grouped(samples.length - timed.length)} rows the time is not known.` : "");
	by("legend").replaceChildren(...[...colours].map(([name, colour]) => element("span", {},
		element("i", {class: "swatch", style: `background:${colour}`}), name)),
	element("span", {}, element("i", {class: "swatch", style: "background:var(--other)"}), "others"));
}

//
// Latencies, in bins of powers of two
//

function drawLatencies(samples) {
	const timed = samples.filter((s) => s.latency !== null), svg = by("latencies"), count = [];
	const high = 170, base = 24;

	by("latencies-section").hidden = !timed.length;
	if (!timed.length)
		return;
	const sorted = timed.flatMap((s) => new Array(s.times).fill(s.latency)).sort((a, b) => a - b);
	const quantile = (part) => grouped(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]);

	by("latencies-hint").textContent = `Cycles that ${grouped(sorted.length)} samples waited: average ` +
		`${(sorted.reduce((sum, n) => sum + n, 0) / sorted.length).toFixed(1)}, median ${quantile(0.5)}, ` +
		`90% at most ${quantile(0.9)}, longest ${quantile(1)}.`;
	for (const s of timed) {
		const bin = s.latency < 1 ? 0 : Math.floor(Math.log2(s.latency)) + 1;

		count[bin] = (count[bin] || 0) + s.times;
	}
	const first = count.findIndex((n) => n), shown = Array.from(count.slice(first), (n) => n || 0);
	const width = prepare(svg, high + base + 16), most = Math.max(...shown);
	const step = Math.min(width / shown.length, 90);

	shown.forEach((n, i) => {
		const low = first + i ? 2 ** (first + i - 1) : 0, h = n * high / most;

		svg.append(rectangle({x: i * step + 2, y: 16 + high - h, width: step - 4, height: h,
			fill: "#4477aa", rx: 2}, `${low} to ${Math.max(0, 2 * low - 1)} cycles: ${n} samples`),
		drawn("text", {x: i * step + step / 2, y: 16 + high - h - 4, "text-anchor": "middle", class: "axis"},
			n ? grouped(n) : ""),
		drawn("text", {x: i * step + step / 2, y: high + base + 10, "text-anchor": "middle", class: "axis"},
			low < 1024 ? `${low}+` : `${low / 1024}Ki+`));
	});
	svg.append(drawn("line", {x1: 0, x2: width, y1: high + 16.5, y2: high + 16.5}));
}

//
// Selection
//

function draw() {
	const samples = chosenSamples(), total = samples.reduce((sum, s) => sum + s.times, 0);
	const found = sums(samples, (s) => s.stack.some((place) => matches(functionOf(place))) ||
		matches(lineOf(s.place) ?? "") ? "yes" : null);

	tellFinding(samples, total);
	drawFlame(samples, total);
	drawTimeline(samples);
	drawBefore(samples, total);
	drawFunctions(samples, total);
	drawLines(samples, total);
	drawCounts();
	drawCode(samples);
	drawPages(samples);
	drawLatencies(samples);
	drawBranches();
	by("details").textContent = `${grouped(total)} samples`;
	by("matched").textContent = chosen.text && total ?
		`${percent(found.length ? found[0][1] : 0, total)} matched` : "";
}

function fill(select, options) {
	select.replaceChildren(...options.map(([value, text]) => element("option", {value}, text)));
}

function start() {
	const sampled = run.events.map((e, i) => [i, e]).filter(([, e]) => e.samples);
	const cpus = [...new Set(run.samples.cpu)].sort((a, b) => a - b);
	const calls = run.stacks.some((stack) => stack.length > 1);

	document.title = `${run.name} - palmon`;
	by("name").textContent = run.name;
	by("about").textContent = [run.target, run.backend, run.cpus > 1 ? `${run.cpus} CPUs` : "",
		run.build_id ? `build ID ${run.build_id.slice(0, 12)}` : ""].filter((t) => t).join(" · ");
	by("losses").textContent = run.losses.join("\n");
	by("losses").hidden = !run.losses.length;
	fill(by("event"), sampled.map(([i, e]) => [i, `${e.name} (${grouped(e.samples)} samples)`]));
	fill(by("cpu"), [[-1, "all"], ...cpus.map((c) => [c, c])]);
	by("cpus").hidden = cpus.length < 2;
	by("flame-hint").textContent = calls ? "It stands on its caller." : "Without callers: they were not recorded.";
	chosen.event = sampled[0][0];
	chosen.lines = !calls;
	by("with-lines").checked = chosen.lines;
	chooseColours();
	draw();
}

by("event").addEventListener("change", (e) => {
	chosen.event = Number(e.target.value);
	chosen.zoom = null;
	chosen.code = -1;
	chooseColours();
	draw();
});
by("cpu").addEventListener("change", (e) => { chosen.cpu = Number(e.target.value); draw(); });
by("function").addEventListener("change", (e) => { chosen.code = Number(e.target.value); draw(); });
by("search").addEventListener("input", (e) => { chosen.text = e.target.value.trim().toLowerCase(); draw(); });
by("with-lines").addEventListener("change", (e) => { chosen.lines = e.target.checked; chosen.zoom = null; draw(); });
document.addEventListener("keydown", (e) => {
	if (e.key === "Escape" && chosen.zoom) {
		chosen.zoom = null;
		draw();
	}
});
window.addEventListener("resize", draw);
start();
