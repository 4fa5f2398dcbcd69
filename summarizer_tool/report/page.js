// Shows a summary beside its sources. Whatever the data say is set as text, never as markup.
'use strict';

const LINES_AT_ONCE = 40; // laid out together, when they come near the view
const LINE_HEIGHT = 20; // pixels, as in the style sheet
const CHARACTER_WIDTH = 7.8;
const LONGEST_WAY = 20; // frames until a place is where it should be
const STATES = {
  summarized: 'summarized', unchanged: 'as it was', repeated: 'repeats an earlier document',
  degraded: 'summarized without the model', failed: 'failed, not in the summary',
};
const byId = (id) => document.getElementById(id);
const { state, stats, warnings, text, facts, sources, tables } = JSON.parse(byId('data').textContent);
const pane = byId('source');
const written = (count) => count.toLocaleString('en');
const several = (count, name) => `${written(count)} ${name}${count === 1 ? '' : 's'}`;
const titles = sources.map(({ title, url, id }, index) => `${sources.length > 1 ? `${index + 1} ` : ''}${title || url || id}`);

// `p. 3`, of a text that has pages.
function pageOf(source, line) {
  const { pages } = sources[source];
  return pages.length ? `p. ${1 + pages.filter((end) => end < line).length}` : '';
}
const whereOf = (source, line) => [titles[source], pageOf(source, line), `line ${line}`].filter(Boolean).join(', ');

function make(tag, name, ...children) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  node.append(...children);
  return node;
}

// A picture of shares from 0 to 1, `[class, from, to]`; one without an end is a mark.
function bar(label, pieces) {
  const picture = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const set = (node, attributes) => Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
  set(picture, { class: 'bar', role: 'img', 'aria-label': label });
  for (const [name, from, to] of pieces) {
    const piece = document.createElementNS(picture.namespaceURI, 'rect');
    set(piece, { class: name, x: `${from * 100}%`, width: to === undefined ? 2 : `${(to - from) * 100}%`, height: '100%' });
    picture.append(piece);
  }
  return picture;
}

// Spots light up together: a fact, and the places (segments of sources) that it cites.

const spots = facts.map(([said, where]) => ({ said, where, others: [], nodes: [] }));
const placesOf = sources.map(() => new Map()); // of each source, by segment
for (const fact of spots) {
  for (const [source, segment, line] of fact.where) {
    if (!sources[source]?.segments[segment - 1]) continue;
    const known = placesOf[source];
    if (!known.has(segment)) known.set(segment, { source, segment, line, others: [], nodes: [] });
    known.get(segment).others.push(fact);
    fact.others.push(known.get(segment));
  }
}
const places = placesOf.flatMap((known) => [...known.values()].sort((a, b) => a.segment - b.segment));
const rowOf = (spot) => (spot.source === undefined ? spots : places);
const spotOf = new WeakMap(); // by node

function bind(node, spot) {
  node.setAttribute('role', 'button');
  node.setAttribute('aria-pressed', false);
  node.tabIndex = spot === rowOf(spot)[0] ? 0 : -1; // one stop for the tab key, arrows lead on
  spot.node = node;
  spot.nodes.push(node);
  spotOf.set(node, spot);
}

function nodeOf(spot) {
  if (spot.source !== undefined) lay(spot.source);
  return spot.node;
}

// The sources: each gets its lines when it is its turn, or when it is asked for.

const sections = sources.map(({ url }, index) => {
  const title = make('h3', '', titles[index]);
  if (/^https?:\/\//i.test(url)) {
    const link = make('a', '', '↗');
    title.append(' ', Object.assign(link, { href: url, rel: 'noreferrer', target: '_blank', ariaLabel: 'Open the page' }));
  }
  const section = make('section', 'document', title);
  section.setAttribute('aria-label', titles[index]);
  return section;
});

function lay(index) {
  const section = sections[index];
  if (section.childElementCount > 1) return;
  const { segments, parts } = sources[index];
  const width = Math.max(20, (pane.clientWidth - 100) / CHARACTER_WIDTH); // in characters
  const blocks = new DocumentFragment();
  let [part, last, page, height, block, line] = [0, 0, '', 0, null, null];
  const close = () => {
    if (block) block.style.containIntrinsicHeight = `auto ${height}px`;
    height = 0;
  };
  segments.forEach(([at, words], before) => {
    const segment = before + 1;
    while (part + 1 < parts.length && segment > parts[part][1]) part += 1;
    if (at !== last) {
      if (!block || block.childElementCount >= LINES_AT_ONCE) {
        close();
        blocks.append(block = make('div', 'block'));
      }
      const [first, , firstLine, lastLine, became = '', reason] = parts[part] ?? [];
      if (segment === first && /failed|degraded/.test(became)) {
        block.append(make('p', `note ${became}`, `Lines ${firstLine}–${lastLine}: ${STATES[became]}. ${reason}`));
      }
      if (pageOf(index, at) !== page) block.append(make('p', 'page', page = pageOf(index, at)));
      block.append(line = make('p', `line ${became}`));
      line.dataset.line = at;
      if (became === 'repeated') line.title = `Repeated, ${reason}`;
      if (last && at > last + 1) line.classList.add('apart');
      if (/^#{1,6}\s/.test(words)) line.classList.add('title');
      last = at;
    }
    const place = placesOf[index].get(segment);
    line.append(place ? make('span', 'cited', words) : words);
    if (place) bind(line.lastChild, place);
    height += Math.ceil(words.length / width) * LINE_HEIGHT;
  });
  close();
  section.append(segments.length ? blocks : make('p', 'note', 'No text.'));
}

// Again until it stays: what comes into view is laid out only then, and may be higher than it was taken for.
let revealing = 0;
function reveal(node, isStart) {
  const turn = ++revealing;
  const move = (left) => {
    const [at, frame] = [node.getBoundingClientRect(), pane.getBoundingClientRect()];
    pane.scrollTop += at.top - frame.top - (isStart ? 0 : (frame.height - at.height) / 2);
    if (left && turn === revealing) requestAnimationFrame(() => move(left - 1));
  };
  move(LONGEST_WAY);
}
for (const event of ['wheel', 'touchmove', 'pointerdown']) pane.addEventListener(event, () => { revealing += 1; }, { passive: true });

// Lights. What is chosen stays lit when nothing is pointed at.

let lit = [];
let chosen = null;
let origin = null; // the fact from which Enter led to a place

function light(nodes) {
  for (const node of lit) node.classList.remove('lit');
  for (const node of nodes) node.classList.add('lit');
  lit = nodes;
}

function lightUp(spot) {
  const all = spot ? [spot, ...spot.others] : [];
  all.forEach(nodeOf); // which lays their sources out
  light(all.flatMap((each) => each.nodes));
}

function choose(spot) {
  chosen?.node.setAttribute('aria-pressed', false);
  chosen = spot;
  lightUp(spot);
  byId('said').textContent = '';
  if (!spot) return;
  nodeOf(spot).setAttribute('aria-pressed', true);
  if (spot.source === undefined) {
    const where = spot.others.map((place) => whereOf(place.source, place.line));
    byId('said').textContent = where.join('; ') || 'Its lines are not shown here.';
    if (spot.others.length) reveal(nodeOf(spot.others.at(-1))); // before it may be a heading or table head
  } else {
    byId('said').textContent = several(spot.others.length, 'fact');
    spot.others[0].node.scrollIntoView({ block: 'nearest' });
  }
}

function go(spot) {
  const node = nodeOf(spot);
  node.focus({ preventScroll: spot.source !== undefined });
  if (spot.source !== undefined) reveal(node);
  choose(spot);
}

const spotAt = (event) => spotOf.get(event.target.closest('[role=button]'));
document.addEventListener('pointerover', (event) => lightUp(spotAt(event) ?? chosen));
document.addEventListener('click', (event) => {
  const spot = spotAt(event);
  if (spot && getSelection().isCollapsed) choose(spot === chosen ? null : spot);
});
document.addEventListener('focusin', (event) => {
  const spot = spotAt(event);
  if (!spot) return;
  for (const each of rowOf(spot)) if (each.node) each.node.tabIndex = each === spot ? 0 : -1;
  if (spot !== chosen && event.target.matches(':focus-visible')) choose(spot);
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') choose(null);
  const spot = spotAt(event);
  if (!spot || event.ctrlKey || event.metaKey || event.altKey) return;
  const row = rowOf(spot);
  const at = row.indexOf(spot);
  const across = spot === chosen ? (spot.others.includes(origin) ? origin : spot.others.at(-1)) : spot;
  const next = { ArrowDown: row[at + 1], ArrowUp: row[at - 1], Home: row[0], End: row.at(-1), Enter: across, ' ': across };
  if (!Object.hasOwn(next, event.key)) return;
  event.preventDefault();
  if (row === spots) origin = spot;
  if (next[event.key]) go(next[event.key]);
});

// The page, from the top.

const heading = document.querySelector('h1');
heading.textContent = sources.length ? sources[0].title || sources[0].url || sources[0].id : 'Sources that are not shown';
if (sources.length > 1) heading.append(` and ${written(sources.length - 1)} more`);
document.title = `Summary of ${heading.textContent}`;
const became = {
  complete: 'Every part was summarized.', degraded: 'Not every part was summarized by the model: see the marked documents.',
  unchanged: 'The text is within the budget and came back as it was.', empty: 'There was nothing to summarize.',
  original: 'Every model call failed: the original text came back, over the budget.',
}[state];
byId('state').textContent = `${became} Model ${stats.model}, ${stats.seconds.toFixed(1)}\u00a0s.`;
byId('state').dataset.state = state;
byId('warnings').append(...warnings.map((warning) => make('li', '', warning)));

function figure(name, value, detail, counts) {
  const all = counts.reduce((sum, [, count]) => sum + count, 0) || 1;
  let from = 0;
  const picture = bar(`${name}: ${value}; ${detail}`, counts.map(([kind, count]) => [kind, from, from += count / all]));
  byId('figures').append(make('div', 'figure', make('p', 'name', name), make('p', 'value', value), picture, make('p', 'detail', detail)));
}
const list = (counts) => counts.map(([name, count]) => `${written(count)} ${name}`).join(', ');
const dropped = Object.entries(stats.dropped).map(([name, count]) => [name.replace('_', ' '), count]);
const merged = dropped.reduce((left, [, count]) => left - count, stats.facts_in - stats.facts_out);
const lost = [...dropped, ['merged', merged]].filter(([, count]) => count > 0);
const calls = [['map', stats.map_calls], ['reduce', stats.reduce_calls], ['cached', stats.cached_calls]];
figure('Tokens', `${written(stats.tokens_in)} → ${written(stats.tokens_out)}`, `${stats.ratio} : 1, budget ${written(stats.budget)}`,
  [['kept', stats.tokens_out], ['whole', Math.max(0, stats.tokens_in - stats.tokens_out)]]);
figure('Facts kept', `${written(stats.facts_out)} of ${written(stats.facts_in)}`, list(lost) || 'none dropped',
  [['kept', stats.facts_out], ...lost.map(([name, count]) => [name.replace(' ', '-'), count])]);
figure('Calls', written(stats.map_calls + stats.reduce_calls), stats.from_cache ? 'the whole result had been kept' : list(calls), calls);

byId('facts-title').textContent = facts.length ? several(facts.length, 'fact') : 'No facts';
byId('keys').hidden = !places.length;
let items = null;
for (const line of text.length ? text : [became]) {
  if (typeof line === 'string') {
    items = null;
    const [, marks, title] = /^(#+) (.+)/.exec(line) ?? [];
    if (line) byId('facts').append(title ? make(marks === '#' ? 'h3' : 'h4', '', title) : make('p', 'plain', line));
    continue;
  }
  if (!items) byId('facts').append(items = make('ol', ''));
  const { said, where } = spots[line];
  const home = where.at(-1)?.[0]; // the source that it is listed under
  const lines = where.map(([source, , at, id]) => (source < 0 ? `${id}:${at}` : source === home ? at : `${source + 1}:${at}`));
  const node = make('div', 'fact', `${said}\u00a0`, make('span', 'where', [...new Set(lines)].join(', ')));
  bind(node, spots[line]);
  items.append(make('li', '', node));
}

function cellOf(cell) {
  if (typeof cell === 'string') return cell;
  const [source, segment, line, id] = cell;
  if (!sources[source]?.segments[segment - 1]) return `${id}, line ${line}`;
  const button = make('button', 'place', whereOf(source, line));
  button.addEventListener('click', () => {
    lay(source);
    choose(null);
    light([sections[source].querySelector(`[data-line="${Number(line)}"]`)]);
    reveal(lit[0]);
  });
  return button;
}
for (const [title, columns, rows] of tables) {
  const row = (tag, cells) => make('tr', '', ...cells.map((cell) => make(tag, '', cellOf(cell))));
  const table = make('table', '', make('thead', '', row('th', columns)), make('tbody', '', ...rows.map((cells) => row('td', cells))));
  byId('tables').append(make('h2', '', title), make('div', 'wide', table));
}

pane.querySelector('h2').textContent = several(sources.length, 'document');
sources.forEach(({ segments, parts }, index) => {
  const lines = segments.at(-1)?.[0] ?? 1;
  const cited = [...placesOf[index].values()];
  const counts = {};
  for (const [, , first, last, kind] of parts) counts[kind] = (counts[kind] ?? 0) + last - first + 1;
  const words = [several(new Set(cited.flatMap((place) => place.others)).size, 'fact'), several(lines, 'line')];
  for (const kind of ['repeated', 'degraded', 'failed']) if (counts[kind]) words.push(`${written(counts[kind])} ${kind}`);
  const begins = [...parts.map((part) => Math.min(1, (part[2] - 1) / lines)), 1]; // blank lines belong to what is before them
  const pieces = parts.map((part, at) => [part[4], begins[at], Math.max(begins[at], begins[at + 1])]);
  const strip = bar(words.join(', '), [...pieces, ...cited.map(({ line }) => ['mark', (line - 1) / lines])]);
  strip.querySelectorAll('.mark').forEach((mark, at) => cited[at].nodes.push(mark));
  const button = make('button', '', make('span', 'name', titles[index]), make('span', 'detail', words.join(' · ')), strip);
  button.addEventListener('click', () => { lay(index); reveal(sections[index], true); });
  pane.querySelector('ol').append(make('li', counts.failed ? 'failed' : counts.degraded ? 'degraded' : '', button));
});
const shown = new Set(sources.flatMap(({ parts }) => parts.map((part) => part[4])));
const legend = Object.entries({ mark: 'cited by a fact', ...STATES }).filter(([kind]) => kind === 'mark' || shown.has(kind));
byId('legend').append(...legend.map(([kind, words]) => make('span', kind, words)));
pane.append(...sections);

(function layRest(index) {
  if (index < sections.length) {
    lay(index);
    setTimeout(layRest, 0, index + 1);
  } else document.documentElement.dataset.ready = Math.round(performance.now()); // milliseconds
})(0);
