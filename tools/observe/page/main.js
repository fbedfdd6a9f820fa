/** @import { PageData } from '../view.ts' */
import { appendCard } from './cards.js';
import { byId, html } from './elements.js';
import { createSession } from './sessions.js';
import { createTable } from './tables.js';

const REFRESH_MS = 1000;
/**
 * Sessions that the user opened (true) or closed (false). By default only the newest recognized session is open.
 *
 * @type {Map<string, boolean>}
 */
const openByUser = new Map();
let shownSessions = 'none';
/** @type {ReturnType<typeof appendCard>[]} */
let updaters = [];

/** @param {PageData['sessions']} sessions */
function showSessions(sessions) {
  const signature = sessions.map(({ id, spans }) => `${id} ${spans.length}`).join();
  // Replacing the entries would close tooltips and lose the text selection, so it happens only when spans arrived.
  if (signature === shownSessions) return;
  shownSessions = signature;
  const newest = sessions.find(({ spans }) => spans.some(({ name }) => name === 'recognize'))?.id;
  const entries = sessions.map((session) => {
    const entry = createSession(session);
    entry.open = openByUser.get(session.id) ?? session.id === newest;
    // The browser toggles the entry only after this handler, so `entry.open` still has the old value here.
    entry.firstElementChild?.addEventListener('click', () => openByUser.set(session.id, !entry.open));
    return entry;
  });
  byId('sessions').replaceChildren(...entries, ...(entries.length === 0 ? ['No sessions yet.'] : []));
}

/** @param {PageData} data */
function show({ badges, cards, history, tables, sessions }) {
  byId('badges').replaceChildren(...badges.map(({ text, isBad }) => html('li', isBad ? { class: 'bad' } : {}, text)));
  if (updaters.length === 0) updaters = cards.map((card) => appendCard(byId('cards'), card));
  for (const [index, card] of cards.entries()) updaters[index]?.(card, history, index);
  byId('tables').replaceChildren(...tables.map(createTable));
  showSessions(sessions);
}

async function refresh() {
  try {
    const response = await fetch('data');
    /** @type {unknown} */
    const body = await response.json();
    show(/** @type {PageData} */ (body));
    byId('notice').textContent = '';
  } catch {
    byId('notice').textContent = 'npm start does not respond. This page shows the last data that it received.';
  }
  setTimeout(() => void refresh(), REFRESH_MS);
}

await refresh();
