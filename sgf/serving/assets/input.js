// The keyboard, and images dropped on the page.

import { $, notice, show } from './dom.js';

const WRITING = 'input, textarea, select, dialog, [role=slider]';

export function listenToKeys(page) {
  const keys = {
    p: () => {
      $('prompt').focus();
      $('prompt').select();
    },
    n: () => $('new-stream').click(),
    '?': () => $('help').click(),
  };
  const watching = {
    ' ': page.play,
    ArrowLeft: () => page.step(-1),
    ArrowRight: () => page.step(1),
    b: page.point,
    l: () => $('to-live').hidden || $('to-live').click(),
    f: () => $('fullscreen').click(),
    d: () => $('download').click(),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(WRITING)) return;
    if (document.querySelector('dialog[open]')) return;
    const button = event.target.closest?.('button, a, summary');
    if (button && (event.key === ' ' || event.key === 'Enter')) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const run = keys[key] || (page.has() && watching[key]);
    if (!run) return;
    event.preventDefault();
    run();
  });
}

export function listenToDrops(take) {
  let depth = 0;
  const carriesFile = (event) => [...(event.dataTransfer?.types || [])].includes('Files');
  const cover = (change) => {
    depth = change === 0 ? 0 : Math.max(0, depth + change);
    show($('drop'), depth > 0);
  };
  addEventListener('dragenter', (event) => carriesFile(event) && cover(1));
  addEventListener('dragleave', (event) => carriesFile(event) && cover(-1));
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    cover(0);
    const image = [...event.dataTransfer.files].find((file) => file.type.startsWith('image/'));
    if (image) take(image);
    else if (event.dataTransfer.files.length) notice('That is not an image.', { hint: 'A PNG or JPEG is.' });
  });
}
