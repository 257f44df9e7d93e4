// The picture: one stream, or two beside each other in step.

import { $, setText, show } from './dom.js';
import { makePlayer } from './player.js';
import { blockSeconds, blockTime, hasEnded, promptAt } from './times.js';

const OFF_BY = 0.03; // seconds between two players that nobody sees
const LOST_STEP = 0.35; // from here on a seek is better than another speed

export class Stage {
  // on: { first(), lost(error), back(), failed(id, error), blocked() }
  constructor(on) {
    Object.assign(this, { on, main: null, beside: null, playing: true, reseeked: 0, before: 0 });
    this.cells = { main: $('cell-main'), beside: $('cell-beside') };
  }

  open(slot, stream, seconds) {
    const former = this[slot] ? [this[slot], ...this[slot].former] : [];
    for (const player of former) player.suspend();
    const first = () => {
      this[slot]?.former.splice(0).forEach((player) => player.close());
      if (slot === 'main') this.on.first();
    };
    const failed = (error) => {
      this.failed = true;
      this.on.failed(stream.id, error);
    };
    const { lost, back, blocked } = this.on;
    this[slot] = makePlayer(this.cells[slot], stream, seconds, { first, lost, back, blocked, failed });
    Object.assign(this[slot], { former, opened: performance.now() });
    for (const player of former) player.pause();
    this.failed = false;
    this.cells[slot].hidden = false;
    if (this.playing) this[slot].play();
    this.caption();
  }

  close(slot) {
    this[slot]?.former.forEach((player) => player.close());
    this[slot]?.close();
    this[slot] = null;
    if (slot === 'beside') this.cells.beside.hidden = true;
    if (this.main) this.main.rate = null;
    this.caption();
  }

  get players() {
    return [this.main, this.beside].filter(Boolean);
  }

  caption() {
    const two = Boolean(this.main && this.beside);
    $('stage').dataset.two = two;
    for (const [slot, cell] of Object.entries(this.cells)) {
      const caption = cell.querySelector('figcaption');
      show(caption, two);
      const stream = this[slot]?.stream;
      const other = this[slot === 'main' ? 'beside' : 'main']?.stream;
      const otherModel = stream?.model !== other?.model;
      if (two) setText(caption, otherModel ? stream.model : `${stream.id} · ${promptAt(stream, this.time).prompt}`);
    }
  }

  update(stream) {
    for (const player of this.players) if (player.stream.id === stream.id) player.update(stream);
  }

  // Nothing is left to show, nor to come.
  get atEnd() {
    return Boolean(this.main?.caughtUp());
  }

  play() {
    this.playing = true;
    if (this.atEnd) this.seek(0);
    for (const player of this.players) player.play();
  }

  pause() {
    this.playing = false;
    for (const player of this.players) player.pause();
  }

  seek(seconds) {
    for (const player of this.players) player.seek(Math.min(seconds, Math.max(0, player.stream.seconds - 0.05)));
  }

  // Milliseconds for which there has been no picture of what is watched.
  get waits() {
    const arriving = this.main?.element.classList.contains('arriving');
    return arriving ? performance.now() - this.main.opened : 0;
  }

  get time() {
    return this.main ? this.main.time : 0;
  }

  // Seconds between the picture and the newest block.
  get behind() {
    return this.main ? this.main.stream.seconds - this.time : 0;
  }

  get following() {
    const { stream } = this.main;
    return stream.live && !hasEnded(stream) && this.behind < 3 * blockSeconds(stream) + 2.5;
  }

  toNewest() {
    const { stream } = this.main;
    this.seek(blockTime(stream, Math.max(0, stream.blocks - 1)));
  }

  tick() {
    if (!this.main) return;
    const following = this.following;
    for (const player of this.players) player.tick(following);
    this.catchUp();
    if (this.beside) this.caption();
    if (this.beside && this.playing) this.keepStep();
  }

  // After a stall of more than a second a viewer who was at the newest block is taken there again.
  catchUp() {
    const { stream, stalledAt } = this.main;
    if (stalledAt) {
      this.stall = { long: performance.now() - stalledAt > 1000, near: this.stall ? this.stall.near : this.before < 4 };
      return;
    }
    const far = this.behind > 4 + 3 * blockSeconds(stream);
    if (this.stall?.long && this.stall.near && stream.live && far) this.toNewest();
    this.stall = null;
    this.before = this.behind;
  }

  keepStep() {
    const [lead, other] = [this.main, this.beside];
    const dry = (player) => !player.caughtUp() && player.ahead < (player.held ? 0.25 : 0.05);
    const hold = [lead, other].map(dry);
    for (const [i, player] of [lead, other].entries()) {
      player.held = hold[i];
      if (hold[1 - i] || (player === other && lead.caughtUp())) player.pause();
      else if (!player.wanted) player.play();
    }
    const lag = lead.time - other.time;
    if (other.caughtUp() && lag > 0) return;
    if (Math.abs(lag) > LOST_STEP) return this.reseek(other, lead.time);
    other.rate = Math.abs(lag) > OFF_BY ? 1 + Math.max(-0.4, Math.min(0.4, lag * 1.5)) : 1;
  }

  reseek(player, seconds) {
    if (performance.now() - this.reseeked < 800) return;
    this.reseeked = performance.now();
    player.seek(seconds);
  }

  // The server is there again: no need to wait for the next try.
  retry() {
    for (const player of this.players) player.retry();
  }

  sleep() {
    for (const player of this.players) player.suspend();
  }

  wake() {
    for (const player of this.players) player.wake();
  }
}
