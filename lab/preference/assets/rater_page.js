'use strict';
const study = JSON.parse(document.getElementById('study').textContent);
const pairs = study.pairs, store = 'sgf-compare-' + study.study;
const $ = id => document.getElementById(id);
const videos = [$('left'), $('right')];
const choices = ['left', 'same', 'right'];
const sideWord = side => matchMedia('(orientation:portrait)').matches ? {left: 'top', right: 'bottom'}[side] : side;

// ---- state, kept in the browser: who rates, what was said, and where (-1: the words before, pairs.length: after)
let state = {rater: '', answers: {}, at: -1};
function keep() {
  try { localStorage.setItem(store, JSON.stringify(state)); return true; } catch { return false; }
}
function recall() {
  try {
    const kept = JSON.parse(localStorage.getItem(store));
    if (!kept || typeof kept.rater !== 'string' || typeof kept.answers !== 'object') return;
    for (let i = 0; i < pairs.length; ++i)
      if (choices.includes(kept.answers[i])) state.answers[i] = kept.answers[i];
    state.rater = kept.rater;
    state.at = kept.rater ? Math.min(Math.max(Math.trunc(Number(kept.at)) || 0, -1), pairs.length) : -1;
  } catch { /* what cannot be read was not kept */ }
}
const answered = () => Object.keys(state.answers).length;
const plural = n => n + (n === 1 ? ' pair' : ' pairs');

// ---- the two videos, in step
let wanted = true;   // whether they should play
let urls = [];
function load(index) {
  urls.forEach(URL.revokeObjectURL);
  urls = [];
  videos.forEach((video, side) => {
    video.nextElementSibling.hidden = true;
    const pair = pairs[index];
    if (pair.files) {
      video.src = pair.files[side];
    } else {
      const bytes = Uint8Array.from(atob($(video.id + index).textContent), c => c.charCodeAt(0));
      urls.push(video.src = URL.createObjectURL(new Blob([bytes], {type: pair.types[side]})));
    }
    video.load();
  });
}
function unload() {
  videos.forEach(video => { video.pause(); video.removeAttribute('src'); video.load(); });
}
const usable = () => videos.filter(video => !video.error);
const length = () => Math.max(0, ...usable().map(video => video.duration || 0));
const now = () => Math.max(0, ...usable().map(video => video.currentTime));
function seek(time) {
  usable().forEach(video => { video.currentTime = Math.min(Math.max(time, 0), video.duration || 0); });
}
// Neither runs ahead: both wait for the one that has no picture yet, a small lag is made good by speed, a large one by
// a jump. A shorter video rests on its last picture until the longer one ends; then both begin again.
function step() {
  const running = usable().filter(video => !video.ended);
  const ready = usable().every(video => video.ended || video.readyState >= 3);
  if (running.length === 0 && usable().length > 0 && wanted) seek(0);
  for (const video of running) {
    if (wanted && ready && video.paused) video.play().catch(() => {});
    if ((!wanted || !ready) && !video.paused) video.pause();
  }
  if (running.length === 2 && ready) {
    const lag = videos[0].currentTime - videos[1].currentTime;
    if (Math.abs(lag) > .3 || (!wanted && lag !== 0)) videos[1].currentTime = videos[0].currentTime;
    videos[1].playbackRate = 1 + Math.max(-.1, Math.min(.1, lag));
  }
  $('clock').textContent = now().toFixed(1) + ' / ' + length().toFixed(1) + ' s';
  if (document.activeElement !== $('seek')) {
    $('seek').max = length() || 1;
    $('seek').value = now();
  }
  requestAnimationFrame(step);
}
videos.forEach(video => video.addEventListener('error', () => {
  if (!video.getAttribute('src')) return;
  video.nextElementSibling.textContent = pairs[state.at] && pairs[state.at].files
      ? 'This video cannot be played. Is the folder of videos beside the page?'
      : 'This browser cannot play this video.';
  video.nextElementSibling.hidden = false;
}));

// ---- what is seen
function show() {
  const at = state.at, screen = at < 0 ? 'intro' : at < pairs.length ? 'pair' : 'end';
  for (const name of ['intro', 'pair', 'end']) $(name).hidden = name !== screen;
  document.querySelector('#done-bar i').style.width = 100 * answered() / pairs.length + '%';
  ({intro: showIntro, pair: showPair, end: showEnd})[screen]();
}
function showIntro() {
  unload();
  document.querySelector('#intro .count').textContent = plural(pairs.length);
  $('go').textContent = answered() > 0 ? 'Go on' : 'Start';
  $('rater').value = state.rater;
  $('rater').focus();
}
function showPair() {
  $('where').textContent = 'Pair ' + (state.at + 1) + ' of ' + pairs.length;
  $('caption').textContent = pairs[state.at].caption;
  const answer = state.answers[state.at];
  document.querySelectorAll('#answers button')
      .forEach(button => button.setAttribute('aria-pressed', String(button.dataset.answer === answer)));
  videos.forEach(video => video.parentElement.classList.toggle('chosen', video.id === answer));
  setWanted(true);
  load(state.at);
}
function showEnd() {
  unload();
  const open = pairs.length - answered();
  $('end-title').textContent = open === 0 ? 'All ' + plural(pairs.length) + ' answered. Thank you!'
      : plural(open) + ' of ' + pairs.length + ' still open';
  $('end-text').textContent = 'Export the answers and send the file to whoever asked you.'
      + (open > 0 ? ' Open pairs may stay open; they will be counted as such.' : '');
  $('open').hidden = open === 0;
  $('exported').textContent = '';
}
function setWanted(plays) {
  wanted = plays;
  $('pause').textContent = plays ? 'Pause' : 'Play';
}
function go(to) {
  state.at = Math.min(Math.max(to, -1), pairs.length);
  keep();
  show();
}

// ---- what can be done
function answer(choice) {
  const at = state.at;
  state.answers[at] = choice;
  $('saved').textContent = 'Pair ' + (at + 1) + ': ' + (choice === 'same' ? 'same' : sideWord(choice)) + ' — saved';
  go(at + 1);
}
function exportAnswers() {
  const file = {sgf_compare: 1, study: study.study, rater: state.rater, exported: new Date().toISOString(),
    pairs: pairs.map((pair, i) => ({left: pair.left, right: pair.right, answer: state.answers[i] ?? null}))};
  const link = document.createElement('a');
  const who = state.rater.trim().toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'rater';
  link.download = 'answers-' + who + '-' + study.study.slice(0, 8) + '.json';
  link.href = URL.createObjectURL(new Blob([JSON.stringify(file, null, 1) + '\n'], {type: 'application/json'}));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  const words = link.download + ' is in your downloads: ' + answered() + ' of ' + plural(pairs.length) + ' answered.';
  $('exported').textContent = words;
  $('saved').textContent = 'Exported ' + answered() + ' of ' + pairs.length;
}
const actions = {
  back: () => go(state.at - 1),
  skip: () => go(state.at + 1),
  pause: () => setWanted(!wanted),
  restart: () => { seek(0); setWanted(true); },
  export: exportAnswers,
  open: () => go(pairs.findIndex((_, i) => !(i in state.answers))),
  other: () => {
    if (!confirm('Forget the answers of ' + state.rater + ' in this browser? Export them first.')) return;
    state = {rater: '', answers: {}, at: -1};
    keep();
    show();
  },
};
const pairKeys = {
  ArrowLeft: () => answer('left'), 1: () => answer('left'), ArrowDown: () => answer('same'), 2: () => answer('same'),
  ArrowRight: () => answer('right'), 3: () => answer('right'), ArrowUp: actions.back, Backspace: actions.back,
  n: actions.skip, ' ': actions.pause, r: actions.restart, j: () => seek(now() - 2), l: () => seek(now() + 2),
  e: exportAnswers,
};
const endKeys = {
  ArrowUp: actions.back, Backspace: actions.back, e: exportAnswers, o: () => $('open').hidden || actions.open(),
};
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || state.at < 0) return;
  const presses = event.key === ' ' || event.key === 'Enter';
  if (presses && event.target.tagName === 'BUTTON') return;  // a button that was reached by Tab
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const act = (state.at < pairs.length ? pairKeys : endKeys)[key];
  if (!act) return;
  event.preventDefault();
  if (!event.repeat || key === 'j' || key === 'l') act();  // a key that is held says nothing twice
});
document.addEventListener('click', event => {
  const button = event.target.closest('button[data-answer],button[data-do]');
  if (!button) return;
  if (event.detail > 0) button.blur();  // so that Space pauses again
  button.dataset.answer ? answer(button.dataset.answer) : actions[button.dataset.do]();
});
$('seek').addEventListener('input', () => seek(Number($('seek').value)));
$('seek').addEventListener('change', () => $('seek').blur());
$('start').addEventListener('submit', event => {
  event.preventDefault();
  state.rater = $('rater').value.trim();
  if (!state.rater) { $('rater').value = ''; $('rater').reportValidity(); return; }
  const open = pairs.findIndex((_, i) => !(i in state.answers));
  go(open < 0 ? pairs.length : open);
});

recall();
$('unkept').hidden = keep();
show();
requestAnimationFrame(step);
