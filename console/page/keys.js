/* global confirm */
import { call } from './api.js';
import { day, form, html, secret, section, table, when } from './html.js';

const DAY_MS = 86_400_000;
const MOST_DAYS = 3650;
const DAYS = { 30: '30 days', 90: '90 days', 365: '1 year', '': 'Never' };

/** In days; empty: for ever. */
function lifetime({ created_at: made, expires_at: to }) {
  if (to === null) return '';
  const days = Math.round((Date.parse(to) - (made === null ? Date.now() : Date.parse(made))) / DAY_MS);
  return String(Math.min(MOST_DAYS, Math.max(1, days)));
}

/** The keys, a form for a new one, and the one that was just made. */
export function keysSection(keys, refresh) {
  const made = html('div', {});

  async function create({ name, days }) {
    const body = { name, ...(days !== '' && { expires_in_days: Number(days) }) };
    const key = await call('POST', 'keys', body);
    await refresh(key);
  }

  async function revoke({ key_id: id, name }) {
    if (!confirm(`Revoke the key ${name === '' ? id : `"${name}"`}? Whatever uses it stops working at once.`)) return;
    await call('DELETE', `keys/${encodeURIComponent(id)}`);
    await refresh();
  }

  const action = (text, act, kind = 'quiet') =>
    html(
      'button',
      {
        type: 'button',
        class: kind,
        onclick: ({ target }) => {
          target.disabled = true;
          act()
            .catch((error) =>
              made.replaceChildren(html('p', { role: 'alert', class: 'state Declined' }, error.message)),
            )
            .finally(() => (target.disabled = false));
        },
      },
      text,
    );

  const rows = keys.map((key) => [
    key.name === '' ? '–' : key.name,
    `${key.prefix}…${key.last_four}`,
    day(key.created_at, '–'),
    day(key.expires_at, 'never'),
    when(key.last_used_at, 'not yet'),
    html(
      'span',
      {},
      action('Replace', () => create({ name: key.name, days: lifetime(key) })),
      ' ',
      ...(key.read_only ? [] : [action('Revoke', () => revoke(key), 'quiet danger')]),
    ),
  ]);
  const name = html('input', { maxlength: 200, placeholder: 'production' });
  const days = html(
    'select',
    {},
    ...Object.entries(DAYS).map(([value, text]) => html('option', { value, selected: value === '90' }, text)),
  );
  return section(
    'API keys',
    { id: 'keys' },
    made,
    keys.length === 0
      ? html('p', { class: 'faint' }, 'None yet.')
      : table(['Name', 'Key', 'Made', 'Expires', 'Last used', ''], rows),
    html('h2', {}, 'A new key'),
    form(
      'Create the key',
      [
        { name: 'name', label: 'Name', control: name },
        { name: 'days', label: 'Expires after', control: days },
      ],
      create,
    ),
  );
}

/** A key at the only moment at which it can be seen. */
export function newKey({ key, name, active }) {
  return section(
    `Your key${name === '' ? '' : ` "${name}"`}`,
    { class: 'secret', id: 'new-key' },
    html(
      'p',
      {},
      'Keep it now, on a server: it cannot be shown again. A key that it replaces works until you revoke it.',
    ),
    secret(key),
    ...(active ? [] : [html('p', { class: 'faint' }, 'It is stored and will work in a moment.')]),
  );
}
