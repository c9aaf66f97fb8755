// The output of one execution: its end first, then what follows, with its colours. Everything is set as text.
import { h, fill } from './dom.js';
import { Reader } from './ansi.js';
import { request, send, query } from './session.js';

const TAIL = 128 << 10; // bytes that are shown first
const MOST_LINES = 5000; // in the page; older ones are read again on demand

export class Log {
  // base is the path of the workspace; what is {node, run, execution}.
  constructor(base, what) {
    Object.assign(this, { base, what, abort: new AbortController(), follow: true, lines: 0 });
    this.text = h('pre', { class: 'log', tabIndex: 0, 'aria-label': 'Output' });
    this.text.addEventListener('scroll', () => { this.follow = this.text.scrollTop + this.text.clientHeight >= this.text.scrollHeight - 8; this.end.hidden = this.follow; });
    this.head = h('div', { class: 'log-head' });
    this.end = h('button', { class: 'to-end', hidden: true, onclick: () => { this.follow = true; this.toEnd(); } }, 'To the end');
    this.el = h('div', { class: 'log-pane' }, this.head, h('div', { class: 'log-body' }, this.text, this.end));
    this.load();
  }

  close() { this.abort.abort(); }

  async load() {
    try {
      this.info = await request('GET', this.base + '/log' + query(this.what), undefined, this.abort.signal);
    } catch (e) {
      if (e.name !== 'AbortError') this.empty(e.code === 'no_output' ? 'No output yet.' : e.message);
      return;
    }
    this.stream = this.info.stdout_bytes === 0 && this.info.stderr_bytes > 0 ? 'stderr' : 'stdout';
    this.showHead();
    this.read(Math.max(0, this.size() - TAIL));
  }

  size() { return this.stream === 'stderr' ? this.info.stderr_bytes : this.info.stdout_bytes; }

  showHead() {
    const { info } = this, size = (n) => n < 1024 ? n + ' B' : n < 1 << 20 ? (n / 1024).toFixed(1) + ' kB' : (n / (1 << 20)).toFixed(1) + ' MB';
    const tab = (stream, name, bytes) => h('button', { class: 'tab', 'aria-pressed': String(this.stream === stream), onclick: () => this.choose(stream) }, name, h('small', {}, size(bytes)));
    fill(this.head, info.merged ? h('span', { class: 'tab-like' }, 'Output', h('small', {}, size(info.stdout_bytes))) : [tab('stdout', 'Output', info.stdout_bytes), tab('stderr', 'Errors', info.stderr_bytes)],
      info.pending && h('span', { class: 'hint' }, 'of run ' + info.run), !info.over && h('span', { class: 'live-dot' }, 'live'));
  }

  choose(stream) {
    this.stream = stream;
    this.abort.abort();
    this.abort = new AbortController();
    this.showHead();
    this.read(Math.max(0, this.size() - TAIL));
  }

  // read shows the output from an offset on, and follows it while the command runs.
  async read(offset) {
    this.from = offset;
    this.reader = new Reader();
    this.lines = 0;
    fill(this.text);
    this.partial = null;
    this.skip = offset > 0; // the first line is not complete
    if (offset > 0) this.text.append(h('button', { class: 'earlier', onclick: () => this.earlier() }, 'Show what came before'));
    const { signal } = this.abort;
    try {
      const answer = await send('GET', this.base + '/output' + query({ ...this.what, run: this.info.run, execution: this.info.execution, stream: this.stream, offset, follow: !this.info.over }), undefined, signal);
      const decoder = new TextDecoder(), from = answer.body.getReader();
      for (;;) {
        const { value, done } = await from.read();
        if (done) break;
        this.add(decoder.decode(value, { stream: true }));
      }
      this.add(decoder.decode());
      if (!this.info.over && !signal.aborted) { this.info = { ...this.info, over: true }; this.showHead(); }
      if (!this.lines && !this.partial) this.empty(this.info.over ? 'It wrote nothing.' : 'Nothing yet.');
    } catch (e) {
      if (!signal.aborted) this.text.append(h('div', { class: 'log-note' }, 'The output breaks off: ' + e.message));
    }
  }

  earlier() {
    this.abort.abort();
    this.abort = new AbortController();
    this.follow = false;
    this.info = { ...this.info, over: this.info.over };
    this.read(Math.max(0, this.from - 4 * TAIL));
  }

  add(text) {
    if (this.skip) {
      const first = text.indexOf('\n');
      if (first < 0) return;
      text = text.slice(first + 1);
      this.skip = false;
    }
    const done = this.reader.read(text);
    if (this.partial) { this.partial.remove(); this.partial = null; }
    const made = document.createDocumentFragment();
    for (const line of done.slice(-MOST_LINES)) made.append(lineOf(line));
    this.lines += done.length;
    this.text.append(made);
    if (this.reader.line.length) this.text.append(this.partial = lineOf(this.reader.line));
    for (let over = this.text.childElementCount - MOST_LINES - 1; over > 0; over--) this.text.firstElementChild.remove();
    if (this.follow) this.toEnd();
  }

  toEnd() {
    if (this.scrolling) return;
    this.scrolling = requestAnimationFrame(() => { this.scrolling = 0; this.text.scrollTop = this.text.scrollHeight; });
  }

  empty(text) { fill(this.text, h('div', { class: 'log-note' }, text)); }
}

// lineOf makes a line of an output.
function lineOf(parts) {
  const el = h('div', { class: 'line' });
  for (const { text, style } of parts) {
    if (!style.fg && !style.bg && !style.bold && !style.dim && !style.italic && !style.underline && !style.inverse) { el.append(text); continue; }
    const span = h('span', { class: ['bold', 'dim', 'italic', 'underline', 'inverse'].filter((k) => style[k]).join(' ') }, text);
    for (const [kind, property] of [['fg', 'color'], ['bg', 'backgroundColor']]) {
      if (style[kind].startsWith('rgb')) span.style[property] = style[kind];
      else if (style[kind]) span.classList.add(kind + style[kind]);
    }
    el.append(span);
  }
  if (!parts.length) el.append('\u200b');
  return el;
}

