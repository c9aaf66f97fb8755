// The start of the page: signing in, then one screen at a time, chosen by the fragment of the address.
import { h, fill, icon } from './dom.js';
import { enter, session } from './session.js';
import { Home } from './home.js';
import { File } from './file.js';

const app = document.getElementById('app');
let screen = null;

// theme follows the system until a person chooses.
const theme = {
  link: document.getElementById('dark'),
  get dark() { return matchMedia(this.link.media).matches; },
  use(name) { this.link.media = name === 'dark' ? 'all' : 'not all'; },
  set(name) {
    this.use(name);
    try { localStorage.setItem('wf-theme', name); } catch { /* it is remembered as long as the page is open */ }
    changed();
  },
};

function changed() { if (screen && screen.graph) screen.graph.theme(); }

function bar() {
  const button = h('button', { class: 'tool', title: 'Light or dark', 'aria-label': 'Light or dark', onclick: () => { theme.set(theme.dark ? 'light' : 'dark'); fill(button, icon(theme.dark ? 'sun' : 'moon')); } }, icon(theme.dark ? 'sun' : 'moon'));
  return h('header', { class: 'top' }, h('a', { class: 'logo', href: '#/', 'aria-label': 'All workfiles' }, h('img', { src: '/icon.svg', alt: '', width: 26, height: 26 })), h('div', { class: 'slot' }), button);
}

function out({ message, fix }) {
  if (screen && screen.close) screen.close();
  screen = null;
  fill(app, h('div', { class: 'out' }, h('img', { src: '/icon.svg', alt: '', width: 56, height: 56 }), h('h1', {}, 'Not signed in'), h('p', {}, sentence(message)), h('p', { class: 'hint' }, sentence(fix || 'wf web prints a new address'))));
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');

// route shows the screen of the fragment: #/ or #/file/PATH.
function route() {
  const match = /^#\/file(\/.+)$/.exec(location.hash);
  if (screen) screen.close();
  let path = null;
  try { path = match && decodeURIComponent(match[1]); } catch { /* the address was typed wrong */ }
  screen = path ? new File({ path, bar: bar(), out }) : new Home({ bar: bar() });
  fill(app, screen.el);
}

document.addEventListener('keydown', (e) => {
  if (e.key === '~' && !['INPUT', 'TEXTAREA', 'SELECT'].includes(e.target.tagName) && session) location.hash = '#/';
});

async function begin() {
  try { const kept = localStorage.getItem('wf-theme'); if (kept === 'dark' || kept === 'light') theme.use(kept); } catch { /* without a memory the system decides */ }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);
  theme.link.addEventListener('load', changed);
  let entered;
  try { entered = await enter(); } catch { entered = { ok: false, why: { message: 'wf web does not answer', fix: 'start it again with wf web' } }; }
  if (!entered.ok) { out(entered.why); return; }
  if (session.file && !/^#\/./.test(location.hash)) {
    history.replaceState(null, '', '#/file' + encodeURI(session.file).replaceAll('#', '%23').replaceAll('?', '%3F'));
  }
  window.addEventListener('hashchange', () => /^#code=/.test(location.hash) ? location.reload() : route());
  route();
}

begin();
