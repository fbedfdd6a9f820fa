/* global location */
import { audio, html, section, table, when } from './html.js';

const WAITING = {
  Waitlisted:
    'Your application waits for a decision. Keep your private link: this page, opened by it, tells you the moment it was approved.',
  Declined: 'Your application was declined. Write to the administrator if you think that this is a mistake.',
  Suspended: 'The tenant is suspended: its keys are refused until the administrator lifts that.',
};

/** What there is to know before there are keys. */
export function standing({ state, contact }) {
  if (state === 'Active') return [];
  return [
    section(state === 'Waitlisted' ? 'You are on the waitlist' : state, {}, html('p', {}, WAITING[state] ?? '')),
    ...(contact === null ? [] : [section('What you wrote', {}, html('p', {}, contact.use ?? ''))]),
  ];
}

/** Credit and how much may go on at a time. */
export function balance({ account, limits, ledger_available: isThere }) {
  const credits = account?.credits;
  const figure = (value, label) =>
    html('div', { class: 'figure' }, html('b', {}, value), html('span', { class: 'faint' }, label));
  if (credits === undefined) {
    const why = isThere ? 'The account is being made.' : 'The balance cannot be read at the moment; nothing is lost.';
    return section('Credit', {}, html('p', { class: 'faint' }, why));
  }
  return section(
    'Credit',
    {},
    html(
      'div',
      { class: 'columns' },
      figure(audio(credits.available_ms), 'of audio available'),
      figure(audio(credits.reserved_ms), 'held by live sessions'),
      figure(audio(credits.consumed_ms), 'used'),
      figure(`${account.live_sessions} of ${limits.concurrent_sessions}`, 'sessions at a time'),
    ),
  );
}

/** The first request, ready to paste. */
export function firstRequest({ api_url: url, models }) {
  const model = models.find((name) => name !== '*') ?? 'MODEL';
  const lines = [
    `curl ${url}/v1/models -H "Authorization: Bearer $SVC_ASR_API_KEY"`,
    '',
    `curl ${url}/v1/asr/sessions -H "Authorization: Bearer $SVC_ASR_API_KEY" \\`,
    `  -H "Content-Type: application/json" -d '{"model": "${model}", "max_audio_seconds": 60}'`,
  ];
  return section(
    'Your first session',
    {},
    html(
      'p',
      {},
      'On a server: a key never belongs into a browser or an app. They get the short-lived session that this answers with.',
    ),
    html('pre', {}, lines.join('\n')),
    ...(model === 'MODEL'
      ? [html('p', { class: 'faint' }, 'Put an id of the first answer in the place of MODEL.')]
      : []),
  );
}

/** The last sessions. */
export function recentSessions(sessions) {
  if (sessions.length === 0) return section('Recent sessions', {}, html('p', { class: 'faint' }, 'None yet.'));
  const rows = sessions.map(({ id, model, state, audio_ms: heard, billable_ms: charged, created_at: at }) => {
    return [when(at, ''), model, state, audio(heard), audio(charged), id];
  });
  return section('Recent sessions', {}, table(['Begun', 'Model', 'State', 'Audio', 'Charged', 'Id'], rows));
}

/** The address of this page with a private link. */
export function linkOf(token) {
  return `${location.origin}/#${token}`;
}
