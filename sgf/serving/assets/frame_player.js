// Plays a stream as single PNG frames on a canvas, for servers built without FFmpeg. The same surface as VideoPlayer.

import { api } from './api.js';
import { hasEnded } from './times.js';

const HELD = 48; // frames held ahead of the playhead
const AT_ONCE = 3; // requests under way

export class FramePlayer {
  constructor(cell, stream, seconds, on) {
    Object.assign(this, { stream, on, time: seconds, wanted: false, stalls: 0, stalledAt: 0, rate: 1, frames: 0 });
    Object.assign(this, { held: new Map(), asked: new Set(), drawn: -1, open: true, pausedUntil: 0 });
    this.element = document.createElement('canvas');
    this.element.className = 'picture arriving';
    this.element.setAttribute('role', 'img');
    this.element.setAttribute('aria-label', `Video of stream ${stream.id}`);
    cell.append(this.element);
    this.last = performance.now();
    this.loop = requestAnimationFrame((now) => this.turn(now));
  }

  get ahead() {
    let frame = this.frameAt(this.time);
    while (this.held.has(frame)) ++frame;
    return Math.max(0, frame / this.stream.fps - this.time);
  }

  frameAt(seconds) {
    return Math.floor(seconds * this.stream.fps + 1e-3);
  }

  caughtUp() {
    return hasEnded(this.stream) && this.frameAt(this.time) >= this.stream.frames - 1;
  }

  turn(now) {
    if (!this.open) return;
    const elapsed = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    const next = this.time + elapsed * (this.rate ?? 1);
    if (this.wanted && this.held.has(this.frameAt(next))) this.time = next;
    else if (this.wanted && this.drawn >= 0 && !this.caughtUp()) this.stalledAt ||= now;
    this.draw(this.frameAt(this.time));
    if (now >= this.pausedUntil) this.fetchMore();
    this.loop = requestAnimationFrame((later) => this.turn(later));
  }

  draw(frame) {
    if (frame === this.drawn || !this.held.has(frame)) return;
    const picture = this.held.get(frame);
    if (this.drawn < 0) Object.assign(this.element, { width: picture.width, height: picture.height });
    this.element.getContext('2d').drawImage(picture, 0, 0);
    if (this.drawn < 0) this.on.first();
    this.element.classList.remove('arriving');
    this.drawn = frame;
    this.stalledAt = 0;
    ++this.frames;
    for (const old of this.held.keys()) if (old < frame || old > frame + HELD) this.held.delete(old);
  }

  fetchMore() {
    const first = this.frameAt(this.time);
    const last = Math.min(first + HELD, this.stream.frames);
    for (let frame = first; frame < last && this.asked.size < AT_ONCE; ++frame) {
      if (!this.held.has(frame) && !this.asked.has(frame)) this.fetchOne(frame);
    }
  }

  async fetchOne(frame) {
    this.asked.add(frame);
    try {
      const response = await api.frame(this.stream.id, frame);
      this.held.set(frame, await createImageBitmap(await response.blob()));
      this.on.back();
    } catch (error) {
      this.pausedUntil = performance.now() + 1000;
      if (error.status === 0) this.on.lost(error);
    }
    this.asked.delete(frame);
  }

  play() {
    this.wanted = true;
  }

  pause() {
    this.wanted = false;
  }

  seek(seconds) {
    this.time = seconds;
  }

  update(stream) {
    this.stream = stream;
  }

  tick() {}

  retry() {
    this.pausedUntil = 0;
  }

  suspend() {
    this.pausedUntil = Infinity;
  }

  wake() {
    this.pausedUntil = 0;
  }

  close() {
    this.open = false;
    cancelAnimationFrame(this.loop);
    this.element.remove();
  }
}
