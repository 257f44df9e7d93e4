// The shelf of streams made so far, and the training runs.

import { api } from './api.js';
import { $, el, setText, show } from './dom.js';
import { posterOf } from './poster.js';
import { ago, clock, hasEnded } from './times.js';

const STATUS = {
  queued: 'waits for a place',
  running: 'live',
  waiting: 'live',
  paused: 'paused',
  completed: '',
  stopped: '',
  failed: 'failed',
  saved: 'can be continued',
};

export function statusWord(stream) {
  if (!stream.live && ['running', 'waiting'].includes(stream.status)) return 'being made';
  return STATUS[stream.status] ?? stream.status;
}

export class Gallery {
  // on: { watch(id), reproduce(id), remove(id) }
  constructor(on) {
    Object.assign(this, { on, cards: new Map() });
    this.seen = new IntersectionObserver((entries) => entries.forEach((entry) => this.reach(entry)), {
      rootMargin: '200px',
    });
  }

  reach(entry) {
    entry.target.dataset.near = entry.isIntersecting;
    if (entry.isIntersecting) this.poster(entry.target);
  }

  async poster(card) {
    const stream = this.streams.get(card.dataset.id);
    if (!stream || card.dataset.poster || stream.blocks < 1) return;
    card.dataset.poster = 'asked';
    const url = await posterOf(stream).catch(() => null);
    if (url) card.querySelector('img').src = url;
    else delete card.dataset.poster;
  }

  card(stream) {
    const { id } = stream;
    const picture = el('img', { alt: '', class: 'poster' });
    const open = el('button', { type: 'button', class: 'open', onclick: () => this.on.watch(id) });
    open.append(el('span', { class: 'frame' }, picture, el('em', { class: 'tag' })), el('strong', { class: 'title' }));
    const links = el('p', { class: 'links' });
    links.append(
      el('button', { type: 'button', class: 'link', text: 'Reproduce', onclick: () => this.on.reproduce(id) }),
      el('a', { class: 'link', text: 'Download', href: api.content(id), download: '' }),
      el('button', { type: 'button', class: 'link', text: 'Delete', onclick: () => this.on.remove(id) }),
    );
    const card = el('li', { class: 'card', data: { id } }, open, el('p', { class: 'meta' }), links);
    this.seen.observe(card);
    return card;
  }

  render(streams, currentId) {
    this.streams = streams;
    for (const [id, card] of this.cards) {
      if (streams.has(id)) continue;
      card.remove();
      this.cards.delete(id);
    }
    const sorted = [...streams.values()].sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));
    sorted.forEach((stream, i) => {
      if (!this.cards.has(stream.id)) this.cards.set(stream.id, this.card(stream));
      const card = this.cards.get(stream.id);
      if ($('gallery').children[i] !== card) $('gallery').insertBefore(card, $('gallery').children[i] || null);
      this.refresh(card, stream, currentId);
    });
    show($('gallery-empty'), sorted.length === 0);
  }

  refresh(card, stream, currentId) {
    const word = statusWord(stream);
    const tag = card.querySelector('.tag');
    setText(tag, word);
    show(tag, word !== '');
    tag.dataset.live = !hasEnded(stream);
    setText(card.querySelector('.title'), stream.title || stream.id);
    const parent = stream.parent?.replace('-', '\u2011');
    const from = parent ? `branch of ${parent} at ${clock(stream.branch_at)}` : stream.model;
    const facts = [clock(stream.seconds), `seed ${stream.seed}`, from, ago(stream.created)];
    setText(card.querySelector('.meta'), facts.join(' · '));
    card.querySelector('.open').setAttribute('aria-label', `Watch ${stream.id}: ${stream.title}`);
    card.toggleAttribute('data-current', stream.id === currentId);
    if (card.dataset.near === 'true') this.poster(card);
  }
}

export class Runs {
  async refresh() {
    if (document.hidden) return;
    const runs = await api.runs().catch(() => []);
    show($('runs-section'), runs.length > 0);
    const key = JSON.stringify(runs);
    if (key === this.key) return;
    this.key = key;
    $('runs').replaceChildren(...runs.map((run) => this.item(run)));
  }

  item(run) {
    const link = el('a', { href: run.report, target: '_blank', rel: 'noopener', text: run.name });
    const progress = el('progress', { max: run.steps || 1, value: run.step, 'aria-label': `Updates of ${run.name}` });
    const words = `${run.step} of ${run.steps} updates${run.live ? ', training now' : ''}`;
    return el('li', { data: { live: run.live } }, link, progress, el('span', { class: 'soft', text: words }));
  }
}
