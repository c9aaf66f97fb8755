// The runs of the workfile, newest first. A run can be shown in the graph as it ended.
import { h, fill, pill, ago, span, bar, runState, runWord } from './dom.js';
import { request } from './session.js';

export class Runs {
  constructor({ model, show }) {
    Object.assign(this, { model, onShow: show });
    this.el = h('section', { class: 'runs', 'aria-label': 'Runs' });
  }

  async load() {
    let list;
    try {
      list = (await request('GET', '/v1/workspaces/' + encodeURIComponent(this.model.flow.id) + '/runs')).runs || [];
    } catch (e) {
      fill(this.el, h('p', { class: 'problem pad' }, e.message));
      return;
    }
    if (!list.length) { fill(this.el, h('div', { class: 'empty' }, h('p', {}, 'It has not run yet.'))); return; }
    fill(this.el, h('ul', { class: 'cards' }, list.map((run) => this.card(run))));
  }

  card(run) {
    const { flow } = this.model, now = !run.result, shown = flow.past ? flow.past === run.run : flow.shown && flow.shown.run === run.run;
    const what = [run.mode === 'resume' && 'resumes ' + (run.resumes || 'the run before'), run.selection && run.selection.join(' '), run.from && 'from ' + run.from.join(' '), run.until && 'until ' + run.until.join(' ')].filter(Boolean).join(' · ');
    return h('li', {}, h('button', { class: 'run-card', 'aria-current': shown ? 'true' : false, onclick: () => this.onShow(now || flow.shown && !flow.past && flow.shown.run === run.run ? '' : run.run) },
      h('span', { class: 'top' }, h('b', {}, 'Run ' + run.run), pill(runState(run), runWord(run)), h('span', { class: 'time' }, ago(run.started))),
      bar(run.counts),
      h('span', { class: 'low' }, run.duration_ms ? span(run.duration_ms) : 'started ' + ago(run.started), run.user && ' · ' + run.user, what && ' · ' + what, run.cause && ' · ' + run.cause)));
  }
}
