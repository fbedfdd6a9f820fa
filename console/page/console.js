/** @import { ApplicationView, CreatedKey, LinkView, ListedKey, OwnTenantView, SessionView, UsageView } from '../src/responses.ts' */
import { creditSection, linkOf, linkSection, quickstartSection, sessionsSection, stateSections } from './account.js';
import { call, codeOf, messageOf } from './api.js';
import { button, form, secret } from './controls.js';
import { byId, html, section, showNotice } from './html.js';
import { keysSection, newKeySection } from './keys.js';
import { usageSection } from './usage.js';

const WAITLIST_REFRESH_MS = 10_000;
/** @type {OwnTenantView['state'] | undefined} Undefined if the user is not signed in */
let state;

/** @param {...Node} children */
function showContent(...children) {
  byId('content').replaceChildren(...children);
}

/** Shows the application form, and the sign-in form for users who have a private link. */
function showSignedOut() {
  state = undefined;
  showNotice('');
  byId('who').replaceChildren();
  byId('sign-out').hidden = true;
  const email = { type: 'email', maxlength: 320, autocomplete: 'email', pattern: '[^@]+@[^@]+[.][^@.]+' };
  const application = {
    name: {
      label: 'Your name',
      control: html('input', { required: true, maxlength: 200, autocomplete: 'name' }),
    },
    email: {
      label: 'Email',
      control: html('input', { required: true, ...email, title: 'An address such as name@example.org' }),
    },
    organisation: {
      label: 'Organisation (optional)',
      control: html('input', { maxlength: 200, autocomplete: 'organization' }),
    },
    use: {
      label: 'What do you want to build?',
      control: html('textarea', { required: true, maxlength: 4000, rows: 4 }),
    },
  };
  const link = {
    link: {
      label: 'Private link',
      control: html('input', { required: true, autocomplete: 'off', placeholder: linkOf('…') }),
    },
  };
  showContent(
    html('h1', {}, 'Streaming speech recognition'),
    html(
      'p',
      {},
      'For Kikuyu, Dholuo and more languages to come. Join the waitlist: when your application is approved, you can create API keys here.',
    ),
    section('Join the waitlist', { id: 'join' }, form('Join waitlist', application, apply)),
    section(
      'Already applied?',
      { id: 'have-link' },
      form('Sign in', link, ({ link: text }) => signIn(text.split('#').at(-1) ?? '')),
    ),
  );
}

/** @param {{ name: string, email: string, organisation: string, use: string }} application */
async function apply({ organisation, ...required }) {
  const body = organisation === '' ? required : { ...required, organisation };
  /** @type {ApplicationView} */
  const { token } = await call('POST', 'applications', body);
  if (token !== null) showLink(token);
  await refresh();
}

async function renewLink() {
  /** @type {LinkView} */
  const { token } = await call('POST', 'link');
  showLink(token);
  await refresh();
}

async function revokeLink() {
  if (!confirm('Revoke the link and sign out all browsers? Only an administrator can give you a new link.')) return;
  await call('DELETE', 'link');
  byId('kept').replaceChildren();
  showSignedOut();
}

/** @param {string} token */
function showLink(token) {
  document.getElementById('private-link')?.remove();
  showUntilDone(
    section(
      'Your private link',
      { class: 'secret', id: 'private-link' },
      html(
        'p',
        {},
        'Save this link now: you need it to sign in again, and it cannot be shown later. Anyone who has it can sign in as you.',
      ),
      secret(linkOf(token)),
    ),
  );
}

/** @param {string} token */
async function signIn(token) {
  await call('POST', 'sign-in', { token });
  await refresh();
}

/**
 * Shows an element with a secret until the user clicks Done. Refreshes and failures leave it in place.
 *
 * @param {HTMLElement} element
 */
function showUntilDone(element) {
  const done = html('button', { type: 'button', class: 'quiet' }, 'Done');
  done.addEventListener('click', () => element.remove());
  element.append(' ', done);
  byId('kept').prepend(element);
}

/** Loads the account and draws the page. */
async function refresh() {
  /** @type {OwnTenantView} */
  const tenant = await call('GET', 'account');
  showNotice('');
  state = tenant.state;
  byId('who').replaceChildren(
    html('span', {}, tenant.display_name),
    ' ',
    html('span', { class: `state ${tenant.state}` }, tenant.state),
  );
  byId('sign-out').hidden = false;
  const link = linkSection(tenant, { renew: renewLink, revoke: revokeLink, showError: showNotice });
  if (tenant.state === 'Waitlisted' || tenant.state === 'Declined') {
    showContent(...stateSections(tenant), link);
    return;
  }
  const sections = await loadSections(quickstartSection(tenant));
  showContent(...stateSections(tenant), creditSection(tenant), ...sections, link);
}

/**
 * Loads the sections below the credit. A section that cannot be loaded shows the reason, so that keys can be listed and
 * revoked while the ledger is unavailable.
 *
 * @param {HTMLElement} quickstart
 */
async function loadSections(quickstart) {
  /**
   * @template T
   * @param {string} title
   * @param {string} path
   * @param {(response: T) => HTMLElement} draw
   */
  const load = async (title, path, draw) => {
    try {
      /** @type {T} */
      const response = await call('GET', path);
      return draw(response);
    } catch (error) {
      return section(title, {}, html('p', { class: 'faint' }, messageOf(error)));
    }
  };
  /** @param {CreatedKey} [created] */
  const onKeysChange = (created) => {
    if (created !== undefined) showUntilDone(newKeySection(created));
    return refresh();
  };
  const [keys, usage, sessions] = await Promise.all([
    load('API keys', 'keys', (/** @type {{ data: ListedKey[] }} */ { data }) => keysSection(data, onKeysChange)),
    load('Usage', 'usage?days=30', (/** @type {UsageView} */ response) => usageSection(response)),
    load('Recent sessions', 'sessions', (/** @type {{ data: SessionView[] }} */ { data }) => sessionsSection(data)),
  ]);
  return [keys, quickstart, usage, sessions];
}

/**
 * Asks before a private link switches a signed-in user to another tenant, because keys created afterwards belong to
 * that tenant.
 *
 * @param {string} name
 */
async function confirmTenant(name) {
  /** @type {Promise<OwnTenantView>} */
  const account = call('GET', 'account');
  const current = await account.catch(() => undefined);
  if (current === undefined || current.name === name) return true;
  return confirm(`You are signed in as ${current.display_name}. Switch to the tenant ${name}?`);
}

async function start() {
  const token = location.hash.slice(1);
  // The token must not stay in the browser history, where other users of the device could find it.
  if (token !== '') history.replaceState(null, '', '/');
  try {
    const usesLink = token !== '' && (await confirmTenant(token.split('.')[0] ?? ''));
    await (usesLink ? signIn(token) : refresh());
  } catch (error) {
    showFailure(error);
  }
}

/**
 * Shows the signed-out page if the user has to sign in. Other failures may be temporary and get a Try again button.
 *
 * @param {unknown} error
 */
function showFailure(error) {
  const code = codeOf(error);
  if (code === 'not_signed_in') {
    showSignedOut();
    return;
  }
  if (code === 'invalid_link') showSignedOut();
  else showContent(button('Try again', start, { kind: '', showError: showNotice }));
  showNotice(messageOf(error));
}

byId('sign-out').addEventListener('click', () => {
  call('DELETE', 'sign-in').then(
    () => {
      byId('kept').replaceChildren();
      showSignedOut();
    },
    (/** @type {unknown} */ error) => showNotice(messageOf(error)),
  );
});
// Applicants see the decision without reloading the page.
setInterval(() => {
  if (state !== 'Waitlisted' || document.hidden) return;
  refresh().catch((/** @type {unknown} */ error) => {
    if (codeOf(error) === 'not_signed_in') showSignedOut();
  });
}, WAITLIST_REFRESH_MS);
addEventListener('hashchange', () => {
  if (location.hash !== '') void start();
});
void start();
