// The map: a click on a cell opens its run, a click on a second one puts that below.

async function inflate(text) {
	const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

const { Cells, Style, Script } = JSON.parse(await inflate(document.getElementById("cells").textContent));
const rects = new Map([...document.querySelectorAll("[data-cell]")].map((rect) => [Number(rect.dataset.cell), rect]));
const slots = [...document.querySelectorAll(".slot")];
let at = 0, next = 0;

function choose(i) {
	rects.get(at)?.classList.remove("at");
	at = i;
	rects.get(at).classList.add("at");
	document.querySelector(".says").textContent = Cells[i].Words;
}

// show opens the run of a cell in the next of the two slots.
async function show(i) {
	choose(i);
	const cell = Cells[i], slot = slots[next];
	slots.forEach((other) => other === slot && rects.get(Number(other.dataset.shows))?.classList.remove("open"));
	rects.get(i).classList.add("open");
	slot.dataset.shows = i;
	slot.hidden = false;
	slot.querySelector("p").textContent = cell.Words;
	slot.querySelector("code").textContent = cell.Command;
	slot.querySelector("samp").textContent = cell.TraceHash;
	const frame = slot.querySelector("iframe"), data = document.getElementById("run-" + i);
	frame.hidden = !data;
	if (data) frame.srcdoc = (await inflate(data.textContent)).replace("\u0001", () => Style).replace("\u0002", () => Script);
	next = 1 - next;
	slot.scrollIntoView({ block: "nearest" });
}

function step(dx, dy) {
	const { Panel, X, Y } = Cells[at];
	const to = Cells.findIndex((c) => c.Panel === Panel && c.X === X + dx && c.Y === Y + dy);
	if (to >= 0) choose(to);
}

document.querySelector(".chart").addEventListener("click", (event) => {
	const cell = event.target.dataset?.cell;
	if (cell !== undefined) show(Number(cell));
});
document.querySelector(".chart").addEventListener("mousemove", (event) => {
	const cell = event.target.dataset?.cell;
	if (cell !== undefined) choose(Number(cell));
});
document.querySelector(".chart").addEventListener("keydown", (event) => {
	const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
	if (moves[event.key]) step(...moves[event.key]);
	else if (event.key === "Enter") show(at);
	else return;
	event.preventDefault();
});
document.documentElement.dataset.ready = "true";
