// What to do at a time of the line that was clicked: watch from there, branch, or rewind.

import { api } from './api.js';
import { $, setText, show } from './dom.js';
import { randomSeed } from './new_stream.js';
import { SwitchChoice } from './switches.js';
import { blockAt, clock, promptAt, seedAt } from './times.js';

const WORDS = {
  branch: ['Branch', 'A second stream begins with what was made before this time. The first one stays.'],
  rewind: ['Rewind', 'This stream ends, and a new one continues from this time. The old one stays in the tree.'],
};

export class PointDialog {
  // on: { watch(seconds), went(stream, seconds) }
  constructor(on) {
    this.on = on;
    this.choice = new SwitchChoice($('point-switches'), $('point-switch-help'), 'point-switch');
    $('point-watch').onclick = () => {
      $('dialog-point').close();
      on.watch(this.at);
    };
    $('point-branch').onclick = () => this.ask('branch');
    $('point-rewind').onclick = () => this.ask('rewind');
    $('point-die').onclick = () => ($('point-seed').value = randomSeed());
    $('point-form').onsubmit = (event) => {
      event.preventDefault();
      if (this.what) this.go();
    };
    $('point-text').onkeydown = (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.go();
    };
    $('dialog-point').addEventListener('click', (event) => {
      if (event.target === $('dialog-point')) $('dialog-point').close();
    });
  }

  open(stream, model, at, x, y) {
    Object.assign(this, { stream, at, x, y, what: null });
    setText($('point-title'), clock(at));
    const prompt = promptAt(stream, at);
    setText($('point-prompt'), `Block ${blockAt(stream, at)} · “${prompt.prompt}”`);
    $('point-text').value = prompt.prompt;
    $('point-seed').value = seedAt(stream, at);
    this.choice.offer(model?.switches || ['keep']);
    show($('point-more'), false);
    show($('point-error'), false);
    for (const id of ['point-branch', 'point-rewind']) $(id).setAttribute('aria-expanded', false);
    $('dialog-point').showModal();
    this.place();
    $('point-watch').focus();
  }

  // Below the place that was clicked, and wholly on the screen.
  place() {
    const dialog = $('dialog-point');
    const fit = (wanted, size, room) => `${Math.max(12, Math.min(wanted, room - size - 12))}px`;
    dialog.style.setProperty('--left', fit(this.x - dialog.offsetWidth / 2, dialog.offsetWidth, innerWidth));
    dialog.style.setProperty('--top', fit(this.y + 8, dialog.offsetHeight, innerHeight));
  }

  ask(what) {
    this.what = what;
    setText($('point-go'), WORDS[what][0]);
    setText($('point-what'), WORDS[what][1]);
    show($('point-more'), true);
    for (const id of ['point-branch', 'point-rewind']) $(id).setAttribute('aria-expanded', id === `point-${what}`);
    this.place();
    $('point-text').focus();
    $('point-text').select();
  }

  body() {
    const { stream, at } = this;
    const prompt = $('point-text').value.trim();
    const seed = $('point-seed').value === '' ? undefined : Number($('point-seed').value);
    const body = { at };
    if (prompt && prompt !== promptAt(stream, at).prompt) Object.assign(body, { prompt, switch: this.choice.value });
    if (seed !== undefined && seed !== seedAt(stream, at)) body.seed = seed;
    return body;
  }

  async go() {
    const { stream, at, what } = this;
    $('point-go').disabled = true;
    try {
      const branch = await api.act(stream.id, what, this.body());
      $('dialog-point').close();
      this.on.went(branch, at);
    } catch (error) {
      setText($('point-error'), [error.message, error.hint].filter(Boolean).join(' '));
      show($('point-error'), true);
    }
    $('point-go').disabled = false;
  }
}
