#include "lab/preference/rater_page_parts.h"

namespace sgf {

// The policy lets the page load nothing from anywhere: videos come out of it or from beside it.
const std::string_view kStudyHead = R"~(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline';
script-src 'unsafe-inline'; media-src blob: 'self' file:">
<title>Which video is better?</title>
<style>
:root{color-scheme:dark;--back:#0c0d10;--card:#16181d;--raised:#23262e;--ink:#eceae5;--soft:#9da3ae;--rule:#2d313a;
--mark:#8ab8ff;--bad:#ff9a92}
*{box-sizing:border-box}[hidden]{display:none!important}
html,body{height:100%}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.45 system-ui,sans-serif}
#done-bar{position:fixed;inset:0 0 auto 0;height:4px;background:var(--card);z-index:1}
#done-bar i{display:block;height:100%;width:0;background:var(--mark);transition:width .2s}
#pair{height:100dvh;min-height:330px;display:flex;flex-direction:column;gap:10px;max-width:1760px;margin:0 auto;
padding:16px 16px 10px}
header{display:flex;gap:4px 18px;align-items:baseline;justify-content:space-between}
#where,#saved{flex:0 0 180px;white-space:nowrap}#where{font-weight:600}
#caption{flex:1;margin:0;text-align:center;max-height:4.4em;overflow:auto;overflow-wrap:anywhere}
#saved{color:var(--soft);font-size:14px;text-align:right}
#videos{flex:1;min-height:0;display:grid;grid-template-columns:1fr 1fr;gap:12px}
figure{margin:0;min-width:0;min-height:0;position:relative;border-radius:8px;overflow:hidden;
outline:2px solid transparent;outline-offset:2px}
figure.chosen{outline-color:var(--mark)}
video{position:absolute;inset:0;width:100%;height:100%;object-fit:contain}
figure p{position:absolute;inset:auto 12px 12px;margin:0;padding:8px 12px;background:var(--card);color:var(--bad);
border-radius:6px}
#time{display:flex;gap:12px;align-items:center;color:var(--soft);font-size:14px;font-variant-numeric:tabular-nums}
#seek{flex:1;min-width:0;height:20px;margin:0;accent-color:var(--mark)}
button{font:inherit;color:var(--ink);background:var(--raised);border:1px solid var(--rule);border-radius:8px;
min-height:44px;padding:6px 14px;cursor:pointer;touch-action:manipulation}
button:hover{border-color:var(--soft)}
button:focus-visible,input:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
button[aria-pressed=true]{background:#24406b;border-color:var(--mark)}
button.main{background:var(--mark);border-color:var(--mark);color:#0c1626;font-weight:600}
kbd{font:600 13px/1 ui-monospace,monospace;color:var(--soft);border:1px solid var(--rule);border-radius:4px;
padding:2px 6px;background:var(--card);margin-right:8px;white-space:nowrap}
button.main kbd{color:#0c1626;background:none;border-color:#0c162666}
#answers{display:grid;grid-template-columns:1fr 1fr 1fr;gap:10px}
#answers button{min-height:56px;font-weight:600}
#tools{display:flex;flex-wrap:wrap;gap:8px;justify-content:center}
#tools button{background:none;border-color:transparent;color:var(--soft);font-size:14px}
#tools button:hover{color:var(--ink)}
.card{max-width:620px;margin:0 auto;padding:8vh 20px 40px}
.card h1{font-size:30px;line-height:1.2;margin:0 0 14px}.card p{margin:0 0 14px}
.card ul{margin:0 0 22px;padding:0;list-style:none}.card li{margin:6px 0}
.soft{color:var(--soft)}.bad{color:var(--bad)}
label{display:block;margin:22px 0 6px;font-weight:600}
input[type=text]{width:100%;font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--rule);
border-radius:8px;padding:11px 14px;margin-bottom:16px}
.row{display:flex;flex-wrap:wrap;gap:10px;align-items:center}
.upright{display:none}
@media (orientation:portrait){
#videos{grid-template-columns:1fr;grid-template-rows:1fr 1fr}
.upright{display:inline}.sideways{display:none}
}
@media (max-width:820px){
#pair{padding:14px 12px 8px;gap:8px}
header{flex-wrap:wrap}#where,#saved{flex:none}
#caption{order:1;flex-basis:100%;text-align:left;font-size:15px;max-height:4.4em}
}
@media (max-width:600px),(hover:none) and (max-width:950px){
kbd,.keys{display:none}#answers button{padding:6px 8px}#tools button{padding:6px 9px}
}
@media (max-height:460px){
#pair{padding:10px 12px 4px;gap:6px}#caption{max-height:1.5em;font-size:14px}
#answers button,#tools button{min-height:38px}#answers,#tools{gap:6px}
}
</style></head>
)~";

// "Left" and "right" become "top" and "bottom" where the videos lie one above the other.
const std::string_view kStudyBody = R"~(<body>
<div id="done-bar"><i></i></div>
<main id="intro" class="card" hidden>
<h1>Which video is better?</h1>
<p>You will see <b class="count"></b> of videos, made for the same words. Say of each pair which one you would rather
have been given: look at how real it looks, how well it moves, whether it stays the same scene to the end, and whether
it shows the words above it.</p>
<p class="soft">There is no right answer, and sides are drawn at random. You can go back and change an answer. What you
answer is kept in this browser until you send it: nothing leaves this page by itself.</p>
<ul class="keys">
<li><kbd>←</kbd><kbd>→</kbd> this side is better (on a phone: top, bottom) &nbsp; <kbd>↓</kbd> about the same</li>
<li><kbd>↑</kbd> back &nbsp; <kbd>N</kbd> skip &nbsp; <kbd>Space</kbd> pause &nbsp; <kbd>R</kbd> restart</li>
<li><kbd>J</kbd><kbd>L</kbd> two seconds back, ahead</li>
</ul>
<form id="start" autocomplete="off">
<label for="rater">Your name, or one you are known by in this study</label>
<input type="text" id="rater" maxlength="80" required>
<p class="bad" id="unkept" hidden>This browser keeps nothing for this page: answer all pairs before you close it.</p>
<div class="row"><button class="main"><kbd>Enter</kbd><span id="go">Start</span></button></div>
</form>
</main>
<main id="pair" hidden>
<header><span id="where"></span><p id="caption"></p><span id="saved" role="status" aria-live="polite"></span></header>
<div id="videos">
<figure><video id="left" muted playsinline preload="auto" aria-label="first video"></video><p hidden></p></figure>
<figure><video id="right" muted playsinline preload="auto" aria-label="second video"></video><p hidden></p></figure>
</div>
<div id="time"><span id="clock">0.0 s</span>
<input type="range" id="seek" min="0" max="1" step="any" value="0" tabindex="-1" aria-label="time"></div>
<div id="answers">
<button data-answer="left"><kbd>←</kbd><span class="sideways">Left</span><span class="upright">Top</span> is
better</button>
<button data-answer="same"><kbd>↓</kbd>About the same</button>
<button data-answer="right"><kbd>→</kbd><span class="sideways">Right</span><span class="upright">Bottom</span> is
better</button>
</div>
<div id="tools">
<button data-do="back"><kbd>↑</kbd>Back</button>
<button data-do="pause"><kbd>Space</kbd><span id="pause">Pause</span></button>
<button data-do="restart"><kbd>R</kbd>Restart</button>
<button data-do="skip"><kbd>N</kbd>Skip</button>
<button data-do="export"><kbd>E</kbd>Export</button>
</div>
</main>
<main id="end" class="card" hidden>
<h1 id="end-title"></h1>
<p id="end-text"></p>
<div class="row">
<button class="main" data-do="export"><kbd>E</kbd>Export the answers</button>
<button data-do="open" id="open"><kbd>O</kbd>First open pair</button>
<button data-do="back"><kbd>↑</kbd>Back</button>
</div>
<p class="soft" id="exported" role="status" aria-live="polite" style="margin-top:22px"></p>
<p class="soft">Another person may rate here too, once these answers are exported:
<button data-do="other">Begin anew</button></p>
</main>
)~";

const std::string_view kStudyScript = R"~(<script>
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
</script>
</body></html>
)~";

}  // namespace sgf
