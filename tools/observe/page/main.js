/** @import { PageData } from '../page-data.ts' */
/** @import { Snapshot } from '../snapshot.ts' */
/** @import { ShownSession } from '../traces.ts' */
import { latencyCards, loadCards } from './cards.js';
import { byId, html } from './elements.js';
import { endingsTable, modelsTable, routesTable, workersTable } from './tables.js';
import { sessionEntry } from './waterfall.js';

const REFRESH_MS = 1000;
/** Event loop stalls above this are shown as bad. */
const MAX_STALL_MS = 250;
/**
 * Sessions that the user opened (true) or closed (false). By default only the newest recognized session is open.
 *
 * @type {Map<string, boolean>}
 */
const openByUser = new Map();
let shownSessions = '';

/** @param {Snapshot} snapshot */
function showSources({ sources, redis, ledgerMissing, stallMs, pending }) {
  const parts = ['gateway', 'operator', 'console', 'worker'].map((name) => {
    const count = sources.filter(({ service }) => service === name).length;
    // A model without sessions may have no worker.
    return { text: count > 1 ? `${count} ${name}s` : name, bad: count === 0 && name !== 'worker' };
  });
  parts.push({ text: 'Redis', bad: !redis }, { text: 'ledger', bad: ledgerMissing });
  if (pending > 0) parts.push({ text: `${pending} unsettled sessions`, bad: true });
  parts.push({ text: `longest stall ${Math.round(stallMs)} ms`, bad: stallMs > MAX_STALL_MS });
  byId('sources').replaceChildren(...parts.map(({ text, bad }) => html('li', bad ? { class: 'bad' } : {}, text)));
}

/** @param {PageData['sessions']} sessions */
function showSessions(sessions) {
  const signature = sessions.map(({ id, spans }) => `${id} ${spans.length}`).join();
  // Replacing the entries would close tooltips and lose the text selection, so it happens only when spans arrived.
  if (signature === shownSessions) return;
  shownSessions = signature;
  /** @param {ShownSession} session */
  const isRecognized = ({ spans }) => spans.some(({ name }) => name === 'recognize');
  const newest = sessions.find(isRecognized)?.id;
  const entries = sessions.map((session) => sessionEntry(session, openByUser.get(session.id) ?? session.id === newest));
  byId('sessions').replaceChildren(
    ...(entries.length === 0 ? [html('p', { class: 'faint' }, 'No sessions yet.')] : entries),
  );
}

byId('sessions').addEventListener('click', ({ target }) => {
  const entry = target instanceof Element ? target.closest('summary')?.parentElement : undefined;
  // The click toggles the entry after this handler.
  if (entry instanceof HTMLDetailsElement) openByUser.set(entry.dataset.id ?? '', !entry.open);
});

async function refresh() {
  try {
    const response = await fetch('data');
    /** @type {unknown} */
    const body = await response.json();
    const data = /** @type {PageData} */ (body);
    byId('notice').hidden = true;
    showSources(data.now);
    byId('latency').replaceChildren(...latencyCards(data));
    byId('load').replaceChildren(...loadCards(data));
    byId('models').replaceChildren(modelsTable(data.now));
    byId('workers').replaceChildren(workersTable(data.now));
    byId('routes').replaceChildren(routesTable(data.now));
    byId('endings').replaceChildren(endingsTable(data.now));
    showSessions(data.sessions);
  } catch {
    byId('notice').textContent = 'npm start does not respond. This page shows the last data that it received.';
    byId('notice').hidden = false;
  }
  setTimeout(() => void refresh(), REFRESH_MS);
}

await refresh();
