// Fields for declared values: parameters of a run, and values of an answer.
import { h } from './dom.js';

// field makes the field of a declared value {name, type, default, choices, help, required}. given is a value from before.
export function field(param, given) {
  const value = given !== undefined ? given : param.default;
  const text = value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  let input;
  if (param.type === 'bool') input = h('input', { type: 'checkbox', checked: value === true || value === 'true' });
  else if (param.choices && param.choices.length) {
    input = h('select', {}, !param.required && h('option', { value: '' }, '—'), param.choices.map((c) => h('option', { value: c, selected: c === text }, c)));
  } else if (param.type === 'json' || param.type === 'list') input = h('textarea', { rows: 3, value: text, spellcheck: false });
  else input = h('input', { type: param.type === 'secret' ? 'password' : param.type === 'int' || param.type === 'float' ? 'number' : 'text', value: text, autocomplete: 'off', spellcheck: false, ...(param.type === 'float' ? { step: 'any' } : {}) });
  const problem = h('span', { class: 'problem', role: 'alert' });
  const el = h('label', { class: 'field' + (param.type === 'bool' ? ' inline' : '') }, h('span', {}, param.name, param.required && h('i', { title: 'required' }, ' *')), input, param.help && h('small', {}, param.help), problem);
  return { param, input, el, problem };
}

// valueOf returns the value of a field as {name: value}, or {} if it is empty. The values of texts are checked by wf.
export function valueOf({ param, input }) {
  if (param.type === 'bool') return { [param.name]: input.checked };
  if (input.value === '') return {};
  if (param.type === 'int' || param.type === 'float') return { [param.name]: Number(input.value) };
  if (param.type === 'json' || param.type === 'list' && /^\s*\[/.test(input.value)) {
    try {
      return { [param.name]: JSON.parse(input.value) };
    } catch {
      throw new Error(param.name + ': this is not JSON');
    }
  }
  return { [param.name]: input.value };
}
