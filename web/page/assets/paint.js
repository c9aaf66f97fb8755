// Painting a scene on a canvas, in the colours of the style.
import { states, span, bySeverity } from './dom.js';
import { took } from './model.js';

const FONT = '"Inter", system-ui, -apple-system, "Segoe UI", "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif';
const CHIP = `500 12.5px ${FONT}`, NOTE = `500 11px ${FONT}`;
const FAR = 0.35; // below this scale, corners and arrowheads cannot be seen
const TEXT_FROM = 0.45; // below this scale, texts are too small to be read, and boxes are filled with their colour

// Colors are read from the style, so that the canvas follows it.
export function readColors() {
  const style = getComputedStyle(document.documentElement), get = (name) => style.getPropertyValue('--' + name).trim();
  const colors = { line: {}, fill: {} };
  for (const name of ['paper', 'surface', 'ink', 'soft', 'faint', 'edge', 'accent', 'warn']) colors[name] = get(name);
  for (const s of Object.keys(states)) { colors.line[s] = get('c-' + s); colors.fill[s] = get('f-' + s); }
  return colors;
}

// worst returns the state of a box: the one of its nodes that needs attention most.
export function worst(box, model) {
  if (box.nodes.length === 1) return model.state(box.nodes[0]);
  let least = bySeverity.length - 1;
  for (const n of box.nodes) least = Math.min(least, bySeverity.indexOf(model.state(n)));
  return bySeverity[least];
}

// A Painter paints one scene. It caches the looks of lines and boxes until a state changes.
export class Painter {
  constructor(scene, model, colors) {
    Object.assign(this, { scene, model, colors, version: -1 });
  }

  // refresh computes the looks anew if a state has changed.
  refresh() {
    if (this.version === this.model.version) return;
    this.version = this.model.version;
    for (const s of this.scene.segments) s.look = this.lookOf(s);
    for (const s of this.scene.heads) s.look = this.lookOf(s);
    for (const b of this.scene.boxes) {
      b.state = worst(b, this.model);
      b.counts = null;
      if (b.nodes.length > 1) {
        b.counts = {};
        for (const n of b.nodes) b.counts[this.model.state(n)] = (b.counts[this.model.state(n)] || 0) + 1;
      }
    }
  }

  // lookOf returns the look of a line: that of the most urgent edge there. It is 'dead' if all of them are.
  lookOf(line) {
    let dead = true, taken = false, least = bySeverity.length;
    for (const a of line.arcs) {
      for (const e of a.edges) {
        const edge = this.model.edges[e];
        if (edge.way !== 2) dead = false;
        if (edge.way === 1) taken = true;
        least = Math.min(least, bySeverity.indexOf(this.model.state(edge.from)));
      }
    }
    if (dead) return 'dead';
    if (taken) return 'ok';
    const s = bySeverity[least];
    if (s === 'kept') return 'ok';
    return ['running', 'failed', 'waiting', 'retrying', 'ok'].includes(s) ? s : '';
  }

  // paint paints what a camera {x, y, scale} sees. lit is a path, see Model.path, or null; boxes are lit if one of their
  // nodes is. selected and hovered are boxes, found a set of nodes that a search found.
  paint(ctx, camera, width, height, { lit, selected, hovered, found, now }) {
    this.refresh();
    const { scene } = this, k = camera.scale;
    const view = k > FAR ? scene.inView(camera.x - 40, camera.y - 40, camera.x + width / k + 40, camera.y + height / k + 40) : null;
    ctx.save();
    ctx.scale(k, k);
    ctx.translate(-camera.x, -camera.y);
    this.frames(ctx, k);
    this.lines(ctx, view, lit, k);
    if (k > TEXT_FROM) this.labels(ctx, lit);
    ctx.textBaseline = 'middle';
    if (k <= TEXT_FROM) this.farBoxes(ctx, lit, found);
    for (const b of k > TEXT_FROM ? view.boxes : [hovered, selected]) {
      if (!b) continue;
      ctx.globalAlpha = 1;
      if (isFaint(b, lit, found)) {
        ctx.fillStyle = this.colors.paper; // or lines would shine through
        round(ctx, b.x, b.y, b.w, b.h, Math.min(8, b.h / 2));
        ctx.fill();
        ctx.globalAlpha = 0.28;
      }
      this.box(ctx, b, k, b === selected, b === hovered, now);
    }
    ctx.restore();
    ctx.globalAlpha = 1;
  }

  frames(ctx, k) {
    for (const f of this.scene.frames) {
      ctx.fillStyle = this.colors.faint;
      ctx.strokeStyle = this.colors.edge;
      ctx.lineWidth = 1;
      round(ctx, f.x, f.y, f.w, f.h, 10);
      ctx.globalAlpha = 0.5;
      ctx.fill();
      ctx.globalAlpha = 1;
      ctx.setLineDash([3, 4]);
      ctx.stroke();
      ctx.setLineDash([]);
      if (k > TEXT_FROM) {
        ctx.font = `600 12px ${FONT}`;
        ctx.textBaseline = 'middle';
        const w = Math.min(ctx.measureText(f.title).width, f.w - 40);
        ctx.fillStyle = this.colors.paper;
        ctx.fillRect(f.x + 18, f.y - 8, w + 12, 16);
        ctx.fillStyle = this.colors.soft;
        ctx.fillText(f.title, f.x + 24, f.y, f.w - 40);
      }
    }
  }

  // lines paints lines of one look at once: first those that are not lit. From afar, all lines of the scene are painted with
  // paths that are kept until something changes.
  lines(ctx, view, lit, k) {
    let groups;
    if (k > FAR) groups = this.group(view.segments, view.heads, lit);
    else {
      if (!this.far || this.far.version !== this.version || this.far.lit !== lit) this.far = { version: this.version, lit, groups: this.group(this.scene.segments, [], lit, true) };
      groups = this.far.groups;
    }
    for (const key of [...groups.keys()].sort()) {
      const g = groups.get(key);
      ctx.globalAlpha = g.look === 'dead' ? 0.35 : lit && !g.on ? 0.18 : 1;
      ctx.strokeStyle = ctx.fillStyle = g.look && g.look !== 'dead' ? this.colors.line[g.look] : this.colors.edge;
      ctx.lineWidth = Math.max(g.on ? 2.2 : 1.5, 0.7 / k);
      ctx.lineCap = k > FAR ? 'round' : 'butt';
      ctx.setLineDash(g.weak && k > FAR ? [5, 5] : []);
      ctx.stroke(g.lines);
      ctx.setLineDash([]);
      if (k > FAR) ctx.fill(g.heads);
    }
    ctx.globalAlpha = 1;
  }

  // group makes paths of lines with the same look.
  group(segments, heads, lit, straight) {
    const groups = new Map();
    const groupOf = (s) => {
      const on = lit && s.arcs.some((a) => a.edges.some((e) => lit.edges.has(e))), key = (on ? 'z' : 'a') + s.look + (s.weak ? '~' : '');
      if (!groups.has(key)) groups.set(key, { look: s.look, weak: s.weak, on, lines: new Path2D(), heads: new Path2D() });
      return groups.get(key);
    };
    for (const s of segments) {
      const { lines } = groupOf(s);
      if (straight) { lines.moveTo(s.x1, s.y1); lines.lineTo(s.x2, s.y2); } else draw(lines, s);
    }
    for (const s of heads) arrow(groupOf(s).heads, s);
    return groups;
  }

  // farBoxes paints boxes that are too small for a text: all of one state at once.
  farBoxes(ctx, lit, found) {
    const kept = this.farAway;
    if (!kept || kept.version !== this.version || kept.lit !== lit || kept.found !== found) {
      const paths = new Map();
      for (const b of this.scene.boxes) {
        const key = (isFaint(b, lit, found) ? '-' : '+') + b.state;
        if (!paths.has(key)) paths.set(key, new Path2D());
        paths.get(key).rect(b.x, b.y, b.w, b.h);
      }
      this.farAway = { version: this.version, lit, found, paths };
    }
    for (const [key, path] of this.farAway.paths) {
      const s = key.slice(1);
      ctx.globalAlpha = key[0] === '-' ? 0.28 : 1;
      ctx.fillStyle = s === 'idle' || s === 'skipped' ? this.colors.edge : this.colors.line[s];
      ctx.fill(path);
    }
    ctx.globalAlpha = 1;
  }

  labels(ctx, lit) {
    ctx.font = `500 11px ${FONT}`;
    ctx.textBaseline = 'middle';
    for (const l of this.scene.labels) {
      const w = Math.min(l.w, ctx.measureText(l.text).width) + 10;
      const on = !lit || this.scene.drawing.tracks[l.track].edges.some((edges) => edges.some((e) => lit.edges.has(e)));
      ctx.globalAlpha = on ? 1 : 0.25;
      ctx.fillStyle = this.colors.paper;
      ctx.strokeStyle = this.colors.edge;
      ctx.lineWidth = 1;
      round(ctx, l.x - 3, l.y - 8, w, 16, 8);
      ctx.fill();
      ctx.stroke();
      ctx.fillStyle = this.colors.warn;
      ctx.fillText(l.text, l.x + 2, l.y + 0.5, l.w);
    }
    ctx.globalAlpha = 1;
  }

  box(ctx, b, k, selected, hovered, now) {
    const { colors } = this, s = b.state, many = b.nodes.length > 1;
    const r = Math.min(8, b.h / 2), calm = s === 'idle' || s === 'skipped';
    const edge = calm ? colors.edge : colors.line[s];
    if (many) {
      ctx.fillStyle = colors.surface;
      ctx.strokeStyle = edge;
      ctx.lineWidth = 1;
      const off = this.scene.form === 'cards' ? 4 : 2;
      round(ctx, b.x + off, b.y + off, b.w - 1, b.h - 1, r);
      ctx.fill();
      ctx.globalAlpha *= 0.6;
      ctx.stroke();
      ctx.globalAlpha = ctx.globalAlpha / 0.6;
    }
    round(ctx, b.x, b.y, b.w, b.h, r);
    ctx.fillStyle = k > TEXT_FROM ? colors.surface : calm ? colors.edge : colors.line[s];
    if (k > TEXT_FROM && this.scene.form === 'cards') {
      ctx.shadowColor = 'rgba(15, 23, 42, .10)';
      ctx.shadowBlur = 6 * k;
      ctx.shadowOffsetY = 2 * k;
    }
    ctx.fill();
    ctx.shadowColor = 'transparent';
    if (k > TEXT_FROM && !calm) {
      ctx.fillStyle = colors.fill[s];
      ctx.fill();
    }
    ctx.lineWidth = selected ? 2.5 : s === 'running' || s === 'failed' || s === 'waiting' ? 1.8 : 1.2;
    ctx.strokeStyle = selected ? colors.accent : hovered ? colors.soft : edge;
    if (s === 'blocked' || s === 'skipped') ctx.setLineDash([4, 3]);
    ctx.stroke();
    ctx.setLineDash([]);
    if (selected) {
      round(ctx, b.x - 3.5, b.y - 3.5, b.w + 7, b.h + 7, r + 3.5);
      const alpha = ctx.globalAlpha;
      ctx.globalAlpha = alpha * 0.25;
      ctx.lineWidth = 3;
      ctx.stroke();
      ctx.globalAlpha = alpha;
    }
    if (k > TEXT_FROM) (this.scene.form === 'cards' ? this.card : this.chip).call(this, ctx, b, now);
  }

  // note returns the text beside or below the name: a time and an attempt, or what a stage has done.
  note(b, now) {
    if (b.counts) {
      const c = b.counts, done = (c.ok || 0) + (c.kept || 0) + (c.handled || 0);
      const s = b.state;
      let text = done > 0 || s !== 'idle' ? done + '/' + b.nodes.length : '';
      if (!['idle', 'ok', 'kept', 'skipped', 'handled'].includes(s)) text += ' ' + states[s][1] + c[s];
      return text;
    }
    const row = this.model.nodes[b.nodes[0]].row;
    if (row.n) return row.n;
    const ms = took(row, now);
    return (ms >= 0 ? span(ms) : '') + (row.a ? ' #' + row.a.split(' ')[0] : '');
  }

  card(ctx, b, now) {
    const { colors } = this, s = b.state, x = b.x + 14, right = b.x + b.w - 12, calm = s === 'idle' || s === 'skipped';
    const top = b.y + b.h * 0.34, low = b.y + b.h * 0.70;
    ctx.font = `600 13px ${FONT}`;
    ctx.fillStyle = s === 'skipped' ? colors.soft : colors.ink;
    const room = right - x, times = b.times ? '  ' + b.times : '';
    ctx.font = `500 11px ${FONT}`;
    const timesWidth = times ? ctx.measureText(times).width : 0;
    ctx.font = `600 13px ${FONT}`;
    const used = Math.min(ctx.measureText(b.name).width, room - timesWidth);
    ctx.fillText(b.name, x, top, room - timesWidth);
    if (times) {
      ctx.font = `500 11px ${FONT}`;
      ctx.fillStyle = colors.soft;
      ctx.fillText(times, x + used, top + 0.5);
    }
    ctx.font = `500 12px ${FONT}`;
    ctx.fillStyle = calm ? colors.soft : colors.line[s];
    const note = this.note(b, now), sign = states[s][1];
    ctx.fillText(sign, x, low);
    ctx.fillText(states[s][0], x + (s === 'idle' ? 9 : 15), low);
    const word = ctx.measureText(states[s][0]).width;
    if (b.counts) this.meter(ctx, b);
    ctx.fillStyle = colors.soft;
    ctx.textAlign = 'right';
    if (note) ctx.fillText(note, right, low, Math.max(20, room - word - 20));
    ctx.textAlign = 'left';
  }

  // meter draws the states of a stage along the lower edge of its box.
  meter(ctx, b) {
    const total = b.nodes.length, y = b.y + b.h - 6, w = b.w - 24;
    let x = b.x + 12;
    for (const s of ['ok', 'kept', 'handled', 'failed', 'waiting', 'retrying', 'running', 'queued', 'cancelled', 'blocked', 'skipped', 'idle']) {
      const n = b.counts[s];
      if (!n) continue;
      ctx.fillStyle = s === 'idle' || s === 'skipped' ? this.colors.edge : this.colors.line[s];
      const part = w * n / total;
      ctx.fillRect(x, y, Math.max(part - 0.5, 0.5), 2.5);
      x += part;
    }
  }

  chip(ctx, b, now) {
    const { colors } = this, s = b.state, y = b.y + b.h / 2 + 0.5, calm = s === 'idle' || s === 'skipped';
    ctx.font = CHIP;
    ctx.fillStyle = calm ? colors.soft : colors.line[s];
    if (this.scene.form === 'dots' && b.nodes.length === 1) {
      ctx.fillText(states[s][1], b.x + b.w / 2 - 4, y);
      return;
    }
    const tags = this.scene.form === 'tags', x = b.x + 8, right = b.x + b.w - 8, note = tags && !b.counts ? '' : this.note(b, now);
    ctx.fillText(states[s][1], x, y);
    if (b.chipWidth === undefined) b.chipWidth = ctx.measureText(b.name).width;
    if (note !== b.noted) { b.noted = note; b.noteWidth = note ? note.length * 6.2 + 8 : 0; }
    const times = b.times && !(note && tags) ? b.times : '', timesWidth = times ? times.length * 6.4 + 7 : 0;
    const room = Math.max(10, right - x - 15 - b.noteWidth - timesWidth);
    ctx.fillStyle = colors.ink;
    if (b.chipWidth > room) ctx.fillText(b.name, x + 15, y, room); else ctx.fillText(b.name, x + 15, y);
    if (!note && !times) return;
    ctx.font = NOTE;
    ctx.fillStyle = colors.soft;
    if (times) ctx.fillText(times, x + 15 + Math.min(b.chipWidth, room) + 6, y);
    if (note) {
      ctx.textAlign = 'right';
      ctx.fillText(note, right, y);
      ctx.textAlign = 'left';
    }
  }
}

// isFaint reports whether a box is on no lit path, or not among what was found.
function isFaint(b, lit, found) {
  return !!lit && !b.nodes.some((n) => lit.nodes.has(n)) || !!found && !b.nodes.some((n) => found.has(n));
}

function round(ctx, x, y, w, h, r) {
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, r);
}

// draw adds a line to a path, shortened where its corners are round.
function draw(path, s) {
  const dx = Math.sign(s.x2 - s.x1), dy = Math.sign(s.y2 - s.y1);
  path.moveTo(s.x1 + dx * s.a, s.y1 + dy * s.a);
  path.lineTo(s.x2 - dx * s.b, s.y2 - dy * s.b);
  for (const [x1, y1, cx, cy, x2, y2] of s.corners) {
    path.moveTo(x1, y1);
    path.quadraticCurveTo(cx, cy, x2, y2);
  }
}

// arrow adds an arrowhead with its tip at the box.
function arrow(path, { x, y, dx, dy }) {
  path.moveTo(x, y);
  path.lineTo(x - 7 * dx - 3.6 * dy, y - 7 * dy + 3.6 * dx);
  path.lineTo(x - 7 * dx + 3.6 * dy, y - 7 * dy - 3.6 * dx);
  path.closePath();
}
