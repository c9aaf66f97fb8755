// Signing in, and requests. The code in the fragment of the address is exchanged for a token, which is kept in the memory
// of this tab: never in an address, a cookie or a file.

const KEY = 'wf-token';

export let session = null;

// enter signs in with the code of the address or the token of this tab. It returns false if there is neither, or they
// are not valid any more; why says which.
export async function enter() {
  const code = /^#code=([\w-]+)$/.exec(location.hash);
  if (code) {
    history.replaceState(null, '', location.pathname); // before anything else can read or remember it
    const answer = await fetch('/session', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ code: code[1] }), credentials: 'omit' });
    const body = await answer.json();
    if (answer.ok) {
      sessionStorage.setItem(KEY, body.token);
      delete body.token;
      session = body;
      return { ok: true, fresh: true };
    }
    if (!sessionStorage.getItem(KEY)) return { ok: false, why: body };
  }
  if (!sessionStorage.getItem(KEY)) return { ok: false, why: { message: 'this tab is not signed in', fix: 'wf web prints an address for it' } };
  try {
    session = await request('GET', '/session');
  } catch (e) {
    return { ok: false, why: e };
  }
  return { ok: true };
}

export const token = () => sessionStorage.getItem(KEY) || '';

// A Refusal is the error of a request: code, message, why, fix as wf words them.
export class Refusal extends Error {
  constructor(status, body) {
    super(body.message || 'HTTP status ' + status);
    Object.assign(this, { status, code: body.code || '', why: body.why || '', fix: body.fix || '', problems: body.problems || [], repeat: body.repeat });
  }
}

const headers = (body) => ({ Authorization: 'Bearer ' + token(), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) });

// send sends a request and returns the answer as it is.
export async function send(method, path, body, signal) {
  let answer;
  try {
    answer = await fetch(path, { method, headers: headers(body), body: body === undefined ? undefined : JSON.stringify(body), signal, credentials: 'omit', cache: 'no-store' });
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new Refusal(0, { message: 'wf web does not answer', fix: 'it may have ended: start it again with wf web' });
  }
  if (!answer.ok) throw new Refusal(answer.status, await answer.json().catch(() => ({})));
  return answer;
}

// request sends a request and decodes the JSON of the answer.
export const request = async (method, path, body, signal) => (await send(method, path, body, signal)).json();

// query encodes the parameters of a GET; empty ones are left out.
export function query(params) {
  const q = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) if (value !== undefined && value !== '' && value !== 0 && value !== false) q.set(key, value === true ? '1' : String(value));
  const text = q.toString();
  return text && '?' + text;
}
