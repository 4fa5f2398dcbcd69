// Shows the events of a run as they happen. Whatever an event says is set as text, never as markup.
'use strict';

const SILENCE_SECONDS = 40; // more than two heartbeats
const FIRST_DELAY = 500;
const LONGEST_DELAY = 10000;
const LIST_SECONDS = 5;

const byId = (id) => document.getElementById(id);
const runs = byId('run');
const signIn = byId('sign-in');
const calls = byId('calls');
const count = new Intl.NumberFormat('en');

let token = '';
let run = '';
let after = 0; // the last sequence number that was seen of an event that is kept
let cards = new Map(); // by call
let following = new AbortController();

// Where the page is, and the token, if it came with the address: `#run=…&token=…`. The part after # is sent nowhere,
// and the token does not stay there.

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has('token')) {
    token = given.get('token');
    given.delete('token');
    history.replaceState(null, '', given.size ? `#${given}` : location.pathname);
  }
  return given.get('run') ?? '';
}

async function ask(path, signal) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  return fetch(path, { headers, signal, cache: 'no-store', credentials: 'omit' });
}

function say(state, text) {
  const status = byId('status');
  status.dataset.state = state;
  if (status.textContent !== text) status.textContent = text;
}

function askForToken(text) {
  following.abort();
  say('waiting', text);
  signIn.hidden = false;
  byId('token').focus();
}

// The list of runs.

async function listRuns() {
  const response = await ask('runs', AbortSignal.timeout(SILENCE_SECONDS * 1000));
  if (response.status === 401) {
    askForToken(token ? 'This token is not the right one.' : 'A token is needed.');
    return [];
  }
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  signIn.hidden = true;
  const found = await response.json();
  const shown = [...runs.options].map((option) => option.dataset.key).join('\n');
  const wanted = found.map((item) => `${item.run_id} ${item.is_closed}`);
  if (shown !== wanted.join('\n')) {
    runs.replaceChildren(...found.map((item, index) => {
      const option = new Option(item.is_closed ? `${item.run_id} (ended)` : item.run_id, item.run_id);
      option.dataset.key = wanted[index];
      return option;
    }));
    runs.value = run;
    runs.disabled = !found.length;
  }
  const own = found.find((item) => item.run_id === run);
  byId('dropped').hidden = !own?.dropped;
  byId('dropped').textContent = own?.dropped ? `The oldest ${count.format(own.dropped)} events are no longer kept.` : '';
  return found;
}

async function keepListing() {
  for (;;) {
    try {
      if (signIn.hidden) {
        const found = await listRuns();
        if (!run && found.length) choose(found[0].run_id);
        if (!run && signIn.hidden) say('waiting', 'No runs yet.');
      }
    } catch {
      if (!run) say('lost', 'The server does not answer; trying again …');
    }
    await new Promise((done) => setTimeout(done, LIST_SECONDS * 1000));
  }
}

function choose(name) {
  run = name;
  after = 0;
  cards = new Map();
  calls.replaceChildren();
  byId('dropped').hidden = true;
  runs.value = name;
  history.replaceState(null, '', `#${new URLSearchParams({ run: name })}`);
  following.abort();
  following = new AbortController();
  if (name) follow(name, following.signal);
}

// Following a run, again and again until it has ended.

async function follow(name, signal) {
  let delay = FIRST_DELAY;
  while (!signal.aborted) {
    let why = 'The connection is lost';
    try {
      const before = after;
      if (await stream(name, signal) === 'ended') return;
      if (after > before) delay = FIRST_DELAY;
    } catch (error) {
      if (error.isFinal) return;
      if (error.isAnswer) why = error.message;
    }
    if (signal.aborted) return;
    say('lost', `${why}; trying again after event ${after} …`);
    await new Promise((done) => setTimeout(done, delay));
    delay = Math.min(delay * 2, LONGEST_DELAY);
  }
}

async function stream(name, signal) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_SECONDS * 1000);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_SECONDS * 1000);
  };
  try {
    const query = new URLSearchParams({ run: name, after });
    const response = await ask(`events?${query}`, AbortSignal.any([signal, silence.signal]));
    if (response.status === 401) {
      askForToken(token ? 'This token is not the right one.' : 'A token is needed.');
      throw Object.assign(new Error(), { isFinal: true });
    }
    if (!response.ok) {
      const text = response.status === 404 ? 'There is no such run' : `The server answers ${response.status}`;
      throw Object.assign(new Error(text), { isAnswer: true });
    }
    say('live', 'Live');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let buffer = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return 'lost';
      heard();
      const blocks = (buffer + value).split('\n\n');
      buffer = blocks.pop();
      for (const block of blocks) {
        const end = signal.aborted ? 'lost' : receive(block);
        if (end) return end;
      }
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

function receive(block) {
  let type = '';
  let data = '';
  let isKept = false;
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) type = line.slice(7);
    if (line.startsWith('data: ')) data += line.slice(6);
    isKept ||= line.startsWith('id: ');
  }
  if (!data) return ''; // a heartbeat
  if (type === 'end') {
    say('ended', 'The run has ended.');
    for (const card of cards.values()) card.settle();
    return 'ended';
  }
  if (type === 'failed') return 'lost';
  const event = JSON.parse(data, exactNumbers);
  if (event.seq <= after) return '';
  show(event);
  if (isKept) after = event.seq;
  return '';
}

// An identifier that is a long number is shown as it was sent.
function exactNumbers(key, value, context) {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && context?.source ? context.source : value;
}

// A card for each tool call.

class Card {
  constructor() {
    const item = byId('card').content.cloneNode(true).firstElementChild;
    this.root = item.querySelector('.card');
    this.facts = new Map();
    calls.append(item);
    this.state('busy', 'running');
  }

  part(selector) {
    return this.root.querySelector(selector);
  }

  write(selector, text) {
    const part = this.part(selector);
    part.textContent = text;
    part.hidden = false;
    return part;
  }

  state(state, text) {
    this.root.dataset.state = state;
    this.part('.state').textContent = text;
  }

  name(event) {
    this.part('.server').textContent = event.server;
    this.part('.tool').textContent = event.tool;
  }

  started(event) {
    this.name(event);
    const time = this.part('time');
    time.dateTime = event.time;
    time.textContent = new Date(event.time).toLocaleTimeString();
    const given = event.arguments;
    const text = typeof given === 'string' ? given : JSON.stringify(given, null, 2);
    if (given !== null && text !== '{}') {
      const box = this.part('.arguments');
      box.hidden = false;
      box.open = text.length < 300;
      box.querySelector('pre').textContent = text;
    }
  }

  completed(event) {
    this.name(event);
    if (event.size_characters !== null) {
      const tokens = event.size_tokens === null ? '' : `, ${count.format(event.size_tokens)} tokens`;
      this.write('.size', `Answered ${count.format(event.size_characters)} characters${tokens}`);
    }
    this.answered = true;
    if (event.is_error) this.state('error', 'failed');
    else if (!this.summarizes) this.state('done', 'done');
  }

  result(event) {
    const box = this.part('.raw');
    box.hidden = false;
    const handle = event.source_id ? ` (${event.source_id})` : '';
    box.querySelector('summary').textContent = `Whole result${event.capped ? ', cut' : ''}${handle}`;
    // A large text is laid out only for those who look at it.
    box.addEventListener('toggle', () => { box.querySelector('pre').textContent = box.open ? event.text : ''; });
    if (box.open) box.querySelector('pre').textContent = event.text;
  }

  summarizing(event) {
    this.summarizes = true;
    this.part('.summary').hidden = false;
    this.state('busy', 'summarizing');
    this.write('.progress', `Summarizing about ${count.format(event.estimated_tokens)} tokens …`);
  }

  delta(event) {
    this.summarizes = true;
    this.part('.summary').hidden = false;
    let fact = this.facts.get(event.index);
    if (!fact) {
      fact = document.createElement('li');
      this.facts.set(event.index, fact);
      this.part('.facts').append(fact);
    }
    fact.textContent = event.text;
  }

  summary(event) {
    this.summarizes = false;
    this.part('.summary').hidden = false;
    this.part('.facts').replaceChildren();
    this.facts.clear();
    const from = count.format(event.original_tokens);
    const by = event.model ? ` by ${event.model}` : '';
    const state = event.state === 'complete' ? '' : ` (${event.state})`;
    this.write('.progress', `${from} → ${count.format(event.summary_tokens)} tokens${by}${state}`);
    this.write('.text', event.text);
    this.state('done', 'summarized');
  }

  // The run is over: nothing goes on any more.
  settle() {
    if (this.root.dataset.state === 'busy') this.state('error', this.answered ? 'not summarized' : 'not answered');
  }
}

const SHOWN = {
  tool_call: (card, event) => (event.status === 'started' ? card.started(event) : card.completed(event)),
  tool_result: (card, event) => card.result(event),
  'tool_call.summarizing': (card, event) => card.summarizing(event),
  'summary.delta': (card, event) => card.delta(event),
  tool_summary: (card, event) => card.summary(event),
};

function show(event) {
  const shown = Object.hasOwn(SHOWN, event.type) ? SHOWN[event.type] : null;
  if (!shown) return;
  let card = cards.get(event.call_id);
  if (!card) {
    card = new Card();
    cards.set(event.call_id, card);
  }
  shown(card, event);
}

// From here on.

runs.addEventListener('change', () => choose(runs.value));
window.addEventListener('hashchange', () => {
  const name = readAddress();
  if (name && name !== run) choose(name);
});
signIn.addEventListener('submit', async (submitted) => {
  submitted.preventDefault();
  token = byId('token').value.trim();
  byId('token').value = '';
  signIn.hidden = true;
  say('waiting', 'Connecting …');
  try {
    const found = await listRuns();
    if (signIn.hidden) choose(run || found[0]?.run_id || '');
  } catch {
    askForToken('The server does not take this; try again.');
  }
});

const named = readAddress();
if (named) choose(named);
keepListing();
