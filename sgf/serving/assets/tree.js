// A stream's family as a graph over time: one row per branch, joined to its parent where it leaves it.

import { $, el, setText, show } from './dom.js';
import { clock } from './times.js';

const ROW = 46; // height of a row in pixels; parts.css has it too

function rootOf(streams, stream) {
  let root = stream;
  while (root.parent && streams.has(root.parent)) root = streams.get(root.parent);
  return root;
}

// Who made the block before a branch: its parent, or whom the parent has that block from.
function leaves(streams, branch) {
  let from = streams.get(branch.parent);
  const within = () => from?.parent && streams.has(from.parent) && branch.branch_at <= from.branch_at;
  while (within()) from = streams.get(from.parent);
  return from;
}

// Parents before children, children by where they leave.
export function family(streams, stream) {
  const rows = [];
  const visit = (one) => {
    rows.push(one);
    const children = [...streams.values()].filter((other) => leaves(streams, other) === one);
    children.sort((a, b) => b.branch_at - a.branch_at || a.created - b.created).forEach(visit);
  };
  visit(rootOf(streams, stream));
  return rows;
}

export class Tree {
  // on: { watch(id), beside(id) }
  constructor(on) {
    Object.assign(this, { on, drawn: '' });
  }

  render(streams, stream, besideId) {
    const rows = family(streams, stream);
    const pair = stream.pair && streams.get(stream.pair);
    if (pair && !rows.includes(pair)) rows.push(pair);
    show($('branches-help'), rows.length === 1);
    show($('tree'), rows.length > 1);
    show($('beside-off'), Boolean(besideId));
    const places = rows.map((row) => [row.id, row.status, Math.round(row.seconds * 4), row.title]);
    const key = JSON.stringify([places, stream.id, besideId]);
    if (key === this.drawn || rows.length === 1) return;
    this.drawn = key;
    const ids = rows.map((row) => row.id).join();
    if (this.ids !== ids) this.build(rows, ids);
    this.refresh(rows, streams, stream, besideId);
  }

  build(rows, ids) {
    this.ids = ids;
    const items = rows.map((row) => {
      const watch = el('button', { type: 'button', class: 'row', onclick: () => this.on.watch(row.id) });
      watch.append(el('span', { class: 'when' }), el('span', { class: 'what' }));
      const beside = el('button', { type: 'button', class: 'link', onclick: () => this.on.beside(row.id) });
      return el('div', { class: 'branch', data: { id: row.id } }, watch, beside);
    });
    const graph = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    graph.setAttribute('aria-hidden', 'true');
    $('tree').replaceChildren(graph, ...items);
    this.graph = graph;
  }

  refresh(rows, streams, stream, besideId) {
    this.draw(rows, streams, stream);
    for (const [i, row] of rows.entries()) {
      const item = $('tree').children[i + 1];
      const [watch, beside] = item.children;
      const from = row.parent ? `${clock(row.branch_at)} – ` : '';
      const model = row.model === stream.model ? '' : ` · ${row.model}`;
      setText(watch.children[0], from + clock(row.seconds) + model);
      setText(watch.children[1], row.timeline.at(-1).prompt);
      watch.title = `${row.id}, ${row.model}, ${row.status}: ${row.timeline.at(-1).prompt}`;
      watch.setAttribute('aria-label', `Watch ${row.id}, ${row.status}: ${row.timeline.at(-1).prompt}`);
      watch.setAttribute('aria-current', row.id === stream.id);
      beside.setAttribute('aria-label', `Watch ${row.id} beside ${stream.id}`);
      beside.setAttribute('aria-pressed', row.id === besideId);
      setText(beside, row.id === besideId ? 'Shown' : 'Beside');
    }
  }

  draw(rows, streams, stream) {
    const end = Math.max(1, ...rows.map((row) => row.seconds));
    const x = (seconds) => 15 + (970 * seconds) / end;
    const y = (row) => (rows.indexOf(row) + 0.5) * ROW;
    this.graph.setAttribute('viewBox', `0 0 1000 ${rows.length * ROW}`);
    this.graph.setAttribute('preserveAspectRatio', 'none');
    this.graph.style.height = `${rows.length * ROW}px`;
    const lanes = rows.map((row) => {
      const parent = leaves(streams, row);
      const from = x(parent ? row.branch_at : 0);
      const down = parent ? `M${from} ${y(parent)}V${y(row)}` : `M${from} ${y(row)}`;
      const lane = document.createElementNS('http://www.w3.org/2000/svg', 'path');
      lane.setAttribute('d', `${down}H${x(Math.max(row.seconds, row.branch_at || 0))}`);
      lane.setAttribute('class', row.id === stream.id ? 'lane now' : 'lane');
      return lane;
    });
    lanes.sort((a, b) => a.classList.contains('now') - b.classList.contains('now'));
    this.graph.replaceChildren(...lanes);
  }
}
