// Elements by id, new elements, and the two ways of speaking to the person: a notice and a question. What they say is
// text, never markup.

export const $ = (id) => document.getElementById(id);

// el('button', { class: 'quiet', text: 'Stop', onclick: f, data: { id: 7 }, 'aria-label': '…' }, ...children)
export function el(tag, { class: name, text, data, ...rest } = {}, ...children) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  Object.assign(node.dataset, data);
  for (const [key, value] of Object.entries(rest)) {
    if (key.startsWith('on') || key in node) node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

let onAction = null;
let hideLater = 0;

// level: 'info' goes away by itself, 'error' stays. action: { text, run }.
export function notice(text, { hint = '', level = 'error', action = null } = {}) {
  clearTimeout(hideLater);
  setText($('notice-text'), text);
  setText($('notice-hint'), hint);
  $('notice').dataset.level = level;
  $('notice').hidden = false;
  $('notice-action').hidden = !action;
  onAction = action?.run;
  if (action) setText($('notice-action'), action.text);
  if (level === 'info') hideLater = setTimeout(hideNotice, 5000);
}

export function hideNotice() {
  $('notice').hidden = true;
}

export function complain(error) {
  if (error.name === 'AbortError') return;
  console.warn(error);
  notice(error.message, { hint: error.hint });
}

// Runs what a click started; a refusal becomes a notice.
export function attempt(action) {
  return async (...given) => {
    try {
      return await action(...given);
    } catch (error) {
      complain(error);
      return undefined;
    }
  };
}

export function confirmThat(title, text, yes) {
  return question({ title, text, yes, copy: null });
}

export function offerCopy(title, link) {
  return question({ title, text: 'Copy this link:', yes: 'Done', copy: link });
}

function question({ title, text, yes, copy }) {
  const dialog = $('dialog-ask');
  setText($('ask-title'), title);
  setText($('ask-text'), text);
  setText($('ask-yes'), yes);
  show($('ask-copy'), copy !== null);
  show($('ask-no'), copy === null);
  $('ask-copy').value = copy || '';
  dialog.returnValue = 'no';
  dialog.showModal();
  if (copy) $('ask-copy').select();
  return new Promise((done) => (dialog.onclose = () => done(dialog.returnValue === 'yes')));
}

$('notice-close').onclick = hideNotice;
$('notice-action').onclick = () => {
  hideNotice();
  onAction?.();
};
for (const button of document.querySelectorAll('[data-close]')) {
  button.onclick = () => button.closest('dialog').close();
}
