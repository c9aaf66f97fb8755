// Starting and stopping runs, with the questions that come first: parameters, a repetition, texts of a drawing.
import { h, span } from './dom.js';
import { request } from './session.js';
import { field, valueOf } from './fields.js';

// dialog shows a dialog and returns what its buttons gave. Escape gives null.
export function dialog({ title, body, buttons }) {
  return new Promise((resolve) => {
    const close = (value) => { el.close(); el.remove(); resolve(value); };
    const el = h('dialog', { class: 'dialog', 'aria-label': title, oncancel: (e) => { e.preventDefault(); close(null); } }, h('form', { method: 'dialog', onsubmit: (e) => e.preventDefault() }, h('h2', {}, title), body,
      h('div', { class: 'actions' }, buttons.map(({ text, kind, value }) => h('button', { type: kind === 'main' ? 'submit' : 'button', class: kind || '', onclick: async () => {
        const got = typeof value === 'function' ? await value() : value;
        if (got !== undefined) close(got);
      } }, text)))));
    document.body.append(el);
    el.showModal();
  });
}

// start starts a run. wish has the members of a RunRequest. It returns the accepted run, or null if the person gave it up.
export async function start(base, wish) {
  if (wish.mode !== 'resume') {
    const { params } = await request('POST', base + '/params', {});
    if (params && params.length) {
      const values = await askParams(base, params);
      if (!values) return null;
      wish = { ...wish, params: values };
    }
  }
  return send(base, { ...wish, ask_repeat: true });
}

async function send(base, wish) {
  try {
    return await request('POST', base + '/runs', { ...wish, detached: true });
  } catch (e) {
    if (e.code === 'done') {
      const took = e.repeat && e.repeat.took_ms ? ' It took ' + span(e.repeat.took_ms) + '.' : '';
      const again = await dialog({ title: 'Run everything again?', body: h('p', {}, 'All nodes are done.' + took), buttons: [{ text: 'No', value: null }, { text: 'Run again', kind: 'main', value: true }] });
      return again ? send(base, { ...wish, mode: 'fresh' }) : null;
    }
    if (!wish.accept_drawing && (e.message + e.fix).includes('--accept-drawing')) {
      const yes = await dialog({ title: 'These commands are texts of a drawing', body: h('p', {}, e.message), buttons: [{ text: 'Do not run', value: null }, { text: 'Run, and remember it in the workfile', kind: 'main', value: true }] });
      return yes ? send(base, { ...wish, accept_drawing: true }) : null;
    }
    throw e;
  }
}

// askParams asks for the values of parameters, and shows the problems of values at their fields.
function askParams(base, params) {
  const fields = params.map((p) => field(p));
  const check = async () => {
    const values = {};
    for (const f of fields) {
      f.problem.textContent = '';
      try { Object.assign(values, valueOf(f)); } catch (e) { f.problem.textContent = e.message; return undefined; }
    }
    let list;
    try { list = await request('POST', base + '/params', { params: values }); } catch (e) { fields[0].problem.textContent = e.message; return undefined; }
    for (const p of list.problems || []) (fields.find((f) => f.param.name === p.param) || fields[0]).problem.textContent = p.reason;
    return (list.problems || []).length ? undefined : values;
  };
  return dialog({ title: 'Parameters of the run', body: h('div', { class: 'fields' }, fields.map((f) => f.el)), buttons: [{ text: 'Cancel', value: null }, { text: 'Run', kind: 'main', value: check }] });
}

// stop stops a run, or one node of it, after a question whose default is no.
export async function stop(base, run, node) {
  const what = node ? node.name : 'run ' + run;
  const yes = await dialog({ title: 'Stop ' + what + '?', body: h('p', {}, node ? 'Its command is ended. The nodes behind it do not run.' : 'Its commands are ended. The run can be resumed.'), buttons: [{ text: 'Let it run', value: null }, { text: 'Stop', kind: 'bad', value: true }] });
  if (!yes) return null;
  return request('POST', base + '/runs/' + encodeURIComponent(run) + '/stop', node ? { node: node.id } : {});
}
