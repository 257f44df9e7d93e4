// The dialog for a new stream, also for one that reproduces an earlier order or starts from an image.

import { api } from './api.js';
import { $, el, notice, setText, show } from './dom.js';
import { chips } from './switches.js';
import { clock } from './times.js';

const LARGEST_SIDE = 2048; // images are made smaller than this before they are sent

export const randomSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % 1000000;

// Any image that the browser reads, as PNG.
async function asPng(file) {
  if (file.type === 'image/png' && file.size < 15 * 1024 * 1024) return file;
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, LARGEST_SIDE / Math.max(picture.width, picture.height));
  const canvas = el('canvas', { width: Math.round(picture.width * scale), height: Math.round(picture.height * scale) });
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, 'image/png'));
}

const numberOf = (id) => ($(id).value === '' ? undefined : Number($(id).value));

export class NewStream {
  // on: { started(stream) }
  constructor(on) {
    Object.assign(this, { on, models: [], order: null, image: null });
    $('new-model').onchange = () => this.showModel();
    $('new-die').onclick = () => ($('new-seed').value = randomSeed());
    $('new-endless').onchange = () => show($('new-seconds'), $('new-endless').value === 'length');
    $('new-order-edit').onclick = () => this.edit();
    $('new-image-file').onchange = () => $('new-image-file').files[0] && this.take($('new-image-file').files[0]);
    $('new-image-clear').onclick = () => this.dropImage();
    $('new-form').onsubmit = (event) => {
      event.preventDefault();
      this.start();
    };
    $('new-prompt').onkeydown = (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      $('new-form').requestSubmit();
    };
  }

  set(models) {
    this.models = models;
    $('new-model').replaceChildren(...models.map((model) => el('option', { value: model.id, text: model.id })));
    this.showModel();
  }

  get model() {
    return this.models.find((model) => model.id === $('new-model').value) || this.models[0];
  }

  showModel() {
    const { model } = this;
    if (!model) return;
    chips($('new-chips'), model.example_prompts.slice(0, 4), (text) => ($('new-prompt').value = text));
    $('new-prompt').placeholder = model.example_prompts[0] || '';
    $('new-steps').placeholder = model.steps;
    $('new-size').placeholder = model.size;
    show($('new-guidance-row'), Boolean(model.guided));
    show($('new-negative-row'), Boolean(model.guided));
    show($('new-beside-row'), Boolean(model.beside));
    setText($('new-beside-name'), model.beside || '');
  }

  open({ prompt, image } = {}) {
    this.forget();
    $('new-prompt').value = prompt || '';
    $('new-seed').value = randomSeed();
    this.reveal('New stream');
    $('new-prompt').focus();
    if (image) this.take(image);
  }

  // The order of a stream: started as it is, or edited first.
  reproduce(stream) {
    this.forget();
    this.order = stream;
    const count = stream.timeline.length;
    const length = stream.endless ? 'endless' : clock(stream.limit_seconds ?? stream.seconds);
    const prompts = count === 1 ? '1 prompt' : `${count} prompts`;
    setText($('new-order-text'), `${stream.model}, seed ${stream.seed}, ${length}, ${prompts}`);
    const lines = stream.timeline.map((entry) =>
      el('li', {}, el('span', { class: 'time', text: clock(entry.at) }), el('span', { text: entry.prompt })),
    );
    $('new-order-prompts').replaceChildren(...lines);
    this.reveal(`Reproduce ${stream.id}`);
    $('new-start').focus();
  }

  reveal(title) {
    setText($('new-title'), title);
    show($('new-order'), Boolean(this.order));
    show($('new-fields'), !this.order);
    if (!$('dialog-new').open) $('dialog-new').showModal();
  }

  edit() {
    const { order } = this;
    this.order = null;
    $('new-model').value = order.model;
    this.showModel();
    $('new-prompt').value = order.timeline[0].prompt;
    $('new-seed').value = order.seed;
    $('new-endless').value = order.endless ? 'endless' : 'length';
    $('new-seconds').value = order.limit_seconds ?? 20;
    $('new-endless').onchange();
    this.reveal('New stream');
    $('new-prompt').focus();
  }

  forget() {
    this.order = null;
    this.dropImage();
    for (const id of ['new-steps', 'new-guidance', 'new-ahead', 'new-size', 'new-negative']) $(id).value = '';
    this.complain(null);
  }

  complain(error) {
    show($('new-error'), Boolean(error));
    setText($('new-error'), error ? [error.message, error.hint].filter(Boolean).join(' ') : '');
  }

  async take(file) {
    if (!file.type.startsWith('image/')) return notice('That is not an image.', { hint: 'A PNG or JPEG is.' });
    this.dropImage();
    try {
      const blob = await asPng(file);
      this.image = api.upload(blob);
      this.image.catch((error) => {
        this.dropImage();
        this.complain(error);
      });
      $('new-image-preview').src = URL.createObjectURL(blob);
      show($('new-image-preview'), true);
      show($('new-image-clear'), true);
      show($('new-image-file'), false);
    } catch {
      this.complain({ message: 'The browser cannot read this image.', hint: 'Try a PNG or JPEG.' });
    }
    return undefined;
  }

  dropImage() {
    if ($('new-image-preview').src) URL.revokeObjectURL($('new-image-preview').src);
    $('new-image-preview').removeAttribute('src');
    $('new-image-file').value = '';
    this.image = null;
    show($('new-image-preview'), false);
    show($('new-image-clear'), false);
    show($('new-image-file'), true);
  }

  async body() {
    if (this.order) return { order_of: this.order.id };
    const { model } = this;
    const order = { model: model.id, prompt: $('new-prompt').value.trim() || model.example_prompts[0] };
    order.seed = numberOf('new-seed');
    order.seconds = $('new-endless').value === 'length' ? numberOf('new-seconds') : undefined;
    order.steps = numberOf('new-steps');
    order.ahead = numberOf('new-ahead');
    order.size = $('new-size').value.trim() || undefined;
    if (model.guided) {
      order.guidance = numberOf('new-guidance');
      order.negative = $('new-negative').value.trim() || undefined;
    }
    if (model.beside && $('new-beside').checked) order.beside = true;
    if (this.image) order.image = (await this.image).id;
    return order;
  }

  async start() {
    $('new-start').disabled = true;
    try {
      const stream = await api.create(await this.body());
      $('dialog-new').close();
      this.on.started(stream);
    } catch (error) {
      this.complain(error);
    }
    $('new-start').disabled = false;
  }
}
