// Brings a stream's media into a <video>: fetches from the first block that is missing, appends in order, fetches again
// after a lost connection, and drops what has been watched.

import { api } from './api.js';
import { FragmentSplitter, mimeOf } from './boxes.js';
import { note } from './received.js';
import { blockAt, hasEnded } from './times.js';

const KEEP_BEHIND = 60; // seconds kept behind the playhead
const FULL_AHEAD = 45; // seconds ahead at which fetching rests
const HUNGRY_AHEAD = 20; // and below which it continues
const RETRY_MS = [250, 8000];

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const once = (target, name) => new Promise((done) => target.addEventListener(name, done, { once: true }));

export class MediaFeed {
  // on: { lost(error), back(), failed(error) }
  constructor(video, stream, seconds, on) {
    Object.assign(this, { video, stream, on, next: blockAt(stream, seconds), turn: 0, started: false, retry() {} });
    this.media = new MediaSource();
    const url = URL.createObjectURL(this.media);
    this.work = once(this.media, 'sourceopen').then(() => {
      URL.revokeObjectURL(url);
      this.media.setLiveSeekableRange?.(0, 1e7); // any block may be gone to, also one that is not there yet
    });
    video.src = url;
    this.pump();
  }

  // Operations on the buffer, one at a time.
  run(operation) {
    this.work = this.work.then(operation);
    return this.work;
  }

  stop() {
    ++this.turn;
    this.pumping = false;
    this.abort?.abort();
  }

  // The stream's newer state: one that continues after its end is fetched again.
  update(stream) {
    this.stream = stream;
    if (!this.pumping && !this.resting && !this.complete()) this.pump();
  }

  suspend() {
    this.resting = true;
    this.stop();
  }

  wake() {
    if (!this.resting) return;
    this.resting = false;
    this.pump();
  }

  restart(seconds) {
    this.stop();
    this.next = blockAt(this.stream, seconds);
    this.run(() => this.started && this.remove(0, Infinity)).catch((error) => this.on.failed(error));
    this.pump();
  }

  complete() {
    return hasEnded(this.stream) && this.next >= this.stream.blocks;
  }

  async pump() {
    this.pumping = true;
    const turn = ++this.turn;
    let pause = RETRY_MS[0];
    while (turn === this.turn) {
      const before = this.next;
      try {
        await this.work;
        await this.read(turn);
      } catch (error) {
        if (turn !== this.turn) return;
        if (error.status !== 0 && error.name !== 'TypeError' && error.status !== 503) return this.on.failed(error);
        this.on.lost(error);
      }
      if (turn !== this.turn) return;
      if (this.complete()) return this.finish();
      pause = this.next > before ? RETRY_MS[0] : Math.min(pause * 2, RETRY_MS[1]);
      await Promise.race([sleep(pause), new Promise((now) => (this.retry = now))]);
      while (turn === this.turn && this.ahead() > HUNGRY_AHEAD) await sleep(RETRY_MS[0]);
    }
  }

  // Appends blocks until the response ends or enough is there.
  async read(turn) {
    this.abort = new AbortController();
    const response = await api.media(this.stream.id, this.next, this.abort.signal);
    const reader = response.body.getReader();
    const splitter = new FragmentSplitter();
    this.on.back();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || turn !== this.turn) return;
      for (const part of splitter.push(value)) {
        if (part.kind === 'fragment') note(this.stream.id, this.next, part.payload);
        await this.run(() => turn === this.turn && this.append(part));
        if (turn !== this.turn) return;
        if (part.kind === 'fragment') ++this.next;
      }
      if (this.ahead() > FULL_AHEAD) return this.abort.abort();
    }
  }

  async append(part) {
    if (!this.buffer) {
      this.buffer = this.media.addSourceBuffer(mimeOf(part.bytes) || this.stream.mime);
      this.buffer.mode = 'segments';
    }
    for (;;) {
      try {
        this.buffer.appendBuffer(part.bytes);
        await once(this.buffer, 'updateend');
        this.started = true;
        return this.evict(KEEP_BEHIND);
      } catch (error) {
        if (error.name !== 'QuotaExceededError') throw error;
        await this.evict(2);
        await sleep(RETRY_MS[0]);
      }
    }
  }

  async evict(keep) {
    const ranges = this.buffer.buffered;
    const end = this.video.currentTime - keep;
    if (ranges.length && ranges.start(0) < end - 5) await this.remove(0, end);
  }

  async remove(from, to) {
    this.buffer.remove(from, to);
    await once(this.buffer, 'updateend');
  }

  finish() {
    this.pumping = false;
    this.run(() => this.started && this.media.readyState === 'open' && this.media.endOfStream());
  }

  // Seconds of media from the playhead on without a gap.
  ahead() {
    const { buffered, currentTime } = this.video;
    for (let i = 0; i < buffered.length; ++i) {
      if (buffered.start(i) <= currentTime + 0.1 && currentTime < buffered.end(i)) return buffered.end(i) - currentTime;
    }
    return 0;
  }
}
