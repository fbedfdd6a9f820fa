/** @import { CreatedKey, KeyView, ListedKey } from '../src/responses.ts' */
import { call } from './api.js';
import { button, form, secret } from './controls.js';
import { formatDate, formatDateTime } from './format.js';
import { html, section, table } from './html.js';

const DAY_MS = 86_400_000;
const MAX_DAYS = 3650;
/** Choices of the form, by their number of days. */
const EXPIRATIONS = { 30: '30 days', 90: '90 days', 365: '1 year', '': 'No expiration' };
/** Choices of the form, by the scopes that they select. */
const PERMISSIONS = { '': 'Full access', 'sessions:create': 'Create sessions', 'usage:read': 'Read usage' };

/**
 * Returns the lifetime of a key in days, or '' if it does not expire.
 *
 * @param {KeyView} key
 */
function lifetimeDays({ created_at: createdAt, expires_at: expiresAt }) {
  if (expiresAt === null) return '';
  const fromMs = createdAt === null ? Date.now() : Date.parse(createdAt);
  const days = Math.round((Date.parse(expiresAt) - fromMs) / DAY_MS);
  return String(Math.min(MAX_DAYS, Math.max(1, days)));
}

/**
 * Describes what a key may do.
 *
 * @param {KeyView} key
 */
function describeLimits({ scopes, models }) {
  const allowed = scopes === null ? 'Full access' : scopes.join(', ');
  return models === null ? allowed : `${allowed} (${models.join(', ')})`;
}

/**
 * Shows the keys and a form that creates one.
 *
 * @param {readonly ListedKey[]} keys
 * @param {(created?: CreatedKey) => Promise<void>} onChange called after a key was created or revoked
 */
export function keysSection(keys, onChange) {
  const problem = html('div');

  /** @param {string} message */
  const showError = (message) =>
    problem.replaceChildren(...(message === '' ? [] : [html('p', { role: 'alert', class: 'problem' }, message)]));

  /** @param {{ name: string, days: string } & Pick<KeyView, 'scopes' | 'models'>} request */
  async function create({ name, days, scopes, models }) {
    const body = {
      name,
      ...(days !== '' && { expires_in_days: Number(days) }),
      ...(scopes !== null && { scopes }),
      ...(models !== null && { models }),
    };
    /** @type {CreatedKey} */
    const created = await call('POST', 'keys', body);
    await onChange(created);
  }

  /** @param {{ name: string, days: string, permission: string, models: string }} fields */
  function createFromForm({ name, days, permission, models }) {
    const names = models.split(/[\s,]+/).filter((model) => model !== '');
    const scopes = permission === '' ? null : [permission];
    return create({ name, days, scopes, models: names.length === 0 ? null : names });
  }

  /** @param {KeyView} key */
  function rotate(key) {
    const { name, scopes, models } = key;
    return create({ name, days: lifetimeDays(key), scopes, models });
  }

  /** @param {KeyView} key */
  async function revoke({ key_id: id, name }) {
    const label = name === '' ? id : `"${name}"`;
    if (!confirm(`Revoke the key ${label}? Requests that use it fail from now on. This cannot be undone.`)) return;
    await call('DELETE', `keys/${encodeURIComponent(id)}`);
    await onChange();
  }

  const rows = keys.map((key) => [
    key.name === '' ? '–' : key.name,
    `${key.prefix}…${key.last_four}`,
    describeLimits(key),
    formatDate(key.created_at, '–'),
    formatDate(key.expires_at, 'Never'),
    formatDateTime(key.last_used_at, 'Never'),
    html(
      'span',
      {},
      button('Rotate', () => rotate(key), { showError }),
      ' ',
      ...(key.read_only ? [] : [button('Revoke', () => revoke(key), { kind: 'quiet danger', showError })]),
    ),
  ]);
  const list = [
    table(['Name', 'Key', 'Permissions', 'Created', 'Expires', 'Last used', ''], rows),
    html(
      'p',
      { class: 'faint' },
      'Rotate creates a new key with the same name, permissions and lifetime. The old key works until you revoke it.',
    ),
  ];
  const days = Object.entries(EXPIRATIONS).map(([value, text]) =>
    html('option', { value, selected: value === '90' }, text),
  );
  const permissions = Object.entries(PERMISSIONS).map(([value, text]) => html('option', { value }, text));
  return section(
    'API keys',
    { id: 'keys' },
    problem,
    ...(keys.length === 0 ? [html('p', { class: 'faint' }, 'No API keys yet.')] : list),
    html('h2', {}, 'New key'),
    form(
      'Create key',
      {
        name: { label: 'Name (optional)', control: html('input', { maxlength: 200, placeholder: 'production' }) },
        days: { label: 'Expiration', control: html('select', {}, ...days) },
        permission: { label: 'Permissions', control: html('select', {}, ...permissions) },
        models: {
          label: 'Models (optional)',
          control: html('input', { maxlength: 4000, placeholder: 'All models, or names separated by commas' }),
        },
      },
      createFromForm,
    ),
  );
}

/**
 * Shows a key that was just created. The console cannot show it again.
 *
 * @param {CreatedKey} created
 */
export function newKeySection({ key, name, active }) {
  return section(
    name === '' ? 'Your new API key' : `Your new API key "${name}"`,
    { class: 'secret', id: 'new-key' },
    html('p', {}, 'Copy this key now and store it on your server. It cannot be shown again.'),
    secret(key),
    ...(active ? [] : [html('p', { class: 'faint' }, 'The key will work in a few seconds.')]),
  );
}
