// The drawing on its canvas: camera, pointer and keys. wf lays it out for the size of the canvas; panning and zooming
// happen here.
import { h, icon, say, states } from './dom.js';
import { Scene, CELL_W, CELL_H } from './scene.js';
import { Painter, readColors } from './paint.js';

const MARGIN = 28; // around the drawing, in pixels
const ROOM = 1.2; // a drawing may be larger than the window by this factor: fit makes it smaller, and it can still be read
const LEAST = 0.06, MOST = 2.5; // of the scale
const ZOOMS = ['', 'cards', 'chips', 'tags', 'dots', 'stages'];
export const zoomNames = { '': 'Fits the window', cards: 'Cards', chips: 'Names and times', tags: 'Short names', dots: 'Signs', stages: 'Stages' };

export class Graph {
  // model is what is drawn; ask sends a look to wf; select gets the nodes of the box that a person selects, or [].
  constructor({ model, ask, select }) {
    Object.assign(this, { model, ask, onSelect: select });
    this.look = { width: 0, height: 0, zoom: '', open: [] };
    this.camera = { x: 0, y: 0, scale: 1 };
    this.selected = null; // numbers of nodes
    this.found = null;
    this.moved = false; // the reader has moved the camera
    this.canvas = h('canvas', { tabIndex: 0, role: 'application', 'aria-label': 'The graph. Arrow keys go from box to box, Enter opens one.' });
    this.zoomWord = h('span', { class: 'zoom-word' });
    this.el = h('div', { class: 'graph' }, this.canvas, h('div', { class: 'tools' },
      h('button', { class: 'tool', title: 'How large nodes are drawn (z)', onclick: () => this.nextZoom() }, icon('layers'), this.zoomWord),
      h('button', { class: 'tool', title: 'Smaller (-)', 'aria-label': 'Smaller', onclick: () => this.zoomBy(1 / 1.3) }, icon('minus')),
      h('button', { class: 'tool', title: 'Larger (+)', 'aria-label': 'Larger', onclick: () => this.zoomBy(1.3) }, icon('plus')),
      h('button', { class: 'tool', title: 'Show all (0)', 'aria-label': 'Show all', onclick: () => this.fit() }, icon('fit'))));
    this.colors = readColors();
    this.listen();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.canvas);
    this.nameZoom();
  }

  close() {
    this.observer.disconnect();
    clearInterval(this.clock);
    cancelAnimationFrame(this.frame);
  }

  resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    if (!width || !height) return;
    this.width = width;
    this.height = height;
    this.ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    const cols = Math.floor(ROOM * (width - 2 * MARGIN) / CELL_W), rows = Math.floor(ROOM * (height - 2 * MARGIN) / CELL_H);
    if (Math.abs(cols - this.look.width) > 1 || Math.abs(rows - this.look.height) > 1) {
      clearTimeout(this.sizing);
      const wait = this.look.width ? 150 : 0; // not for each step of a drag of the window
      this.look = { ...this.look, width: cols, height: rows };
      this.moved = false; // the drawing for the new size is shown as a whole
      this.sizing = setTimeout(() => this.ask(this.look), wait);
    }
    this.paintSoon();
  }

  // take shows a new drawing. The camera stays where the reader put it, if what is selected stays in sight.
  take(drawing) {
    const anchor = this.scene && this.selectedBox();
    const at = anchor && { x: anchor.x - this.camera.x, y: anchor.y - this.camera.y };
    this.scene = new Scene(drawing);
    this.painter = new Painter(this.scene, this.model, this.colors);
    this.canvas.dataset.boxes = String(this.scene.boxes.length); // for tests, which cannot see the canvas
    this.hovered = null;
    const box = this.selectedBox();
    if (box && at && this.moved) {
      this.camera.x = box.x - at.x;
      this.camera.y = box.y - at.y;
    } else this.fit();
    this.light();
    this.paintSoon();
  }

  refresh() { this.paintSoon(); }

  theme() {
    this.colors = readColors();
    if (this.painter) this.painter.colors = this.colors;
    this.paintSoon();
  }

  paintSoon() {
    if (!this.frame) this.frame = requestAnimationFrame(() => { this.frame = 0; this.paint(); });
  }

  paint() {
    const ctx = this.canvas.getContext('2d');
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, this.width, this.height);
    if (!this.painter) return;
    this.dots(ctx);
    this.painter.paint(ctx, this.camera, this.width, this.height, { lit: this.lit, selected: this.selectedBox(), hovered: this.hovered, found: this.found, now: Date.now() });
    const running = this.model.nodes.some((n) => n.row.s === 'running');
    if (running && !this.clock) this.clock = setInterval(() => { if (!document.hidden) this.paintSoon(); }, 1000);
    if (!running && this.clock) { clearInterval(this.clock); this.clock = 0; }
  }

  // dots paints the paper.
  dots(ctx) {
    const step = 24 * Math.max(0.5, this.camera.scale);
    if (step < 14) return;
    ctx.fillStyle = this.colors.faint;
    const x0 = -((this.camera.x * this.camera.scale) % step), y0 = -((this.camera.y * this.camera.scale) % step);
    for (let x = x0; x < this.width; x += step) for (let y = y0; y < this.height; y += step) ctx.fillRect(x, y, 1.5, 1.5);
  }

  fit() {
    if (!this.scene) return;
    const w = this.width - 2 * MARGIN, hgt = this.height - 2 * MARGIN - 30;
    const scale = Math.max(LEAST, Math.min(1.15, w / this.scene.width, hgt / this.scene.height));
    this.camera = { scale, x: (this.scene.width - this.width / scale) / 2, y: (this.scene.height - (this.height - 30) / scale) / 2 };
    this.moved = false;
    this.paintSoon();
  }

  zoomBy(factor, px = this.width / 2, py = this.height / 2) {
    const { camera } = this, scale = Math.min(MOST, Math.max(LEAST, camera.scale * factor));
    camera.x += px / camera.scale - px / scale;
    camera.y += py / camera.scale - py / scale;
    camera.scale = scale;
    this.moved = true;
    this.paintSoon();
  }

  pan(dx, dy) {
    this.camera.x -= dx / this.camera.scale;
    this.camera.y -= dy / this.camera.scale;
    this.moved = true;
    this.paintSoon();
  }

  nextZoom(back) {
    const i = ZOOMS.indexOf(this.look.zoom);
    this.look = { ...this.look, zoom: ZOOMS[(i + (back ? ZOOMS.length - 1 : 1)) % ZOOMS.length] };
    this.moved = false;
    this.nameZoom();
    this.ask(this.look);
  }

  nameZoom() { this.zoomWord.textContent = zoomNames[this.look.zoom]; }

  // selectedBox returns the box that shows the selection, or null.
  selectedBox() {
    return this.scene && this.selected && this.selected.length ? this.scene.boxOf.get(this.selected[0]) || null : null;
  }

  // choose selects nodes, and shows where they are.
  choose(nodes, { quiet, show } = {}) {
    this.selected = nodes.length ? nodes : null;
    this.light();
    const box = this.selectedBox();
    if (box && show) this.reveal(box);
    if (box) say(this.words(box));
    if (!quiet) this.onSelect(nodes);
    this.paintSoon();
  }

  words(box) {
    if (box.nodes.length > 1) return `${box.full}, a stage of ${box.nodes.length} nodes, ${states[box.state || 'idle'][0]}`;
    const n = this.model.nodes[box.nodes[0]];
    return `${n.name}, ${states[n.row.s][0]}${n.row.w ? ', ' + n.row.w : ''}`;
  }

  light() {
    const box = this.selectedBox();
    this.lit = box ? this.model.path(this.selected.length > 1 || box.nodes.length === 1 ? this.selected : [this.selected[0]]) : null;
  }

  // reveal moves the camera as little as needed to show a box.
  reveal(b) {
    const { camera } = this, pad = 40 / camera.scale, w = this.width / camera.scale, hgt = this.height / camera.scale;
    const into = (from, size, at, long) => at - pad < from ? at - pad : at + long + pad > from + size ? at + long + pad - size : from;
    camera.x = into(camera.x, w, b.x, b.w);
    camera.y = into(camera.y, hgt, b.y, b.h);
    this.moved = true;
  }

  // open draws the nodes of a stage one by one, or folds the stage of a node again.
  open(box) {
    if (!box) return;
    const ids = new Set(this.look.open), name = (i) => this.model.nodes[i].id;
    if (box.nodes.length > 1) box.nodes.forEach((n) => ids.add(name(n)));
    else if (ids.has(name(box.nodes[0]))) this.look.open.filter((id) => this.sameStage(id, name(box.nodes[0]))).forEach((id) => ids.delete(id));
    else return;
    if (box.nodes.length > 1) for (const n of box.nodes) this.stages.set(name(n), box.nodes.map(name));
    this.look = { ...this.look, open: [...ids] };
    this.moved = this.moved || !!this.look.open.length;
    this.ask(this.look);
  }

  stages = new Map(); // by id of a node: ids of the nodes that were opened with it

  sameStage(a, b) { return (this.stages.get(b) || [b]).includes(a); }

  listen() {
    const { canvas } = this;
    const pointers = new Map();
    let began = null, distance = 0;
    const spot = (e) => { const r = canvas.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
    const boxAt = (e) => {
      const [x, y] = spot(e);
      return this.scene && this.scene.at(x / this.camera.scale + this.camera.x, y / this.camera.scale + this.camera.y);
    };
    canvas.addEventListener('pointerdown', (e) => {
      if (e.button > 1) return;
      canvas.setPointerCapture(e.pointerId);
      pointers.set(e.pointerId, spot(e));
      began = pointers.size === 1 ? { at: spot(e), moved: false } : null;
      if (pointers.size === 2) distance = apart(pointers);
    });
    canvas.addEventListener('pointermove', (e) => {
      const from = pointers.get(e.pointerId), to = spot(e);
      if (!from) {
        const box = boxAt(e);
        canvas.classList.toggle('over', !!box);
        if (box !== this.hovered) { this.hovered = box; canvas.title = box && box.full !== box.name ? box.full : ''; this.paintSoon(); }
        return;
      }
      pointers.set(e.pointerId, to);
      if (pointers.size === 2) {
        const now = apart(pointers), points = [...pointers.values()];
        this.zoomBy(now / (distance || now), (points[0][0] + points[1][0]) / 2, (points[0][1] + points[1][1]) / 2);
        distance = now;
        return;
      }
      if (began && !began.moved && Math.hypot(to[0] - began.at[0], to[1] - began.at[1]) < 4) return;
      if (began) began.moved = true;
      canvas.classList.add('dragged');
      this.pan(to[0] - from[0], to[1] - from[1]);
    });
    const up = (e) => {
      pointers.delete(e.pointerId);
      canvas.classList.remove('dragged');
      if (e.type === 'pointerup' && began && !began.moved) {
        const box = boxAt(e);
        this.choose(box ? box.nodes : []);
      }
      began = null;
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
    canvas.addEventListener('dblclick', (e) => this.open(boxAt(e)));
    canvas.addEventListener('wheel', (e) => {
      e.preventDefault();
      const unit = e.deltaMode === 1 ? 24 : 1;
      if (e.ctrlKey || e.metaKey || !e.shiftKey && Math.abs(e.deltaY) > Math.abs(e.deltaX) && e.deltaMode === 0 && Number.isInteger(e.deltaY) && Math.abs(e.deltaY) >= 50) {
        this.zoomBy(Math.exp(-e.deltaY * unit * (e.ctrlKey ? 0.01 : 0.0016)), ...spot(e));
      } else this.pan(-e.deltaX * unit, -e.deltaY * unit);
    }, { passive: false });
    canvas.addEventListener('keydown', (e) => { if (this.key(e)) e.preventDefault(); });
  }

  // key handles a key on the graph, and reports whether it did.
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || !this.scene) return false;
    const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0], k: [0, -1], j: [0, 1], h: [-1, 0], l: [1, 0] }[e.key];
    if (step) {
      const from = this.selectedBox(), to = from ? this.scene.near(from, ...step) : this.scene.boxes[0];
      if (to) this.choose(to.nodes, { show: true });
      return true;
    }
    switch (e.key) {
      case 'Enter': case ' ': this.open(this.selectedBox()); return true;
      case 'Escape': this.choose([]); return true;
      case '+': case '=': this.zoomBy(1.3); return true;
      case '-': this.zoomBy(1 / 1.3); return true;
      case '0': this.fit(); return true;
      case 'z': this.nextZoom(); return true;
      case 'Z': this.nextZoom(true); return true;
      case 'n': case 'N': return this.visit(e.key === 'N');
    }
    return false;
  }

  // visit goes to the next node that failed or waits for a person.
  visit(back) {
    const list = this.model.nodes.filter((n) => n.row.s === 'failed' || n.row.s === 'waiting').map((n) => n.i);
    if (!list.length) { say('no node has failed'); return true; }
    const at = this.selected ? list.indexOf(this.selected[0]) : -1;
    const next = back ? (at <= 0 ? list.length - 1 : at - 1) : (at + 1) % list.length;
    this.choose([list[next]], { show: true });
    return true;
  }
}

function apart(pointers) {
  const [a, b] = [...pointers.values()];
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}
