// The page of sgf serve: joins the server's streams to the player, the timeline, the tree and the dialogs.

import { api } from './api.js';
import { copyLink, pause, play, remove, resume, send, start, stop } from './direct.js';
import { $, attempt, notice, setText } from './dom.js';
import { markPrompt, renderControls, renderFacts, renderPrompts } from './facts.js';
import { Gallery, Runs } from './gallery.js';
import { listenToDrops, listenToKeys } from './input.js';
import { NewStream } from './new_stream.js';
import { PointDialog } from './point.js';
import { received } from './received.js';
import { current, curtain, feed, leave, modelOf, session, setBeside, stage } from './session.js';
import { started, streams, take, watch } from './session.js';
import { Composer, chips } from './switches.js';
import { blockAt, blockSeconds, blockTime, clock, hasEnded } from './times.js';
import { Timeline } from './timeline.js';
import { Tree } from './tree.js';

const timeline = new Timeline({
  pick: (seconds, x, y) => point.open(current(), modelOf(current()), seconds, x, y),
  watch: (id) => watch(id, streams.get(id).branch_at),
});
const composer = new Composer({ send });
const gallery = new Gallery({
  watch: (id) => watch(id),
  reproduce: (id) => dialog.reproduce(streams.get(id)),
  remove,
});
const runs = new Runs();
const tree = new Tree({
  watch: (id) => watch(id, Math.min(stage.time, Math.max(0, streams.get(id).seconds - 0.5))),
  beside: (id) => setBeside(session.besideId === id ? null : id),
});
const dialog = new NewStream({ started: attempt(started) });
const point = new PointDialog({
  watch: (seconds) => {
    stage.seek(seconds);
    if (!stage.playing) play();
  },
  went: (stream, seconds) => {
    take(stream);
    watch(stream.id, Math.max(0, seconds - 0.25));
    notice(`${stream.id} begins at ${clock(stream.branch_at ?? seconds)} of ${stream.parent}.`, { level: 'info' });
  },
});

// Everything that a change of the streams changes. What moves with the picture is in tick.
function render() {
  const stream = current();
  const model = modelOf(stream);
  $('page').dataset.mode = stream ? 'watch' : 'empty';
  composer.render(stream, model);
  chips($('chips'), (model?.example_prompts || []).slice(0, 4), fill);
  gallery.render(streams, session.id);
  const title = stream ? `${stream.title} · sgf live` : 'sgf live';
  if (document.title !== title) document.title = title;
  if (!stream) return;
  renderPrompts(stream, (seconds) => stage.seek(seconds));
  tree.render(streams, stream, session.besideId);
  $('download').href = api.content(stream.id);
}

function fill(text) {
  $('prompt').value = text;
  if (current()) $('prompt').focus();
  else send(text);
}

// Four times a second.
function tick() {
  stage.tick();
  const stream = current();
  if (!stream || !stage.main) return;
  const branches = [...streams.values()].filter((other) => other.parent === stream.id);
  timeline.render(stream, stage.time, branches);
  renderControls(stream, stage);
  renderFacts(stream, stage.main);
  markPrompt(stream, stage.time);
  composer.tick(stage.time);
  explain(stream);
  report();
}

// What is to be said where a picture cannot be: why it is not there yet, or why there is no more.
function reason(stream) {
  const waits = stage.waits > 700 && !stage.failed;
  const failed = stream.status === 'failed' && (waits || stage.atEnd);
  if (failed) return ['The stream failed', stream.error, 'Continue it', resume];
  if (!waits) return null;
  if (stream.status !== 'queued') return [stream.blocks ? 'Loading' : 'Making the first block'];
  return ['In the queue', stream.queue ? `${stream.queue} before it` : 'It begins as soon as there is a place.'];
}

let explained = false; // whether the words over the picture are from here

function explain(stream) {
  const words = reason(stream);
  if (words && (explained || $('curtain').hidden)) curtain(...words);
  if (!words && explained) curtain(null);
  explained = Boolean(words);
}

let reported = 0;

// What has been shown, which is what paces the streams: each second, oftener when blocks are shorter than that.
function report() {
  const every = Math.min(1, Math.max(0.25, blockSeconds(current()))) * 1000;
  if (!session.connected || !stage.playing || performance.now() - reported < every - 20) return;
  reported = performance.now();
  for (const player of stage.players) {
    const { stream, time } = player;
    // A decoder can need more before it shows all that it has. If the picture stands, what it has counts as shown.
    const stuck = time === player.told && player.ahead < 1;
    player.told = time;
    const seconds = time + (stuck ? player.ahead : 0);
    if (stream.live && !hasEnded(stream)) api.act(stream.id, 'position', { seconds }).catch(() => {});
  }
}

function welcome() {
  const words = 'Say what you want to see. Change it at any time; go back and try another way.';
  const go = attempt(() => start($('prompt').value.trim()));
  curtain('Direct a video while it is made', words, 'Start a stream', go);
}

// Once the server's streams are known: what the address asks for.
async function arrive() {
  dialog.set(session.models);
  render();
  const order = new URLSearchParams(location.search).get('order');
  const id = location.hash.slice(1);
  if (order) {
    history.replaceState(null, '', '/');
    dialog.reproduce(streams.get(order) || (await api.one(order)));
  } else if (streams.has(id)) {
    watch(id);
  }
  await runs.refresh();
  setInterval(() => runs.refresh(), 10000);
}

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else $('stage').requestFullscreen();
}

$('play').onclick = () => (stage.playing && !stage.atEnd ? pause() : play());
$('stop').onclick = stop;
$('continue').onclick = resume;
$('to-live').onclick = () => stage.toNewest();
$('copy-link').onclick = attempt(copyLink);
$('fullscreen').onclick = fullScreen;
$('new-stream').onclick = () => dialog.open({ prompt: current() ? '' : $('prompt').value.trim() });
$('help').onclick = () => $('dialog-help').showModal();
$('beside-off').onclick = () => setBeside(null);
$('to-gallery').onclick = (event) => {
  event.preventDefault();
  $('gallery-section').scrollIntoView();
};
$('home').onclick = (event) => {
  event.preventDefault();
  leave();
};
addEventListener('hashchange', () => {
  const id = location.hash.slice(1);
  if (id !== (session.id || '') && streams.has(id)) watch(id);
});

listenToKeys({
  has: () => Boolean(current() && stage.main),
  play: () => $('play').click(),
  step: (blocks) => {
    const block = blockAt(current(), stage.time) + blocks;
    stage.seek(blockTime(current(), Math.max(0, Math.min(current().blocks - 1, block))));
  },
  point: () => timeline.pick(timeline.snap(stage.time)),
});
listenToDrops((image) => dialog.open({ image, prompt: $('prompt').value.trim() }));

// A page that nobody sees leaves its connections to others: a browser has six per server. A page that is left, too: the
// browser may keep it for the way back.
function doze() {
  stage.sleep();
  feed.close();
}

function wake() {
  stage.wake();
  if (feed.source.readyState === EventSource.CLOSED) feed.connect();
}

let dozing = 0;
document.addEventListener('visibilitychange', () => {
  clearTimeout(dozing);
  if (document.hidden) dozing = setTimeout(doze, 10000);
  else wake();
});
addEventListener('pagehide', doze);
addEventListener('pageshow', wake);

Object.assign(session, { render, welcome, arrive, play, held: (entry) => composer.held(entry) });
welcome();
setInterval(tick, 250);
setInterval(() => stage.beside && stage.playing && stage.keepStep(), 100);
setText($('connection'), 'connecting');

// Read by tests.
window.sgfPage = {
  get id() {
    return session.id;
  },
  get beside() {
    return session.besideId;
  },
  get streams() {
    return [...streams.values()];
  },
  get players() {
    return stage.players.map(({ stream, time, ahead, frames, stalls, rate, wanted }) => {
      return { id: stream.id, time, ahead, frames, stalls, rate, wanted };
    });
  },
  received,
};
