// The state at the cursor, in words. Go has computed the states; here they are looked up.

// latest returns the index of the last element for which a condition holds that holds
// for all elements before it; -1 when it holds for none.
function latest(list, holds) {
	let low = 0, high = list.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (holds(list[middle])) low = middle + 1; else high = middle;
	}
	return low - 1;
}

// stateAt returns the state of a track at a time, when so many events have happened.
function stateAt(track, time, events) {
	return track.Changes[Math.max(0, latest(track.Changes, ([at, count]) => at <= time && count <= events))][2];
}

// instant and period write times as the story does.
const instant = (ns) => (ns / 1e9).toFixed(3) + " s";

function period(ns) {
	for (const [size, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]) {
		if (ns < size) continue;
		const v = ns / size;
		return String(Number(v.toFixed(v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2))) + " " + name;
	}
	return Math.round(ns) + " ns";
}

// element makes an element with a class, and texts or elements in it.
function element(name, className, ...children) {
	const made = document.createElement(name);
	if (className) made.className = className;
	made.append(...children.filter((child) => child !== null));
	return made;
}

const SIGNS = { yes: "✓", no: "✗", out: "○", lost: "–", open: "?" };
const VOTES = { yes: "counts", out: "does not count", open: "no answer yet" };

class Panel {
	constructor(section, run) {
		this.run = run;
		this.sentence = section.querySelector(".sentence");
		this.clients = section.querySelector(".clients div");
		this.nodes = section.querySelector(".nodes div");
		this.lamps = section.querySelector(".lamps ul");
		this.colours = Object.fromEntries(run.Tracks.filter((t) => t.Kind === "client").map((t) => [t.Name, t.Colour]));
	}

	// show shows the state at a time, when so many events have happened, and a line.
	show(time, events, line) {
		this.say(time, events, line);
		const rows = { client: [], node: [], register: [] };
		for (const track of this.run.Tracks) {
			const state = stateAt(track, time, events);
			rows[track.Kind].push(this[track.Kind](track, state, time));
		}
		this.clients.replaceChildren(...rows.client, ...rows.register);
		this.nodes.replaceChildren(...rows.node);
		this.lamps.replaceChildren(...this.run.Assumptions.map((a) => this.lamp(a, events)));
	}

	say(time, events, line) {
		const said = this.sentence;
		said.dataset.mark = line ? line.Mark : "";
		said.replaceChildren(element("b", "", line ? String(line.Number) : ""), element("time", "", instant(time)),
			element("span", "", line ? line.Text : "Nothing has happened yet."));
	}

	client(track, state, time) {
		const does = element("div", "");
		for (const h of state.holds || []) {
			const holds = element("span", "holds", `holds ${h.resource}`);
			holds.style.background = track.Colour;
			does.append(element("div", "", holds, ` until ${instant(h.until)}: ${period(Math.max(0, h.until - time))} more`));
		}
		const status = state.status ? element("span", /crashed|paused/.test(state.status) ? "status bad" : "status", state.status) : null;
		if (state.holds) does.append(element("div", "", status));
		else does.append(element("div", "", "holds nothing", status && " · ", status));
		if (state.ballot) does.append(...this.ballot(state.ballot));
		const name = element("b", "", track.Name);
		name.style.color = track.Colour;
		return element("div", "client", name, does);
	}

	ballot(b) {
		const votes = element("div", "votes", element("span", "", b.purpose));
		for (const v of b.votes || []) {
			const vote = element("span", "vote " + v.mark, `${v.node} ${SIGNS[v.mark]}`);
			vote.title = v.why || VOTES[v.mark] || "";
			votes.append(vote);
		}
		if (b.purpose !== "release") votes.append(element("span", "count", `${b.yes} of the ${b.need} needed`));
		const out = (b.votes || []).filter((v) => v.mark === "out").map((v) => element("div", "why", `${v.node} ○ ${v.why}`));
		return [votes, ...out];
	}

	node(track, state, time) {
		const has = element("div", "");
		if (state.down) has.append(element("div", "status bad", "down"));
		for (const k of state.keys || []) {
			const dot = element("span", "owner");
			dot.style.background = this.colours[k.owner] || "#5c6066";
			const left = k.ends >= data.Forever ? "no TTL" : period(Math.max(0, k.ends - time)) + " left";
			has.append(element("div", "key", element("span", "", dot, element("i", "", k.owner ? `${k.owner}'s key` : "key"), ` ${k.key}: ${k.token}`), element("span", "", left)));
		}
		if (!has.childNodes.length) has.append(element("span", "status", "no key"));
		return element("div", "node", element("b", "", track.Name), has);
	}

	register(track, state) {
		const words = state.writer ? `${state.writer}'s ${state.value}` : "not written yet";
		return element("div", "client register", element("b", "", ""), element("div", state.stale ? "status bad" : "", `${track.Name}: ${words}${state.stale ? ", stale" : ""}`));
	}

	lamp(a, events) {
		const broken = a.Broken && a.Event <= events;
		const lamp = element("li", broken ? "lamp broken" : "lamp", a.ID + (broken ? " is broken" : ""), broken ? element("small", "", " — " + a.Words) : null);
		lamp.title = a.Words;
		return lamp;
	}
}
