/* global addEventListener, confirm, document, history, location, setInterval */
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
  state = undefined;
  tell('');
  at('who').replaceChildren();
  at('sign-out').hidden = true;
  const input = (attributes) => html('input', { required: true, ...attributes });
  const applicant = [
    { name: 'name', label: 'Your name', control: input({ maxlength: 200, autocomplete: 'name' }) },
    {
      name: 'email',
      label: 'E-mail',
      control: input({ type: 'email', maxlength: 320, autocomplete: 'email', pattern: '[^@]+@[^@]+[.][^@.]+' }),
    },
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
  keep(
    section(
      'Your private link',
      { class: 'secret', id: 'private-link' },
      html('p', {}, 'Keep it now: it is how you come back, and it cannot be shown again. Whoever has it is you.'),
      secret(linkOf(token)),
    ),
  );
  await refresh();
}

async function signIn(token) {
  await call('POST', 'sign-in', { token });
  await refresh();
}

/** Shows something that cannot be shown again, until the person has it: whatever else is drawn or fails meanwhile. */
function keep(element) {
  const done = html('button', { type: 'button', class: 'quiet' }, 'I have kept it');
  done.addEventListener('click', () => element.remove());
  element.append(' ', done);
  at('kept').prepend(element);
}

/** Draws everything anew. */
async function refresh() {
  const account = await call('GET', 'account');
  tell('');
  state = account.state;
  at('who').replaceChildren(
    html('span', {}, account.display_name),
    ' ',
    html('span', { class: `state ${account.state}` }, account.state),
  );
  at('sign-out').hidden = false;
  if (account.state === 'Waitlisted' || account.state === 'Declined') {
    show(...standing(account));
    return;
  }
  // Each by itself: while the ledger is away keys can still be seen and revoked.
  const part = (asked, draw, name) =>
    asked.then(draw).catch(({ message }) => section(name, {}, html('p', { class: 'faint' }, message)));
  const made = (key) => {
    if (key !== undefined) keep(newKey(key));
    return refresh();
  };
  const [keys, usage, sessions] = await Promise.all([
    part(call('GET', 'keys'), ({ data }) => keysSection(data, made), 'API keys'),
    part(call('GET', 'usage?days=30'), usageSection, 'Use'),
    part(call('GET', 'sessions'), ({ data }) => recentSessions(data), 'Recent sessions'),
  ]);
  show(...standing(account), balance(account), keys, firstRequest(account), usage, sessions);
}

/** Whoever opens another's link while signed in should know it: keys that are made then are the other's. */
async function mayBecome(tenant) {
  const present = await call('GET', 'account').catch(() => undefined);
  if (present === undefined || present.name === tenant) return true;
  return confirm(`You are signed in as ${present.display_name}. Sign in as the tenant ${tenant} instead?`);
}

async function start() {
  const token = location.hash.slice(1);
  // Not in the history, where others on this machine would find it.
  if (token !== '') history.replaceState(null, '', '/');
  try {
    const isNew = token !== '' && (await mayBecome(token.split('.')[0]));
    await (isNew ? signIn(token) : refresh());
  } catch (error) {
    explain(error);
  }
}

/** Only whoever is not signed in is asked to join: anything else passes. */
function explain({ code, message }) {
  if (code === 'not_signed_in') {
    showEntrance();
    return;
  }
  if (code === 'invalid_link') showEntrance();
  else show(html('button', { onclick: () => void start() }, 'Try again'));
  tell(message);
}

at('sign-out').addEventListener('click', () => {
  call('DELETE', 'sign-in').then(
    () => {
      at('kept').replaceChildren();
      showEntrance();
    },
    ({ message }) => tell(message),
  );
});
// Whoever waits need not load the page again.
setInterval(() => {
  if (state !== 'Waitlisted' || document.hidden) return;
  refresh().catch((error) => {
    if (error.code === 'not_signed_in') showEntrance();
  });
}, LOOK_AGAIN_MS);
addEventListener('hashchange', () => {
  if (location.hash !== '') void start();
});
void start();
