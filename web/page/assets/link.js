// The connection to wf: one WebSocket per page, which comes back by itself. While the tab is hidden there is none.
import { token } from './session.js';

const HIDDEN_MS = 15000; // a hidden tab is disconnected after this time
const FIRST_MS = 250, LAST_MS = 5000; // between two attempts to connect

export class Link {
  // first makes the first message; take gets each message; status gets {state, message, fix}, where state is 'connecting',
  // 'live', 'lost' (the daemon is searched for), 'away' (nothing answers, another attempt follows) or 'out' (not signed in).
  constructor({ first, take, status }) {
    Object.assign(this, { first, take, status, wait: FIRST_MS, start: true, closed: false });
    this.onVisible = () => {
      clearTimeout(this.hiding);
      if (document.hidden) this.hiding = setTimeout(() => this.drop(), HIDDEN_MS);
      else if (!this.socket) this.connect();
    };
    document.addEventListener('visibilitychange', this.onVisible);
    this.online = () => { if (!this.socket && !document.hidden) this.connect(); };
    window.addEventListener('online', this.online);
    this.connect();
  }

  connect() {
    clearTimeout(this.again);
    if (this.closed || this.socket || document.hidden) return;
    const socket = this.socket = new WebSocket('ws://' + location.host + '/live');
    let why = null;
    socket.onopen = () => {
      socket.send(JSON.stringify({ ...this.first(), token: token(), start: this.start }));
      this.start = false; // only a person may start a daemon again
    };
    socket.onmessage = (event) => {
      const m = JSON.parse(event.data);
      if (m.error) { why = m.error; return; }
      if (m.lost) { this.status({ state: 'lost', message: m.lost }); return; }
      this.wait = FIRST_MS;
      this.status({ state: 'live' });
      this.take(m);
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      if (this.closed) return;
      if (why && why.message === 'this page is not signed in') { this.status({ state: 'out', message: why.message, fix: why.fix }); return; }
      this.status({ state: 'away', code: why && why.code, message: why ? why.message : 'wf web does not answer', fix: why ? why.fix : 'if it has ended, start it again with wf web', daemon: !!why });
      this.again = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, LAST_MS);
    };
  }

  // ask sends a question. Without a connection it is dropped: the first message of the next one has all there is.
  ask(question) {
    if (this.socket && this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(question));
  }

  // retry connects at once, and may start a daemon: a person asked for it.
  retry() {
    this.start = true;
    this.wait = FIRST_MS;
    this.connect();
  }

  drop() {
    const socket = this.socket;
    this.socket = null;
    if (socket) socket.close();
  }

  close() {
    this.closed = true;
    clearTimeout(this.again);
    clearTimeout(this.hiding);
    document.removeEventListener('visibilitychange', this.onVisible);
    window.removeEventListener('online', this.online);
    this.drop();
  }
}
