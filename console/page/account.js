/** @import { OwnTenantView, SessionView } from '../src/responses.ts' */
import { button } from './controls.js';
import { formatAudio, formatDate, formatDateTime } from './format.js';
import { html, section, table } from './html.js';

/** @type {Readonly<Partial<Record<OwnTenantView['state'], { title: string, text: string }>>>} */
const EXPLANATIONS = {
  Waitlisted: {
    title: 'You are on the waitlist',
    text: 'Your application is pending. This page shows the decision as soon as an administrator has made it. Keep your private link: you need it to come back.',
  },
  Declined: {
    title: 'Application declined',
    text: 'Your application was declined. Contact the administrator if you think this is a mistake.',
  },
  Suspended: {
    title: 'Account suspended',
    text: 'Your API keys are rejected until the administrator reactivates your account.',
  },
};

/**
 * Explains the state of a tenant that is not active. Empty for an active tenant.
 *
 * @param {OwnTenantView} tenant
 */
export function stateSections({ state, contact }) {
  const explanation = EXPLANATIONS[state];
  if (explanation === undefined) return [];
  return [
    section(explanation.title, {}, html('p', {}, explanation.text)),
    ...(contact === null ? [] : [section('Your application', {}, html('p', {}, contact.use ?? ''))]),
  ];
}

/**
 * Shows the credit and the number of live sessions.
 *
 * @param {OwnTenantView} tenant
 */
export function creditSection({ account, limits, ledger_available: isAvailable }) {
  if (account === null) {
    const reason = isAvailable
      ? 'Your account is being created.'
      : 'Your balance is temporarily unavailable. Your credit is safe.';
    return section('Credit', {}, html('p', { class: 'faint' }, reason));
  }
  /**
   * @param {string} value
   * @param {string} label
   */
  const figure = (value, label) =>
    html('div', { class: 'figure' }, html('b', {}, value), html('span', { class: 'faint' }, label));
  const { credits, live_sessions: liveSessions } = account;
  return section(
    'Credit',
    {},
    html(
      'div',
      { class: 'columns' },
      figure(formatAudio(credits.available_ms), 'available'),
      figure(formatAudio(credits.reserved_ms), 'reserved by live sessions'),
      figure(formatAudio(credits.consumed_ms), 'used'),
      ...(credits.budget === undefined
        ? []
        : [
            figure(
              `${formatAudio(credits.budget.remaining_ms)} of ${formatAudio(credits.budget.monthly_ms)}`,
              `monthly budget, renews on ${formatDate(credits.budget.renews_at, '')}`,
            ),
          ]),
      figure(`${liveSessions} of ${limits.concurrent_sessions}`, 'live sessions'),
    ),
  );
}

/**
 * Shows the first requests to the API, ready to paste.
 *
 * @param {OwnTenantView} tenant
 */
export function quickstartSection({ api_url: url, api_ca_file: caFile, models }) {
  const model = models.find((name) => name !== '*') ?? 'MODEL';
  const curl = caFile === null ? 'curl' : `curl --cacert ${quoted(caFile)}`;
  const lines = [
    `${curl} ${url}/v1/models`,
    '',
    'export SVC_ASR_API_KEY=svc_live_v1_...  # one of your API keys',
    `${curl} ${url}/v1/asr/sessions \\`,
    `  -H "Authorization: Bearer $SVC_ASR_API_KEY" \\`,
    `  -H "Content-Type: application/json" -d '{"model": "${model}", "max_audio_seconds": 60}'`,
  ];
  const text =
    'Run these commands on your server. Never put an API key in a browser or mobile app: give it the short-lived session that the last command returns.';
  return section(
    'Quickstart',
    { id: 'quickstart' },
    html('p', {}, text),
    html('pre', {}, lines.join('\n')),
    ...(model === 'MODEL'
      ? [html('p', { class: 'faint' }, 'Replace MODEL with a model id from the first response.')]
      : []),
  );
}

/**
 * Quotes a path for a shell, if necessary.
 *
 * @param {string} path
 */
function quoted(path) {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/**
 * Lists the latest sessions.
 *
 * @param {readonly SessionView[]} sessions
 */
export function sessionsSection(sessions) {
  const title = 'Recent sessions';
  if (sessions.length === 0) return section(title, {}, html('p', { class: 'faint' }, 'No sessions yet.'));
  const rows = sessions.map((session) => [
    formatDateTime(session.created_at, ''),
    session.model,
    session.state,
    formatAudio(session.audio_ms),
    formatAudio(session.billable_ms),
    session.id,
  ]);
  return section(title, {}, table(['Created', 'Model', 'Status', 'Audio', 'Billed', 'ID'], rows));
}

/**
 * Shows when the private link expires, with buttons that replace and revoke it.
 *
 * @param {OwnTenantView} tenant
 * @param {{ renew: () => Promise<void>, revoke: () => Promise<void>, showError: (message: string) => void }} actions
 */
export function linkSection({ link_expires_at: expiresAt }, { renew, revoke, showError }) {
  const expiry = expiresAt === null ? '' : `Your link expires on ${formatDate(expiresAt, '')}. `;
  const text = `${expiry}A new link replaces it and signs out your other browsers.`;
  return section(
    'Private link',
    { id: 'link' },
    html('p', {}, text),
    button('Renew link', renew, { showError }),
    ' ',
    button('Revoke link', revoke, { showError }),
  );
}

/**
 * Returns the private link for a token: the address of this page with the token behind `#`.
 *
 * @param {string} token
 */
export function linkOf(token) {
  return `${location.origin}/#${token}`;
}
