// The geometry of a drawing. wf computes it in cells; here a cell has a size, corners become round, and each piece of a
// line knows which arcs pass it, so that its colour and a highlight are right in a bundle of lines, too.

export const CELL_W = 8, CELL_H = 21;
const CORNER = 8;
const UNDER = 6; // a line begins below its box, whose corners are round
const GRID = 512; // size of the squares by which boxes and lines in view are found
const STEP = [[0, -1], [1, 0], [0, 1], [-1, 0]]; // up, right, down, left

const midX = (x) => (x + 0.5) * CELL_W, midY = (y) => (y + 0.5) * CELL_H;

export class Scene {
  constructor(drawing) {
    this.drawing = drawing;
    this.form = drawing.form;
    this.width = drawing.w * CELL_W;
    this.height = drawing.h * CELL_H;
    this.boxes = drawing.nodes.map((nodes, i) => this.box(i, nodes));
    this.boxOf = new Map();
    this.boxes.forEach((b) => b.nodes.forEach((n) => this.boxOf.set(n, b)));
    this.frames = drawing.frames.map((f) => ({ x: midX(f.at[0]), y: midY(f.at[1]), w: (f.at[2] - 1) * CELL_W, h: (f.at[3] - 1) * CELL_H, title: f.title, node: f.node }));
    this.labels = drawing.labels.map((l) => ({ x: l.at[0] * CELL_W, y: midY(l.at[1]), w: l.at[2] * CELL_W, text: l.text, track: l.track }));
    this.segments = []; // {track, arcs, path: [[x, y], ...], round}
    this.heads = []; // {x, y, dir, arcs, track}
    drawing.tracks.forEach((t, i) => this.track(t, i));
    this.squares = new Map();
    this.boxes.forEach((b) => this.note('boxes', b, b.x, b.y, b.x + b.w, b.y + b.h));
    for (const s of this.segments) this.note('segments', s, Math.min(s.x1, s.x2), Math.min(s.y1, s.y2), Math.max(s.x1, s.x2), Math.max(s.y1, s.y2));
    for (const s of this.heads) this.note('heads', s, s.x, s.y, s.x, s.y);
  }

  box(i, nodes) {
    const [x, y, w, h] = this.drawing.rects.slice(4 * i, 4 * i + 4), text = this.drawing.texts[i];
    const side = this.form === 'cards' ? 0 : 1, above = this.form === 'cards' ? 9 : 1.5;
    return { i, nodes, name: text.n, full: text.f || text.n, times: text.t || '', left: x * CELL_W,
      x: x * CELL_W + side, y: y * CELL_H + above, w: w * CELL_W - 2 * side, h: h * CELL_H - 2 * above };
  }

  track(t, number) {
    const single = t.tails.length === 4 && t.heads.length === 4;
    const arcs = t.edges.map((edges, k) => ({ from: t.arcs[4 * k], to: t.arcs[4 * k + 1], tail: t.arcs[4 * k + 2], head: t.arcs[4 * k + 3], edges }));
    const meets = new Map(); // by point: how lines leave it
    const key = (x, y) => x + ',' + y;
    const meet = (x, y, dx, dy, segment) => {
      const k = key(x, y);
      if (!meets.has(k)) meets.set(k, []);
      meets.get(k).push({ dx, dy, segment });
    };
    const add = (x1, y1, x2, y2, carried) => {
      const s = { track: number, weak: !!t.weak, arcs: carried, x1, y1, x2, y2, a: 0, b: 0, corners: [] };
      this.segments.push(s);
      return s;
    };
    for (let k = 0; k < t.pieces.length; k += 6) {
      const [x1, y1, x2, y2, first, last] = t.pieces.slice(k, k + 6);
      const within = (n) => first <= n && n < last;
      const carried = single ? arcs : arcs.filter((a) => within(a.tail) !== within(a.head));
      const s = add(midX(x1), midY(y1), midX(x2), midY(y2), carried);
      const dx = Math.sign(x2 - x1), dy = Math.sign(y2 - y1);
      meet(x1, y1, dx, dy, [s, 'a']);
      meet(x2, y2, -dx, -dy, [s, 'b']);
    }
    this.ends(t, arcs, number, meet, add);
    for (const [at, list] of meets) this.corner(at, list);
  }

  // ends adds the lines between boxes and the first cell outside of them, and the arrowheads.
  ends(t, arcs, number, meet, add) {
    for (let k = 0; k < t.tails.length; k += 4) {
      const [x, y, dir, box] = t.tails.slice(k, k + 4), [dx, dy] = STEP[dir], b = this.boxes[box];
      const fromX = dx ? (dx > 0 ? b.x + b.w : b.x) - UNDER * dx : midX(x), fromY = dy ? (dy > 0 ? b.y + b.h : b.y) - UNDER * dy : midY(y);
      const s = add(fromX, fromY, midX(x), midY(y), arcs.filter((a) => a.from === box));
      meet(x, y, -dx, -dy, [s, 'b']);
    }
    for (let k = 0; k < t.heads.length; k += 4) {
      const [x, y, dir, box] = t.heads.slice(k, k + 4), [dx, dy] = STEP[dir], b = this.boxes[box];
      const toX = dx ? (dx > 0 ? b.x : b.x + b.w) : midX(x), toY = dy ? (dy > 0 ? b.y : b.y + b.h) : midY(y);
      const carried = arcs.filter((a) => a.to === box);
      const s = add(midX(x), midY(y), toX - 5 * dx, toY - 5 * dy, carried);
      meet(x, y, dx, dy, [s, 'a']);
      this.heads.push({ x: toX - dx, y: toY - dy, dx, dy, arcs: carried, track: number, weak: !!t.weak });
    }
  }

  // corner makes the place round where exactly two lines meet at a right angle.
  corner(at, list) {
    if (list.length !== 2) return;
    const [p, q] = list;
    if (p.dx * q.dx + p.dy * q.dy !== 0) return;
    const [x, y] = at.split(',').map(Number);
    const long = (s) => Math.max(Math.abs(s.x2 - s.x1), Math.abs(s.y2 - s.y1));
    const r = Math.min(CORNER, long(p.segment[0]) / 2, long(q.segment[0]) / 2);
    p.segment[0][p.segment[1]] = r;
    q.segment[0][q.segment[1]] = r;
    const cx = midX(x), cy = midY(y);
    p.segment[0].corners.push([cx + p.dx * r, cy + p.dy * r, cx, cy, cx + q.dx * r, cy + q.dy * r]);
  }

  note(kind, what, x1, y1, x2, y2) {
    for (let i = Math.floor(x1 / GRID); i <= Math.floor(x2 / GRID); i++) {
      for (let k = Math.floor(y1 / GRID); k <= Math.floor(y2 / GRID); k++) {
        const key = i * 65536 + k;
        let square = this.squares.get(key);
        if (!square) this.squares.set(key, square = { boxes: [], segments: [], heads: [] });
        square[kind].push(what);
      }
    }
  }

  // inView returns what may be visible in a rectangle; things may occur in it twice only if they are lines.
  inView(x1, y1, x2, y2) {
    const found = { boxes: new Set(), segments: new Set(), heads: [] };
    for (let i = Math.floor(x1 / GRID); i <= Math.floor(x2 / GRID); i++) {
      for (let k = Math.floor(y1 / GRID); k <= Math.floor(y2 / GRID); k++) {
        const square = this.squares.get(i * 65536 + k);
        if (!square) continue;
        for (const b of square.boxes) found.boxes.add(b);
        for (const s of square.segments) found.segments.add(s);
        found.heads.push(...square.heads);
      }
    }
    return found;
  }

  // at returns the box at a point, or null.
  at(x, y) {
    for (const b of this.inView(x, y, x, y).boxes) if (x >= b.x && x <= b.x + b.w && y >= b.y && y <= b.y + b.h) return b;
    return null;
  }

  // near returns the box in a direction: the nearest one, where what is beside counts more than what is ahead.
  near(from, dx, dy) {
    const cx = from.x + from.w / 2, cy = from.y + from.h / 2;
    let best = null, least = Infinity;
    for (const b of this.boxes) {
      const x = b.x + b.w / 2 - cx, y = b.y + b.h / 2 - cy;
      const ahead = x * dx + y * dy, beside = Math.abs(x * dy) + Math.abs(y * dx);
      if (b === from || ahead <= 1) continue;
      const far = ahead + 3 * beside;
      if (far < least) [best, least] = [b, far];
    }
    return best;
  }
}
