// Questions that wait for a person, as cards: the question, what was put out before it, and the possible answers with what
// each starts.
import { h, fill, ago } from './dom.js';
import { request, session } from './session.js';
import { field, valueOf } from './fields.js';

export class Approvals {
  // counted gets the number of questions whenever it changes.
  constructor({ model, counted }) {
    Object.assign(this, { model, counted, list: [] });
    this.el = h('section', { class: 'approvals', 'aria-label': 'Approvals' });
    this.cards = new Map(); // by run and node; a card keeps what a person has typed
  }

  get base() { return '/v1/workspaces/' + encodeURIComponent(this.model.flow.id); }

  async load() {
    try {
      this.list = (await request('GET', this.base + '/approvals')).approvals || [];
    } catch {
      return; // the connection is lost; the next state asks again
    }
    const known = new Map();
    for (const a of this.list) {
      const key = a.run + ' ' + a.node;
      known.set(key, this.cards.get(key) || this.card(a));
    }
    this.cards = known;
    const now = [...known.values()];
    if (now.length) { if (now.some((c, i) => this.el.children[i] !== c) || this.el.children.length !== now.length) fill(this.el, now); } else fill(this.el, h('div', { class: 'empty' }, h('p', {}, 'Nothing waits for you.')));
    this.counted(this.list.length);
  }

  card(a) {
    const fields = (a.fields || []).map((f) => field(f));
    const cases = (a.choices || []).map((c, i) => h('label', { class: 'choice' }, h('input', { type: 'radio', name: 'case ' + a.run + ' ' + a.node, value: c.case, checked: a.choices.length === 1 && i === 0 }),
      h('span', {}, h('b', {}, c.case), (c.leads_to || []).length > 0 && h('small', {}, 'starts ' + c.leads_to.join(', ')))));
    const comment = h('input', { type: 'text', placeholder: 'Comment (optional)', 'aria-label': 'Comment' });
    const problem = h('p', { class: 'problem', role: 'alert' });
    const approve = h('button', { class: 'main', onclick: () => answer(true) }, 'Approve'), reject = h('button', { class: 'bad', onclick: () => answer(false) }, 'Reject');
    const answer = async (approved) => {
      fill(problem);
      let values = {};
      try {
        if (approved) for (const f of fields) Object.assign(values, valueOf(f));
      } catch (e) { fill(problem, e.message); return; }
      const chosen = el.querySelector('input[type=radio]:checked');
      if (approved && chosen) values.case = chosen.value;
      approve.disabled = reject.disabled = true;
      try {
        await request('POST', this.base + '/decide', { node: a.node, run: a.run, approved, comment: comment.value || undefined, values: Object.keys(values).length ? values : undefined });
        await this.load();
      } catch (e) {
        fill(problem, e.message + (e.why ? ': ' + e.why : ''));
      }
      approve.disabled = reject.disabled = false;
    };
    const el = h('article', { class: 'ask' },
      h('header', {}, h('span', { class: 'sign s-waiting', 'aria-hidden': 'true' }, '◆'), h('b', {}, a.name), h('span', { class: 'time' }, 'run ' + a.run + ' · asks since ' + ago(a.since))),
      h('p', { class: 'question' }, a.text || 'Shall it run?'),
      (a.before || []).map((b) => h('details', { class: 'before', open: true }, h('summary', {}, b.name || b.node, ' put out'), h('dl', {}, Object.entries(b.outputs || {}).map(([key, value]) => [h('dt', {}, key), h('dd', {}, typeof value === 'string' ? value : JSON.stringify(value))])))),
      cases.length > 0 && h('fieldset', {}, h('legend', {}, 'Choose'), cases), fields.map((f) => f.el),
      a.until && h('p', { class: 'hint' }, (a.default === 'approve' ? 'Approved' : 'Rejected') + ' by itself at ' + new Date(a.until).toLocaleTimeString()),
      session.read_only ? h('p', { class: 'hint' }, 'This page is only for reading.') : [comment, problem, h('div', { class: 'actions' }, approve, reject)]);
    el.dataset.node = a.node;
    return el;
  }
}
