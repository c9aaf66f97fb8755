// What is selected: a node with its command, why it is as it is, its executions and their output; or a stage with its nodes.
import { h, fill, icon, pill, span, bySeverity, states, tally } from './dom.js';
import { request, query, session } from './session.js';
import { took } from './model.js';
import { Log } from './log.js';

const MOST_ROWS = 400; // of the nodes of a stage

export class Inspector {
  // act gets what a person wants: {run: {nodes}}, {run: {from}}, {stop: node}, {choose: nodes}, {answer: node}.
  constructor({ model, act }) {
    Object.assign(this, { model, act, nodes: [] });
    this.el = h('section', { class: 'inspector', 'aria-label': 'Selection' });
    this.show([]);
  }

  get base() { return '/v1/workspaces/' + encodeURIComponent(this.model.flow.id); }

  // show shows nodes; title is the name of the stage that they are.
  show(nodes, title) {
    this.nodes = nodes;
    this.title = title;
    this.close();
    this.key = '';
    if (nodes.length === 1) this.node();
    else if (nodes.length > 1) this.stage();
    else this.nothing();
  }

  close() {
    if (this.log) this.log.close();
    this.log = null;
    clearInterval(this.clock);
  }

  // refresh shows new states of what is selected.
  refresh() {
    if (this.nodes.length > 1) this.stage();
    if (this.nodes.length !== 1) return;
    const row = this.model.nodes[this.nodes[0]].row;
    this.state(row);
    const key = row.s + ' ' + row.x + ' ' + row.r + ' ' + (this.model.flow.past || '');
    if (key !== this.key) this.ask(key);
  }

  nothing() {
    fill(this.el, h('div', { class: 'empty' }, h('p', {}, 'Select a box to see its command, its output, and why it is as it is.'),
      h('p', { class: 'hint' }, 'Double-click opens a stage. Press ? for the keys.')));
  }

  stage() {
    const counts = {}, { model } = this;
    for (const n of this.nodes) counts[model.state(n)] = (counts[model.state(n)] || 0) + 1;
    const order = [...this.nodes].sort((a, b) => bySeverity.indexOf(model.state(a)) - bySeverity.indexOf(model.state(b)) || a - b);
    const now = Date.now(), common = commonStart(this.nodes.map((n) => model.nodes[n].name));
    fill(this.el, h('header', { class: 'node-head' }, h('h2', {}, this.title || 'Stage', h('small', {}, ' ' + this.nodes.length + ' nodes')), common && h('p', { class: 'hint' }, common + '…'), h('div', { class: 'tally' }, tally(counts, true))),
      h('ul', { class: 'rows' }, order.slice(0, MOST_ROWS).map((n) => {
        const { name, row } = model.nodes[n], ms = took(row, now);
        return h('li', {}, h('button', { class: 'row', onclick: () => this.act({ choose: [n] }) }, h('span', { class: 'sign s-' + row.s, title: states[row.s][0] }, states[row.s][1]),
          h('span', { class: 'name', title: name }, name.slice(common.length)), h('span', { class: 'time' }, row.w || (ms >= 0 ? span(ms) : ''))));
      })),
      order.length > MOST_ROWS && h('p', { class: 'hint pad' }, (order.length - MOST_ROWS) + ' more'));
  }

  node() {
    const n = this.model.nodes[this.nodes[0]];
    this.pillAt = h('div', { class: 'state-line' });
    this.actions = h('div', { class: 'actions' });
    this.command = h('pre', { class: 'command' });
    this.why = h('div', { class: 'why' });
    this.tries = h('div', { class: 'tries' });
    this.logAt = h('div', { class: 'log-at' });
    fill(this.el, h('header', { class: 'node-head' }, h('h2', {}, n.name), this.pillAt, this.actions), this.command, this.why, this.tries, this.logAt);
    this.state(n.row);
    this.refresh();
    this.clock = setInterval(() => { const { row } = this.model.nodes[this.nodes[0]] || {}; if (row && row.s === 'running' && !document.hidden) this.state(row); }, 1000);
  }

  // state shows the state of the node: what changes often.
  state(row) {
    const ms = took(row, Date.now());
    fill(this.pillAt, pill(row.s), ms >= 0 && h('span', { class: 'time' }, span(ms)), row.a && h('span', { class: 'time' }, 'attempt ' + row.a),
      row.n && h('span', { class: 'time' }, row.n), row.w && h('span', { class: 'cause' }, row.w));
  }

  async ask(key) {
    this.key = key;
    const n = this.model.nodes[this.nodes[0]], run = this.model.flow.past || '';
    const asked = this.nodes[0];
    this.buttons(n);
    let why;
    try {
      why = await request('GET', this.base + '/why' + query({ node: n.id, run }));
    } catch (e) {
      if (this.nodes[0] === asked) fill(this.why, h('p', { class: 'problem' }, e.message));
      return;
    }
    if (this.nodes.length !== 1 || this.nodes[0] !== asked || this.key !== key) return;
    this.command.textContent = why.node.command || (n.flow ? 'a sub-flow: ' + n.flow : 'no command');
    fill(this.why, why.text.map((text) => h('p', {}, text)),
      why.ways && h('ul', { class: 'ways' }, why.ways.map((w) => h('li', { class: w.taken ? 'taken' : '' }, w.when + ' → ' + w.to + (w.taken ? ' (taken)' : '')))),
      why.decisions && why.decisions.map((d) => h('p', { class: 'hint' }, (d.approved ? 'approved' : 'rejected') + (d.by ? ' by ' + d.by : '') + (d.comment ? ': ' + d.comment : ''))));
    this.executions(why.node, why.run || run);
  }

  buttons(n) {
    fill(this.actions);
    if (session.read_only || this.model.flow.past) return;
    const { s } = n.row;
    if (s === 'running' || s === 'retrying') this.actions.append(h('button', { onclick: () => this.act({ stop: n }) }, icon('stop', 14), 'Stop it'));
    else if (s === 'waiting') this.actions.append(h('button', { class: 'main', onclick: () => this.act({ answer: n }) }, icon('question', 14), 'Answer'));
    else if (!n.in) {
      this.actions.append(h('button', { onclick: () => this.act({ run: { nodes: [n.name] } }) }, icon('play', 14), 'Run this'),
        h('button', { onclick: () => this.act({ run: { from: [n.name] } }) }, icon('resume', 14), 'Run from here'));
    }
  }

  // executions shows the output of the latest execution, and a button for each earlier one.
  executions(node, run) {
    const count = node.executions || 0, what = (execution) => ({ node: node.id, run: node.run || run, execution });
    const open = (execution) => {
      if (this.log) this.log.close();
      this.log = new Log(this.base, what(execution));
      fill(this.logAt, this.log.el);
      for (const b of this.tries.querySelectorAll('button')) b.setAttribute('aria-pressed', String(b.dataset.n === String(execution)));
    };
    fill(this.tries);
    if (count > 1) {
      this.tries.append(h('span', { class: 'hint' }, 'Executions'));
      for (let i = Math.max(1, count - 9); i <= count; i++) {
        const b = h('button', { class: 'tab', 'aria-pressed': 'false', onclick: () => open(i) }, String(i));
        b.dataset.n = String(i);
        this.tries.append(b);
      }
    }
    if (count > 0) open(count);
    else if (this.log) { this.log.close(); this.log = null; fill(this.logAt); }
  }
}

// commonStart returns what all names begin with, up to a point, colon or slash.
function commonStart(names) {
  let start = names[0];
  for (const name of names) while (!name.startsWith(start)) start = start.slice(0, -1);
  return start.slice(0, Math.max(start.lastIndexOf('.'), start.lastIndexOf(':'), start.lastIndexOf('/')) + 1);
}
