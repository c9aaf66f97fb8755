// What the page knows of the workfile that it shows: nodes, edges, their states. It changes only by messages of wf.

export class Model {
  constructor() {
    this.nodes = []; // {id, name, group, in, flow, row}
    this.edges = []; // {from, to, way}
    this.out = [];
    this.in = [];
    this.flow = null;
    this.drawing = null;
    this.version = 0; // grows when a state changes
  }

  // apply takes a message and returns what changed: {graph, drawing, rows, flow}.
  apply(m) {
    const changed = { graph: !!m.graph, drawing: !!m.drawing, rows: !!(m.rows || m.ways), flow: !!m.flow };
    if (m.graph) this.setGraph(m.graph);
    if (m.drawing) this.drawing = m.drawing;
    for (const row of m.rows || []) this.nodes[row.i].row = row;
    for (const [edge, way] of m.ways || []) this.edges[edge].way = way;
    if (m.flow) this.flow = m.flow;
    if (changed.graph || changed.rows) this.version++;
    return changed;
  }

  setGraph(graph) {
    this.nodes = graph.nodes.map((n, i) => ({ ...n, i, row: { i, s: 'idle' } }));
    this.edges = graph.edges.map(([from, to]) => ({ from, to, way: 0 }));
    this.out = this.nodes.map(() => []);
    this.in = this.nodes.map(() => []);
    this.edges.forEach((e, i) => { this.out[e.from].push(i); this.in[e.to].push(i); });
    this.index = new Map(this.nodes.map((n) => [n.id, n.i]));
    this.drawing = null;
  }

  state(i) { return this.nodes[i].row.s; }

  // path returns the edges that lead to some nodes and from them, and the nodes on the way.
  path(nodes) {
    const edges = new Set(), seen = new Set(nodes);
    for (const [next, end] of [[this.out, 'to'], [this.in, 'from']]) {
      const reached = new Set(nodes), stack = [...nodes];
      while (stack.length) {
        for (const e of next[stack.pop()]) {
          edges.add(e);
          const other = this.edges[e][end];
          if (!reached.has(other)) { reached.add(other); seen.add(other); stack.push(other); }
        }
      }
    }
    return { edges, nodes: seen };
  }
}

// took returns how long a node ran or has been running, in ms, or -1.
export function took(row, now) {
  if (row.s === 'running' && row.t) return Math.max(0, now - row.t);
  return row.d ? row.d : -1;
}
