// One stream on the screen. VideoPlayer plays mp4 through Media Source Extensions; FramePlayer draws PNG frames.

import { MediaFeed } from './feed.js';
import { FramePlayer } from './frame_player.js';
import { noteShown } from './received.js';
import { blockAt, blockSeconds, hasEnded } from './times.js';

export class VideoPlayer {
  // on: { first(), blocked(), lost(error), back(), failed(error) }
  constructor(cell, stream, seconds, on) {
    Object.assign(this, { stream, on, from: seconds, wanted: false, stalls: 0, stalledAt: 0 });
    this.element = document.createElement('video');
    Object.assign(this.element, { muted: true, playsInline: true, className: 'picture arriving', tabIndex: -1 });
    this.element.setAttribute('aria-label', `Video of stream ${stream.id}`);
    cell.append(this.element);
    this.listen();
    this.feed = new MediaFeed(this.element, stream, seconds, on);
    this.element.addEventListener('loadedmetadata', () => seconds > 0 && (this.element.currentTime = seconds));
  }

  listen() {
    const video = this.element;
    video.addEventListener('loadeddata', () => {
      video.classList.remove('arriving');
      this.on.first();
    });
    video.addEventListener('waiting', () => {
      if (!this.wanted || video.currentTime === 0 || this.caughtUp()) return;
      ++this.stalls;
      this.stalledAt ||= performance.now();
    });
    video.addEventListener('playing', () => (this.stalledAt = 0));
    video.addEventListener('error', () => {
      this.feed.stop();
      this.on.failed(new Error(`The browser could not play the video: ${video.error?.message || 'unknown reason'}.`));
    });
    const shown = (_, frame) => {
      noteShown(this.stream.id, blockAt(this.stream, frame.mediaTime));
      video.requestVideoFrameCallback(shown);
    };
    video.requestVideoFrameCallback?.(shown);
  }

  get time() {
    return this.element.readyState > 0 ? this.element.currentTime : this.from;
  }

  get ahead() {
    return this.feed.ahead();
  }

  get frames() {
    return this.element.getVideoPlaybackQuality().totalVideoFrames;
  }

  // Whether everything that there will be has been shown.
  caughtUp() {
    return hasEnded(this.stream) && this.time >= this.stream.seconds - 0.15;
  }

  play() {
    this.wanted = true;
    if (this.element.ended) return; // would begin anew; tick plays on when more has come
    this.element.play().catch((error) => error.name === 'NotAllowedError' && this.on.blocked());
  }

  pause() {
    this.wanted = false;
    this.element.pause();
  }

  seek(seconds) {
    const { buffered } = this.element;
    const inside = (i) => buffered.start(i) <= seconds + 1e-3 && seconds < buffered.end(i);
    const there = [...Array(buffered.length).keys()].some(inside);
    if (!there) this.feed.restart(seconds);
    this.element.currentTime = seconds + 1e-3;
  }

  update(stream) {
    this.stream = stream;
    this.feed.update(stream);
  }

  // Four times a second: leaves gaps, plays on after the browser's own pause, and keeps to the speed of the network.
  tick(following) {
    const video = this.element;
    if (video.error) return;
    if (video.ended && this.ahead > 0) video.currentTime += 1e-3; // more has come after the end: not ended any more
    if (this.wanted && video.paused && !video.ended && !document.hidden) this.play();
    this.skipGap();
    this.nudge();
    const { fps, rates, status } = this.stream;
    const slow = following && status === 'running' && rates.made_fps > 0 && rates.made_fps < 0.97 * fps;
    const steer = this.ahead < blockSeconds(this.stream) ? 0.92 : 1.06;
    const rate = slow ? Math.min(1, Math.max(0.1, (rates.made_fps / fps) * steer)) : 1;
    if (!this.steered && Math.abs(video.playbackRate - rate) > 0.02) video.playbackRate = rate;
  }

  // A picture that stands still for two seconds although there is more is asked for again.
  nudge() {
    const moved = this.time !== this.seen || !this.wanted || this.held || this.ahead < 0.3;
    if (moved) Object.assign(this, { seen: this.time, seenAt: performance.now() });
    else if (performance.now() - this.seenAt > 2000) this.element.currentTime += 1e-3;
  }

  skipGap() {
    const { buffered, currentTime } = this.element;
    if (this.ahead > 0) return;
    for (let i = 0; i < buffered.length; ++i) {
      const gap = buffered.start(i) - currentTime;
      if (gap > 0 && gap < 0.5) return (this.element.currentTime = buffered.start(i) + 1e-3);
    }
  }

  get rate() {
    return this.element.playbackRate;
  }

  // Held by the step of two players; null gives the speed back.
  set rate(value) {
    this.steered = value !== null;
    const rate = value ?? 1;
    if (Math.abs(this.element.playbackRate - rate) > 1e-3) this.element.playbackRate = rate;
  }

  retry() {
    this.feed.retry();
  }

  suspend() {
    this.feed.suspend();
  }

  wake() {
    this.feed.wake();
  }

  close() {
    this.feed.stop();
    this.element.removeAttribute('src');
    this.element.load();
    this.element.remove();
  }
}

export function canPlay(stream) {
  const mime = stream.mime || 'video/mp4; codecs="avc1.640028"'; // not known before the first block
  return stream.media === 'png' || ('MediaSource' in window && MediaSource.isTypeSupported(mime));
}

export function makePlayer(cell, stream, seconds, on) {
  const Kind = stream.media === 'png' ? FramePlayer : VideoPlayer;
  return new Kind(cell, stream, seconds, on);
}
