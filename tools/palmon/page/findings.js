// SPDX-License-Identifier: BSD-2-Clause
// The page's sentence about the run, its counts and metrics, and the comparison with another run.

const withoutPeriod = (event) => event.replace(/:period=\d+/, "");
const modifiersOf = (event) => withoutPeriod(event).split(":").slice(1).filter((m) => /^[uk]+$/.test(m)).join(":");

// "INST_RETIRED.ANY" and "INST_RETIRED.ANY_P" are one event on different counters.
const plain = (event) => event.split(":")[0].replace(/_P$/, "");
const isInstructions = (event) => run.instructions !== null && plain(event) === plain(run.instructions);
const isCycles = (text) => /cycle|clk/i.test(text);

// Clocks of one cycle per instruction say nothing about time.
const hasTime = () => !/unit clock/.test(run.backend);

const CHANGED = 0.0005;			// shares that differ by less are the same

//
// Counts and metrics
//

// Rows of counts or metrics, by name and run of the program: {name, metric, unit, of: values by CPU, all}. An
// event that several counters count has several rows, by `nth`.
function countRows(counts) {
	const rows = new Map(), seen = new Map();

	for (const c of counts) {
		const metric = "metric-value" in c, name = withoutPeriod(c.event);
		const of = `${name} ${c.run ?? ""} ${c.cpu ?? ""}`;
		const nth = seen.get(of) ?? 0, key = `${name} ${c.run ?? ""} ${nth}`;
		const value = metric ? c["metric-value"] : c["counter-value"];
		const row = rows.get(key) ?? {name, nth, run: c.run ?? null, metric, unit: c["metric-unit"] ?? "",
			formula: c.formula ?? "", description: c.description ?? "", of: new Map(), all: null,
			scaled: c.scaled ?? false, percent: c["pcnt-running"], group: c.group};

		seen.set(of, nth + 1);
		row.of.set(c.cpu ?? "0", value);
		if (typeof value === "string" || typeof row.all === "string")
			row.all = typeof row.all === "string" ? row.all : value;
		else
			row.all = value === null || (metric && row.of.size > 1) ? null : (row.all ?? 0) + value;
		rows.set(key, row);
	}
	return [...rows.values()];
}

// The value for the chosen CPU. A metric of all CPUs together is unknown: null.
const valueOf = (row) => chosen.cpu < 0 || (row.of.size === 1 && row.of.has("0")) ? row.all :
	row.of.get(String(chosen.cpu)) ?? null;

// An estimate, of an event that took turns with others, has a mark.
const mark = (row) => row.scaled ? "~" : "";

// The count of instructions of the same levels.
function instructionsFor(rows, row) {
	const of = rows.find((r) => isInstructions(r.name) && modifiersOf(r.name) === modifiersOf(row.name) &&
		typeof valueOf(r) === "number" && r.run === row.run) ??
		rows.find((r) => isInstructions(r.name) && modifiersOf(r.name) === modifiersOf(row.name) &&
			typeof valueOf(r) === "number");

	return of ? valueOf(of) : 0;
}

// Three digits, or a whole number.
const rounded = (n) => Math.abs(n) >= 100 ? grouped(Math.round(n)) : String(Number(n.toPrecision(3)));
const change = (before, now) => before === now ? "same" : !before ? "new" :
	`${now > before ? "+" : "−"}${percent(Math.abs(now - before), before)}`;

function drawCounts() {
	const rows = countRows(run.counts), before = run.before ? countRows(run.before.counts) : null;
	const cpus = [...new Set(run.counts.map((c) => c.cpu ?? "0"))];
	const shown = (value, r) => value === null ? "-" : typeof value === "number" ? mark(r) + rounded(value) : value;
	const each = cpus.length > 1 && cpus.length <= 8 ? cpus : [];
	const instructions = rows.some((r) => isInstructions(r.name));

	by("counts-section").hidden = !rows.length;
	table("counts", [[each.length ? "all CPUs" : "value", "number"], ...each.map((c) => [`CPU ${c}`, "number"]),
		...(before ? [["before", "number"], ["change", "number"]] : []),
		...(instructions ? [["per 1,000 instr.", "number"]] : []), ["event or metric", "name"], ["", "note"]],
	rows.map((r) => {
		const sampled = run.events.filter((e) => withoutPeriod(e.name) === r.name)[r.nth]?.period;
		const like = before?.filter((b) => b.name === r.name && b.nth === r.nth);
		const oldRow = like?.find((b) => b.run === r.run) ?? like?.[0], old = oldRow?.all ?? null;
		const base = instructionsFor(rows, r), both = typeof old === "number" && typeof r.all === "number";
		const note = [r.metric ? r.unit : "", r.metric ? r.description : "",
			sampled ? `sampled, one in ${grouped(sampled)}` : "", r.run > 1 ? `run ${r.run}` : "",
			r.group ? `scaled: group ${r.group}, which counted ${r.percent}% of the time` : ""];

		return {hit: matches(r.name), cells: [shown(r.all, r),
			...each.map((c) => shown(r.of.get(c) ?? null, r)),
			...(before ? [shown(old, oldRow), both ? change(old, r.all) : ""] : []),
			...(instructions ? [!r.metric && base && typeof r.all === "number" && chosen.cpu < 0 ?
				mark(r) + rounded(1000 * r.all / base) : ""] : []),
			element("span", {title: r.formula}, r.name), note.filter((t) => t).join(", ")]};
	}));
}

//
// The finding
//

// The metric that says most: of time, unless the clock says nothing about it.
function tellingMetric(rows) {
	const metrics = rows.filter((r) => r.metric && typeof valueOf(r) === "number" &&
		(hasTime() || !isCycles(r.unit + r.formula + r.name)));
	const metric = metrics.find((r) => /\/instruction|^instructions\//.test(r.unit)) ?? metrics[0];

	if (!metric)
		return "";
	return `${metric.name} is ${mark(metric)}` + (metric.unit === "ratio" ? percent(valueOf(metric), 1) :
		rounded(valueOf(metric)) + (metric.unit === "count" ? "" : ` ${metric.unit}`));
}

const perEvent = (rows, row) =>
	`${mark(row)}${rounded(instructionsFor(rows, row) / valueOf(row))} instructions per ${plain(row.name)}`;

// The number that says most next to the share: instructions per sampled event; a metric; instructions per event of
// the most frequent kind that costs time.
function tellingNumber(rows) {
	const counted = rows.filter((r) => !r.metric && valueOf(r) > 0 && !isInstructions(r.name) &&
		!isCycles(r.name) && instructionsFor(rows, r)).sort((a, b) => valueOf(b) - valueOf(a));
	const sampled = counted.find((r) => r.name === withoutPeriod(run.events[chosen.event].name));
	const telling = counted.find((r) => /miss|repl|misp/i.test(r.name)) ?? counted[0];

	return sampled ? perEvent(rows, sampled) : tellingMetric(rows) || (telling ? perEvent(rows, telling) : "");
}

function tellFinding(samples, total) {
	const rows = countRows(run.counts), hottest = byFunction(samples)[0];
	const event = run.events[chosen.event], number = tellingNumber(rows);
	const old = beforeOf(event.name);

	if (!hottest) {
		by("finding").textContent = "No samples of this event on this CPU.";
		return;
	}
	const was = old && old.total ? `, before ${percent(old.functions[hottest[0]] ?? 0, old.total)}` : "";

	by("finding").textContent = `${hottest[0]} takes ${percent(hottest[1], total)} of ` +
		`${withoutPeriod(event.name)} (${grouped(total)} sample${total === 1 ? "" : "s"})${was}` +
		`${number ? `; ${number}` : ""}.`;
}

//
// Comparison
//

// The event of the run before: its samples by function, and their sum.
function beforeOf(name) {
	const event = run.before?.events.find((e) => withoutPeriod(e.name) === withoutPeriod(name));

	return event ? {...event, total: Object.values(event.functions).reduce((sum, n) => sum + n, 0)} : null;
}

function drawBefore(samples, total) {
	const event = run.events[chosen.event], old = beforeOf(event.name);

	by("before-section").hidden = !run.before;
	if (!run.before)
		return;
	by("before-name").textContent = run.before.path;
	by("before-hint").textContent = (run.before.build_id === run.build_id ? "The same program. " : "") +
		(chosen.cpu >= 0 ? "The run before is that of all CPUs. " : "") +
		(!old || !old.total ? `The run before has no samples of ${withoutPeriod(event.name)}.` :
			"Functions that differ. Events are samples times the period.");
	const now = new Map(byFunction(samples));
	const names = new Set([...now.keys(), ...Object.keys(old?.functions ?? {})]);
	const rows = [...names].map((name) => {
		const a = old?.functions[name] ?? 0, b = now.get(name) ?? 0;

		return {name, from: old?.total ? a / old.total : 0, to: total ? b / total : 0,
			before: a * (old?.period ?? 0), now: b * event.period};
	}).filter((r) => r.now !== r.before || Math.abs(r.to - r.from) >= CHANGED)
		.sort((a, b) => Math.abs(b.now - b.before) - Math.abs(a.now - a.before) || (a.name < b.name ? -1 : 1));
	if (!rows.length && old?.total)
		by("before-hint").textContent += " None does.";
	const most = Math.max(1, ...rows.map((r) => Math.abs(r.now - r.before)));

	table("before", [["before", "number"], ["now", "number"], ["points", "number"], ["events before", "number"],
		["events now", "number"], ["change", "number"], ["", "bar"], ["function", "name"]],
	rows.slice(0, ROWS).map((r) => ({hit: matches(r.name), cells: [percent(r.from, 1), percent(r.to, 1),
		Math.abs(r.to - r.from) < CHANGED ? "0.0" : `${r.to > r.from ? "+" : "−"}${
			(100 * Math.abs(r.to - r.from)).toFixed(1)}`,
		grouped(r.before), grouped(r.now), change(r.before, r.now),
		bar(Math.abs(r.now - r.before), most, r.now > r.before ? "var(--more)" : "var(--less)"), r.name]})),
	rows.length);
}
