/* global document, fetch, setTimeout */
import { html, loadCards, promiseCards } from './cards.js';
import { endsTable, modelsTable, routesTable, workersTable } from './tables.js';
import { sessionEntry } from './waterfall.js';

const EVERY_MS = 1000;
const at = (id) => document.getElementById(id);
/** What a person unfolded or folded; of the others the newest that has ended is unfolded. */
const unfolded = new Map();
let drawn = '';

function showSources({ sources, redis, ledgerMissing, stallMs, pending }) {
  const counts = new Map();
  for (const { service } of sources) counts.set(service, (counts.get(service) ?? 0) + 1);
  const parts = ['gateway', 'operator', 'console', 'worker'].map((service) => {
    const count = counts.get(service) ?? 0;
    return { text: count > 1 ? `${count} ${service}s` : service, bad: count === 0 && service !== 'worker' };
  });
  parts.push({ text: 'Redis', bad: !redis }, { text: 'ledger', bad: ledgerMissing });
  if (pending > 0) parts.push({ text: `${pending} not settled`, bad: true });
  parts.push({ text: `gateway's longest stall ${Math.round(stallMs)} ms`, bad: stallMs > 250 });
  at('sources').replaceChildren(...parts.map(({ text, bad }) => html('li', bad ? { class: 'bad' } : {}, text)));
}

function showSessions(sessions) {
  const signature = sessions.map(({ id, spans }) => id + spans.length).join();
  // Drawn anew only when something came, so that what a person unfolded stays as it is.
  if (signature === drawn) return;
  drawn = signature;
  const newest = sessions.find(({ spans }) => spans.some(({ name }) => name === 'recognize'))?.id;
  const entries = sessions.map((session) => sessionEntry(session, unfolded.get(session.id) ?? session.id === newest));
  if (entries.length === 0) entries.push(html('p', { class: 'faint' }, 'None yet: transcribe something.'));
  at('sessions').replaceChildren(...entries);
}

at('sessions').addEventListener('click', ({ target }) => {
  const entry = target.closest('summary')?.parentElement;
  // Told before it is done.
  if (entry) unfolded.set(entry.dataset.id, !entry.open);
});

async function refresh() {
  try {
    const data = await (await fetch('data')).json();
    at('notice').hidden = true;
    showSources(data.now);
    at('promises').replaceChildren(...promiseCards(data));
    at('load').replaceChildren(...loadCards(data));
    at('models').replaceChildren(modelsTable(data.now));
    at('workers').replaceChildren(workersTable(data.now));
    at('routes').replaceChildren(routesTable(data.now));
    at('ends').replaceChildren(endsTable(data.now));
    showSessions(data.sessions);
  } catch {
    at('notice').textContent = 'npm start does not answer any more; what you see is the last that was heard.';
    at('notice').hidden = false;
  }
  setTimeout(() => void refresh(), EVERY_MS);
}

await refresh();
