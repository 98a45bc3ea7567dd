// The page: time, camera, clearance plot and switches around the renderer.

const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const svg = (parent, name, values, text) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
};
// How many of ascending numbers are at most x.
const upTo = (numbers, x) => { let low = 0, high = numbers.length; while (low < high) { const k = (low + high) >> 1; if (numbers[k] <= x) low = k + 1; else high = k; } return low; };
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const THEMES = {
  light: { top: [0.955, 0.968, 0.985], bottom: [0.865, 0.885, 0.915], paper: [0.925, 0.938, 0.955], ink: [0.60, 0.65, 0.72],
    shadow: [0.36, 0.41, 0.50], contact: [0.90, 0.07, 0.25] },
  dark: { top: [0.085, 0.098, 0.125], bottom: [0.14, 0.16, 0.195], paper: [0.115, 0.13, 0.16], ink: [0.30, 0.34, 0.41],
    shadow: [0.02, 0.025, 0.035], contact: [1.0, 0.26, 0.40] },
};
const GREY = [0.5, 0.55, 0.63, 0.6], AMBER = [0.93, 0.58, 0.05, 0.95], RED = [0.92, 0.08, 0.27, 1.0], TEAL = [0.05, 0.55, 0.6, 0.8];
const SECONDS = 6; // one run of the motion

const lengthText = (metres) => {
  if (!isFinite(metres)) return "–";
  for (const [name, size] of [["m", 1], ["mm", 1e-3], ["µm", 1e-6]]) {
    if (metres >= size) return `${Number((metres / size).toPrecision(4))} ${name}`;
  }
  return metres === 0 ? "0 mm" : metres < 1e-11 ? `${metres.toExponential(1)} m` : `${(metres * 1e9).toPrecision(3)} nm`;
};

async function unpack(film) {
  const packed = Uint8Array.from(atob(byId("bytes").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const all = await new Response(stream).arrayBuffer();
  const kinds = { u1: Uint8Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array };
  return Object.fromEntries(film.sections.map(([name, kind, offset, count]) => [name, new kinds[kind](all, offset, count)]));
}

class Page {
  constructor(film, bytes) {
    this.film = film; this.bytes = bytes;
    this.canvas = byId("view");
    this.renderer = new Renderer(this.canvas, film, bytes);
    this.shown = { ghosts: true, closest: true, mesh: false, boxes: false, obbs: false, pairs: false };
    const triangles = film.sheets.reduce((sum, sheet) => sum + sheet.count / 3, 0);
    if (triangles > 0 && triangles < 3000) this.showMesh(true);
    this.time = film.contact === null ? 0 : film.contact;
    this.playing = false;
    this.span = [0, 1]; // of the plot
    this.dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.classList.toggle("dark", this.dark);
    this.still = film.links.map((_, i) => this.pose(i, 0, 0, 0));
    this.ghosts = [[0, "start"], [1, "end"]].map(([t, name]) => ({ t, name, moment: this.momentAt(t) }));
    this.fillCard(); this.fillSwitches(); this.listen(); this.home(); this.resize();
    if (film.contact !== null) byId("contact").hidden = false;
    new ResizeObserver(() => this.resize()).observe(this.canvas);
  }

  // Edges of deformable models; made when they are first asked for.
  showMesh(shown) {
    if (shown && !this.edged) { this.renderer.addEdges(this.bytes.indices); this.edged = true; }
    this.shown.mesh = shown;
  }

  // ---- what is where --------------------------------------------------------------------------------------------------

  // Matrix of a link between two moments: links that never move have one moment only.
  pose(link, k, next, s) {
    const { links } = this.film, source = this.bytes.poses, { offset, moments } = links[link];
    const a = offset + 12 * Math.min(k, moments - 1), b = offset + 12 * Math.min(next, moments - 1);
    const x = (i) => source[a + i] + s * (source[b + i] - source[a + i]);
    return new Float32Array([x(0), x(4), x(8), 0, x(1), x(5), x(9), 0, x(2), x(6), x(10), 0, x(3), x(7), x(11), 1]);
  }

  between(times, t) {
    let low = 0, high = times.length - 1;
    while (high - low > 1) { const middle = (low + high) >> 1; if (times[middle] <= t) low = middle; else high = middle; }
    const span = times[high] - times[low];
    return [low, high, span > 0 ? clamp((t - times[low]) / span, 0, 1) : 0];
  }

  posesAt(t) {
    const [k, next, s] = this.between(this.film.times, t);
    return this.film.links.map((link, i) => (link.moments === 1 ? this.still[i] : this.pose(i, k, next, s)));
  }

  // What the renderer needs of a time: poses of links, frames of sheets, and how many of their triangles have touched.
  momentAt(t, paint) {
    const { sheets } = this.film;
    return { poses: this.posesAt(t), frames: sheets.map((sheet) => (sheet.times.length === 1 ? [0, 0, 0] : this.between(sheet.times, t))),
      touched: paint && sheets.map((sheet) => upTo(sheet.touched, t)), paint };
  }

  slab() { return this.film.slabs.find((s) => this.time <= s.t1) || this.film.slabs[this.film.slabs.length - 1]; }

  clearanceAt(t) {
    const { clearance } = this.film;
    if (!clearance) return null;
    const [k, next, s] = this.between(clearance.times, t), d = clearance.distances;
    const same = clearance.pairs[k] === clearance.pairs[next] && d[k] !== null && d[next] !== null;
    const near = s < 0.5 ? k : next;
    if (d[near] === null) return null;
    const p = this.bytes.closest, point = (side) => [0, 1, 2].map((c) => (same
      ? p[6 * k + 3 * side + c] * (1 - s) + p[6 * next + 3 * side + c] * s : p[6 * near + 3 * side + c]));
    const value = d[k] === null || d[next] === null ? d[near] : d[k] * (1 - s) + d[next] * s;
    return { value, a: point(0), b: point(1), pair: clearance.names[clearance.pairs[near]] };
  }

  // What the plot shows over time: the clearance, or how many contacts there are by then.
  plotted() {
    const { clearance, growth } = this.film;
    if (growth) return { times: growth.times, values: growth.counts, label: growth.what, unit: "", scale: 1 };
    if (!clearance) return null;
    return { times: clearance.times, values: clearance.distances, label: "clearance" };
  }

  plottedAt(t) {
    const { growth } = this.film;
    if (!growth) {
      const found = this.clearanceAt(t), brief = found && lengthText(found.value);
      return found && { value: found.value, text: `${brief}  ·  ${found.pair}`, brief };
    }
    const value = growth.counts[Math.max(upTo(growth.times, t) - 1, 0)];
    return { value, text: value.toLocaleString("en"), brief: value.toLocaleString("en") };
  }

  // ---- camera ---------------------------------------------------------------------------------------------------------

  frame() {
    const c = Math.cos(this.elevation);
    return lookFrame([c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation)]);
  }

  camera() {
    const frame = this.frame(), [x, y] = this.shift;
    return { frame, eye: this.pivot.map((p, i) => p + frame[0][i] * x + frame[1][i] * y + frame[2][i] * this.distance) };
  }

  // Put what matters into the part of the window that no panel covers.
  home() {
    const { film } = this, width = this.canvas.clientWidth || 1, height = this.canvas.clientHeight || 1;
    const wideEnough = width > 760, dock = byId("dock").getBoundingClientRect();
    const left = wideEnough ? 350 : 20, right = width - (wideEnough ? 226 : 20), top = wideEnough ? 46 : 110, bottom = dock.top - 30;
    this.azimuth = film.view.azimuth; this.elevation = film.view.elevation;
    const frame = this.frame(), focus = film.focus.map((p) => frame.map((row) => dot(row, p)));
    const aspect = width / height, edges = [
      [TANGENT * aspect * (2 * left / width - 1), TANGENT * aspect * (2 * right / width - 1)],
      [TANGENT * (1 - 2 * bottom / height), TANGENT * (1 - 2 * top / height)]];
    const bounds = edges.map(([low, high], axis) => [
      Math.max(...focus.map((p) => p[axis] + high * p[2])), Math.min(...focus.map((p) => p[axis] + low * p[2])), low, high]);
    const far = Math.max(...bounds.map(([a, b, low, high]) => (a - b) / (high - low)));
    const place = bounds.map(([a, b, low, high]) => 0.5 * (a - high * far + b - low * far));
    const middle = [0, 1, 2].map((i) => 0.5 * (Math.min(...film.focus.map((p) => p[i])) + Math.max(...film.focus.map((p) => p[i]))));
    const seen = frame.map((row) => dot(row, middle));
    this.pivot = middle; this.distance = far - seen[2];
    this.shift = [place[0] - seen[0], place[1] - seen[1]];
    this.changed();
  }

  lookAtContact() {
    this.pivot = this.film.touches[0].point.slice();
    this.distance = 0.5 * this.film.reach; this.shift = [-0.03 * this.distance, -0.05 * this.distance];
    this.goTo(this.film.contact);
  }

  project(point) {
    const m = this.renderer.camera, w = m[3] * point[0] + m[7] * point[1] + m[11] * point[2] + m[15];
    if (w <= 0) return null;
    const x = (m[0] * point[0] + m[4] * point[1] + m[8] * point[2] + m[12]) / w;
    const y = (m[1] * point[0] + m[5] * point[1] + m[9] * point[2] + m[13]) / w;
    return [(x + 1) / 2 * this.canvas.clientWidth, (1 - y) / 2 * this.canvas.clientHeight];
  }

  // ---- marks and lines ------------------------------------------------------------------------------------------------

  // The arrow keeps its size on the screen; `away` is how far its foot is from the eye.
  setContactMarks(away) {
    const { touches } = this.film, triangles = [], arrow = [];
    for (const touch of touches) for (const triangle of touch.triangles) for (const p of triangle) triangles.push(...p, 0, 0, 1);
    const { point, normal } = touches[0] || {};
    if (normal) {
      const n = unit(normal), u = unit(cross(n, Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0])), v = cross(n, u);
      const size = 0.07 * away, sides = 20;
      const at = (along, r, i) => { const a = 2 * Math.PI * i / sides; return point.map((p, k) => p + size * (along * n[k] + r * (Math.cos(a) * u[k] + Math.sin(a) * v[k]))); };
      const out = (i) => { const a = 2 * Math.PI * i / sides; return u.map((x, k) => Math.cos(a) * x + Math.sin(a) * v[k]); };
      const put = (p, d) => arrow.push(...p, ...d);
      for (let i = 0; i < sides; i++) {
        for (const [l0, r0, l1, r1] of [[0, 0.028, 0.72, 0.028], [0.7, 0.085, 1, 0]]) {
          const [a, b, c, d] = [at(l0, r0, i), at(l0, r0, i + 1), at(l1, r1, i + 1), at(l1, r1, i)];
          put(a, out(i)); put(b, out(i + 1)); put(c, out(i + 1)); put(a, out(i)); put(c, out(i + 1)); put(d, out(i));
        }
      }
    }
    this.renderer.setMarks(triangles, arrow);
  }

  outlines(colour) {
    const rows = [];
    for (const touch of this.film.touches) for (const [a, b, c] of touch.triangles) {
      for (const [p, q] of [[a, b], [b, c], [c, a]]) rows.push(...p, ...q, ...colour, 1);
    }
    return rows;
  }

  lineRows(poses) {
    const rows = [], { film, bytes, shown } = this, slab = this.slab();
    const edge = (a, b, colour) => rows.push(...a, ...b, ...colour);
    const place = (m, p) => [0, 1, 2].map((r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
    const frame = (corners, colour) => {
      for (const bit of [4, 2, 1]) for (let i = 0; i < 8; i++) if (!(i & bit)) edge(corners[i], corners[i | bit], colour);
    };
    const pairs = (range) => { const out = []; for (let k = range[0]; k < range[1]; k++) out.push([bytes.pairs[2 * k], bytes.pairs[2 * k + 1]]); return out; };
    const spatial = slab ? pairs(slab.spatial) : [], temporal = slab ? pairs(slab.temporal) : [];
    if (shown.obbs) for (const solid of film.solids) frame(solid.box.map((p) => place(poses[solid.link], p)), TEAL);
    if (shown.boxes && slab) {
      const late = new Set(temporal.flat()), close = new Set(spatial.flat());
      const order = film.swept.map((shape, i) => [late.has(shape) ? RED : close.has(shape) ? AMBER : GREY, i]).sort((a, b) => a[0][3] - b[0][3]);
      for (const [colour, i] of order) {
        const b = bytes.boxes.subarray(6 * (slab.boxes + i), 6 * (slab.boxes + i) + 6);
        frame([0, 1, 2, 3, 4, 5, 6, 7].map((c) => [b[c & 4 ? 3 : 0], b[c & 2 ? 4 : 1], b[c & 1 ? 5 : 2]]), colour);
      }
    }
    if (shown.pairs && slab) {
      const centre = (i) => place(poses[film.solids[i].link], film.solids[i].centre);
      for (const [a, b] of spatial) edge(centre(a), centre(b), AMBER);
      for (const [a, b] of temporal) edge(centre(a), centre(b), RED);
    }
    return rows;
  }

  // ---- drawing --------------------------------------------------------------------------------------------------------

  changed() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => { this.waiting = false; this.draw(now); });
  }

  second(t) { const clock = this.film.seconds; return clock ? clock[0] + t * (clock[1] - clock[0]) : t; }

  draw(now) {
    if (this.playing) {
      const passed = this.last === undefined ? 0 : (now - this.last) / 1000;
      this.last = now;
      const before = this.time, { contact, growth } = this.film;
      this.time = Math.min(1, this.time + passed / (this.film.seconds ? clamp(this.film.seconds[1] - this.film.seconds[0], 2, 120) : SECONDS));
      // It stops where things first touch; played again, it goes on.
      if (!growth && contact !== null && before < contact && contact <= this.time) { this.time = contact; this.setPlaying(false); }
      if (this.time >= 1) this.setPlaying(false);
    }
    const { film } = this, theme = THEMES[this.dark ? "dark" : "light"], moment = this.momentAt(this.time, theme.contact), camera = this.camera();
    const { poses } = moment;
    const away = film.contact === null ? 1 : Math.abs(this.time - film.contact);
    const ghosts = !this.shown.ghosts ? [] : this.ghosts.map((ghost) => ({
      moment: ghost.moment, colour: film.ghostColours[ghost.t], alpha: clamp(Math.abs(this.time - ghost.t) / 0.04, 0, 1),
      shows: (part) => (part.link === undefined ? part.moves
        : film.links[part.link].moments > 1 && ghost.moment.poses[part.link].some((x, i) => Math.abs(x - poses[part.link][i]) > 1e-4)),
    })).filter((ghost) => ghost.alpha > 0.02);
    this.renderer.setLines(this.outlines(theme.contact), this.lineRows(poses));
    this.marks = film.contact === null ? 0 : clamp(1 - away / 0.02, 0, 1);
    if (this.marks > 0 && film.touches.length) this.setContactMarks(dot(camera.frame[2], camera.eye.map((x, i) => x - film.touches[0].point[i])));
    this.renderer.draw({ camera, moment, ghosts, theme, marks: this.marks, dark: this.dark, mesh: this.shown.mesh });
    this.drawOverlay(camera);
    this.drawPlayhead();
    if (this.playing) this.changed();
    this.frames = (this.frames || 0) + 1;
  }

  drawOverlay() {
    const over = byId("overlay"), { film } = this;
    over.replaceChildren();
    const found = this.clearanceAt(this.time);
    const busy = this.marks > 0.5;
    if (this.shown.closest && found && !busy && found.value > 0) {
      const a = this.project(found.a), b = this.project(found.b);
      if (a && b) {
        svg(over, "line", { id: "gap", x1: a[0], y1: a[1], x2: b[0], y2: b[1], stroke: "var(--ink)", "stroke-width": 1.6, "stroke-dasharray": "4 4" });
        for (const [x, y] of [a, b]) svg(over, "circle", { cx: x, cy: y, r: 3.5, fill: "var(--ink)" });
        this.tag(over, 0.5 * (a[0] + b[0]) + 12, 0.5 * (a[1] + b[1]) - 12, lengthText(found.value), "var(--ink)");
      }
    }
    if (film.contact === null || !film.touches.length) return;
    const p = this.project(film.touches[0].point);
    if (!p) return;
    const strength = 0.35 + 0.65 * this.marks;
    svg(over, "circle", { cx: p[0], cy: p[1], r: 13, fill: "none", stroke: "#fff", "stroke-width": 5, opacity: strength });
    svg(over, "circle", { cx: p[0], cy: p[1], r: 13, fill: "none", stroke: "var(--contact)", "stroke-width": 2.5, opacity: strength, id: "ring" });
    svg(over, "circle", { cx: p[0], cy: p[1], r: 4.5, fill: "var(--contact)", stroke: "#fff", "stroke-width": 1.5, opacity: strength });
    if (this.marks <= 0.5) return;
    const { normal, point } = film.touches[0], tip = normal && this.project(point.map((x, i) => x + 0.01 * film.reach * normal[i]));
    const aside = tip && tip[0] > p[0] ? -1 : 1; // the side that the arrow leaves free
    const [x, y] = [p[0] + 64 * aside, p[1] - 58];
    svg(over, "path", { d: `M${p[0] + 10 * aside} ${p[1] - 9}L${x} ${y}`, stroke: "var(--contact)", "stroke-width": 1.5 });
    this.tag(over, x, y, film.meeting, "var(--contact)", aside);
  }

  tag(over, x, y, text, colour, aside = 1) {
    const group = svg(over, "g", {});
    const label = svg(group, "text", { x: x + 9, y: y + 4.5, "font-size": 13, "font-weight": 600, fill: colour }, text);
    const width = label.getComputedTextLength() + 18;
    const panel = byId("switches").getBoundingClientRect(), end = y - 14 < panel.bottom ? panel.left : this.canvas.clientWidth;
    const left = clamp(aside > 0 ? x - 6 : x - width + 6, 8, end - width - 8);
    label.setAttribute("x", left + 9);
    group.insertBefore(svg(group, "rect", { x: left, y: y - 12, width, height: 25, rx: 8, fill: "var(--panel)", stroke: "var(--edge)" }), label);
  }

  // ---- the plot -------------------------------------------------------------------------------------------------------

  resize() {
    this.drawPlot();
    if (!this.touched) this.home();
    this.changed();
  }

  drawPlot() {
    const plot = byId("plot"), { contact, growth } = this.film, shown = this.plotted();
    const margin = growth ? 0 : this.film.margin;
    plot.replaceChildren();
    if (!shown) { plot.style.display = "none"; return; }
    const area = plot.getBoundingClientRect(), slider = byId("time").getBoundingClientRect();
    const left = slider.left - area.left + 8, right = slider.right - area.left - 8, top = 16, bottom = area.height - 20;
    const inside = (t) => t >= this.span[0] && t <= this.span[1];
    const largest = Math.max(1e-12, ...this.span.map((t) => this.plottedAt(t)?.value || 0),
      ...shown.values.filter((d, i) => d !== null && inside(shown.times[i])));
    const unitName = shown.unit ?? (largest >= 1 ? ", m" : ", mm"), scale = shown.scale || (largest >= 1 ? 1 : 1e3);
    const raw = largest * scale / 2, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5].map((k) => k * power).filter((k) => k <= raw).pop();
    const high = largest * 1.06;
    const [t0, t1] = this.span;
    this.x = (t) => left + (t - t0) / (t1 - t0) * (right - left);
    this.y = (d) => bottom - (bottom - top) * d / high;
    this.plotRange = [left, right, top, bottom];
    for (let k = 0; k * step <= largest * scale; k++) {
      const y = this.y(k * step / scale);
      svg(plot, "line", { x1: left, x2: right, y1: y, y2: y, stroke: "var(--edge)" });
      svg(plot, "text", { x: left - 8, y: y + 4, "text-anchor": "end" }, growth ? (k * step).toLocaleString("en") : Number((k * step).toPrecision(3)));
    }
    this.caption = svg(plot, "text", { x: left, y: 10 }, `${shown.label}${unitName}${this.film.samples.length && area.width > 620 ? `, and what ${this.film.samples.length} samples look at` : ""}`);
    const [s0, s1] = [t0, t1].map((t) => this.second(t)), wish = (s1 - s0) / (area.width > 620 ? 5 : 2), tens = 10 ** Math.floor(Math.log10(wish));
    const stride = [1, 2, 5].map((k) => k * tens).filter((k) => k <= wish * 1.0001).pop(), digits = clamp(-Math.floor(Math.log10(stride)), 0, 20);
    for (let k = Math.ceil(s0 / stride - 1e-6); k * stride <= s1 + 1e-6 * stride; k++) {
      svg(plot, "text", { x: this.x((k * stride - s0) / (s1 - s0) * (t1 - t0) + t0), y: area.height - 4, "text-anchor": "middle" }, (k * stride).toFixed(digits));
    }
    const clip = svg(svg(plot, "clipPath", { id: "inside" }), "rect", { x: left, y: 0, width: right - left, height: area.height });
    clip.setAttribute("rx", 2);
    const curve = svg(plot, "g", { "clip-path": "url(#inside)" });
    const points = shown.times.map((t, i) => [t, shown.values[i]]).filter((p) => p[1] !== null);
    const path = points.map(([t, d], i) => `${i ? "L" : "M"}${this.x(t).toFixed(2)} ${this.y(d).toFixed(2)}`).join("");
    const ends = [points[0][0], points[points.length - 1][0]].map((t) => this.x(t).toFixed(2));
    svg(curve, "path", { d: `${path}L${ends[1]} ${bottom}L${ends[0]} ${bottom}Z`, fill: "var(--accent)", opacity: 0.12 });
    svg(curve, "path", { d: path, fill: "none", stroke: "var(--accent)", "stroke-width": 1.8, "stroke-linejoin": "round" });
    if (margin > 0) {
      const y = this.y(margin);
      svg(plot, "line", { x1: left, x2: right, y1: y, y2: y, stroke: "var(--amber)", "stroke-dasharray": "5 4", "stroke-width": 1.3 });
      svg(plot, "text", { x: right - 4, y: y - 4, "text-anchor": "end", class: "margin" }, `${area.width > 620 ? "margin " : ""}${lengthText(margin)}`);
    }
    const looks = this.film.samples.filter(([t]) => inside(t));
    const crowded = looks.length > (right - left) / 9;
    for (const [t, d] of looks) svg(curve, "circle", { cx: this.x(t), cy: this.y(d), r: crowded ? 1.1 : 3, fill: crowded ? "var(--ink)" : "var(--panel)", stroke: "var(--ink)", "stroke-width": crowded ? 0 : 1.3 });
    this.head = svg(plot, "g", {});
    if (contact !== null && inside(contact)) {
      const x = this.x(contact);
      svg(plot, "line", { x1: x, x2: x, y1: top - 4, y2: bottom, stroke: "var(--contact)", "stroke-width": 1.4, "stroke-dasharray": "3 3" });
      svg(plot, "circle", { cx: x, cy: this.y(growth ? this.plottedAt(contact).value : margin || 0), r: 5, fill: "var(--contact)", stroke: "#fff", "stroke-width": 1.5 });
    }
    this.drawPlayhead();
  }

  timeAt(x) {
    const [left, right] = this.plotRange, [t0, t1] = this.span;
    return clamp(t0 + (x - left) / (right - left) * (t1 - t0), 0, 1);
  }

  zoomPlot(x, factor) {
    if (!this.plotRange) return;
    const at = this.timeAt(x), [t0, t1] = this.span, width = clamp((t1 - t0) * factor, 2e-4, 1);
    const first = clamp(at - (at - t0) * width / (t1 - t0), 0, 1 - width);
    this.span = [first, first + width];
    this.drawPlot();
  }

  drawPlayhead() {
    const slider = byId("time");
    slider.value = this.time;
    const share = `${(100 * this.time).toFixed(2)}%`;
    slider.style.setProperty("--track", `linear-gradient(90deg, var(--accent) ${share}, var(--faint) ${share})`);
    byId("clock").textContent = this.film.seconds ? `${this.second(this.time).toFixed(3)} s` : `t = ${this.time.toFixed(4)}`;
    this.describeCulling();
    if (!this.head) return;
    const [, , top, bottom] = this.plotRange, found = this.plottedAt(this.time), x = this.x(this.time);
    this.head.replaceChildren();
    this.caption.style.opacity = 1;
    if (this.time < this.span[0] || this.time > this.span[1]) return;
    svg(this.head, "line", { x1: x, x2: x, y1: top - 6, y2: bottom, stroke: "var(--ink)", "stroke-width": 1.2, opacity: 0.6 });
    if (!found) return;
    svg(this.head, "circle", { cx: x, cy: this.y(found.value), r: 4, fill: "var(--ink)" });
    const text = svg(this.head, "text", { y: top - 5, "font-weight": 600,
      style: "fill: var(--ink); paint-order: stroke; stroke: var(--panel); stroke-width: 4px" });
    const put = (words) => { // to the right where there is room, else to the left: is there any?
      text.textContent = words;
      const width = text.getComputedTextLength(), right = x + 9 + width <= byId("plot").clientWidth;
      text.setAttribute("x", x + (right ? 9 : -9));
      text.setAttribute("text-anchor", right ? "start" : "end");
      return right || x - 9 - width >= 0;
    };
    if (!put(found.text)) put(found.brief);
    const named = this.caption.getBBox(); // it makes room
    if (text.getBBox().x < named.x + named.width + 6) this.caption.style.opacity = 0;
  }

  // ---- panels ---------------------------------------------------------------------------------------------------------

  fillCard() {
    const { film } = this;
    byId("title").textContent = film.title;
    byId("headline").querySelector("span").textContent = film.headline;
    document.body.classList.add(film.status);
    for (const [name, value] of film.details) {
      const term = document.createElement("dt"), description = document.createElement("dd");
      term.textContent = name; description.textContent = value;
      byId("details").append(term, description);
    }
  }

  describeCulling() {
    const line = byId("culling"), slab = this.slab(), { boxes, pairs } = this.shown;
    line.hidden = !slab || !(boxes || pairs);
    if (line.hidden) return;
    const count = (range) => range[1] - range[0], number = this.film.slabs.indexOf(slab) + 1;
    const item = (colour, words) => { const p = document.createElement("div"), key = document.createElement("span");
      key.className = "key"; key.style.background = `rgb(${colour.slice(0, 3).map((c) => Math.round(255 * c))})`; p.append(key, words); return p; };
    const head = document.createElement("div"), bold = document.createElement("b");
    bold.textContent = `Slab ${number} of ${this.film.slabs.length}`;
    head.append(bold, `, t = ${slab.t0.toFixed(3)} to ${slab.t1.toFixed(3)}: ${this.film.pairsTotal} pairs`);
    line.replaceChildren(head, item(AMBER, `${count(slab.spatial)} left after spatial culling`), item(RED, `${count(slab.temporal)} left after temporal culling`));
  }

  fillSwitches() {
    const box = byId("switches");
    box.open = window.innerWidth > 760;
    const names = { ghosts: ["Start and end", "G"], closest: ["Closest points", "D"], mesh: ["Mesh", "M"], boxes: ["Swept boxes", "B"], obbs: ["Oriented boxes", "O"], pairs: ["Surviving pairs", "P"] };
    const there = { closest: this.film.clearance, mesh: this.film.sheets.length, boxes: this.film.slabs.length, obbs: this.film.solids.length, pairs: this.film.slabs.length };
    for (const key of Object.keys(there)) if (!there[key]) delete names[key];
    for (const [key, [text, letter]] of Object.entries(names)) {
      const label = document.createElement("label"), input = document.createElement("input"), short = document.createElement("kbd");
      input.type = "checkbox"; input.checked = this.shown[key]; input.id = `show-${key}`; short.textContent = letter;
      input.addEventListener("change", () => { if (key === "mesh") this.showMesh(input.checked); else this.shown[key] = input.checked; this.changed(); });
      label.append(input, text, short); box.append(label);
    }
    box.append(document.createElement("hr"));
    const button = (id, text, letter, action) => {
      const b = document.createElement("button"), short = document.createElement("kbd");
      b.id = id; short.textContent = letter; b.append(text, short); b.addEventListener("click", action); box.append(b);
    };
    if (this.film.contact !== null && this.film.touches.length) button("zoom", "Look at contact", "Z", () => { this.touched = true; this.lookAtContact(); });
    button("home", "Reset view", "R", () => { this.touched = false; this.home(); });
    button("theme", "Light / dark", "L", () => this.setDark(!this.dark));
  }

  setDark(dark) {
    this.dark = dark;
    document.documentElement.classList.toggle("dark", dark);
    this.changed();
  }

  setPlaying(playing) {
    if (playing && this.time >= 1) this.time = 0;
    this.playing = playing; this.last = undefined;
    byId("play").innerHTML = playing
      ? '<svg width="14" height="14" viewBox="0 0 14 14"><path d="M2 1h3.5v12H2zM8.500 1H12v12H8.500z" fill="currentColor"/></svg>'
      : '<svg width="14" height="14" viewBox="0 0 14 14"><path d="M2.500 0.800v12.400L13 7z" fill="currentColor"/></svg>';
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    this.changed();
  }

  goTo(t) { this.setPlaying(false); this.time = clamp(t, 0, 1); this.changed(); }

  // ---- hands ----------------------------------------------------------------------------------------------------------

  listen() {
    const { canvas } = this, held = new Map();
    this.setPlaying(false);
    byId("play").addEventListener("click", () => this.setPlaying(!this.playing));
    byId("time").addEventListener("input", (e) => this.goTo(Number(e.target.value)));
    byId("contact").addEventListener("click", () => this.goTo(this.film.contact));
    const plot = byId("plot"), seek = (e) => {
      if (!this.plotRange) return;
      const x = e.clientX - plot.getBoundingClientRect().left;
      const c = this.film.contact, near = c !== null && Math.abs(x - this.x(c)) < 5;
      this.goTo(near ? c : this.timeAt(x));
    };
    plot.addEventListener("wheel", (e) => { e.preventDefault(); this.zoomPlot(e.clientX - plot.getBoundingClientRect().left, Math.exp(clamp(e.deltaY, -120, 120) * 0.004)); }, { passive: false });
    plot.addEventListener("dblclick", () => { this.span = [0, 1]; this.drawPlot(); });
    plot.addEventListener("pointerdown", (e) => { plot.setPointerCapture(e.pointerId); seek(e); });
    plot.addEventListener("pointermove", (e) => { if (e.buttons) seek(e); });

    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); held.set(e.pointerId, [e.clientX, e.clientY]); canvas.classList.add("held"); });
    const release = (e) => { held.delete(e.pointerId); if (!held.size) canvas.classList.remove("held"); };
    canvas.addEventListener("pointerup", release); canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointermove", (e) => {
      const before = held.get(e.pointerId);
      if (!before) return;
      const dx = e.clientX - before[0], dy = e.clientY - before[1];
      if (held.size === 1) {
        if (e.buttons & 6 || e.shiftKey || e.ctrlKey) this.pan(dx, dy); else this.turn(dx, dy);
      } else {
        const others = [...held.entries()].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
        const span = (p) => Math.hypot(p[0] - others[0][0], p[1] - others[0][1]);
        this.zoom(span(before) / Math.max(span([e.clientX, e.clientY]), 1));
        this.pan(dx / 2, dy / 2);
      }
      held.set(e.pointerId, [e.clientX, e.clientY]);
    });
    canvas.addEventListener("wheel", (e) => { e.preventDefault(); this.zoom(Math.exp(clamp(e.deltaY, -120, 120) * 0.0014)); }, { passive: false });
    canvas.addEventListener("dblclick", () => { this.touched = false; this.home(); });
    window.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const switches = { g: "ghosts", d: "closest", m: "mesh", b: "boxes", o: "obbs", p: "pairs" }, key = e.key.toLowerCase();
      if (e.key === " " && e.target.tagName !== "BUTTON") { e.preventDefault(); this.setPlaying(!this.playing); }
      else if (key === "c" && this.film.contact !== null) this.goTo(this.film.contact);
      else if (key === "z" && byId("zoom")) byId("zoom").click();
      else if (key === "r") byId("home").click();
      else if (key === "l") this.setDark(!this.dark);
      else if (switches[key]) byId(`show-${switches[key]}`)?.click();
      else if (e.target.id !== "time" && (e.key === "ArrowRight" || e.key === "ArrowLeft")) this.goTo(this.time + (e.key === "ArrowRight" ? 0.005 : -0.005));
    });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => this.setDark(e.matches));
  }

  turn(dx, dy) {
    this.touched = true;
    this.azimuth -= dx * 0.0065; this.elevation = clamp(this.elevation + dy * 0.0065, -1.5, 1.5);
    this.changed();
  }

  pan(dx, dy) {
    this.touched = true;
    const step = 2 * TANGENT * this.distance / this.canvas.clientHeight, [right, up] = this.frame();
    this.pivot = this.pivot.map((p, i) => p - right[i] * dx * step + up[i] * dy * step);
    this.changed();
  }

  zoom(factor) {
    this.touched = true;
    const next = clamp(this.distance * factor, 0.01 * this.film.reach, 12 * this.film.size), by = next / this.distance;
    this.distance = next; this.shift = this.shift.map((x) => x * by);
    this.changed();
  }
}

const trouble = (error) => {
  byId("trouble").textContent = error instanceof Error ? error.message : String(error);
  byId("trouble").hidden = false;
  for (const id of ["card", "switches", "dock"]) byId(id).hidden = true;
};

(async () => {
  const film = JSON.parse(byId("film").textContent);
  try {
    if (!("DecompressionStream" in window)) throw new Error("This page needs a browser of 2023 or later: it unpacks its data with DecompressionStream.");
    const page = window.tocsin = new Page(film, await unpack(film));
    if (location.hash === "#play") { page.goTo(0); page.setPlaying(true); } // asked for by who embeds it
  } catch (error) { trouble(error); }
})();
