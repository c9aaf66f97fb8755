// The list of workfiles.
import { h, fill, pill, ago, fileName, folderOf, runState, icon } from './dom.js';
import { request, session } from './session.js';

const EVERY_MS = 4000; // while the page is visible

export class Home {
  constructor({ open, bar }) {
    this.onOpen = open;
    this.list = h('ul', { class: 'files' });
    this.problem = h('p', { class: 'problem', role: 'alert' });
    this.el = h('div', { class: 'home' }, bar, h('main', {}, h('h1', {}, 'Workfiles', session.machine && h('small', {}, 'on ' + session.machine)), this.problem, this.list));
    this.visible = () => { if (!document.hidden) this.load(); };
    document.addEventListener('visibilitychange', this.visible);
    this.clock = setInterval(this.visible, EVERY_MS);
    document.title = 'wf';
    this.load();
  }

  close() {
    clearInterval(this.clock);
    document.removeEventListener('visibilitychange', this.visible);
  }

  async load() {
    let files;
    try {
      files = await request('GET', '/workfiles');
    } catch (e) {
      fill(this.problem, e.message + (e.fix ? ' — ' + e.fix : ''));
      return;
    }
    fill(this.problem);
    const key = JSON.stringify(files);
    if (key === this.key) return;
    this.key = key;
    fill(this.list, files.length ? files.map((f) => this.card(f)) : h('li', { class: 'empty' }, h('p', {}, 'No workfile has run on this machine yet.'), h('p', { class: 'hint' }, 'wf web FILE shows one.')));
  }

  card(f) {
    const active = f.active || [], run = { result: active.length ? '' : f.result };
    const state = f.run || active.length ? runState(run) : 'idle';
    return h('li', {}, h('a', { class: 'file-card', href: '#/file' + encodeURI(f.path).replaceAll('#', '%23').replaceAll('?', '%3F') },
      h('span', { class: 'mark s-' + state, 'aria-hidden': 'true' }, icon('layers', 18)),
      h('span', { class: 'names' }, h('b', {}, fileName(f.path)), h('small', {}, folderOf(f.path))),
      h('span', { class: 'latest' }, active.length ? pill('running', active.length > 1 ? active.length + ' runs' : 'run ' + active[0]) : f.run && pill(state, 'run ' + f.run), h('small', {}, ago(f.when)))));
  }
}
