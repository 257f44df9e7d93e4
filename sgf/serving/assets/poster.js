// A still of a stream for its card: one block, fetched and drawn once. One at a time, after what is being watched.

import { api } from './api.js';
import { FragmentSplitter } from './boxes.js';

const made = new Map(); // id -> url of the still
let last = Promise.resolve();

export function posterOf(stream) {
  if (stream.media === 'png') return Promise.resolve(api.frameUrl(stream.id, Math.floor(stream.frames / 2)));
  if (!made.has(stream.id)) {
    const still = last.then(() => draw(stream));
    last = still.catch(() => null);
    made.set(stream.id, still);
    still.catch(() => made.delete(stream.id));
  }
  return made.get(stream.id);
}

async function oneBlock(stream) {
  const stop = new AbortController();
  const response = await api.media(stream.id, Math.floor((stream.blocks - 1) / 2), stop.signal);
  const reader = response.body.getReader();
  const splitter = new FragmentSplitter();
  const parts = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error('no block came');
    for (const part of splitter.push(value)) {
      parts.push(part.bytes);
      if (part.kind === 'fragment') {
        stop.abort();
        return new Blob(parts, { type: 'video/mp4' });
      }
    }
  }
}

async function draw(stream) {
  const source = URL.createObjectURL(await oneBlock(stream));
  const video = document.createElement('video');
  video.muted = true;
  video.preload = 'auto';
  try {
    await new Promise((done, fail) => {
      video.onloadeddata = done;
      video.onerror = () => fail(new Error('the still could not be read'));
      setTimeout(() => fail(new Error('the still took too long')), 5000);
      video.src = source;
    });
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    canvas.getContext('2d').drawImage(video, 0, 0);
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/jpeg', 0.85));
    return URL.createObjectURL(blob);
  } finally {
    video.removeAttribute('src');
    video.load();
    URL.revokeObjectURL(source);
  }
}
