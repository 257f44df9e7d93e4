// What a person does to a stream: play, pause, stop, continue, another prompt, delete, a link.

import { api } from './api.js';
import { $, attempt, confirmThat, notice, offerCopy, setText } from './dom.js';
import { randomSeed } from './new_stream.js';
import { curtain, current, drop, session, stage, started, streams, take } from './session.js';
import { clock, hasEnded } from './times.js';

// What is done to a stream is done to its pair, too, unless the server has done so.
async function act(what, body, done) {
  const stream = current();
  const after = await api.act(stream.id, what, body);
  take(after);
  if (!stream.pair || !streams.has(stream.pair)) return after;
  const pair = await api.one(stream.pair);
  const at = what === 'prompt' ? { at: newest(after, body.prompt)?.at } : {};
  take(done(pair, after) ? pair : await api.act(pair.id, what, { ...body, ...at }));
  return after;
}

function newest(stream, prompt) {
  return stream.timeline.findLast((entry) => entry.prompt === prompt);
}

export const play = attempt(async () => {
  curtain(null);
  stage.play();
  if (current().paused) await act('resume', {}, (pair) => !pair.paused);
  session.render();
});

export const pause = attempt(async () => {
  stage.pause();
  session.render();
  const stream = current();
  if (stream.live && !hasEnded(stream)) await act('pause', {}, (pair) => pair.paused);
});

export const stop = attempt(() => act('stop', {}, hasEnded));

export const resume = attempt(async () => {
  await act('resume', {}, (pair) => !hasEnded(pair));
  curtain(null);
  stage.playing = true;
  for (const player of stage.players) player.play();
});

export const send = attempt(async (prompt, mode) => {
  if (!current()) return start(prompt);
  if (hasEnded(current())) await resume();
  const same = (pair, after) => newest(pair, prompt)?.at === newest(after, prompt)?.at;
  const entry = newest(await act('prompt', { prompt, switch: mode }, same), prompt);
  if (!entry) return undefined;
  session.held(entry);
  return session.render();
});

export async function start(prompt) {
  const model = session.models[0];
  if (!model) return undefined;
  const order = { model: model.id, prompt: prompt || model.example_prompts[0], seed: randomSeed() };
  setText($('curtain-title'), 'Making the first block');
  return started(await api.create(order));
}

export const remove = attempt(async (id) => {
  const stream = streams.get(id);
  const words = `“${stream.title}”, ${clock(stream.seconds)}, and its files are removed.`;
  if (!(await confirmThat(`Delete ${id}?`, words, 'Delete'))) return;
  await api.remove(id);
  drop(id);
  session.render();
});

export async function copyLink() {
  const link = location.origin + current().order_link;
  try {
    await navigator.clipboard.writeText(link);
    notice('Link copied.', { hint: 'It reproduces this stream: same model, prompts, times and seed.', level: 'info' });
  } catch {
    await offerCopy('Link to reproduce', link);
  }
}
