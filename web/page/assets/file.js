// The screen of a workfile: its state, the graph, and a side with the selection, the runs and the approvals.
import { h, fill, icon, pill, span, bar, tally, fileName, folderOf, runState, runWord, say } from './dom.js';
import { session } from './session.js';
import { Model } from './model.js';
import { Link } from './link.js';
import { Graph } from './graph.js';
import { Inspector } from './inspector.js';
import { Runs } from './runs.js';
import { Approvals } from './approvals.js';
import { start, stop } from './start.js';
import { showKeys } from './keys.js';

export class File {
  constructor({ path, bar: top, out }) {
    this.path = path;
    this.onOut = out;
    this.model = new Model();
    this.run = ''; // number of the earlier run that is shown
    this.graph = new Graph({ model: this.model, ask: (look) => this.look(look), select: (nodes) => this.select(nodes) });
    this.inspector = new Inspector({ model: this.model, act: (wish) => this.act(wish) });
    this.runs = new Runs({ model: this.model, show: (run) => this.showRun(run) });
    this.approvals = new Approvals({ model: this.model, counted: (n) => this.countAsks(n) });
    this.layout(top);
    document.title = fileName(path) + ' – wf';
    this.onKey = (e) => this.key(e);
    document.addEventListener('keydown', this.onKey);
    this.clock = setInterval(() => { if (!document.hidden && this.model.flow && this.model.flow.active.length) this.showRunLine(); }, 1000);
  }

  close() {
    if (this.link) this.link.close();
    this.graph.close();
    this.inspector.close();
    clearInterval(this.clock);
    document.removeEventListener('keydown', this.onKey);
  }

  layout(top) {
    this.runLine = h('div', { class: 'run-line' });
    this.buttons = h('div', { class: 'actions' });
    this.banner = h('div', { class: 'banner', role: 'status', hidden: true });
    this.past = h('div', { class: 'past', hidden: true });
    this.notice = h('div', { class: 'notice', role: 'alert', hidden: true });
    this.search = h('input', { type: 'search', placeholder: 'Find a node', 'aria-label': 'Find a node', oninput: () => this.find(), onkeydown: (e) => { if (e.key === 'Enter') this.nextFound(e.shiftKey); if (e.key === 'Escape') { this.search.value = ''; this.find(); this.graph.canvas.focus(); } } });
    this.tabs = {};
    this.asks = h('span', { class: 'badge', hidden: true });
    const tab = (name, text, extra) => this.tabs[name] = h('button', { class: 'side-tab', role: 'tab', 'aria-selected': 'false', onclick: () => this.show(name) }, text, extra);
    this.panes = { node: this.inspector.el, runs: this.runs.el, approvals: this.approvals.el };
    const side = h('aside', { class: 'side' }, h('div', { class: 'side-tabs', role: 'tablist' }, tab('node', 'Selection'), tab('runs', 'Runs'), tab('approvals', 'Approvals', this.asks)), Object.values(this.panes));
    const middle = h('div', { class: 'file-bar' }, h('a', { class: 'back', href: '#/', title: 'All workfiles' }, icon('back')), h('span', { class: 'names' }, h('b', {}, fileName(this.path)), h('small', { title: this.path }, (session.machine ? session.machine + ':' : '') + folderOf(this.path))), this.runLine, h('label', { class: 'search' }, icon('search', 14), this.search), this.buttons);
    fill(top.querySelector('.slot'), middle);
    this.el = h('div', { class: 'file' }, top, this.banner, this.past, this.notice, h('main', { class: 'work' }, this.graph.el, side));
    this.show('node');
  }

  // look is called when the graph knows its size, or the reader chose another look.
  look(look) {
    if (!this.link) {
      this.link = new Link({ first: () => ({ file: this.path, look: this.graph.look, run: this.run }), take: (m) => this.take(m), status: (s) => this.status(s) });
    } else this.link.ask({ look });
  }

  take(m) {
    if (m.problem) { this.run = ''; this.tell(m.problem); }
    const before = this.model.flow, kept = this.graph.selected && this.graph.selected.map((n) => this.model.nodes[n].id);
    const changed = this.model.apply(m);
    if (changed.graph) {
      this.graph.selected = kept ? kept.map((id) => this.model.index.get(id)).filter((i) => i !== undefined) : null;
      this.find();
    }
    if (changed.drawing) this.graph.take(m.drawing);
    else if (changed.rows) this.graph.refresh();
    if (changed.graph || changed.rows) {
      if (changed.graph) this.inspector.show(this.graph.selected || []);
      else this.refreshSide();
    }
    if (changed.flow) this.showFlow(before);
    if (m.asks) this.approvals.load();
  }

  // refreshSide shows new states in the side, at most some times a second.
  refreshSide() {
    if (this.refreshing) return;
    this.refreshing = setTimeout(() => { this.refreshing = 0; this.inspector.refresh(); }, 120);
  }

  status(s) {
    const live = s.state === 'live';
    if (live === this.live && live) return;
    this.live = live;
    this.banner.hidden = live;
    if (live) { fill(this.banner); return; }
    if (s.state === 'out') { this.onOut(s); return; }
    const words = s.state === 'lost' ? 'The connection to the daemon is lost. Searching for it …' : s.daemon ? s.message : 'The connection is lost: ' + s.message + '.';
    fill(this.banner, h('span', { class: 'spin', 'aria-hidden': 'true' }), h('span', {}, words, s.fix && s.state !== 'lost' ? ' ' + s.fix : ''), s.state === 'away' && h('button', { onclick: () => this.link.retry() }, 'Connect now'));
  }

  showFlow(before) {
    const { flow } = this.model, active = flow.active.map((r) => r.run).join();
    this.showRunLine();
    this.showButtons();
    this.past.hidden = !flow.past;
    if (flow.past) fill(this.past, icon('clock', 14), h('span', {}, 'Run ' + flow.past + ', as it ended'), h('button', { onclick: () => this.showRun('') }, 'Show the present'));
    if (flow.problem) this.tell({ message: flow.problem });
    else if (before && before.problem) this.notice.hidden = true;
    if (!before) { this.runs.load(); return; }
    const ended = before.active.find((r) => !flow.active.some((a) => a.run === r.run));
    if (ended && flow.shown && flow.shown.run === ended.run) say('Run ' + ended.run + ': ' + runWord(flow.shown));
    if (active !== before.active.map((r) => r.run).join() || flow.past !== before.past) this.runs.load();
    if (flow.past !== before.past) this.inspector.show(this.graph.selected || []);
  }

  showRunLine() {
    const { flow } = this.model, run = flow.shown;
    if (!run) { fill(this.runLine, h('span', { class: 'hint' }, 'It has not run yet')); return; }
    const ms = run.duration_ms || (run.ended ? new Date(run.ended) : new Date()) - new Date(run.started);
    fill(this.runLine, h('span', { class: 'of-run' }, 'Run ' + run.run), pill(runState(run), runWord(run)), bar(flow.counts), h('span', { class: 'tally' }, tally(flow.counts, false)),
      h('span', { class: 'time' }, span(ms), flow.left_ms > 0 ? ', about ' + span(flow.left_ms) + ' left' : ''), flow.held && h('span', { class: 'cause', title: flow.held }, flow.held));
  }

  showButtons() {
    const { flow } = this.model, active = flow.active[flow.active.length - 1];
    if (session.read_only) { fill(this.buttons, h('span', { class: 'hint' }, 'for reading')); return; }
    fill(this.buttons, active ? h('button', { class: 'bad', disabled: active.stopping, title: 'Stop the run (x)', onclick: () => this.act({ stopRun: active.run }) }, icon('stop', 14), active.stopping ? 'Stopping' : 'Stop')
      : [flow.shown && flow.shown.result && flow.shown.result !== 'succeeded' && !flow.past && h('button', { class: 'main', title: 'Run failed nodes again, and those that waited for them (R)', onclick: () => this.act({ run: { mode: 'resume' } }) }, icon('resume', 14), 'Resume'),
        h('button', { class: flow.shown && flow.shown.result && flow.shown.result !== 'succeeded' ? '' : 'main', title: 'Run all (r)', onclick: () => this.act({ run: {} }) }, icon('play', 14), 'Run')]);
  }

  show(name) {
    for (const [key, el] of Object.entries(this.panes)) {
      el.hidden = key !== name;
      this.tabs[key].setAttribute('aria-selected', String(key === name));
    }
    if (name === 'runs' && this.model.flow) this.runs.load();
  }

  select(nodes) {
    const box = this.graph.selectedBox();
    this.inspector.show(nodes, box && box.full);
    if (nodes.length) this.show('node');
    this.el.classList.toggle('chosen', nodes.length > 0);
  }

  countAsks(n) {
    this.asks.hidden = n === 0;
    this.asks.textContent = String(n);
    if (n > (this.asked || 0)) say(n + (n === 1 ? ' question waits for you' : ' questions wait for you'));
    this.asked = n;
  }

  showRun(run) {
    this.run = run;
    this.link.ask({ run });
  }

  // act carries out what a person asks, and says what went wrong.
  async act(wish) {
    const base = '/v1/workspaces/' + encodeURIComponent(this.model.flow.id);
    this.notice.hidden = true;
    try {
      if (wish.choose) this.graph.choose(wish.choose, { show: true });
      if (wish.answer) { this.show('approvals'); await this.approvals.load(); }
      if (wish.stop) await stop(base, wish.stop.row.r, wish.stop);
      if (wish.stopRun) await stop(base, wish.stopRun);
      if (wish.run) {
        if (this.run) this.showRun('');
        const accepted = await start(base, wish.run);
        if (accepted && !accepted.run) this.tell({ message: 'nothing to resume: no node has failed' });
      }
    } catch (e) {
      this.tell(e);
    }
  }

  tell(e) {
    this.notice.hidden = false;
    fill(this.notice, h('div', {}, h('b', {}, e.message), e.why && h('pre', {}, e.why), e.fix && h('p', { class: 'hint' }, e.fix)), h('button', { 'aria-label': 'Close', onclick: () => { this.notice.hidden = true; } }, icon('cross', 14)));
  }

  find() {
    const text = this.search.value.trim().toLowerCase();
    this.hits = text ? this.model.nodes.filter((n) => n.name.toLowerCase().includes(text)).map((n) => n.i) : [];
    this.graph.found = text ? new Set(this.hits) : null;
    this.hit = -1;
    this.graph.refresh();
  }

  nextFound(back) {
    if (!this.hits.length) { say('no node is called like that'); return; }
    this.hit = (this.hit + (back ? this.hits.length - 1 : 1)) % this.hits.length;
    this.graph.choose([this.hits[this.hit]], { show: true });
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]') || ['INPUT', 'TEXTAREA', 'SELECT'].includes(e.target.tagName)) return;
    const { flow } = this.model, may = flow && !session.read_only;
    const keys = {
      '/': () => { this.search.focus(); this.search.select(); },
      '?': () => showKeys(),
      r: () => may && !flow.active.length && this.act({ run: {} }),
      R: () => may && !flow.active.length && this.act({ run: { mode: 'resume' } }),
      x: () => may && flow.active.length && this.act({ stopRun: flow.active[flow.active.length - 1].run }),
      H: () => this.show('runs'),
      A: () => this.show('approvals'),
      i: () => this.show('node'),
    };
    if (keys[e.key]) { keys[e.key](); e.preventDefault(); return; }
    if (e.target === document.body && this.graph.key(e)) { this.graph.canvas.focus(); e.preventDefault(); }
  }
}
