/* global addEventListener, document, history, location, setInterval */
import { balance, firstRequest, linkOf, recentSessions, standing } from './account.js';
import { call } from './api.js';
import { form, html, secret, section } from './html.js';
import { keysSection, newKey } from './keys.js';
import { usageSection } from './usage.js';

const LOOK_AGAIN_MS = 10_000;
const at = (id) => document.getElementById(id);
let state;

function show(...children) {
  at('content').replaceChildren(...children);
}

function tell(message) {
  at('notice').textContent = message;
  at('notice').hidden = message === '';
}

/** For whoever is not signed in: the waitlist, and the way back for those who have a link. */
function showEntrance() {
  at('who').replaceChildren();
  at('sign-out').hidden = true;
  const input = (attributes) => html('input', { required: true, ...attributes });
  const applicant = [
    { name: 'name', label: 'Your name', control: input({ maxlength: 200, autocomplete: 'name' }) },
    { name: 'email', label: 'E-mail', control: input({ type: 'email', maxlength: 320, autocomplete: 'email' }) },
    {
      name: 'organisation',
      label: 'Organisation (optional)',
      control: html('input', { maxlength: 200, autocomplete: 'organization' }),
    },
    {
      name: 'use',
      label: 'What you want to build',
      control: html('textarea', { required: true, maxlength: 4000, rows: 4 }),
    },
  ];
  const link = [
    { name: 'link', label: 'Private link', control: input({ autocomplete: 'off', placeholder: linkOf('…') }) },
  ];
  show(
    html('h1', {}, 'Streaming speech recognition'),
    html(
      'p',
      {},
      'For Kikuyu, Dholuo and whatever language comes next. Join the waitlist; once an administrator has approved you, you make your API keys here.',
    ),
    section('Join the waitlist', { id: 'join' }, form('Join', applicant, join)),
    section(
      'I have a private link',
      { id: 'have-link' },
      form('Sign in', link, async ({ link: text }) => signIn(text.split('#').at(-1))),
    ),
  );
}

async function join({ organisation, ...rest }) {
  const { token } = await call('POST', 'applications', { ...rest, ...(organisation !== '' && { organisation }) });
  const link = section(
    'Your private link',
    { class: 'secret', id: 'private-link' },
    html('p', {}, 'Keep it now: it is how you come back, and it cannot be shown again. Whoever has it is you.'),
    secret(linkOf(token)),
  );
  await refresh(link);
}

async function signIn(token) {
  await call('POST', 'sign-in', { token });
  await refresh();
}

/** Draws everything anew; `first` stands above it. */
async function refresh(first) {
  const account = await call('GET', 'account');
  state = account.state;
  at('who').replaceChildren(
    html('span', {}, account.display_name),
    ' ',
    html('span', { class: `state ${account.state}` }, account.state),
  );
  at('sign-out').hidden = false;
  const above = first === undefined ? [] : [first];
  if (account.state === 'Waitlisted' || account.state === 'Declined') {
    show(...above, ...standing(account));
    return;
  }
  // Each by itself: while the ledger is away keys can still be seen and revoked.
  const part = (asked, draw, name) =>
    asked.then(draw).catch(({ message }) => section(name, {}, html('p', { class: 'faint' }, message)));
  const parts = await Promise.all([
    part(call('GET', 'keys'), ({ data }) => keysSection(data, (key) => refresh(key && newKey(key))), 'API keys'),
    part(call('GET', 'usage?days=30'), usageSection, 'Use'),
    part(call('GET', 'sessions'), ({ data }) => recentSessions(data), 'Recent sessions'),
  ]);
  const [keys, usage, sessions] = parts;
  show(...above, ...standing(account), balance(account), keys, firstRequest(account), usage, sessions);
}

async function start() {
  const token = location.hash.slice(1);
  // Not in the history, where others on this machine would find it.
  if (token !== '') history.replaceState(null, '', '/');
  tell('');
  try {
    await (token === '' ? refresh() : signIn(token));
  } catch (error) {
    if (error.code !== 'not_signed_in') tell(error.message);
    showEntrance();
  }
}

at('sign-out').addEventListener(
  'click',
  () => void call('DELETE', 'sign-in').then(showEntrance, ({ message }) => tell(message)),
);
// Whoever waits need not load the page again.
setInterval(() => {
  if (state === 'Waitlisted' && !document.hidden && at('private-link') === null) refresh().catch(() => undefined);
}, LOOK_AGAIN_MS);
addEventListener('hashchange', () => {
  if (location.hash !== '') void start();
});
void start();
