// How a prompt change treats what the model remembers: three modes in plain words.

import { $, el, setText } from './dom.js';
import { clock, hasEnded } from './times.js';

export const SWITCHES = {
  keep: ['Keep', 'The memory stays as it is. Gentle; the change can take a while.'],
  recache: ['Recache', 'The memory is written again under the new prompt. A faster change.'],
  'new-sink': ['New sink', 'This moment becomes the anchor for all that follows. A new beginning.'],
};

export class SwitchChoice {
  constructor(fieldset, help, name) {
    Object.assign(this, { fieldset, help, name });
    this.offer(Object.keys(SWITCHES));
  }

  offer(modes) {
    if (modes.join() === this.modes?.join()) return;
    const before = this.value;
    this.modes = modes;
    const labels = modes.filter((mode) => mode in SWITCHES).map((mode) => {
      const input = el('input', { type: 'radio', name: this.name, value: mode, onchange: () => this.explain() });
      return el('label', {}, input, el('span', { text: SWITCHES[mode][0] }));
    });
    this.fieldset.replaceChildren(el('legend', { class: 'unseen', text: 'How to change' }), ...labels);
    this.value = modes.includes(before) ? before : modes[0];
  }

  get value() {
    return this.fieldset.querySelector('input:checked')?.value || 'keep';
  }

  set value(mode) {
    const input = this.fieldset.querySelector(`input[value="${mode}"]`);
    if (input) input.checked = true;
    this.explain();
  }

  explain() {
    setText(this.help, SWITCHES[this.value][1]);
  }
}

// The field of prompts below the video.
export class Composer {
  // on: { send(prompt, mode) }
  constructor(on) {
    Object.assign(this, { on, shown: null, since: null });
    this.choice = new SwitchChoice($('switches'), $('switch-help'), 'switch');
    $('composer').onsubmit = (event) => {
      event.preventDefault();
      this.send();
    };
    $('prompt').onkeydown = (event) => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.send();
      } else if (event.key === 'Escape') {
        $('prompt').blur();
      }
    };
  }

  async send() {
    const prompt = $('prompt').value.trim();
    if (prompt && !$('send').disabled) await this.on.send(prompt, this.choice.value);
  }

  // Without a stream the field starts one; the text of a stream's newest prompt is there to be edited.
  render(stream, model) {
    $('composer').dataset.starts = !stream;
    setText($('send'), stream ? (hasEnded(stream) ? 'Continue' : 'Change') : 'Start');
    this.choice.offer(model?.switches || Object.keys(SWITCHES));
    const id = stream?.id || '';
    if (id === this.shown) return;
    this.shown = id;
    this.since = null;
    $('prompt').value = stream ? stream.timeline.at(-1).prompt : '';
    $('prompt').placeholder = model?.example_prompts[0] || 'What do you want to see?';
    setText($('holds'), '');
  }

  // A prompt was taken: from when it holds, then since when.
  held(entry) {
    this.since = entry;
    setText($('holds'), `holds from ${clock(entry.at)}`);
  }

  tick(time) {
    if (!this.since || time < this.since.at) return;
    setText($('holds'), `shown since ${clock(this.since.at)}`);
    this.since = null;
  }
}

export function chips(box, prompts, pick) {
  const key = prompts.join('\n');
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  const chip = (text) => el('button', { type: 'button', class: 'chip', text, onclick: () => pick(text) });
  box.replaceChildren(...prompts.map(chip));
}
