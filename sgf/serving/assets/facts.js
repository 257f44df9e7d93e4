// What is known of the stream now: in numbers beside the video, and in a word over it.

import { $, el, setText, show } from './dom.js';
import { bytes, clock, hasEnded } from './times.js';

const number = (value, digits = 1) => (Number.isFinite(value) ? value.toFixed(digits) : '–');

function rows(stream, player) {
  const { rates = {}, memory = {} } = stream;
  const kept = [memory.cache_bytes, memory.snapshots_bytes].filter(Number.isFinite);
  const seed = stream.seeds.map((entry) => entry.seed).join(', then ');
  const ended = hasEnded(stream);
  return [
    ['Stream', `${stream.id}, ${stream.model}`],
    ['Seed', seed],
    ['Made', `${number(rates.made_fps)} frames/s`],
    ['Played', `${number(stream.fps * (player?.rate || 1))} frames/s`],
    ['Buffer', `${number(player?.ahead || 0)} s in the browser`],
    ['Ahead', ended ? 'ended' : `${Math.max(0, stream.seconds - (player?.time || 0)).toFixed(1)} s made, not shown`],
    ['Steps', stream.guidance > 1 ? `${stream.steps}, guidance ${stream.guidance}` : String(stream.steps)],
    ['Window', stream.window],
    ['Memory', kept.length ? `${bytes(kept.reduce((a, b) => a + b, 0))} of states` : '–'],
    ['Saved', `${stream.saved_blocks} of ${stream.blocks} blocks`],
  ];
}

// The rows stay; their values change in place.
export function renderFacts(stream, player) {
  const facts = rows(stream, player);
  if ($('facts').children.length !== facts.length) {
    $('facts').replaceChildren(...facts.map(() => el('div', {}, el('dt'), el('dd'))));
  }
  facts.forEach(([name, value], i) => {
    setText($('facts').children[i].children[0], name);
    setText($('facts').children[i].children[1], value);
  });
  setText($('speed-line'), stream.rates?.line || '');
}

export function renderPrompts(stream, seek) {
  const key = JSON.stringify([stream.id, stream.timeline]);
  if ($('prompts').dataset.key === key) return;
  $('prompts').dataset.key = key;
  const lines = stream.timeline.map((entry, i) => {
    const line = el('button', { type: 'button', onclick: () => seek(entry.at) });
    const mode = i ? ` · ${entry.switch.replace('-', ' ')}` : '';
    line.append(el('span', { class: 'time', text: clock(entry.at) + mode }), el('span', { text: entry.prompt }));
    return el('li', {}, line);
  });
  $('prompts').replaceChildren(...lines);
}

export function markPrompt(stream, time) {
  const now = stream.timeline.findLastIndex((entry) => entry.at <= time + 1e-3);
  for (const list of [$('prompts'), $('marks')]) {
    [...list.children].forEach((line, i) => line.toggleAttribute('data-now', i === now));
  }
}

const BADGES = {
  queued: (stream) => (stream.queue ? `in the queue, ${stream.queue} before it` : 'in the queue'),
  running: () => 'live',
  waiting: () => 'live',
  paused: () => 'paused',
  completed: () => '',
  stopped: () => 'ended',
  failed: () => 'failed',
  saved: () => 'saved',
};

export function renderControls(stream, stage) {
  const ended = hasEnded(stream);
  const live = stream.live && !ended;
  const badge = stage.following || !live || stream.paused ? BADGES[stream.status]?.(stream) || '' : 'earlier';
  setText($('badge'), badge);
  show($('badge'), badge !== '' && Boolean(stage.main));
  $('badge').dataset.live = badge === 'live';
  const { main } = stage;
  const playing = stage.playing && !stage.atEnd;
  $('play').dataset.playing = playing;
  const word = playing ? 'Pause' : 'Play';
  if ($('play').getAttribute('aria-label') !== word) {
    $('play').setAttribute('aria-label', word);
    $('play').title = `${word} (Space)`;
  }
  setText($('clock-now'), clock(Math.min(stage.time, stream.seconds)));
  setText($('clock-end'), clock(stream.endless ? stream.seconds : stream.limit_seconds ?? stream.seconds));
  show($('to-live'), live && !stage.following && stream.blocks > 0);
  const slow = main && main.rate < 0.97 && !stage.beside;
  show($('speed'), slow);
  const made = number(stream.rates.made_fps);
  if (slow) setText($('speed'), `${main.rate.toFixed(1)}× speed: the model makes ${made} frames/s`);
  show($('stop'), !ended);
  show($('continue'), ended && (stream.live || stream.status === 'saved'));
}
