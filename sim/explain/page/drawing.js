// A drawing: two SVG sheets that Go has made, of which one is shown at a time. The
// script changes their width; signs and labels keep their shape (--k).
class Drawing {
	constructor(section, run) {
		this.run = run;
		this.names = section.querySelector(".names");
		this.scroll = section.querySelector(".scroll");
		this.body = section.querySelector(".body");
		this.line = section.querySelector(".cursor");
		this.which = 0;
		this.zoom = 1;
	}

	get sheet() { return this.run.Sheets[this.which]; }
	get smallest() { return Math.max(this.sheet.Width, this.scroll.clientWidth); }
	get width() { return this.smallest * this.zoom; }

	show(which) {
		Object.assign(this.sheet, { Names: this.names.innerHTML, Body: this.body.innerHTML });
		this.which = which;
		this.names.innerHTML = this.sheet.Names;
		this.body.innerHTML = this.sheet.Body;
		this.body.setAttribute("viewBox", `0 0 ${this.sheet.Width} ${this.sheet.Height}`);
		this.body.style.height = this.names.style.height = this.sheet.Height + "px";
	}

	// setZoom keeps the place at x pixels from the left edge of what is visible.
	setZoom(zoom, x) {
		const place = (this.scroll.scrollLeft + x) / this.width;
		this.zoom = zoom;
		this.body.style.width = this.width + "px";
		const k = this.sheet.Width / this.width;
		this.body.style.setProperty("--k", k);
		for (const group of this.body.querySelectorAll(".zoomed")) {
			const seen = 2 ** group.dataset.level <= 1 / k + 1e-9;
			if (seen && !group.childElementCount) group.innerHTML = this.sheet.Zoomed[group.dataset.level - 1];
			group.style.display = seen ? "inline" : "none";
		}
		this.scroll.scrollLeft = place * this.width - x;
	}

	// at returns the x of an instant, in pixels from the left edge of the drawing.
	at(time) {
		const bursts = this.sheet.Bursts;
		let x = bursts[0][2], before = null;
		for (const [from, until, left, right] of bursts) {
			if (time >= from) x = until > from ? left + (right - left) * Math.min(1, (time - from) / (until - from)) : left;
			else if (before && time > before[1]) { x = before[3] + (left - before[3]) * (time - before[1]) / (from - before[1]); break; }
			before = [from, until, left, right];
		}
		return x / this.sheet.Width * this.width;
	}

	// timeAt is the inverse of at.
	timeAt(pixels) {
		const x = pixels / this.width * this.sheet.Width;
		let time = this.sheet.Bursts[0][0];
		for (const [from, until, left, right] of this.sheet.Bursts) {
			if (x >= left) time = right > left ? from + (until - from) * Math.min(1, (x - left) / (right - left)) : from;
		}
		return time;
	}

	// moveTo puts the cursor's line at an instant and brings it into sight.
	moveTo(time) {
		const x = this.at(time), seen = this.scroll.clientWidth;
		this.line.style.transform = `translateX(${x - 1.5}px)`;
		const inside = x - this.scroll.scrollLeft;
		if (this.zoom > 1 && (inside < seen * 0.05 || inside > seen * 0.95)) this.scroll.scrollLeft = x - seen / 3;
	}
}

// listen lets the wheel zoom and a drag pan. A press that does not move is a click.
function listen(drawing, zoomBy, clicked) {
	const box = drawing.scroll;
	box.addEventListener("wheel", (event) => {
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
		event.preventDefault();
		zoomBy(2 ** (-event.deltaY / 240), event.clientX - box.getBoundingClientRect().left, drawing);
	}, { passive: false });
	let start = null;
	box.addEventListener("pointerdown", (event) => {
		start = { x: event.clientX, left: box.scrollLeft, moved: false };
	});
	box.addEventListener("pointermove", (event) => {
		if (!start || !event.buttons) return;
		start.moved ||= Math.abs(event.clientX - start.x) > 4;
		if (start.moved) box.scrollLeft = start.left + start.x - event.clientX;
	});
	box.addEventListener("click", (event) => {
		if (start && start.moved) return;
		clicked(event.target.closest("[data-e],[data-m],[data-line]"), drawing.timeAt(event.clientX - box.getBoundingClientRect().left + box.scrollLeft));
	});
	box.addEventListener("scroll", () => followed(drawing));
}

// followed lets the other drawing of a pair scroll along.
function followed(drawing) {
	for (const other of drawings) {
		if (other !== drawing && Math.abs(other.scroll.scrollLeft - drawing.scroll.scrollLeft) > 1) other.scroll.scrollLeft = drawing.scroll.scrollLeft;
	}
}
