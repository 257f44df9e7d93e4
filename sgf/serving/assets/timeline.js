// The line below the video: prompts over time, what is shown, what is made, and where branches begin.

import { $, el, setText, show } from './dom.js';
import { blockAt, blockTime, clock } from './times.js';

const ENDS = [10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 450, 600, 900, 1200, 1800, 2700, 3600];
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
const ZOOMED = 60; // seconds

export class Timeline {
  // on: { pick(seconds, x, y), watch(id) }
  constructor(on) {
    Object.assign(this, { on, stream: null, cursor: null, zoomed: false, drawn: '' });
    this.parts = {};
    for (const name of ['made', 'played', 'edges', 'hover', 'playhead']) {
      this.parts[name] = $('track').querySelector(`.${name}`);
    }
    $('track').onpointermove = (event) => {
      if (this.stream && event.pointerType === 'mouse') this.hover(this.secondsAt(event.clientX));
    };
    $('track').onpointerleave = () => this.hover(null);
    $('track').onclick = (event) => this.pick(this.secondsAt(event.clientX));
    $('track').onkeydown = (event) => this.key(event);
    $('track').onblur = () => this.hover(null);
    $('zoom').onclick = () => {
      this.zoomed = !this.zoomed;
      this.drawn = '';
    };
  }

  get span() {
    const { stream } = this;
    const made = stream.seconds;
    const long = made > 2 * ZOOMED;
    if (this.zoomed && long) return { from: made - ZOOMED, to: made + 3 };
    if (stream.limit_seconds && !stream.endless) return { from: 0, to: Math.max(stream.limit_seconds, made) };
    return { from: 0, to: ENDS.find((end) => end >= made * 1.04) || made * 1.1 };
  }

  percent(seconds) {
    const { from, to } = this.span;
    return 100 * Math.max(0, Math.min(1, (seconds - from) / (to - from)));
  }

  // The beginning of the block under a place of the screen.
  secondsAt(x) {
    const box = $('track').getBoundingClientRect();
    const { from, to } = this.span;
    return this.snap(from + ((x - box.left) / box.width) * (to - from));
  }

  snap(seconds) {
    const last = Math.max(0, this.stream.blocks - 1);
    return blockTime(this.stream, Math.max(0, Math.min(last, blockAt(this.stream, seconds))));
  }

  hover(seconds) {
    this.cursor = seconds;
    const { hover } = this.parts;
    show(hover, seconds !== null && this.stream?.blocks > 0);
    if (seconds === null) return;
    hover.style.left = `${this.percent(seconds)}%`;
    hover.dataset.time = clock(seconds);
  }

  key(event) {
    if (!this.stream || event.ctrlKey || event.metaKey || event.altKey) return;
    const now = blockAt(this.stream, this.cursor ?? this.time);
    const far = Math.max(1, Math.round(blockAt(this.stream, 1)));
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageDown: -far, PageUp: far, Home: -Infinity, End: Infinity };
    const block = Math.max(0, Math.min(this.stream.blocks - 1, now + steps[event.key]));
    if (event.key in steps) this.hover(blockTime(this.stream, block));
    else if (event.key === 'Enter' || event.key === ' ') this.pick(this.cursor ?? this.snap(this.time));
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.aria();
  }

  pick(seconds) {
    if (!this.stream || this.stream.blocks === 0) return;
    const box = $('track').getBoundingClientRect();
    const x = box.left + (box.width * this.percent(seconds)) / 100;
    this.on.pick(seconds, x, box.bottom);
  }

  aria() {
    const at = this.cursor ?? this.time;
    $('track').setAttribute('aria-valuemax', this.stream.seconds.toFixed(1));
    $('track').setAttribute('aria-valuenow', at.toFixed(1));
    $('track').setAttribute('aria-valuetext', `${clock(at)} of ${clock(this.stream.seconds)}`);
  }

  // branches: the streams that begin with blocks of this one.
  render(stream, time, branches) {
    Object.assign(this, { stream, time });
    const { made, played, playhead } = this.parts;
    const at = this.percent(Math.min(time, stream.seconds));
    const start = this.percent(0);
    made.style.left = played.style.left = `${start}%`;
    made.style.width = `${this.percent(stream.seconds) - start}%`;
    played.style.width = `${at - start}%`;
    playhead.style.left = `${at}%`;
    this.aria();
    const { from, to } = this.span;
    const places = JSON.stringify([stream.id, from, to, stream.timeline, branches.map((b) => b.id), innerWidth]);
    if (places === this.drawn) return;
    this.drawn = places;
    show($('zoom'), stream.seconds > 2 * ZOOMED);
    setText($('zoom'), this.zoomed ? 'Show all' : 'Show the last minute');
    this.drawMarks();
    this.drawForks(branches);
    this.drawAxis();
  }

  drawMarks() {
    const entries = this.stream.timeline;
    const { from, to } = this.span;
    const marks = entries.map((entry, i) => {
      const until = entries[i + 1]?.at ?? to;
      const left = this.percent(entry.at);
      const mark = el('button', { type: 'button', class: 'mark', onclick: () => this.pick(this.snap(entry.at)) });
      mark.append(el('b', { text: i + 1 }), ' ', entry.prompt);
      mark.title = `${clock(entry.at)}  ${entry.prompt}`;
      mark.setAttribute('aria-label', `Prompt ${i + 1} from ${clock(entry.at)}: ${entry.prompt}`);
      mark.style.left = `${left}%`;
      mark.style.width = `${this.percent(until) - left}%`;
      mark.hidden = until <= from;
      return mark;
    });
    $('marks').replaceChildren(...marks);
    const edges = entries.slice(1).map((entry) => {
      const edge = el('i');
      edge.style.left = `${this.percent(entry.at)}%`;
      return edge;
    });
    this.parts.edges.replaceChildren(...edges);
  }

  drawForks(branches) {
    const forks = branches.map((branch) => {
      const words = `Watch branch ${branch.id}, from ${clock(branch.branch_at)}: ${branch.title}`;
      const fork = el('button', { type: 'button', class: 'fork', title: words, 'aria-label': words });
      fork.onclick = () => this.on.watch(branch.id);
      fork.style.left = `${this.percent(branch.branch_at)}%`;
      fork.hidden = branch.branch_at < this.span.from;
      return fork;
    });
    $('forks').replaceChildren(...forks);
  }

  drawAxis() {
    const { from, to } = this.span;
    const most = $('track').clientWidth < 480 ? 4 : 8;
    const step = STEPS.find((each) => (to - from) / each <= most) || 7200;
    const ticks = [];
    for (let at = Math.ceil(from / step) * step; at <= to + 1e-6; at += step) {
      const tick = el('span', { text: clock(at).replace(/\.0$/, '') });
      tick.style.left = `${this.percent(at)}%`;
      ticks.push(tick);
    }
    $('axis').replaceChildren(...ticks);
  }
}
