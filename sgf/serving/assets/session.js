// What the page knows and watches: the server's streams, the one or two on the stage, and the connection.

import { api, Feed } from './api.js';
import { $, attempt, complain, hideNotice, notice, setText, show } from './dom.js';
import { canPlay } from './player.js';
import { Stage } from './stage.js';
import { blockTime, hasEnded } from './times.js';

export const streams = new Map();

// The page gives the functions: render after each change, welcome while nothing is watched, arrive once when the
// streams are known, play for a button, held(entry) when a prompt's time is known.
export const session = { id: null, besideId: null, models: [], connected: false, arrived: false };

export const current = () => streams.get(session.id);
export const modelOf = (stream) => session.models.find((model) => model.id === stream?.model) || session.models[0];

export const stage = new Stage({
  first: () => curtain(null),
  lost: () => setConnection('lost', 'reconnecting'),
  back: () => session.connected && setConnection('open', 'connected'),
  blocked: () => curtain('Ready', 'The browser waits for a click before it plays.', 'Play', () => session.play()),
  failed: (id, error) => {
    if (id !== session.id) return complain(error);
    const again = () => watch(id, stage.time);
    return curtain('The video stopped', error.message, 'Try again', again);
  },
});

// Words over the picture, with a button where there is something to do; null takes them away.
export function curtain(title, text, button, run) {
  show($('curtain'), title !== null);
  if (title === null) return;
  setText($('curtain-title'), title);
  setText($('curtain-text'), text || '');
  show($('curtain-button'), Boolean(button));
  setText($('curtain-button'), button || '');
  $('curtain-button').onclick = run;
}

function setConnection(state, words) {
  $('connection').dataset.state = state;
  setText($('connection'), words);
}

export const feed = new Feed({
  state: take,
  deleted: (id) => drop(id),
  open: attempt(async () => {
    session.connected = true;
    if ($('connection').dataset.state === 'lost') hideNotice();
    setConnection('open', 'connected');
    stage.retry();
    if (session.models.length === 0) session.models = await api.models();
    await refresh();
    if (session.arrived) return;
    session.arrived = true;
    await session.arrive();
  }),
  lost: async (seconds) => {
    session.connected = false;
    setConnection('lost', 'connection lost');
    const refusal = await api.list().then(() => null, (error) => error);
    if (!refusal || session.connected) return;
    const hint = `Trying again in ${Math.ceil(seconds)} s. What was made is kept.`;
    const action = { text: 'Try now', run: () => feed.connect() };
    notice(refusal.message, { hint: refusal.status ? refusal.hint : hint, action });
  },
});

export async function refresh() {
  const list = await api.list();
  const there = new Set(list.map((stream) => stream.id));
  for (const id of streams.keys()) if (!there.has(id)) drop(id);
  list.forEach(take);
}

export function take(stream) {
  streams.set(stream.id, stream);
  stage.update(stream);
  changed();
}

let due = 0;

// Renders once for all changes that come together.
function changed() {
  due ||= requestAnimationFrame(() => {
    due = 0;
    session.render();
  });
}

export function drop(id) {
  streams.delete(id);
  if (id === session.besideId) setBeside(null);
  if (id === session.id) leave();
}

// What is on the stage.

export function watch(id, seconds) {
  const stream = streams.get(id);
  if (!stream) return;
  if (!canPlay(stream)) return curtain('This browser cannot play it', `It lacks ${stream.mime}.`, null);
  const live = stream.live && !hasEnded(stream);
  const newest = blockTime(stream, Math.max(0, stream.blocks - 2));
  const from = seconds ?? (live && stream.blocks > 4 ? newest : 0);
  const other = session.besideId === id ? null : session.besideId;
  setBeside(null);
  session.id = id;
  location.hash = id;
  curtain(null);
  stage.playing = true;
  stage.open('main', stream, from);
  if (stream.pair && streams.has(stream.pair)) setBeside(stream.pair);
  else if (other && seconds !== undefined) setBeside(other);
  session.render();
  $('page').scrollIntoView({ block: 'start' });
  return undefined;
}

export function setBeside(id) {
  stage.close('beside');
  session.besideId = id && id !== session.id && streams.has(id) ? id : null;
  if (session.besideId) stage.open('beside', streams.get(session.besideId), stage.time);
  if (current()) session.render();
}

export function leave() {
  setBeside(null);
  stage.close('main');
  session.id = null;
  history.replaceState(null, '', '/');
  session.welcome();
  session.render();
}

// A new stream that answers to what was just sent. A pair is watched beside it from the start.
export async function started(stream) {
  take(stream);
  if (stream.pair && !streams.has(stream.pair)) take(await api.one(stream.pair));
  watch(stream.id, 0);
}
