// Making elements. Every text from a workfile or a command becomes a text node here: nothing in this page turns a text
// into elements, and the Content-Security-Policy would refuse it.

// h makes an element. Properties whose name begins with "on" are listeners, "class" and names with a dash or a colon, and
// those in asAttribute, are attributes, the rest properties. Children are elements, texts, or lists of them; null and false
// are left out.
export function h(tag, props, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) el.addEventListener(name.slice(2), value);
    else if (name === 'class') el.className = value;
    else if (name.includes('-') || asAttribute.has(name)) el.setAttribute(name, value === true ? '' : String(value));
    else el[name] = value;
  }
  el.append(...nodes(children));
  return el;
}

const asAttribute = new Set(['role', 'for', 'list']);

const nodes = (list) => list.flat(Infinity).filter((x) => x !== null && x !== undefined && x !== false);

// fill replaces the content of an element.
export function fill(el, ...children) {
  el.replaceChildren(...nodes(children));
  return el;
}

// icon makes a sign of our own: paths are ours, never a foreign text.
export function icon(name, size = 16) {
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  for (const [key, value] of Object.entries({ viewBox: '0 0 16 16', width: size, height: size, class: 'icon', 'aria-hidden': 'true' })) svg.setAttribute(key, value);
  for (const d of icons[name]) {
    const path = document.createElementNS(ns, 'path');
    path.setAttribute('d', d);
    svg.append(path);
  }
  return svg;
}

const icons = {
  play: ['M5 3.2v9.6l7.6-4.8z'],
  resume: ['M3 3.2v9.6M6.5 3.2v9.6l6.8-4.8z'],
  stop: ['M4 4h8v8H4z'],
  check: ['M3.5 8.5l3 3 6-7'],
  cross: ['M4.5 4.5l7 7M11.5 4.5l-7 7'],
  back: ['M10 3.5L5.5 8l4.5 4.5'],
  search: ['M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3L14 14'],
  fit: ['M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10'],
  plus: ['M8 3.5v9M3.5 8h9'],
  minus: ['M3.5 8h9'],
  layers: ['M8 2.5L2.5 5.5 8 8.5l5.5-3zM2.5 8.5L8 11.5l5.5-3M2.5 11L8 14l5.5-3'],
  moon: ['M13 9.6A5.5 5.5 0 1 1 6.4 3a4.4 4.4 0 0 0 6.6 6.6z'],
  sun: ['M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9'],
  clock: ['M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6'],
  keys: ['M2 4.5h12v7H2zM4.5 7h0M7 7h0M9.5 7h0M12 7h0M5 9.5h6'],
  question: ['M8 2.2l5.8 5.8L8 13.8 2.2 8z', 'M8 5.6v3M8 10.4v0'],
};

// say tells something to a screen reader.
export function say(text) { document.getElementById('said').textContent = text; }

const units = [[86400000, 'd', 3600000, 'h'], [3600000, 'h', 60000, 'm'], [60000, 'm', 1000, 's']];

// span writes a duration: 0.4s, 12s, 3m05s, 2h10m.
export function span(ms) {
  if (ms < 0) ms = 0;
  if (ms < 9950) return (ms / 1000).toFixed(1) + 's';
  for (const [size, unit, part, small] of units) {
    if (ms >= size) return Math.floor(ms / size) + unit + String(Math.floor((ms % size) / part)).padStart(2, '0') + small;
  }
  return Math.round(ms / 1000) + 's';
}

// ago writes when something happened.
export function ago(time) {
  const ms = Date.now() - new Date(time).getTime();
  if (ms < 60000) return 'just now';
  if (ms < 3600000) return Math.floor(ms / 60000) + ' min ago';
  if (ms < 86400000) return Math.floor(ms / 3600000) + ' h ago';
  if (ms < 7 * 86400000) return Math.floor(ms / 86400000) + ' d ago';
  return new Date(time).toLocaleDateString();
}

// States: what each is called, its sign and its colour in the style. Colour never says anything alone.
export const states = {
  idle: ['idle', '·'], queued: ['queued', '○'], running: ['running', '●'], ok: ['ok', '✓'], failed: ['failed', '✗'], handled: ['handled', '↪'],
  blocked: ['blocked', '⊘'], kept: ['kept', '✓'], cancelled: ['cancelled', '◌'], skipped: ['skipped', '↷'], waiting: ['waiting', '◆'], retrying: ['retrying', '↻'],
};

// bySeverity lists the states, what needs attention first.
export const bySeverity = ['failed', 'waiting', 'retrying', 'running', 'queued', 'blocked', 'cancelled', 'handled', 'idle', 'skipped', 'ok', 'kept'];

// pill shows a state as sign and word.
export function pill(state, text) {
  const [word, sign] = states[state] || states.idle;
  return h('span', { class: 'pill s-' + state }, h('span', { class: 'sign', 'aria-hidden': 'true' }, sign), text || word);
}

// runState is the state whose look a run has.
export function runState(run) {
  if (!run.result) return run.paused ? 'waiting' : 'running';
  return { succeeded: 'ok', failed: 'failed', cancelled: 'cancelled' }[run.result] || 'idle';
}

// runWord says how a run is going.
export function runWord(run) {
  if (run.result) return { succeeded: 'ok', failed: 'failed', cancelled: 'cancelled' }[run.result] || run.result;
  if (run.stopping) return 'stopping';
  return { approval: 'waits for you', time: 'waits', held: 'held' }[run.paused] || 'running';
}

// tally lists counts in words, what needs attention first.
export function tally(counts, idle) {
  return bySeverity.filter((s) => counts[s] > 0 && (s !== 'idle' || idle)).map((s) =>
    h('span', { class: 'count s-' + s, title: counts[s] + ' ' + states[s][0] }, h('span', { class: 'sign', 'aria-hidden': 'true' }, states[s][1]), String(counts[s]), h('span', { class: 'word' }, ' ' + states[s][0])));
}

// bar draws counts as a bar.
export function bar(counts) {
  const order = ['ok', 'kept', 'handled', 'failed', 'waiting', 'retrying', 'running', 'queued', 'cancelled', 'blocked', 'skipped', 'idle'];
  const total = order.reduce((sum, s) => sum + (counts[s] || 0), 0);
  const el = h('span', { class: 'bar', role: 'img', 'aria-label': order.filter((s) => counts[s]).map((s) => counts[s] + ' ' + states[s][0]).join(', ') });
  for (const s of order) {
    if (!counts[s]) continue;
    const part = h('i', { class: 's-' + s });
    part.style.flexGrow = String(counts[s] / total);
    el.append(part);
  }
  return el;
}

// fileName is the last part of a path, folderOf the rest.
export const fileName = (path) => path.slice(path.lastIndexOf('/') + 1);
export const folderOf = (path) => path.slice(0, path.lastIndexOf('/')) || '/';
