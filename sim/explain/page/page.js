// The cursor: where it can stop, and what moves it.

async function unpack(text) {
	const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

const data = await unpack(document.getElementById("data").textContent);
const sections = [...document.querySelectorAll(".run")];
const drawings = sections.map((section, i) => new Drawing(section, data.Runs[i]));
const panels = sections.map((section, i) => new Panel(section, data.Runs[i]));
const button = (id) => document.getElementById(id);
const about = document.querySelector(".about");

for (const run of data.Runs) {
	run.Texts = run.Trace.split("\n").slice(0, -1);
	run.Events = run.Texts.map((text) => JSON.parse(text));
}

// stopsBy lists the places at which the cursor stops, of all runs in the order of time.
function stopsBy(what) {
	const stops = [];
	data.Runs.forEach((run, i) => {
		if (what === "events") {
			run.Events.forEach((e) => stops.push({ run: i, at: e.at_ns, events: e.seq }));
			return;
		}
		for (const line of run.Lines) {
			if (what === "moments" || line.Mark === "fault" || line.Mark === "violation") stops.push({ run: i, at: line.At, events: line.Count, line });
		}
	});
	if (!stops.length) stops.push({ run: 0, at: 0, events: 0 });
	return stops.sort((a, b) => a.at - b.at || a.run - b.run || a.events - b.events);
}

let by = "moments", stops = stopsBy(by), index = 0, playing = 0, chosen = null;

// lineAt returns the line of a run's story at a place: the one that tells the event, or
// else the latest.
function lineAt(run, at, events) {
	const told = by === "events" && run.Lines.find((line) => line.Events && line.Events.includes(events));
	return told || run.Lines[latest(run.Lines, (line) => line.At <= at && line.Count <= events)];
}

// go moves the cursor to a stop.
function go(to) {
	index = Math.min(Math.max(to, 0), stops.length - 1);
	const stop = stops[index];
	drawings.forEach((drawing) => drawing.moveTo(stop.at)); // before anything is written, so that no layout is due
	data.Runs.forEach((run, i) => {
		const events = i === stop.run ? stop.events : latest(run.Events, (e) => e.at_ns <= stop.at) + 1;
		const line = i === stop.run && stop.line || lineAt(run, stop.at, events);
		panels[i].show(stop.at, events, line);
	});
	document.querySelectorAll(".story [aria-current]").forEach((li) => li.removeAttribute("aria-current"));
	if (stop.line) document.querySelector(`.story a[data-run="${stop.run}"][data-line="${stop.line.Number}"]`).parentElement.setAttribute("aria-current", "step");
	const kind = by === "events" ? " " + data.Runs[stop.run].Events[stop.events - 1]?.kind : "";
	button("position").textContent = `${index + 1} of ${stops.length}${kind}`;
}

// stepBy changes what the cursor stops at. It stays where it is, or shortly before.
function stepBy(what) {
	const { at, events } = stops[index];
	by = what;
	stops = stopsBy(what);
	document.querySelectorAll("[data-by]").forEach((b) => b.setAttribute("aria-pressed", b.dataset.by === what));
	go(latest(stops, (stop) => stop.at <= at && (data.Runs.length > 1 || stop.events <= events)));
}

function play(on) {
	clearTimeout(playing);
	playing = on ? setTimeout(() => { go(index + 1); play(index < stops.length - 1); }, by === "events" ? 200 : 2000) : 0;
	button("play").textContent = on ? "❚❚ pause" : "▶ play";
	button("play").setAttribute("aria-label", on ? "pause" : "play");
}

function zoomTo(zoom, x, drawing = drawings[0]) {
	zoom = Math.min(Math.max(zoom, 1), 2 ** drawing.sheet.Zooms);
	drawing.setZoom(zoom, x);
	for (const other of drawings) if (other !== drawing) other.setZoom(zoom, x);
	for (const pattern of document.querySelectorAll(".definitions pattern")) {
		pattern.dataset.angle ||= pattern.getAttribute("patternTransform");
		pattern.setAttribute("patternTransform", `scale(${drawings[0].sheet.Width / drawings[0].width} 1) ${pattern.dataset.angle}`);
	}
	drawings.forEach((d) => d.moveTo(stops[index].at));
}

// zoomBy zooms around a place, or else around the cursor.
function zoomBy(factor, x, drawing = drawings[0]) {
	zoomTo(drawing.zoom * factor, x ?? Math.min(Math.max(drawing.at(stops[index].at) - drawing.scroll.scrollLeft, 0), drawing.scroll.clientWidth), drawing);
}

function showScale(which) {
	drawings.forEach((d) => d.show(which));
	button("scale").setAttribute("aria-pressed", which === 1);
	zoomTo(1, 0);
}

// tell shows what an element is, and its events as in the trace.
function tell(run, sign, seqs) {
	about.hidden = false;
	about.querySelector("h2").textContent = sign;
	const first = seqs[0] && run.Lines.find((line) => line.Events && line.Events.includes(seqs[0]));
	about.querySelector("p").textContent = first ? `Line ${first.Number}: ${first.Text}` : "";
	const visible = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
	about.querySelector("div").replaceChildren(...seqs.map((seq) => element("pre", "", visible(run.Texts[seq - 1]))));
}

function clicked(drawing, target, time) {
	const run = drawing.run;
	if (target?.dataset.line) {
		if (by === "events") stepBy("moments");
		go(stops.findIndex((s) => s.line && data.Runs[s.run] === run && s.line.Number === Number(target.dataset.line)));
	} else if (target) {
		const seqs = target.dataset.m ? run.Events.filter((e) => e.message === Number(target.dataset.m)).map((e) => e.seq)
			: target.dataset.e.split(" ").filter(Boolean).map(Number);
		const words = data.Signs[target.dataset.s] || target.dataset.s;
		tell(run, words[0].toUpperCase() + words.slice(1), seqs);
	} else {
		go(latest(stops, (stop) => stop.at <= time));
	}
}

drawings.forEach((drawing) => listen(drawing, zoomBy, (target, time) => clicked(drawing, target, time)));
const close = () => { about.hidden = true; };
about.querySelector("button").addEventListener("click", close);
document.querySelector("main").addEventListener("click", (event) => {
	const link = event.target.closest("a[data-line]");
	if (!link) return;
	event.preventDefault();
	clicked(drawings[link.dataset.run], link, 0);
	scrollTo(0, 0);
});
document.querySelectorAll("[data-by]").forEach((b) => b.addEventListener("click", () => stepBy(b.dataset.by)));

const actions = {
	first: () => go(0), back: () => go(index - 1), next: () => go(index + 1), last: () => go(stops.length - 1),
	play: () => play(!playing), in: () => zoomBy(2), out: () => zoomBy(0.5), fit: () => zoomTo(1, 0),
	scale: () => showScale(1 - drawings[0].which),
};
for (const [id, act] of Object.entries(actions)) button(id).addEventListener("click", act);

const keys = {
	ArrowLeft: actions.back, ArrowRight: actions.next, Home: actions.first, End: actions.last, " ": actions.play,
	"+": actions.in, "=": actions.in, "-": actions.out, 0: actions.fit, t: actions.scale, Escape: close,
	1: () => stepBy("moments"), 2: () => stepBy("faults"), 3: () => stepBy("events"),
	v: () => { const i = stops.findIndex((s) => s.line?.Mark === "violation"); if (i >= 0) go(i); },
	Enter: () => {
		const stop = stops[index];
		tell(data.Runs[stop.run], stop.line ? `Line ${stop.line.Number}` : `Event ${stop.events}`, stop.line ? stop.line.Events || [] : [stop.events]);
	},
};
document.addEventListener("keydown", (event) => {
	if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
	if ((event.key === " " || event.key === "Enter") && event.target.closest("button, a")) return;
	event.preventDefault();
	if (event.shiftKey && event.key.startsWith("Arrow")) {
		drawings[0].scroll.scrollLeft += event.key === "ArrowLeft" ? -120 : 120;
		return;
	}
	if (event.key !== " ") play(false);
	keys[event.key]();
});
addEventListener("resize", () => zoomTo(drawings[0].zoom, 0));

zoomTo(1, 0);
go(stops.findIndex((stop) => "#" + stop.line?.Number === location.hash)); // page.html#7 opens at line 7
document.documentElement.dataset.ready = "true";
