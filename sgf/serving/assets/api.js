// The server's interface as functions. Every failure is an ApiError with the server's own words.

export class ApiError extends Error {
  constructor(status, code, message, hint) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint || '';
  }
}

const unreachable = () => new ApiError(0, 'unreachable', 'The server does not answer.', 'Is sgf serve still running?');

async function refusal(response) {
  let error = {};
  try {
    error = (await response.json()).error || {};
  } catch {
    // Not JSON: a proxy or another program answered.
  }
  const message = error.message || `The server answered ${response.status}.`;
  return new ApiError(response.status, error.code || 'unknown', message, error.hint);
}

async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { cache: 'no-store', ...options });
  } catch (error) {
    throw error.name === 'AbortError' ? error : unreachable();
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

async function get(path) {
  return (await ask(path)).json();
}

async function post(path, body = {}) {
  const headers = { 'Content-Type': 'application/json' };
  return (await ask(path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

const stream = (id) => `/v1/streams/${encodeURIComponent(id)}`;
const video = (id) => `/v1/videos/${encodeURIComponent(id)}`;

export const api = {
  models: async () => (await get('/v1/models')).data,
  runs: async () => (await get('/v1/runs')).data,
  list: async () => (await get('/v1/videos')).data,
  one: (id) => get(video(id)),
  create: (order) => post('/v1/streams', order),
  remove: async (id) => {
    const headers = { 'Content-Type': 'application/json' };
    return (await ask(video(id), { method: 'DELETE', headers })).json();
  },
  // what: prompt, pause, resume, stop, branch, rewind or position.
  act: (id, what, body) => post(`${stream(id)}/${what}`, body),
  media: (id, from, signal) => ask(`${stream(id)}/media?from=${from}`, { signal }),
  frameUrl: (id, number) => `${stream(id)}/frames/${number}.png`,
  frame: (id, number) => ask(api.frameUrl(id, number)),
  content: (id) => `${video(id)}/content`,
  upload: async (blob) =>
    (await ask('/v1/uploads', { method: 'POST', headers: { 'Content-Type': 'image/png' }, body: blob })).json(),
};

// The events of all streams over one connection, opened again after a failure with growing pauses.
export class Feed {
  constructor(on) {
    this.on = on; // { state(object), deleted(id), open(), lost(seconds) }
    this.pause = 0;
    this.connect();
  }

  connect() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = new EventSource('/v1/events');
    this.source.onopen = () => {
      this.pause = 0;
      this.on.open();
    };
    this.source.onerror = () => this.retry();
    this.source.addEventListener('state', (event) => this.on.state(JSON.parse(event.data)));
    this.source.addEventListener('deleted', (event) => this.on.deleted(JSON.parse(event.data).id));
  }

  retry() {
    this.source.close();
    this.pause = Math.min(Math.max(0.5, this.pause * 2), 15);
    this.on.lost(this.pause);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), this.pause * 1000);
  }

  close() {
    clearTimeout(this.timer);
    this.source.close();
  }
}
