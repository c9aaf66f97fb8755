// The help about keys. They are those of the terminal interface.
import { h } from './dom.js';
import { dialog } from './start.js';

const keys = [
  ['arrows, h j k l', 'go from box to box'], ['Enter', 'open a stage, or fold it again'], ['Esc', 'select nothing'], ['n, N', 'next or previous node that failed or waits'],
  ['z, Z', 'how large nodes are drawn'], ['+, -, 0', 'larger, smaller, show all'], ['/', 'find a node'], ['i, H, A', 'selection, runs, approvals'],
  ['r, R', 'run, resume'], ['x', 'stop the run'], ['~', 'all workfiles'], ['?', 'this help'],
];

export function showKeys() {
  return dialog({ title: 'Keys', body: h('dl', { class: 'keys' }, keys.map(([key, text]) => [h('dt', {}, key), h('dd', {}, text)])), buttons: [{ text: 'Close', kind: 'main', value: null }] });
}
